// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel writes to a page that a process maps, and in which order
 *
 * A breakpoint on two words tells each time that the kernel has written one of them,
 * what both are then, and a value elsewhere. It is told what to do in
 * /sys/module/watch/parameters/:
 *
 * at		"WORDS VALUE": addresses of the writer, who has mapped them: of two
 *		words of 32 bits, and of 64 bits; "0 0" ends it. On arm64 and s390: EOPNOTSUPP
 * seen		read: a line "WORD WORD VALUE" for each write since then
 */
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#define SEEN_MAX	64

/**
 * struct place - something that is watched
 * @page: the page, which is kept
 * @at: where the kernel has it
 */
struct place {
	struct page *page;
	void *at;
};

/**
 * struct sight - what was seen behind a write
 * @words: the two words
 * @value: the value
 */
struct sight {
	u32 words[2];
	s64 value;
};

static struct place words, value;
static struct perf_event *__percpu *breakpoint;
static struct sight sights[SEEN_MAX];
static unsigned int seen;

#ifdef CONFIG_HAVE_HW_BREAKPOINT
static void on_write(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	const u32 *two = words.at;
	const s64 *one = value.at;

	if (seen == SEEN_MAX)
		return;
	sights[seen] = (struct sight){
		.words = { READ_ONCE(two[0]), READ_ONCE(two[1]) },
		.value = READ_ONCE(*one),
	};
	seen++;
}

static struct perf_event *__percpu *watch_words(void)
{
	struct perf_event_attr attr;

	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)words.at;
	attr.bp_len = HW_BREAKPOINT_LEN_8;
	attr.bp_type = HW_BREAKPOINT_W;
	return register_wide_hw_breakpoint(&attr, on_write, NULL);
}
#else
static struct perf_event *__percpu *watch_words(void)
{
	return (void __percpu __force *)ERR_PTR(-EOPNOTSUPP);
}
#endif

static int keep(struct place *place, unsigned long address)
{
	if (address % sizeof(u64))
		return -EINVAL;
	if (get_user_pages_fast(address & PAGE_MASK, 1, 0, &place->page) != 1)
		return -EFAULT;
	place->at = page_address(place->page) + offset_in_page(address);
	return 0;
}

static void drop(struct place *place)
{
	if (place->page)
		put_page(place->page);
	place->page = NULL;
}

static void stop(void)
{
	if (breakpoint)
		unregister_wide_hw_breakpoint(breakpoint);
	breakpoint = NULL;
	drop(&words);
	drop(&value);
}

static int start(unsigned long words_at, unsigned long value_at)
{
	int err;

	/* There it is told before the write, which is tried again, and told, for ever. */
	if (IS_ENABLED(CONFIG_ARM64))
		return -EOPNOTSUPP;
	err = keep(&words, words_at);
	if (!err)
		err = keep(&value, value_at);
	if (err)
		return err;
	seen = 0;
	breakpoint = watch_words();
	if (!IS_ERR((void __force *)breakpoint))
		return 0;
	err = PTR_ERR((void __force *)breakpoint);
	breakpoint = NULL;
	return err;
}

static int set_at(const char *text, const struct kernel_param *kp)
{
	unsigned long words_at, value_at;
	int err = 0;

	if (sscanf(text, "%lx %lx", &words_at, &value_at) != 2)
		return -EINVAL;
	stop();
	if (words_at)
		err = start(words_at, value_at);
	if (err)
		stop();
	return err;
}

static const struct kernel_param_ops at_ops = { .set = set_at };
module_param_cb(at, &at_ops, NULL, 0200);
MODULE_PARM_DESC(at, "WORDS VALUE: addresses that the writer maps");

static int get_seen(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < seen; i++)
		n += scnprintf(buffer + n, PAGE_SIZE - n, "%u %u %lld\n",
			       sights[i].words[0], sights[i].words[1],
			       sights[i].value);
	return n;
}

static const struct kernel_param_ops seen_ops = { .get = get_seen };
module_param_cb(seen, &seen_ops, NULL, 0444);
MODULE_PARM_DESC(seen, "what was seen behind each write");

static int __init watch_init(void)
{
	return 0;
}

static void __exit watch_exit(void)
{
	stop();
}

module_init(watch_init);
module_exit(watch_exit);

MODULE_DESCRIPTION("Tells in which order the kernel writes, for taskacct's tests");
MODULE_LICENSE("GPL");
