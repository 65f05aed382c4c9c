/* Writing cache files, and what must not go wrong with it: writers that are killed, several at
 * once, folders that cannot be written, full disks, sources that change, files of others. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "harness/cache_aid.h"
#include "harness/invariants.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/cache/cache_folder.h"

GROUP_FIXTURE(cache_aid_setup, cache_aid_teardown)

enum { LARGE = 300000, NOBODY = 65534, NOTICED = 42 };

static const char sample[] = "traces/picl-1992-table20.trc";

static bool is_cached(const char *path)
{
	OWNED_TRACE *trace = aid_open(path);

	return trace_is_cached(trace);
}

/* ---- killed ---- */

/* Whenever the writer is killed there is a whole cache file or none, and the next one is written
 * over what was left. */
TEST(test_killed)
{
	CACHED f = cached(aid_large("killed.trc", LARGE));
	OWNED_TRACE *trace = aid_open(f.path);
	struct rng random = { 1 };
	unsigned whole = 0, drafts = 0;

	for (int i = 0; i < 40; i++) {
		const pid_t child = fork();
		if (child == 0) {
			_exit(!cache_write(trace, NULL));
		}
		usleep((useconds_t)rng_below(&random, 25000));
		kill(child, SIGKILL);
		(void)aid_status(child);
		drafts += aid_exists(f.draft);
		if (aid_exists(f.cache)) {
			assert_true(is_cached(f.path));
			whole++;
			unlink(f.cache);
		}
	}
	print_message("# 40 writers killed: %u had finished, %u left a draft\n", whole, drafts);
	aid_keep(trace);
	assert_true(is_cached(f.path));
	assert_false(aid_exists(f.draft));
}

/* ---- several ---- */

/* Programs that open and write at the same time all see the same trace and leave one file. */
TEST(test_together)
{
	enum { PROGRAMS = 6 };
	CACHED f = cached(aid_copy(sample, "together.trc"));
	OWNED_TRACE *trace = aid_open(f.path);
	pid_t children[PROGRAMS];

	for (int i = 0; i < PROGRAMS; i++) {
		children[i] = fork();
		if (children[i] != 0)
			continue;
		for (int turn = 0; turn < 20; turn++) {
			struct trace *mine = aid_open(f.path);
			if (trace_event_count(mine) != trace_event_count(trace) ||
			    trace_broken(mine))
				_exit(2);
			if (!trace_is_cached(mine) && !cache_write(mine, NULL))
				_exit(3);
			trace_free(mine);
			if (i == 0 && turn % 4 == 3)
				unlink(f.cache);
		}
		_exit(0);
	}
	for (int i = 0; i < PROGRAMS; i++)
		assert_int_equal(aid_status(children[i]), 0);
	aid_keep(trace);
	assert_true(is_cached(f.path));
	assert_false(aid_exists(f.draft));
}

