// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes calls of taskacct fail, on any kernel that has kprobes: there is a
 * probe on each function that may be made to fail, and it looks at who called.
 * What others call is left alone.
 *
 * It is told what to do in /sys/module/fail/parameters/:
 *
 * functions	names of kernel functions, separated by blanks: where the probes
 *		are. Written anew it takes the place of what was there.
 * plan		"FUNCTION WHEN VALUE", several separated by ";": WHEN is N for the
 *		Nth call from now on, or 1/N for one in N at random; VALUE is what
 *		the function returns instead of doing anything, 0 or an error. Or
 *		it is ~MS: then the call waits for the next plan first, so many
 *		milliseconds at most, with preemption off, and with interrupts as its
 *		caller has them. The counters begin at 0 again. Without a plan calls
 *		are counted only.
 * task		only calls by this task or process are counted; 0: by any
 * calls	read: "FUNCTION CALLS FAILED" for each
 * init_nth	the task that loads taskacct has this written to its
 *		/proc/self/fail-nth at the moment when taskacct's init begins, on
 *		kernels with fault injection
 *
 * It has to be loaded before taskacct is, to see it come.
 */
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <net/sock.h>

/* 5.10 does not know it. */
#ifndef __nocfi
#define __nocfi
#endif

/* No function begins with a place for ftrace where there is none. */
#ifndef MCOUNT_INSN_SIZE
#define MCOUNT_INSN_SIZE 0
#endif

#define MAX_FUNCTIONS	48
#define NAME_LENGTH	64

/**
 * struct function - a function that may be made to fail
 * @probe: behind the place for ftrace, where it has one
 * @begin: where it begins
 * @name: its name
 * @nth: which call fails, from 1; 0: none
 * @one_in: how many calls there are to one that fails; 0: none fails
 * @value: what it then returns
 * @ms: or how long it waits for another plan, at most; 0: it fails
 * @calls: calls so far
 * @failed: of these, failed, or made to wait
 */
struct function {
	struct kprobe probe;
	void *begin;
	char name[NAME_LENGTH];
	unsigned int nth;
	unsigned int one_in;
	long value;
	unsigned int ms;
	atomic_t calls;
	atomic_t failed;
};

/* Changed under the kernel's lock for the parameters of this module */
static struct function functions[MAX_FUNCTIONS];
static unsigned int nr_functions;

/* Set while it is there, its init included */
static struct module *target;

/* How many plans there have been */
static unsigned int plans;

static int task;
module_param(task, int, 0644);
MODULE_PARM_DESC(task, "only calls by this task or process count; 0: by any");

static int init_nth;
module_param(init_nth, int, 0644);
MODULE_PARM_DESC(init_nth, "fail-nth of the loading task when taskacct's init begins");

/* In the place of the function: it leaves everything as its caller had it. */
static noinline notrace void return_at_once(void)
{
	asm volatile("");
}

/* At a function's entry: where it returns to, its first and its sixth argument */
#ifdef CONFIG_ARM64
#define CALLER(r)		((r)->regs[30])
#define FIRST_ARGUMENT(r)	((r)->regs[0])
#define LAST_ARGUMENT(r)	((r)->regs[5])
#elif defined(CONFIG_S390)
#define CALLER(r)		((r)->gprs[14])
#define FIRST_ARGUMENT(r)	((r)->gprs[2])
/* It would be on the stack, where its caller may have something else. */
#define LAST_ARGUMENT(r)	((r)->gprs[1])
#elif defined(CONFIG_RISCV)
#define CALLER(r)		((r)->ra)
#define FIRST_ARGUMENT(r)	((r)->a0)
#define LAST_ARGUMENT(r)	((r)->a5)
#else
#define CALLER(r)		(*(unsigned long *)kernel_stack_pointer(r))
#define FIRST_ARGUMENT(r)	((r)->di)
#define LAST_ARGUMENT(r)	((r)->r9)
#endif

static bool is_called_by_target(struct pt_regs *regs)
{
	struct module *mod = READ_ONCE(target);
	unsigned long caller = CALLER(regs);

	if (!mod || !within_module(caller, mod))
		return false;
	return !task || task == current->pid || task == current->tgid;
}

static bool is_due(const struct function *function, unsigned int call)
{
	unsigned int one_in = READ_ONCE(function->one_in);

	if (one_in)
		return hash_32(call, 32) % one_in == 0;
	return call == READ_ONCE(function->nth);
}

static void wait_for_plan(unsigned int ms)
{
	const u64 end = ktime_get_mono_fast_ns() + ms * (u64)NSEC_PER_MSEC;
	const unsigned int nr = READ_ONCE(plans);

	preempt_disable();
	while (READ_ONCE(plans) == nr && ktime_get_mono_fast_ns() < end)
		cpu_relax();
	preempt_enable();
}

