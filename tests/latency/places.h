/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where sections begin and end, and how long they were
 */
#ifndef LATENCY_PLACES_H
#define LATENCY_PLACES_H

#include <linux/types.h>

/* Preemption is off, interrupts are off, or a call where either is */
enum kind { PREEMPT, IRQS, CALL, KINDS };

void places_note(enum kind kind, unsigned long from, unsigned long to, u64 took);
void places_note_stray(unsigned long ip);
void places_forget(void);
void places_name(void);

#endif /* LATENCY_PLACES_H */
