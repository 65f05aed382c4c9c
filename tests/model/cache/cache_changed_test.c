/* Traces and cache files that are cut off, written over or edited: while they are read, while they are
 * mapped, and in between. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "harness/cache_aid.h"
#include "harness/invariants.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/trace/store.h"

GROUP_FIXTURE(cache_aid_setup, cache_aid_teardown)

enum { LARGE = 300000, NOTICED = 42 };

static const char sample[] = "traces/picl-1992-table20.trc";

static void noticed(void *context)
{
	(void)context;
	_exit(NOTICED);
}

enum change { CUT_TO_NOTHING, CUT, ZEROS, NOISE, CHANGES };

static bool change(const char *path, enum change how, size_t n, uint64_t seed)
{
	OWNED char *bytes = xcalloc(1, n);
	struct rng random = { seed };
	const int fd = open(path, O_WRONLY);
	bool ok;

	usleep(10000); /* times of files are no finer than the system's clock ticks */
	for (size_t i = 0; i < n && how == NOISE; i++)
		bytes[i] = (char)rng_below(&random, 256);
	if (how == CUT_TO_NOTHING || how == CUT)
		ok = ftruncate(fd, how == CUT ? (off_t)rng_below(&random, (uint32_t)n) : 0) == 0;
	else
		ok = pwrite(fd, bytes, n, 0) == (ssize_t)n;
	close(fd);
	return ok;
}

/* All of it was seen and found good before; whatever happens to the file then, the program ends with
 * what the screen or the command line has for damage, or is told so when it asks. */
TEST(test_changed_while_mapped)
{
	enum { TURNS = 4 * CHANGES };
	CACHED f = cached(aid_large("mapped.trc", LARGE));
	OWNED char *bytes;
	OWNED_TRACE *trace = aid_open(f.path);
	unsigned asked = 0, ended = 0;
	size_t n;

	aid_keep(trace);
	bytes = aid_slurp(f.cache, &n);
	for (int i = 0; i < TURNS; i++) {
		const bool screen = i / CHANGES % 2;
		const pid_t child = fork();
		if (child == 0) {
			const struct load_options options = { .cache_damaged =
								      screen ? noticed : NULL };
			bool damaged;
			file_write(f.cache, bytes, n);
			struct trace *mapped = cache_load(f.path, &options, &damaged);
			if (!mapped || trace_broken(mapped) || !trace_is_unchanged(mapped, NULL))
				_exit(10);
			/* What is said of a failure would be read as the test's. */
			if (!freopen("/dev/null", "w", stderr))
				_exit(11);
			if (!change(f.cache, (enum change)(i % CHANGES), n, (uint64_t)i))
				_exit(12);
			alarm(60);
			(void)trace_broken(mapped);
			_exit(trace_is_unchanged(mapped, NULL) ? 13 : 14);
		}
		const int status = aid_status(child);
		if (status == 14)
			asked++;
		else
			ended += status == (screen ? NOTICED : STATUS_IO);
		assert_int_equal(asked + ended, i + 1);
		assert_false(aid_exists(f.cache));
	}
	print_message("# of %d changed files %u ended the program, %u were told\n", TURNS, ended,
		      asked);
	assert_true(ended >= TURNS / 2); /* those that were cut off, at least */
}

static bool grow_once(void *context, const char *what, uint64_t done, uint64_t all)
{
	const struct cached *f = context;
	struct stat st;

	(void)what, (void)done, (void)all;
	if (stat(f->path, &st) == 0 && !aid_exists(f->draft)) {
		file_write(f->draft, "", 0); /* a note that it was done */
		aid_append(f->path, "-3 1 9.0 0 0 0\n");
	}
	return true;
}

/* What was read is of two states of the file then, and check says so. */
TEST(test_changed_while_read)
{
	CACHED f = cached(aid_large("growing.trc", LARGE));

	for (int grows = 0; grows < 2; grows++) {
		const struct progress progress = { .step = grow_once, .context = &f };
		OWNED_TRACE *trace = trace_load(f.path, NULL, grows ? &progress : NULL, NULL);
		const struct finding *finding;
		unsigned said = 0;
		assert_non_null(trace);
		vec_each (finding, &trace->findings)
			said += strcmp(finding->code, "source-changed") == 0 &&
				finding->kind == FINDING_DAMAGE;
		assert_int_equal(said, grows);
	}
}

/* Between head and tail, with the same size and time: one place in a hundred, in a file that is longer
 * than what is looked at, and every one in a file that is not. */
TEST(test_edit_in_the_middle)
{
	static const char *const names[] = { "short.trc", "long.trc" };

	for (int i = 0; i < 2; i++) {
		CACHED f = cached(i ? aid_large(names[i], LARGE) : aid_copy(sample, names[i]));
		OWNED_TRACE *trace = aid_open(f.path);
		OWNED char *bytes;
		struct stat st;
		unsigned seen = 0;
		size_t n;
		aid_keep(trace);
		bytes = aid_slurp(f.path, &n);
		assert_int_equal(stat(f.path, &st), 0);
		const struct timespec times[2] = { st.st_atim, st.st_mtim };
		for (size_t k = 0; k < 100; k++) {
			const uint64_t before = cache_source_state(f.path);
			bytes[n / 100 * k] ^= 1;
			file_write(f.path, bytes, n);
			utimensat(AT_FDCWD, f.path, times, 0);
			seen += cache_source_state(f.path) != before;
		}
		print_message("# %zu bytes: %u of 100 edits seen\n", n, seen);
		assert_int_equal(i ? seen > 0 : seen, i ? 1 : 100);
	}
}
