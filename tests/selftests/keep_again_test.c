// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct record that ends and is started anew by a service manager, which keeps the shared
 * memory open meanwhile: what has ended while it was away is kept, and each exit once
 */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "run.h"
#include "test.h"

/* Behind the harness, whose macros they have */
#include "lines.h"
#include "keep.h"

#define NOTIFY KEEP_AT "/notify"
#define NAME_MAX_FD 9

FIXTURE(again) {
	struct run recorder;
	struct run load;
	struct run r;
	struct kept kept;
	int manager;
	int stored;
	char name[100];
};

static int manager_socket(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = NOTIFY };
	const struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		return -1;
	return fd;
}

FIXTURE_SETUP(again)
{
	NEED_VM();
	NEED_TASKACCT();
	have_file_system(_metadata, "size=64m");
	self->manager = manager_socket();
	ASSERT_LE(0, self->manager);
	setenv("NOTIFY_SOCKET", NOTIFY, 1);
}

FIXTURE_TEARDOWN(again)
{
	unsetenv("NOTIFY_SOCKET");
	forget_kept(&self->kept);
	run_free(&self->r);
	end_run(&self->load);
	end_run(&self->recorder);
	if (self->stored > 0)
		close(self->stored);
	close(self->manager);
	umount2(KEEP_AT, MNT_DETACH);
}

