# SPDX-License-Identifier: GPL-2.0-only
#
# What can be made: make help. What comes after ## is printed there.

$(if $(word 2,$(CURDIR)),$(error the path of this directory has a space: $(CURDIR)))

V ?= 0
PREFIX ?= /usr/local
# Kernels for check to run all tests on; empty: see scripts/kernels.tab.
KERNELS ?=
# Another architecture than this machine's: what is made for it has a place of its own.
FOREIGN := $(filter-out $(patsubst aarch64,arm64,$(shell uname -m)) amd64 x86 x86_64,$(ARCH))
# The running kernel's headers where they are installed; else those of
# Debian's stock kernel, which scripts/module gets into the cache.
MODULES := /lib/modules/$(shell uname -r)
HEADERS := $(if $(KDIR)$(FOREIGN),,$(if $(wildcard $(MODULES)),headers))
# For another architecture the first that the table has.
FIRST := $(if $(FOREIGN),$(shell awk '$$8 == "$(FOREIGN)" { print $$1; exit }' \
	scripts/kernels.tab))
KDIR ?= $(if $(FOREIGN),$(or $(FIRST),6.1-$(FOREIGN)),$(firstword $(wildcard $(MODULES)/build) 6.1))

Q := $(if $(filter 1,$(V)),,@)
OUT := $(abspath build$(FOREIGN:%=/%))
CROSS := $(if $(FOREIGN),cross=$$(scripts/cross $(FOREIGN)) && eval "$$cross" &&)
# As many jobs as there are processors, or as make was told; -j is among its flags in
# recipes alone.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j $(shell nproc))
SUBMAKE = $(MAKE) --no-print-directory $(if $(filter 1,$(V)),,-s) $(JOBS)
export V PREFIX LIBDIR DESTDIR

# What the goals need of scripts/packages.tab. What is missing is named before anything
# is made, all of it at once. It is installed for goals of developers and to see a
# demo; who builds and installs the module and the tools does that himself.
FOR_MODULE := module $(HEADERS) $(FOREIGN)
FOR_TESTS := module tools vm check fuzz debug
all_GROUPS := $(FOR_MODULE) tools
module_GROUPS := $(FOR_MODULE)
tools_GROUPS := tools $(FOREIGN)
install_GROUPS := $(FOR_MODULE) tools
uninstall_GROUPS := $(FOR_MODULE) tools
install-tools_GROUPS := tools
uninstall-tools_GROUPS := tools
check_GROUPS := $(FOR_TESTS) arm64
check-all_GROUPS := $(FOR_TESTS) arm64 s390x riscv64 deb systemd
coverage_GROUPS := $(FOR_TESTS)
mutants_GROUPS := $(FOR_TESTS)
fuzz_GROUPS := $(FOR_TESTS)
selftests_GROUPS := module tools vm check $(FOREIGN)
clients_GROUPS := module tools vm check
fuzzers_GROUPS := tools fuzz
demo_GROUPS := module tools vm
demo-ticks_GROUPS := module tools vm
demo-fleet_GROUPS := module tools vm check
bench_GROUPS := module tools vm bench
bench-compare_GROUPS := module tools vm bench
soak_GROUPS := module tools vm
soak-rings_GROUPS := module tools vm
style_GROUPS := module tools vm style
deb_GROUPS := tools deb
rpm_GROUPS := tools rpm
INSTALLING := check check-all coverage fuzz selftests clients fuzzers demo demo-ticks \
	demo-fleet bench bench-compare soak soak-rings style deb rpm
GOALS := $(or $(MAKECMDGOALS),all)

all: module tools ## the module and the tools, into build/ (the default)

module: packages ## the module alone, into build/module/RELEASE/
	$(Q)scripts/module '$(KDIR)' >/dev/null

tools: packages ## getdelays and its library alone, into build/tools/
	$(Q)+$(CROSS) $(SUBMAKE) -C tools O=$(OUT)/tools $(if $(FOREIGN),programs)

selftests: packages tools
	$(Q)+$(CROSS) $(SUBMAKE) -C tests/selftests O=$(OUT)/selftests \
		KSELFTEST=$$(scripts/fetch source)/linux/tools/testing/selftests \
		LIBTASKACCT='$(OUT)/tools/libtaskacct-log.a $(OUT)/tools/libtaskacct.a'
	$(Q)+$(CROSS) $(SUBMAKE) -C tests/fuzz SELFTESTS=$(OUT)/selftests selftest \
		KSELFTEST=$$(scripts/fetch source)/linux/tools/testing/selftests

fuzzers: packages
	$(Q)+$(SUBMAKE) -C tests/fuzz O=$(OUT)/fuzz

clients: packages tools
	$(Q)+$(SUBMAKE) -C tests/clients O=$(OUT)/clients \
		DEBIAN=$$(scripts/fetch clients) PCP=$$(scripts/fetch pcp) \
		LINUX=$$(scripts/fetch source)/linux

