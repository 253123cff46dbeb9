# SPDX-License-Identifier: GPL-2.0-only
#
# What can be made: make help. What comes after ## is printed there.

V ?= 0
PREFIX ?= /usr/local
# Kernels for check to run all tests on; empty: see scripts/kernels.tab.
KERNELS ?=
# The running kernel's headers where they are installed; else those of
# Debian's stock kernel, which scripts/module gets into the cache.
KDIR ?= $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) 6.1)

Q := $(if $(filter 1,$(V)),,@)
OUT := $(abspath build)
SUBMAKE := $(MAKE) --no-print-directory $(if $(filter 1,$(V)),,-s)
export V PREFIX LIBDIR DESTDIR

all: module tools ## the module and the tools, into build/ (the default)

module: setup-build ## the module alone, into build/module/RELEASE/
	$(Q)scripts/module '$(KDIR)' >/dev/null

tools: setup-build ## getdelays and its library alone, into build/tools/
	$(Q)$(SUBMAKE) -C tools O=$(OUT)/tools

selftests: setup-check tools
	$(Q)$(SUBMAKE) -C tests/selftests O=$(OUT)/selftests \
		KSELFTEST=$$(scripts/fetch source)/linux/tools/testing/selftests \
		LIBTASKACCT=$(OUT)/tools/libtaskacct.a
	$(Q)$(SUBMAKE) -C tests/fuzz SELFTESTS=$(OUT)/selftests selftest \
		KSELFTEST=$$(scripts/fetch source)/linux/tools/testing/selftests

fuzzers: setup-fuzz
	$(Q)$(SUBMAKE) -C tests/fuzz O=$(OUT)/fuzz

clients: setup-check
	$(Q)$(SUBMAKE) -C tests/clients O=$(OUT)/clients \
		DEBIAN=$$(scripts/fetch clients) \
		LINUX=$$(scripts/fetch source)/linux

setup: ## install what Debian packages are missing, fill the cache
	$(Q)scripts/setup
	$(Q)for what in qemu source clients \
		$$(scripts/check -l $(KERNELS) | cut -d' ' -f1); do \
		scripts/fetch $$what >/dev/null || exit; done

setup-%:
	$(Q)scripts/setup build $*

demo: setup-vm tools ## see it work, in a VM with a stock kernel
	$(Q)scripts/demo

demo-ticks: setup-vm tools ## see a load that the kernel's ticks do not see
	$(Q)scripts/demo ticks

check: setup-vm selftests clients fuzzers ## run the tests in VMs with all kernels; see KERNELS
	$(Q)scripts/check $(KERNELS)

check-all: setup-vm selftests clients fuzzers ## run each test on each kernel, in hours; RESUME=1 goes on
	$(Q)scripts/check $(if $(RESUME),-r) all

coverage: setup-vm selftests clients fuzzers ## run all tests on the debug kernel, tell what they miss
	$(Q)scripts/check debug && scripts/coverage

fuzz: setup-vm selftests fuzzers ## fuzz the tools here, the module in a VM; N=, RUNS=, SEED=
	$(Q)$(SUBMAKE) -C tests/fuzz O=$(OUT)/fuzz \
		SELFTESTS=$(OUT)/selftests fuzz \
		KSELFTEST=$$(scripts/fetch source)/linux/tools/testing/selftests

bench: setup-vm tools ## measure what it costs beside in-tree taskstats
	$(Q)$(SUBMAKE) -C tests/bench O=$(OUT)/bench bench

soak: setup-vm setup-build ## run a mixed load in a VM for MINUTES= (60)
	$(Q)$(SUBMAKE) -C tests/soak O=$(OUT)/soak soak

style: setup-style ## run the checkers over all sources
	$(Q)scripts/style

install: all ## install module, tools, man page and header below PREFIX
	$(Q)scripts/install install '$(KDIR)'

uninstall: all ## remove what install put there
	$(Q)scripts/install uninstall '$(KDIR)'

install-tools uninstall-tools: %-tools: tools
	$(Q)scripts/install $*

dkms-install: ## have dkms build the module for each kernel; sources to /usr/src
	$(Q)scripts/dkms install $(DKMS_KERNELS)

dkms-uninstall: ## remove the module from dkms, and its sources
	$(Q)scripts/dkms uninstall

clean: ## remove build/; the cache stays
	$(Q)rm -rf build

help: ## print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' \
		Makefile
	@echo 'Variables: KDIR=folder of kernel headers, or a name from'
	@echo '  scripts/kernels.tab; KERNELS="6.1 ..." has check run all tests on these'
	@echo '  kernels alone; V=1 shows commands;'
	@echo '  PREFIX= (/usr/local), LIBDIR= (PREFIX/lib), DESTDIR= for install;'
	@echo '  DKMS_KERNELS="RELEASE..." for dkms-install (the running one).'

.PHONY: all module tools selftests fuzzers clients setup demo demo-ticks check check-all \
	coverage fuzz bench soak style install uninstall install-tools uninstall-tools \
	dkms-install dkms-uninstall clean help