typedef unsigned long (*function_fn)(unsigned long a, unsigned long b,
				     unsigned long c, unsigned long d,
				     unsigned long e);

/*
 * In the place of a function that has to wait: the handler of a probe has interrupts
 * off, and a CPU that takes none makes others wait that need it. The function is called
 * from here, and the probe leaves that alone. Its type is any: not for kCFI to compare.
 */
static noinline notrace __used __nocfi unsigned long
wait_and_call(unsigned long a, unsigned long b, unsigned long c,
	      unsigned long d, unsigned long e, struct function *function)
{
	const function_fn call = (function_fn)function->begin;
	unsigned long result;

	wait_for_plan(READ_ONCE(function->ms));
	result = call(a, b, c, d, e);
	/* Not a jump: it would be called by who called this. */
	barrier();
	return result;
}

/* Where a function begins that has to wait */
#ifdef CONFIG_S390
void begin_to_wait(void);
/* wait_and_call() with a frame of its own for the sixth argument, which is in %r1 */
#define BEGIN_TO_WAIT			\
	".pushsection .text\n"		\
	".balign 8\n"			\
	"begin_to_wait:\n"		\
	"stmg	%r14,%r15,112(%r15)\n"	\
	"aghi	%r15,-168\n"		\
	"stg	%r1,160(%r15)\n"	\
	"brasl	%r14,wait_and_call\n"	\
	"lmg	%r14,%r15,280(%r15)\n"	\
	"br	%r14\n"			\
	".popsection\n"
asm(BEGIN_TO_WAIT);
#else
#define begin_to_wait	wait_and_call
#endif

static int on_call(struct kprobe *probe, struct pt_regs *regs)
{
	struct function *function;

	function = container_of(probe, struct function, probe);
	if (!is_called_by_target(regs) ||
	    !is_due(function, atomic_inc_return(&function->calls)))
		return 0;
	atomic_inc(&function->failed);
	if (function->ms) {
		/* The functions that have to wait take less than six. */
		LAST_ARGUMENT(regs) = (unsigned long)function;
		instruction_pointer_set(regs, (unsigned long)begin_to_wait);
		return 1;
	}
	/* It returns nothing, and tells by taking the address away. */
	if (!strcmp(function->name, "unregister_kprobe"))
		((struct kprobe *)FIRST_ARGUMENT(regs))->addr = NULL;
	regs_set_return_value(regs, function->value);
	instruction_pointer_set(regs, (unsigned long)return_at_once);
	return 1;
}

/* A probe that has one is not optimized: only then may its handler jump. */
static void after_call(struct kprobe *probe, struct pt_regs *regs,
		       unsigned long flags)
{
}

/*
 * Probes on the place that ftrace uses would go through ftrace, and not always
 * be called for what is called by another user of ftrace, such as taskacct.
 * Just behind that place they do not. The stack is the same there.
 */
static int attach(struct function *function)
{
	struct kprobe *probe = &function->probe;
	void *entry;
	int err;

	*probe = (struct kprobe){ .symbol_name = function->name };
	err = register_kprobe(probe);
	if (err)
		return err;
	/* Counted in bytes: an opcode has two or four of them on some machines. */
	entry = probe->addr;
	function->begin = entry;
	if (kprobe_ftrace(probe))
		entry += MCOUNT_INSN_SIZE;
	unregister_kprobe(probe);

	*probe = (struct kprobe){
		.addr = entry,
		.pre_handler = on_call,
		.post_handler = after_call,
	};
	return register_kprobe(probe);
}

static void detach_all(void)
{
	while (nr_functions)
		unregister_kprobe(&functions[--nr_functions].probe);
}

static void reset(void)
{
	unsigned int i;

	for (i = 0; i < nr_functions; i++) {
		WRITE_ONCE(functions[i].nth, 0);
		WRITE_ONCE(functions[i].one_in, 0);
		WRITE_ONCE(functions[i].ms, 0);
		atomic_set(&functions[i].calls, 0);
		atomic_set(&functions[i].failed, 0);
	}
}

static int set_functions(const char *value, const struct kernel_param *kp)
{
	char *copy = kstrdup(value, GFP_KERNEL), *rest = copy, *name;
	int err = copy ? 0 : -ENOMEM;

	detach_all();
	while (!err && (name = strsep(&rest, "\n "))) {
		struct function *function = &functions[nr_functions];

		if (!*name)
			continue;
		err = -E2BIG;
		if (nr_functions == MAX_FUNCTIONS ||
		    strscpy(function->name, name, NAME_LENGTH) < 0)
			break;
		err = attach(function);
		if (!err)
			nr_functions++;
	}
	kfree(copy);
	if (err)
		detach_all();
	reset();
	return err;
}

