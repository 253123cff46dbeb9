/* SPDX-License-Identifier: GPL-2.0-only */
/* The command of -c */
#ifndef GETDELAYS_COMMAND_H
#define GETDELAYS_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * command_start() - run a command
 * @argv: as for execvp()
 *
 * It begins with no signal blocked. Ends the program where the command cannot
 * be run.
 *
 * Return: its pid.
 */
pid_t command_start(char **argv);

/**
 * command_wait() - wait until a command has ended, and leave it a zombie
 * @pid: its pid
 *
 * A zombie can still be asked for. Interrupts are left to the command.
 */
void command_wait(pid_t pid);

/**
 * command_ended() - whether a command has ended
 * @pid: its pid
 *
 * Return: true if it has, and is a zombie until command_reap().
 */
bool command_ended(pid_t pid);

/**
 * command_reap() - take leave of a command that has ended
 * @pid: its pid
 */
void command_reap(pid_t pid);

/**
 * command_status() - how the command ended that was reaped last
 *
 * Return: its status, 128 and the number of the signal that ended it, or 0
 * where there was none.
 */
int command_status(void);

#endif /* GETDELAYS_COMMAND_H */
