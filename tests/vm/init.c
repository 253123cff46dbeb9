// SPDX-License-Identifier: GPL-2.0-only
/*
 * First process of the test VM, in the initramfs, linked statically.
 *
 * It loads the modules that 9p and overlay need, makes the host's file system, or that
 * of another architecture, the root (read-only, below an overlay in memory), runs the
 * command, and passes on its output and its status over virtio ports:
 *
 *	out, err	the command's output, relayed from pipes: a port can be
 *			opened once only, and scripts open /dev/stderr
 *	status		one line, "exit N taint N NOTE" or "error WHY"; without
 *			it the runner knows that the guest died
 *
 * The runner shares a directory "run" with files of strings that end with a NUL: argv
 * is the command, env its environment, which also tells this program what to do
 * (VM_*), borrowed the host's directories that another root is to have.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define P9 "trans=virtio,version=9p2000.L,msize=503808,"
#define MAX_STRINGS 4096

static int status_port = -1;

static void finish(void) __attribute__((noreturn));

/* The kernel's own last words do not get to each architecture's console. */
static void end_log(void)
{
	static const char end[] = "vm: end of the log\n";
	int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	if (log < 0 || write(log, end, sizeof(end) - 1) < 0)
		perror("/dev/kmsg");
}

static void finish(void)
{
	end_log();
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void report(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void report(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* Without a port the console is all there is. */
	dprintf(status_port < 0 ? STDERR_FILENO : status_port, "%s\n", line);
}

/* Tell the runner that the VM could not do its part, and end. */
#define fatal(format, ...)						\
	do {								\
		report("error " format, ##__VA_ARGS__);			\
		finish();						\
	} while (0)

static void mount_at(const char *source, const char *target, const char *type,
		     unsigned long flags, const char *data)
{
	if (mkdir(target, 0755) && errno != EEXIST)
		fatal("mkdir %s: %s", target, strerror(errno));
	if (mount(source, target, type, flags, data))
		fatal("mount %s at %s: %s", source, target, strerror(errno));
}

/* For what a kernel may have been built without. */
static void try_mount(const char *type, const char *target, const char *data)
{
	if (!mkdir(target, 0755) || errno == EEXIST)
		mount(type, target, type, 0, data);
}

static void insert_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fatal("open %s: %s", path, strerror(errno));
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		fatal("load %s: %s", path, strerror(errno));
	close(fd);
}

/* The runner has named them so that they sort in the order of need. */
static void insert_modules(void)
{
	struct dirent **names;
	char path[PATH_MAX];
	int n, i;

	n = scandir("/modules", &names, NULL, alphasort);
	for (i = 0; i < n; i++) {
		if (names[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/modules/%s", names[i]->d_name);
		insert_module(path);
	}
}

static bool read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");
	bool ok;

	if (!file)
		return false;
	ok = fgets(line, size, file);
	fclose(file);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

static void write_string(const char *path, const char *string)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, string, strlen(string)) < 0)
		fatal("write %s: %s", path, strerror(errno));
	close(fd);
}

/* A virtio port has its name in sysfs; its device in /dev has a number. */
static int find_port(const char *name)
{
	char path[PATH_MAX], line[64];
	struct dirent *entry;
	int fd = -1;
	DIR *dir;

	dir = opendir("/sys/class/virtio-ports");
	while (fd < 0 && dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name",
			 entry->d_name);
		if (!read_line(path, line, sizeof(line)) || strcmp(line, name))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		fd = open(path, O_WRONLY | O_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	return fd;
}

/* The host announces its ports a moment after the driver is there. */
static int open_port(const char *name)
{
	int tries, fd;

	for (tries = 0; tries < 500; tries++) {
		fd = find_port(name);
		if (fd >= 0)
			return fd;
		usleep(10000);
	}
	fatal("no virtio port %s", name);
}

/* Read a file of strings that end with a NUL into a list that ends with NULL. */
static char **read_strings(const char *path)
{
	static char *none[] = { NULL };
	char **list, *buffer = NULL, *at;
	size_t size = 0, n = 0;
	ssize_t len;
	FILE *file;

	file = fopen(path, "re");
	if (!file)
		fatal("open %s: %s", path, strerror(errno));
	/* No file has EOF as a character: this reads all of it. */
	len = getdelim(&buffer, &size, EOF, file);
	fclose(file);
	if (len <= 0)
		return none;
	list = calloc(MAX_STRINGS + 1, sizeof(*list));
	if (!list)
		fatal("no memory for %s", path);
	for (at = buffer; at < buffer + len && n < MAX_STRINGS;
	     at += strlen(at) + 1)
		list[n++] = at;
	return list;
}

static bool wanted(const char *name)
{
	const char *value = getenv(name);

	return value && *value == '1';
}

/*
 * Mount the share of that name, below an overlay in memory: in the initramfs, where the
 * runner has put copies of files that are there already.
 */
static void mount_share(const char *share, const char *target)
{
	char lower[64], upper[64], work[64], options[320];

	snprintf(lower, sizeof(lower), "/lower-%s", share);
	snprintf(upper, sizeof(upper), "/upper-%s", share);
	snprintf(work, sizeof(work), "/work-%s", share);
	snprintf(options, sizeof(options),
		 "lowerdir=%s,upperdir=%s,workdir=%s", lower, upper, work);
	mount_at(share, lower, "9p", MS_RDONLY, P9 "cache=loose");
	mkdir(upper, 0755);
	mkdir(work, 0755);
	mount_at("overlay", target, "overlay", 0, options);
}

/* Those that a path leads through */
static void make_directories(const char *path)
{
	char part[PATH_MAX];
	size_t i;

	for (i = 1; path[i]; i++) {
		if (path[i] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		mkdir(part, 0755);
	}
}

/* Where the root is not the host's: have these of its directories at their places. */
static void borrow(char **paths)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (!*paths)
		return;
	mount_share("host", "/host");
	for (; *paths; paths++) {
		snprintf(from, sizeof(from), "/host%s", *paths);
		snprintf(to, sizeof(to), "/root%s", *paths);
		make_directories(to);
		mount_at(from, to, NULL, MS_BIND, NULL);
	}
}

/* Make the file system that the runner shares, below an overlay in memory, the root. */
static void change_root(char **borrowed)
{
	static const char *const moved[] = { "/dev", "/proc", "/sys" };
	char target[64];
	size_t i;

	mount_share("root", "/root");
	borrow(borrowed);
	for (i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
		snprintf(target, sizeof(target), "/root%s", moved[i]);
		mount_at(moved[i], target, NULL, MS_MOVE, NULL);
	}
	if (chdir("/root") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		fatal("change root: %s", strerror(errno));
}

static void mount_rest(void)
{
	try_mount("devpts", "/dev/pts", "ptmxmode=666,mode=620,gid=5");
	try_mount("tmpfs", "/dev/shm", "mode=1777");
	try_mount("mqueue", "/dev/mqueue", NULL);
	try_mount("tmpfs", "/run", "mode=755");
	try_mount("debugfs", "/sys/kernel/debug", NULL);
	try_mount("tracefs", "/sys/kernel/tracing", NULL);
	try_mount("cgroup2", "/sys/fs/cgroup", NULL);
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
	mkdir("/run/lock", 01777);
	make_directories(getenv("VM_OUT"));
	mount_at("out", getenv("VM_OUT"), "9p", 0, P9 "cache=mmap");
	mount_at(getenv("VM_MODULES"), "/lib/modules", NULL, MS_BIND, NULL);
}

static void start_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* A debug kernel may have no IPv4, and nothing to bring up. */
	if (fd < 0)
		return;
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		fatal("lo: %s", strerror(errno));
	close(fd);
}

/* Run a helper program of the host's file system and wait for it. */
static int run_helper(char *const argv[])
{
	int status = 0;
	pid_t pid;

	pid = fork();
	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void load_taskacct(void)
{
	/* modprobe, because it honours taskacct.NAME=VALUE of the command line. */
	char *argv[] = { "modprobe", "taskacct", NULL };

	if (run_helper(argv))
		fatal("modprobe taskacct failed");
}

static pid_t start_command(char **argv, int out, int err)
{
	pid_t pid = fork();
	sigset_t none;

	if (pid)
		return pid;
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	if (chdir(getenv("VM_CWD"))) {
		dprintf(STDERR_FILENO, "vm: %s: %s\n", getenv("VM_CWD"),
			strerror(errno));
		_exit(126);
	}
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "vm: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void write_all(int fd, const char *data, ssize_t len)
{
	ssize_t done;

	while (len > 0) {
		done = write(fd, data, len);
		if (done < 0 && errno != EINTR)
			return;
		if (done > 0) {
			data += done;
			len -= done;
		}
	}
}

/* Pass on what is in a pipe; false where there was nothing. */
static bool relay(int from, int to)
{
	static char data[65536];
	ssize_t len = read(from, data, sizeof(data));

	if (len <= 0)
		return false;
	write_all(to, data, len);
	return true;
}

/* Reap what has ended; true where that was the command. */
static bool reap(pid_t command, int *status)
{
	bool ended = false;
	int one;
	pid_t pid;

	while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*status = WIFSIGNALED(one) ? 128 + WTERMSIG(one) :
					     WEXITSTATUS(one);
		ended = true;
	}
	return ended;
}

static int run_command(char **argv)
{
	int out_port = open_port("out"), err_port = open_port("err");
	struct pollfd polled[3];
	int out[2], err[2], status = 0;
	struct signalfd_siginfo info;
	bool ended = false;
	sigset_t child;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC | O_NONBLOCK) ||
	    pipe2(err, O_CLOEXEC | O_NONBLOCK))
		fatal("pipe: %s", strerror(errno));
	/* Only this end must not block: the command gets ordinary pipes. */
	fcntl(out[1], F_SETFL, 0);
	fcntl(err[1], F_SETFL, 0);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	polled[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
	polled[1] = (struct pollfd){ .fd = err[0], .events = POLLIN };
	polled[2] = (struct pollfd){
		.fd = signalfd(-1, &child, SFD_CLOEXEC),
		.events = POLLIN,
	};
	pid = start_command(argv, out[1],
			    wanted("VM_ONE_STREAM") ? out[1] : err[1]);
	while (!ended) {
		poll(polled, 3, -1);
		if (polled[0].revents)
			relay(out[0], out_port);
		if (polled[1].revents)
			relay(err[0], err_port);
		if (polled[2].revents) {
			if (read(polled[2].fd, &info, sizeof(info)) < 0)
				continue;
			ended = reap(pid, &status);
		}
	}
	kill(-1, SIGKILL);
	while (relay(out[0], out_port))
		;
	while (relay(err[0], err_port))
		;
	return status;
}

/*
 * With every process gone nothing may hold the module: that it cannot be
 * unloaded is a fault like any other. Returns a note for the status line.
 */
static const char *unload_taskacct(void)
{
	int tries;

	for (tries = 0; tries < 100; tries++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (!syscall(SYS_delete_module, "taskacct", O_NONBLOCK) ||
		    errno == ENOENT)
			return "unloaded";
		usleep(50000);
	}
	return "busy";
}

/*
 * Keep how often each line of the module ran: scripts/coverage reads it. The
 * kernel has it still when the module is gone, and adds it up where the module
 * came and went. These files tell no size, so they are read to their end.
 */
static void save_counts(void)
{
	/* Two directories may have files of one name: uid/proc.gcda is uid-proc.gcda. */
	char copy[] =
		"for f; do cat \"$f\" >\"$OUT/$(echo ${f##*/src/} | tr / -)\" || exit; done";
	char *argv[] = { "find", "/sys/kernel/debug/gcov", "-name", "*.gcda",
			 "-exec", "sh", "-c", copy, "sh", "{}", "+", NULL };
	char out[PATH_MAX];

	snprintf(out, sizeof(out), "%s/gcov", getenv("VM_OUT"));
	setenv("OUT", out, 1);
	if (mkdir(out, 0755) || run_helper(argv))
		fatal("cannot save what gcov has counted");
}

/*
 * Copy kmemleak's findings to the kernel log; true where there are any. Not by
 * dprintf(), which asks for a place in the file, and /dev/kmsg refuses that.
 */
static bool show_leaks(void)
{
	FILE *leaks = fopen("/sys/kernel/debug/kmemleak", "re");
	int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	char line[512] = "<3>";
	bool any = false;

	while (leaks && fgets(line + 3, sizeof(line) - 3, leaks)) {
		write_all(log, line, strlen(line));
		any = true;
	}
	if (leaks)
		fclose(leaks);
	close(log);
	return any;
}

/*
 * kmemleak reports what it has seen unreferenced in a scan and older than five
 * seconds; what is only in a register then turns up once and not again.
 */
static bool found_leaks(void)
{
	sleep(6);
	write_string("/sys/kernel/debug/kmemleak", "scan");
	write_string("/sys/kernel/debug/kmemleak", "scan");
	return show_leaks();
}

/*
 * A small kernel may have no driver for the machine's clock, and would be in 1970, before
 * which there is no time. It is 2020 then, as where instructions are counted.
 */
static void have_date(void)
{
	const struct timespec date = { .tv_sec = 1577836800 };

	if (time(NULL) < date.tv_sec && clock_settime(CLOCK_REALTIME, &date))
		fatal("set the clock: %s", strerror(errno));
}

/*
 * A root that packages were unpacked into has no cache of libraries. Without, each program looks
 * for each library in the directories of all kinds of processors, 512 of them on s390x.
 */
static void have_library_cache(void)
{
	char *argv[] = { "/sbin/ldconfig", "-X", NULL };

	if (access("/etc/ld.so.cache", F_OK) && run_helper(argv))
		fatal("ldconfig failed");
}

static void prepare(char ***argv)
{
	char **env, **borrowed;

	mount_at("devtmpfs", "/dev", "devtmpfs", 0, "mode=755");
	mount_at("proc", "/proc", "proc", 0, NULL);
	mount_at("sysfs", "/sys", "sysfs", 0, NULL);
	insert_modules();
	status_port = open_port("status");
	mount_at("run", "/conf", "9p", MS_RDONLY, P9 "cache=none");
	*argv = read_strings("/conf/argv");
	clearenv();
	for (env = read_strings("/conf/env"); *env; env++)
		putenv(*env);
	borrowed = read_strings("/conf/borrowed");
	umount("/conf");
	change_root(borrowed);
	mount_rest();
	have_date();
	have_library_cache();
	sethostname("taskacct-vm", strlen("taskacct-vm"));
	start_loopback();
}

int main(void)
{
	const char *note = "";
	char taint[32] = "?";
	char **argv;
	int status;

	prepare(&argv);
	if (wanted("VM_LEAKS"))
		write_string("/sys/kernel/debug/kmemleak", "clear");
	if (wanted("VM_LOAD"))
		load_taskacct();
	status = run_command(argv);
	note = unload_taskacct();
	if (wanted("VM_GCOV"))
		save_counts();
	if (wanted("VM_LEAKS") && found_leaks())
		note = "leak";
	read_line("/proc/sys/kernel/tainted", taint, sizeof(taint));
	report("exit %d taint %s %s", status, taint, note);
	finish();
}