static struct function *find_function(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_functions; i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

/*
 * What a function returns for @value where that is an error. In 7 one tells why a
 * packet is dropped instead, of which its callers make the error.
 */
static long result_of(const char *name, long value)
{
#ifdef DEFINE_DROP_REASON
	if (__builtin_types_compatible_p(typeof(sock_queue_rcv_skb_reason),
					 enum skb_drop_reason(struct sock *sk,
							      struct sk_buff *skb)) &&
	    value == -ENOMEM && !strcmp(name, "sock_queue_rcv_skb_reason"))
		return SKB_DROP_REASON_SOCKET_RCVBUFF;
#endif
	return value;
}

/* "N" or "1/N" */
static int parse_when(struct function *function, const char *when)
{
	unsigned int nth = 0, one_in = 0;

	if (sscanf(when, "1/%u", &one_in) != 1 && kstrtouint(when, 10, &nth))
		return -EINVAL;
	WRITE_ONCE(function->nth, nth);
	WRITE_ONCE(function->one_in, one_in);
	return 0;
}

static int plan_one(const char *text)
{
	struct function *function;
	char name[NAME_LENGTH], when[16], value[16];
	long result = 0;

	if (sscanf(text, "%63s %15s %15s", name, when, value) != 3)
		return -EINVAL;
	function = find_function(name);
	if (!function)
		return -ENOENT;
	if (sscanf(value, "~%u", &function->ms) != 1 &&
	    kstrtol(value, 0, &result))
		return -EINVAL;
	function->value = result_of(name, result);
	return parse_when(function, when);
}

static int set_plan(const char *value, const struct kernel_param *kp)
{
	char *copy = kstrdup(value, GFP_KERNEL), *rest = copy, *one;
	int err = copy ? 0 : -ENOMEM;

	reset();
	while (!err && (one = strsep(&rest, ";"))) {
		one = strim(one);
		if (*one)
			err = plan_one(one);
	}
	kfree(copy);
	WRITE_ONCE(plans, plans + 1);
	return err;
}

static int get_calls(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int length = 0;

	for (i = 0; i < nr_functions; i++)
		length += sysfs_emit_at(buffer, length, "%s %d %d\n",
					functions[i].name,
					atomic_read(&functions[i].calls),
					atomic_read(&functions[i].failed));
	return length;
}

static const struct kernel_param_ops functions_ops = { .set = set_functions };
static const struct kernel_param_ops plan_ops = { .set = set_plan };
static const struct kernel_param_ops calls_ops = { .get = get_calls };

module_param_cb(functions, &functions_ops, NULL, 0200);
MODULE_PARM_DESC(functions, "kernel functions whose calls by taskacct are seen");
module_param_cb(plan, &plan_ops, NULL, 0200);
MODULE_PARM_DESC(plan, "which of these calls fail, and how");
module_param_cb(calls, &calls_ops, NULL, 0444);
MODULE_PARM_DESC(calls, "calls so far, and how many of them failed or waited");

#ifdef CONFIG_FAULT_INJECTION
static void set_fail_nth(int nth)
{
	current->fail_nth = nth;
}
#else
static void set_fail_nth(int nth)
{
}
#endif

static int on_initcall(struct kprobe *probe, struct pt_regs *regs)
{
	struct module *mod = READ_ONCE(target);

	if (init_nth && mod &&
	    within_module(FIRST_ARGUMENT(regs), mod))
		set_fail_nth(init_nth);
	return 0;
}

static struct kprobe initcall_probe = {
	.symbol_name = "do_one_initcall",
	.pre_handler = on_initcall,
};

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "taskacct"))
		return NOTIFY_DONE;
	if (state == MODULE_STATE_COMING)
		WRITE_ONCE(target, mod);
	else if (state == MODULE_STATE_GOING)
		WRITE_ONCE(target, NULL);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = { .notifier_call = on_module };

static int __init fail_init(void)
{
	int err;

	err = register_module_notifier(&module_notifier);
	if (err)
		return err;
	err = register_kprobe(&initcall_probe);
	if (err)
		unregister_module_notifier(&module_notifier);
	return err;
}

static void __exit fail_exit(void)
{
	detach_all();
	unregister_kprobe(&initcall_probe);
	unregister_module_notifier(&module_notifier);
}

module_init(fail_init);
module_exit(fail_exit);

MODULE_DESCRIPTION("Makes calls of taskacct fail, for its tests");
MODULE_LICENSE("GPL");
