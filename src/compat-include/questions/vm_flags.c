// SPDX-License-Identifier: GPL-2.0-only
/* How are flags of a map changed? */
#include <linux/mm.h>

static __used void question(struct vm_area_struct *vma)
{
#if defined(TASKACCT_VM_FLAGS_FUNCTIONS) /* from 6.3 on */
	vm_flags_set(vma, VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYWRITE);
#elif defined(TASKACCT_VM_FLAGS_MEMBER)
	vma->vm_flags |= VM_DONTDUMP;
	vma->vm_flags &= ~VM_MAYWRITE;
#endif
}