/* While one holds the draft, another gives way without a word. */
TEST(test_gives_way)
{
	CACHED f = cached(aid_copy(sample, "way.trc"));
	OWNED_TRACE *trace = aid_open(f.path);
	struct err err = ERR_INIT;
	int go[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(go), 0);
	file_write(f.draft, "rubbish", 7);
	/* A draft that nobody holds was left behind: it is used. */
	aid_keep(trace);
	assert_true(is_cached(f.path) && !aid_exists(f.draft));
	unlink(f.cache);
	child = fork();
	if (child == 0) {
		char command[600];
		close(go[0]);
		snprintf(command, sizeof command, "exec 9>'%s'; flock -n 9 && echo && sleep 60",
			 f.draft);
		dup2(go[1], 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(1);
	}
	close(go[1]);
	assert_int_equal(read(go[0], &byte, 1), 1);
	assert_true(cache_write(trace, &err));
	assert_false(aid_exists(f.cache));
	kill(child, SIGKILL);
	(void)aid_status(child);
	close(go[0]);
}

/* ---- behind ---- */

TEST(test_behind)
{
	CACHED f = cached(aid_copy(sample, "behind.trc"));
	struct trace *trace = aid_open(f.path);
	const int told = cache_write_behind(trace, NULL);
	OWNED_TRACE *mapped, *small;
	char why[256];

	assert_true(told >= 0);
	trace_free(trace); /* it has a snapshot of its own */
	fcntl(told, F_SETFL, 0);
	assert_int_equal(read(told, why, sizeof why), 0);
	close(told);
	assert_true(aid_exists(f.cache));
	mapped = aid_open(f.path);
	assert_true(trace_is_cached(mapped));
	assert_int_equal(cache_write_behind(mapped, NULL), -1);
	setenv("TVIEW_CACHE_MIN", "100000", 1);
	unlink(f.cache);
	small = aid_open(f.path);
	assert_int_equal(cache_write_behind(small, NULL), -1);
	setenv("TVIEW_CACHE_MIN", "0", 1);
}

/* ---- no room ---- */

TEST(test_full_disk)
{
	CACHED f = cached(aid_large("full.trc", LARGE));
	OWNED_TRACE *trace = aid_open(f.path);
	const pid_t child = fork();
	struct err err = ERR_INIT;
	char why[256] = "";
	ssize_t n = 0;

	if (child == 0) {
		const struct rlimit limit = { 100000, 100000 };
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		const int told = cache_write_behind(trace, NULL);
		fcntl(told, F_SETFL, 0);
		n = read(told, why, sizeof why - 1);
		_exit(n > 20 && strstr(why, "cannot write") && !cache_write(trace, &err) &&
				      strstr(err.text, "cannot write")
			      ? 0
			      : 1);
	}
	assert_int_equal(aid_status(child), 0);
	assert_false(aid_exists(f.cache));
	assert_false(aid_exists(f.draft));
	/* The limit of all cache files. */
	setenv("TVIEW_CACHE_SIZE", "100k", 1);
	assert_false(cache_write(trace, &err));
	assert_non_null(strstr(err.text, "TVIEW_CACHE_SIZE"));
	unsetenv("TVIEW_CACHE_SIZE");
	assert_false(aid_exists(f.cache));
}

/* In a folder that cannot be written the file lies in the cache folder. */
TEST(test_read_only_folder)
{
	OWNED char *folder = aid_path("locked"), *home = aid_path("home");
	CACHED f;
	pid_t child;

	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(mkdir(home, 0755), 0);
	f = cached(aid_copy(sample, "locked/run.trc"));
	assert_int_equal(chmod(f.path, 0644), 0);
	assert_int_equal(chmod(folder, 0555), 0);
	child = fork();
	if (child == 0) {
		struct cache_entry *list;
		setenv("XDG_CACHE_HOME", home, 1);
		if (geteuid() == 0 &&
		    (chown(home, NOBODY, NOBODY) || chmod(aid_path(""), 0755) || setuid(NOBODY)))
			_exit(1);
		struct trace *trace = aid_open(f.path);
		if (!cache_write(trace, NULL) || !is_cached(f.path))
			_exit(2);
		if (cache_list(f.path, &list) != 1 || !cache_remove(&list[0], NULL) ||
		    is_cached(f.path))
			_exit(3);
		/* Nor there: no cache file, and a sentence. */
		struct err err = ERR_INIT;
		setenv("XDG_CACHE_HOME", folder, 1);
		if (cache_write(trace, &err) || !strstr(err.text, "cannot write"))
			_exit(4);
		_exit(0);
	}
	assert_int_equal(aid_status(child), 0);
	assert_false(aid_exists(f.cache));
	chmod(folder, 0755);
}

/* ---- stale ---- */

TEST(test_stale)
{
	CACHED f = cached(aid_copy(sample, "stale.trc"));
	const struct load_options strict = { .strict = true }, none = { .no_cache = true };
	OWNED_TRACE *trace = aid_open(f.path), *other, *uncached, *longer, *again;
	OWNED char *bytes;
	struct timespec times[2];
	struct stat st;
	size_t n;

	aid_keep(trace);
	assert_true(is_cached(f.path));
	/* Another option, another store. */
	other = trace_load(f.path, &strict, NULL, NULL);
	assert_true(!other || !trace_is_cached(other));
	uncached = trace_load(f.path, &none, NULL, NULL);
	assert_false(trace_is_cached(uncached));
	assert_false(cache_wanted(uncached));
	/* Same size and same time, another byte in the head. */
	assert_int_equal(stat(f.path, &st), 0);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	bytes = aid_slurp(f.path, &n);
	bytes[n / 2] = (char)(bytes[n / 2] == '1' ? '2' : '1');
	file_write(f.path, bytes, n);
	utimensat(AT_FDCWD, f.path, times, 0);
	assert_int_equal(stat(f.path, &st), 0);
	assert_int_equal(st.st_mtim.tv_nsec, times[1].tv_nsec);
	assert_false(is_cached(f.path));
	/* Longer. */
	longer = aid_open(f.path);
	aid_keep(longer);
	assert_true(is_cached(f.path));
	aid_append(f.path, "-3 1 9.0 0 0 0\n");
	assert_false(is_cached(f.path));
	/* It changes between being read and being written. */
	unlink(f.cache);
	assert_false(cache_write(longer, NULL));
	again = aid_open(f.path);
	aid_keep(again);
	assert_true(is_cached(f.path));
	/* Only the time. */
	times[1].tv_sec -= 100;
	utimensat(AT_FDCWD, f.path, times, 0);
	assert_false(is_cached(f.path));
	assert_true(aid_exists(f.cache));
}

/* Files of others, or that others can write, or that are links, are not believed. */
TEST(test_others)
{
	CACHED f = cached(aid_copy(sample, "others.trc"));
	OWNED char *elsewhere = aid_path("elsewhere.tvcache");
	OWNED_TRACE *trace = aid_open(f.path);

	aid_keep(trace);
	assert_int_equal(chmod(f.cache, 0620), 0);
	assert_false(is_cached(f.path));
	assert_int_equal(chmod(f.cache, 0600), 0);
	assert_true(is_cached(f.path));
	if (geteuid() == 0) {
		assert_int_equal(chown(f.cache, NOBODY, NOBODY), 0);
		assert_false(is_cached(f.path));
		assert_true(aid_exists(f.cache));
		assert_int_equal(chown(f.cache, 0, 0), 0);
	}
	assert_int_equal(rename(f.cache, elsewhere), 0);
	assert_int_equal(symlink(elsewhere, f.cache), 0);
	assert_false(is_cached(f.path));
	unlink(elsewhere);
}

/* A draft that was left over is replaced, not written: its name may be another file's, too. */
TEST(test_linked_draft)
{
	CACHED f = cached(aid_copy(sample, "linked.trc"));
	OWNED char *victim = aid_path("victim"), *draft = aid_path(".linked.trc.tvcache.part");
	OWNED_TRACE *trace = aid_open(f.path);
	OWNED char *text;
	size_t n;

	file_write(victim, "precious", 8);
	assert_int_equal(link(victim, draft), 0);
	assert_true(cache_write(trace, NULL));
	assert_true(is_cached(f.path));
	assert_false(aid_exists(draft));
	text = aid_slurp(victim, &n);
	assert_int_equal(n, 8);
	assert_memory_equal(text, "precious", 8);
	unlink(victim);
}

/* What another user put under the name of the cache file, or of the draft, is left alone: the user's
 * own is in the cache folder. */
TEST(test_foreign)
{
	OWNED char *home = aid_path("foreign-home");

	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir(home, 0755), 0);
	for (int i = 0; i < 2; i++) {
		CACHED f = cached(aid_copy(sample, i ? "foreign.trc" : "strange.trc"));
		OWNED char *foreign =
			aid_path(i ? ".foreign.trc.tvcache" : ".strange.trc.tvcache.part");
		struct stat st;
		pid_t child;

		file_write(foreign, "theirs", 6);
		assert_int_equal(chown(foreign, NOBODY, NOBODY), 0);
		child = fork();
		if (child == 0) {
			setenv("XDG_CACHE_HOME", home, 1);
			struct trace *trace = aid_open(f.path);
			const bool told = cache_notice(trace) != NULL;
			_exit(told != (i == 1)            ? 1
			      : !cache_write(trace, NULL) ? 2
			      : !is_cached(f.path)        ? 3
							  : 0);
		}
		assert_int_equal(aid_status(child), 0);
		assert_int_equal(stat(foreign, &st), 0);
		assert_int_equal(st.st_size, 6);
		assert_int_equal(st.st_uid, NOBODY);
		unlink(foreign);
	}
}