/* The next thing that the manager hears, and the descriptor that comes with it or -1 */
static int hear(int manager, char *text, size_t size)
{
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct iovec iov = { text, size - 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(manager, &msg, 0);
	struct cmsghdr *cmsg = n < 0 ? NULL : CMSG_FIRSTHDR(&msg);
	int fd = -1;

	text[n < 0 ? 0 : n] = '\0';
	if (cmsg && cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

/* A recorder that is new, which gives the device away with the first flush */
static void begin_and_store(struct __test_metadata *_metadata, FIXTURE_DATA(again) *self)
{
	char text[200];

	start_recorder(_metadata, &self->recorder, "");
	make_short(_metadata, 5);
	do {
		self->stored = hear(self->manager, text, sizeof(text));
	} while (!strcmp(text, "READY=1"));
	ASSERT_LE(0, self->stored) TH_LOG("it said: %s", text);
	ASSERT_GE(NAME_MAX_FD, self->stored);
	ASSERT_EQ(1, sscanf(text, "FDSTORE=1\nFDNAME=%99s\nFDPOLL=0", self->name));
}

/* The environment of sd_listen_fds(3) for one descriptor, whose name comes behind it */
#define PASSED "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES="

/* Another one, to which the device is given under a name */
static void start_again(struct __test_metadata *_metadata, FIXTURE_DATA(again) *self,
			const char *name, const char *options, const char *says)
{
	char text[400];

	snprintf(text, sizeof(text), "exec 3<&%d; " PASSED "%s exec taskacct record %s %s",
		 self->stored, name, "--dir " KEEP_DIR, options);
	run_free(&self->recorder);
	start_by_script(_metadata, &self->recorder, text, says);
}

#define GOES_ON "it goes on where the recorder before it stood"

static void go_on(struct __test_metadata *_metadata, FIXTURE_DATA(again) *self)
{
	start_again(_metadata, self, self->name, "", GOES_ON);
}

/* Commands 1 to @last are there, each once. */
static void expect_each(struct __test_metadata *_metadata, struct run *r, int last)
{
	char *line, *rest;
	int n = 0;

	must(_metadata, r,
	     "taskacct exits --dir " KEEP_DIR
	     " comm=kp_short -H -o args | awk '{ print $2 }' | sort -n");
	for (line = strtok_r(r->out, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		EXPECT_EQ(++n, atoi(line));
	EXPECT_EQ(last, n);
}

/* What all balances together have lost, but for those of segments that nobody closed */
static int64_t lost_in_all(const struct kept *k)
{
	static const char *const reasons[] = { "ring", "unread", "disk", "gone" };
	int64_t sum = 0;
	size_t i;
	int j;

	for (j = 0; j < k->n; j++)
		for (i = 0; k->balance[j] && i < 4; i++)
			sum += lost_by(k->balance[j], reasons[i]);
	return sum;
}

/* Killed in the midst of it, again and again, while commands end */
TEST_F(again, killed)
{
	int i, last;

	NEED_EXIT_MM();
	begin_and_store(_metadata, self);
	run_script(&self->load, "rm -f " KEEP_AT "/stop; i=5; until [ -e " KEEP_AT
		   "/stop ]; do i=$((i + 1)); " SHORT " $i; sleep 0.1; done; echo $i");
	for (i = 0; i < 3; i++) {
		usleep(FLUSHED_US / 2 + i * 300000);
		run_stop(&self->recorder, SIGKILL);
		usleep(500000);
		go_on(_metadata, self);
	}
	ASSERT_EQ(0, system("touch " KEEP_AT "/stop"));
	run_finish(&self->load);
	last = atoi(self->load.out);
	end_recorder(_metadata, &self->recorder, 0);
	EXPECT_LT(10, last);
	expect_each(_metadata, &self->r, last);
	look(&self->kept, KEEP_DIR);
	EXPECT_LE(4, self->kept.n);
	EXPECT_EQ(0, lost_in_all(&self->kept));
	for (i = 0; i < self->kept.n; i++)
		if (self->kept.balance[i])
			EXPECT_STREQ("none", word(self->kept.balance[i], "away"));
}

/* As it is where a package is upgraded: nothing is missing, and none of the time. */
TEST_F(again, restarted)
{
	NEED_EXIT_MM();
	begin_and_store(_metadata, self);
	end_recorder(_metadata, &self->recorder, 0);
	must(_metadata, &self->r, "for i in 6 7 8; do " SHORT " $i; done");
	run_free(&self->r);
	go_on(_metadata, self);
	must(_metadata, &self->r, "for i in 9 10; do " SHORT " $i; done");
	run_free(&self->r);
	end_recorder(_metadata, &self->recorder, 0);
	expect_each(_metadata, &self->r, 10);
	look(&self->kept, KEEP_DIR);
	ASSERT_EQ(2, self->kept.n);
	expect_balance(_metadata, &self->kept);
	EXPECT_EQ(sum_of(&self->kept, "made"), sum_of(&self->kept, "kept"));
	EXPECT_EQ(sum_of(&self->kept, "kept"), count_kept(_metadata, "", 0));
	EXPECT_EQ(number(self->kept.balance[0], "to"),
		  number(self->kept.balance[1], "from"));
}

/* Nor is any where no segment is there that would say where it stood. */
TEST_F(again, moved_away)
{
	NEED_EXIT_MM();
	begin_and_store(_metadata, self);
	move_away_and_kill(_metadata, &self->recorder);
	must(_metadata, &self->r, "for i in 6 7 8; do " SHORT " $i; done");
	run_free(&self->r);
	go_on(_metadata, self);
	end_recorder(_metadata, &self->recorder, 0);
	must(_metadata, &self->r, "mv " KEEP_MOVED "/*.zst " KEEP_DIR);
	run_free(&self->r);
	expect_each(_metadata, &self->r, 8);
	look(&self->kept, KEEP_DIR);
	ASSERT_LE(2, self->kept.n);
	EXPECT_EQ(0, lost_in_all(&self->kept));
}

/* How many exits the rings have had, by what the kernel says in them */
static int64_t ring_made(struct __test_metadata *_metadata, int fd)
{
	const struct taskacct_ring_header *h;
	const struct taskacct_ring_lane *lane;
	uint32_t r, l;
	int64_t sum = 0;
	size_t size;

	h = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, h);
	size = h->map_size;
	munmap((void *)h, 4096);
	h = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, h);
	for (r = 0; r < h->rings; r++)
		for (l = 0; l < h->lanes; l++) {
			lane = (const void *)((const char *)h + h->ring_offset +
					      r * h->ring_stride + l * h->lane_stride);
			sum += __atomic_load_n(&lane->made, __ATOMIC_ACQUIRE);
		}
	munmap((void *)h, size);
	return sum;
}

/* More has ended than the rings hold: how many are missing is known, to the exit. */
TEST_F(again, overtaken)
{
	int64_t before, made;

	begin_and_store(_metadata, self);
	end_recorder(_metadata, &self->recorder, 0);
	make_short(_metadata, 1200);
	go_on(_metadata, self);
	before = ring_made(_metadata, self->stored);
	end_recorder(_metadata, &self->recorder, EXIT_LOST);
	look(&self->kept, KEEP_DIR);
	ASSERT_EQ(2, self->kept.n);
	expect_balance(_metadata, &self->kept);
	EXPECT_LT(0, sum_lost(&self->kept, "ring"));
	made = sum_of(&self->kept, "made");
	EXPECT_LE(before, made);
	EXPECT_GE(ring_made(_metadata, self->stored), made);
	EXPECT_EQ(made, sum_of(&self->kept, "kept") + sum_lost(&self->kept, "ring"));
	EXPECT_EQ(sum_of(&self->kept, "kept"), count_kept(_metadata, "", EXIT_LOST));
}

/* The manager is told to close what it keeps under a name: it would keep the module. */
static void expect_discarded(struct __test_metadata *_metadata, int manager,
			     const char *name)
{
	const char *const discard = "FDSTOREREMOVE=1\nFDNAME=";
	char text[200];

	do {
		hear(manager, text, sizeof(text));
	} while (*text && strncmp(text, discard, strlen(discard)));
	EXPECT_STREQ(name, *text ? text + strlen(discard) : "nothing");
}

TEST_F(again, discarded)
{
	begin_and_store(_metadata, self);
	end_recorder(_metadata, &self->recorder, 0);
	start_again(_metadata, self, self->name, "--netlink", FROM_FAMILY);
	expect_discarded(_metadata, self->manager, self->name);
	end_recorder(_metadata, &self->recorder, 0);
	EXPECT_EQ(NULL, strstr(self->recorder.err, GOES_ON));
}

/* Another recorder that cannot go on says why, and the balance has the time in between. */
static void expect_refused(struct __test_metadata *_metadata, FIXTURE_DATA(again) *self,
			   const char *name, const char *says, const char *why)
{
	start_again(_metadata, self, name, "", FROM_RING);
	expect_discarded(_metadata, self->manager, name);
	make_short(_metadata, 1);
	usleep(FLUSHED_US);
	end_recorder(_metadata, &self->recorder, 0);
	expect_words(_metadata, &self->recorder, says);
	EXPECT_EQ(NULL, strstr(self->recorder.err, GOES_ON));
	look(&self->kept, KEEP_DIR);
	ASSERT_LT(0, self->kept.n);
	EXPECT_STREQ(why, word(self->kept.balance[self->kept.n - 1], "away"));
	EXPECT_LT(0, number(self->kept.balance[self->kept.n - 1], "away_from"));
}

#define NOWHERE "no segment says where the recorder before it stood"

/* Of another opening of the device, as after a boot; then of a segment that cannot be read */
TEST_F(again, refused)
{
	begin_and_store(_metadata, self);
	end_recorder(_metadata, &self->recorder, 0);
	expect_refused(_metadata, self, "exits-other", NOWHERE, "stopped");
	must(_metadata, &self->r,
	     "cd " KEEP_DIR "; rm *1.pcap.zst; truncate -s 30 *2.pcap.zst");
	expect_refused(_metadata, self, self->name, NOWHERE, "crashed");
}

/* What cannot be of these rings: a place with a lane less, in a segment that is whole */
TEST_F(again, refused_place)
{
	begin_and_store(_metadata, self);
	end_recorder(_metadata, &self->recorder, 0);
	must(_metadata, &self->r,
	     "cd " KEEP_DIR "; zstd -qdc *.zst >/tmp/log; grep -aq '\"at\":\\[' /tmp/log;"
	     "sed -Ei 's/(\"at\":\\[[0-9]+),/\\10/g' /tmp/log; zstd -qc /tmp/log >/tmp/z;"
	     "tail -c $(($(tail -n 1 *.zst | wc -c) + 9)) *.zst >>/tmp/z;"
	     "cat /tmp/z >$(ls *.zst)");
	expect_refused(_metadata, self, self->name,
		       "does not fit the shared memory that was kept open", "stopped");
}

TEST_HARNESS_MAIN
