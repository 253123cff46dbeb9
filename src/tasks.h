/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks over all tasks, in parts
 */
#ifndef TASKACCT_TASKS_H
#define TASKACCT_TASKS_H

struct pid_namespace;
struct task_struct;

/* How many are looked for at once, at most: to find one more costs less. */
#define TASKACCT_TASKS_AHEAD 16

/**
 * struct taskacct_task_found - a task and its id
 * @task: the task
 * @id: its id in the namespace that it was looked for in
 */
struct taskacct_task_found {
	struct task_struct *task;
	int id;
};

unsigned int taskacct_tasks_from(struct pid_namespace *ns, int from,
				 struct taskacct_task_found *found,
				 unsigned int max);
int taskacct_tasks_visit(void (*visit)(struct task_struct *t, void *data),
			 void *data);

#endif /* TASKACCT_TASKS_H */