/* ---- damage that is met later ---- */

static void noticed(void *context)
{
	(void)context;
	_exit(NOTICED);
}

/* Opened as the screen does it: small sections at once, large ones at the first touch. Whatever bit
 * is flipped, either the file is thrown away or the damage is told when everything is looked at. */
TEST(test_met_later)
{
	CACHED f = cached(aid_large("later.trc", LARGE));
	OWNED char *bytes;
	OWNED_TRACE *trace = aid_open(f.path);
	struct rng random = { 7 };
	unsigned later = 0, opened = 0;
	size_t n;

	aid_keep(trace);
	bytes = aid_slurp(f.cache, &n);
	for (int i = 0; i < 60; i++) {
		const size_t at = (size_t)rng_below(&random, (uint32_t)n);
		const pid_t child = fork();
		if (child == 0) {
			const struct load_options options = { .cache_damaged = noticed };
			bool damaged;
			if (i > 0)
				bytes[at] ^= (char)(1 << i % 8);
			file_write(f.cache, bytes, n);
			struct trace *mapped = cache_load(f.path, &options, &damaged);
			_exit(mapped ? trace_broken(mapped) ? 3 : 0 : damaged ? 1 : 2);
		}
		const int status = aid_status(child);
		if (i == 0) {
			assert_int_equal(status, 0);
			continue;
		}
		assert_true(status == 1 || status == NOTICED);
		assert_false(aid_exists(f.cache));
		later += status == NOTICED;
		opened += status == 1;
	}
	print_message("# of 59 flips %u were met when opening, %u later\n", opened, later);
	assert_true(later > 5 && opened > 5);
}

