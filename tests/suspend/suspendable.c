// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets a VM of tests/vm/run be suspended as far as /sys/power/pm_test has it:
 * while it is loaded devices of virtio are left out. They would be reset when
 * the VM resumes, and the driver of the file system does not know of that.
 *
 * It cannot be called suspend: /sys/module/suspend is the kernel's own.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>

static void leave_out(bool so)
{
	struct pci_dev *dev = NULL;

	while ((dev = pci_get_device(PCI_VENDOR_ID_REDHAT_QUMRANET, PCI_ANY_ID,
				     dev)))
		dev_pm_syscore_device(&dev->dev, so);
}

static int __init suspendable_init(void)
{
	leave_out(true);
	return 0;
}

static void __exit suspendable_exit(void)
{
	leave_out(false);
}

module_init(suspendable_init);
module_exit(suspendable_exit);

MODULE_DESCRIPTION("Lets a VM be suspended, for tests of taskacct");
MODULE_LICENSE("GPL");
