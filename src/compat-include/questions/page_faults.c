// SPDX-License-Identifier: GPL-2.0-only
/* Where is tracepoint page_fault_user, and what does it tell? */
#include <linux/tracepoint.h>
#if defined(TASKACCT_PAGE_FAULTS_OF_ALL) /* by 7.2 */
#include <trace/events/exceptions.h>
#elif defined(TASKACCT_PAGE_FAULTS_OF_X86)
#include <asm/trace/exceptions.h>
#elif defined(TASKACCT_PAGE_FAULTS_UNSEEN)
#ifdef CONFIG_X86
#error x86 has it
#endif
typedef void (*callback_t)(void *data, unsigned long address,
			   struct pt_regs *regs, unsigned long error);

static void check_trace_callback_type_page_fault_user(callback_t callback)
{
}
#endif

static void callback(void *data, unsigned long address, struct pt_regs *regs,
		     unsigned long error)
{
}

static __used void question(void)
{
	check_trace_callback_type_page_fault_user(callback);
}