/* ---- list and limit ---- */

TEST(test_limit)
{
	static const char *const names[] = { "a.trc", "b.trc", "c.trc" };
	struct cached f[3];
	char limit[32];
	struct cache_entry *list;
	uint64_t one = 0;

	for (int i = 0; i < 3; i++) {
		struct timespec times[2] = { { 1000000 + i, 0 }, { 1000000 + i, 0 } };
		OWNED_TRACE *trace;
		f[i] = cached(aid_copy(sample, names[i]));
		if (i == 2) { /* room for two */
			snprintf(limit, sizeof limit, "%llu", (unsigned long long)(5 * one / 2));
			setenv("TVIEW_CACHE_SIZE", limit, 1);
		}
		trace = aid_open(f[i].path);
		aid_keep(trace);
		utimensat(AT_FDCWD, f[i].cache, times, 0);
		assert_int_equal(cache_list(f[i].path, &list), 1);
		one = list[0].bytes;
		assert_int_equal(list[0].used, 1000000 + i);
		cache_list_free(list, 1);
	}
	assert_false(aid_exists(f[0].cache));
	assert_true(aid_exists(f[1].cache) && aid_exists(f[2].cache));
	unsetenv("TVIEW_CACHE_SIZE");
	assert_int_equal(cache_list(NULL, &list), 2);
	assert_string_equal(list[0].source, f[1].path);
	assert_true(cache_remove(&list[0], NULL));
	assert_false(aid_exists(f[1].cache));
	cache_list_free(list, 2);
	for (int i = 0; i < 3; i++)
		cached_fini(&f[i]);
	assert_int_equal(cache_list(NULL, &list), 0);
	cache_list_free(list, 0);
}

/* ---- larger than memory ---- */

static long anonymous_kb(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "RssAnon: %ld", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb;
}

TEST(test_larger_than_memory)
{
	CACHED f = cached(aid_large("memory.trc", 2 * LARGE));
	const struct load_options small = { .max_mem = 4 << 20 };
	const struct load_options refused = { .max_mem = 4 << 20, .no_cache = true };
	OWNED_TRACE *whole = aid_open(f.path), *bounded;
	struct err err = ERR_INIT;

	bounded = trace_load(f.path, &small, NULL, &err);
	assert_non_null(bounded);
	aid_same(whole, bounded);
	aid_keep(bounded);
	assert_true(is_cached(f.path));
	assert_null(trace_load(f.path, &refused, NULL, &err));
	assert_non_null(strstr(err.text, "--no-cache"));
}

/* How much of it lies in memory that the system cannot take back. */
TEST(test_memory)
{
	CACHED f = cached(aid_large("memory2.trc", 2 * LARGE));
	const struct load_options small = { .max_mem = 4 << 20 };
	int fds[2];
	long kb[2];

	assert_int_equal(pipe(fds), 0);
	for (int i = 0; i < 2; i++) {
		const pid_t child = fork();
		if (child == 0) {
			const long before = anonymous_kb();
			struct trace *trace = trace_load(f.path, i ? &small : NULL, NULL, NULL);
			kb[0] = anonymous_kb() - before;
			_exit(!trace || write(fds[1], &kb[0], sizeof kb[0]) < 0);
		}
		assert_int_equal(aid_status(child), 0);
		assert_int_equal(read(fds[0], &kb[i], sizeof kb[i]), sizeof kb[i]);
	}
	print_message("# without bound %ld KB, with one of 4,096 KB %ld KB\n", kb[0], kb[1]);
#if !defined(__SANITIZE_ADDRESS__)
	assert_true(kb[0] > 7000);
	assert_true(kb[1] < 4096 + 2500);
#endif
}

/* The file for what is too large meets a full disk: a sentence, no signal. */
TEST(test_no_room_for_store)
{
	CACHED f = cached(aid_large("room.trc", LARGE));
	const pid_t child = fork();

	if (child == 0) {
		const struct load_options small = { .max_mem = 1 << 20 };
		const struct rlimit limit = { 3 << 20, 3 << 20 };
		struct err err = ERR_INIT;
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(!trace_load(f.path, &small, NULL, &err) && strstr(err.text, "no room") ? 0
											     : 1);
	}
	assert_int_equal(aid_status(child), 0);
}