setup: ## install what Debian packages are missing, fill the cache
	$(Q)scripts/setup
	$(Q)kernels=$$(scripts/check -l $(KERNELS)) || exit; \
	for what in qemu source clients pcp $$(printf '%s\n' "$$kernels" | awk \
		'NR == FNR { wanted[$$1]; next } \
		$$1 in wanted { print $$1 } \
		$$1 in wanted && $$8 != "amd64" { print "qemu-" $$8, "root-" $$8 }' \
		- scripts/kernels.tab); do \
		scripts/fetch $$what >/dev/null || exit; done

packages:
	$(Q)scripts/setup $(if $(filter $(INSTALLING),$(GOALS)),,-n) \
		$(sort $(foreach goal,$(GOALS),$($(goal)_GROUPS)))

demo: packages tools ## see it work, in a VM with a stock kernel
	$(Q)scripts/demo

demo-ticks: packages tools ## see a load that the kernel's ticks do not see
	$(Q)scripts/demo ticks

demo-fleet: packages tools clients ## see it in Performance Co-Pilot: recorded, and asked afterwards
	$(Q)scripts/demo fleet

check: packages selftests clients fuzzers ## run the tests in VMs with all kernels; see KERNELS
	$(Q)scripts/check $(KERNELS)

check-all: packages selftests clients fuzzers ## run each test on each kernel, in hours; RESUME=1 goes on
	$(Q)scripts/check $(if $(RESUME),-r) all

coverage: packages selftests clients fuzzers ## run all tests on the debug kernel, tell what they miss
	$(Q)scripts/check debug && scripts/coverage

mutants: packages selftests ## break each promise, see a test notice; ONLY=, RESUME=1
	$(Q)tests/mutants/run $(if $(RESUME),-r) $(ONLY)

fuzz: packages selftests fuzzers ## fuzz the tools here, the module in a VM; N=, RUNS=, SEED=
	$(Q)+$(SUBMAKE) -C tests/fuzz O=$(OUT)/fuzz \
		SELFTESTS=$(OUT)/selftests fuzz \
		KSELFTEST=$$(scripts/fetch source)/linux/tools/testing/selftests

bench: packages tools ## measure what it costs beside in-tree taskstats, eBPF and others
	$(Q)+$(SUBMAKE) -C tests/bench O=$(OUT)/bench bench

bench-compare: packages ## measure revision BASE= and this tree, say what has changed
	$(Q)scripts/bench-compare '$(BASE)'

soak: packages ## run a mixed load in a VM for MINUTES= (60)
	$(Q)+$(SUBMAKE) -C tests/soak O=$(OUT)/soak soak

soak-rings: packages tools ## have EXITS= (2000000) end in a VM while shared memory is read
	$(Q)+$(SUBMAKE) -C tests/soak O=$(OUT)/soak LIBTASKACCT=$(OUT)/tools/libtaskacct.a rings

style: packages ## run the checkers over all sources
	$(Q)scripts/style

install: all ## install module, tools, man page and header below PREFIX
	$(Q)scripts/install install '$(KDIR)'

uninstall: all ## remove what install put there
	$(Q)scripts/install uninstall '$(KDIR)'

install-tools uninstall-tools: %-tools: tools
	$(Q)scripts/install $*

deb: packages ## build Debian packages into build/deb/, checked by lintian
	$(Q)scripts/deb

rpm: packages ## build RPM packages into build/rpm/, untried on systems that use them
	$(Q)scripts/rpm

dkms-install: ## have dkms build the module for each kernel; sources to /usr/src
	$(Q)scripts/dkms install $(DKMS_KERNELS)

dkms-uninstall: ## remove the module from dkms, and its sources
	$(Q)scripts/dkms uninstall

clean: ## remove build/; the cache stays
	$(Q)rm -rf build

help: ## print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' \
		Makefile
	@echo 'Variables: KDIR=directory of kernel headers, or a name from'
	@echo '  scripts/kernels.tab; KERNELS="6.1 ..." has check run all tests on these'
	@echo '  kernels alone; V=1 shows commands; ARCH=arm64 has module, tools and'
	@echo '  selftests made for that architecture, the last two into build/arm64/;'
	@echo '  PREFIX= (/usr/local), LIBDIR= (PREFIX/lib), DESTDIR= for install;'
	@echo '  DKMS_KERNELS="RELEASE..." for dkms-install (the running one).'

.PHONY: all module tools selftests fuzzers clients setup packages demo \
	demo-ticks demo-fleet check check-all coverage mutants fuzz bench bench-compare soak \
	soak-rings style deb rpm install uninstall install-tools uninstall-tools dkms-install \
	dkms-uninstall clean help
