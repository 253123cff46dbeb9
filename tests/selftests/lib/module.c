// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's file, read once, and what the kernel has of it.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "limit.h"
#include "module.h"
#include "sys.h"

#define MODULE "taskacct"

static char *image;
static size_t image_size;

static void read_image(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	struct stat st;
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st))
		return;
	image = malloc(st.st_size);
	while (image && n > 0 && done < (size_t)st.st_size) {
		n = read(fd, image + done, st.st_size - done);
		done += n > 0 ? n : 0;
	}
	close(fd);
	image_size = done;
}

/**
 * module_read() - have the module's file, where modprobe finds it, in memory
 *
 * Reads it once; what is forked off later has it as well.
 *
 * Return: true where it is there.
 */
bool module_read(void)
{
	char path[512] = "";
	FILE *names;

	if (image)
		return true;
	names = popen("modinfo -n " MODULE, "re");
	if (names && fgets(path, sizeof(path), names)) {
		path[strcspn(path, "\n")] = '\0';
		read_image(path);
	}
	if (names)
		pclose(names);
	return image_size > 0;
}

/**
 * module_insert() - load the module, in this very task and without a file
 * @params: parameters, or NULL
 *
 * Return: 0 or the kernel's negative errno.
 */
int module_insert(const char *params)
{
	int err = 0;

	if (!module_read())
		return -ENOENT;
	if (syscall(SYS_init_module, image, image_size, params ? params : ""))
		err = -errno;
	limit_goes_on();
	return err;
}

/**
 * module_remove() - unload the module
 *
 * Waits out what holds it for a moment, such as a dump that is under way.
 *
 * Return: 0 or a negative errno.
 */
int module_remove(void)
{
	int i;

	for (i = 0; i < 10000; i++) {
		if (!syscall(SYS_delete_module, MODULE, O_NONBLOCK))
			return 0;
		if (errno != EAGAIN)
			return -errno;
		usleep(1000);
	}
	return -EAGAIN;
}

/**
 * module_best_hook() - the hook that comes first on this kernel, and no other
 *
 * Return: a parameter.
 */
const char *module_best_hook(void)
{
	return sys_traces_functions() ? "hook=ftrace" : "hook=tracepoint";
}

/**
 * module_hooked() - tell whether the module is there, or a hook of it
 *
 * Return: true where either is.
 */
bool module_hooked(void)
{
	static const char *const hooked[] = {
		"taskstats_exit", "exit_mm_release", "commit_creds",
	};
	size_t i;

	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	for (i = 0; i < sizeof(hooked) / sizeof(hooked[0]); i++)
		if (sys_file_has("/sys/kernel/tracing/enabled_functions",
				 hooked[i]) ||
		    sys_file_has("/sys/kernel/debug/kprobes/list", hooked[i]))
			return true;
	return sys_file_has("/proc/modules", MODULE);
}

/**
 * module_traces() - tell whether the kernel still has anything of the module
 *
 * Takes a second or more where the kernel is slow: it reads all symbols.
 *
 * Return: true where a symbol, a name or a hook is there.
 */
bool module_traces(void)
{
	return module_hooked() || sys_file_has("/proc/kallsyms", "[" MODULE "]");
}

/**
 * module_needs() - what the module uses of the kernel
 * @i: from 0
 *
 * Return: name of a symbol, "" where there is one that is its own, NULL after
 * the last.
 */
const char *module_needs(size_t i)
{
	const Elf64_Shdr *section, *table;
	const Elf64_Sym *symbol;
	const Elf64_Ehdr *elf;
	int n;

	if (!module_read())
		return NULL;
	elf = (const void *)image;
	table = (const void *)(image + elf->e_shoff);
	for (n = 0; n < elf->e_shnum; n++) {
		section = &table[n];
		if (section->sh_type != SHT_SYMTAB)
			continue;
		if (i >= section->sh_size / sizeof(*symbol))
			return NULL;
		symbol = (const Elf64_Sym *)(image + section->sh_offset) + i;
		if (symbol->st_shndx != SHN_UNDEF)
			return "";
		return image + table[section->sh_link].sh_offset +
		       symbol->st_name;
	}
	return NULL;
}

/**
 * module_run() - load or take away another module
 * @command: "modprobe", or "rmmod", which leaves taskacct where it is
 * @name: the module
 *
 * Return: 0, or the command's exit status.
 */
int module_run(const char *command, const char *name)
{
	const char *const argv[] = { command, name, NULL };

	return sys_run(argv);
}
