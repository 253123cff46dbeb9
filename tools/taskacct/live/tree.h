/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which processes that end descend from this one
 *
 * This process has to be a subreaper: whose parent has ended is then a child
 * of it, or of another subreaper among its descendants.
 */
#ifndef TASKACCT_CMD_TREE_H
#define TASKACCT_CMD_TREE_H

#include "fields/rec.h"

/* Descendants, as far as they are known */
struct tree;

/**
 * tree_new() - begin with this process alone
 * @member: called for each descendant that has ended; its names are valid
 *	until it returns
 * @arg: for @member
 *
 * Return: the tree.
 */
struct tree *tree_new(void (*member)(const struct rec *rec, void *arg),
		      void *arg);

/**
 * tree_take() - take the record of a process that has ended
 * @tree: tree
 * @rec: record; where it is not known yet whether the process is a descendant,
 *	it is kept until its parent's comes
 */
void tree_take(struct tree *tree, const struct rec *rec);

/**
 * tree_has_ended() - whether a descendant's record has come
 * @tree: tree
 * @pid: process
 *
 * Return: true if so.
 */
bool tree_has_ended(const struct tree *tree, uint32_t pid);

/**
 * tree_alive() - how many descendants live
 *
 * Return: those that /proc has now.
 */
unsigned int tree_alive(void);

/**
 * tree_free() - forget all
 * @tree: tree
 *
 * Return: how many processes ended of which nobody knows whether they were
 * descendants.
 */
unsigned int tree_free(struct tree *tree);

#endif /* TASKACCT_CMD_TREE_H */
