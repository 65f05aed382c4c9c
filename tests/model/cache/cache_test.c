/* Cache files: a trace that was mapped is the trace that was read; nothing that is damaged, stale
 * or somebody else's is believed; writers do not meet. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "harness/cache_aid.h"
#include "harness/invariants.h"
#include "harness/test.h"
#include "model/sums/profile.h"
#include "model/sums/shading.h"
#include "model/trace/base_write.h"
#include "model/trace/keep.h"

GROUP_FIXTURE(cache_aid_setup, cache_aid_teardown)

/* ---- the same trace ---- */

/* Makes all that a trace can be asked to make before its cache is written. */
static void make_everything(struct trace *trace)
{
	for (int base = 0; base < BASE_COUNT; base++) {
		struct profile profile;
		if (!trace_has_base(trace, (enum time_base)base))
			continue;
		assert_true(trace_base_make(trace, (enum time_base)base, NULL, NULL));
		(void)trace_class_shading(trace, (enum time_base)base);
		assert_true(profile_make(&profile, trace, (enum time_base)base, PROFILE_REGION,
					 NULL, 0, INT64_MIN / 4, INT64_MAX / 4, NULL, NULL));
		profile_fini(&profile);
	}
}

static void round_trip(const char *from, bool everything)
{
	OWNED char *path = aid_copy(from, "same.trc"), *cache = aid_path(".same.trc.tvcache");
	struct trace *read = trace_load(path, NULL, NULL, NULL), *mapped;

	if (read) { /* some of traces/bad are none at all */
		assert_false(trace_is_cached(read));
		if (everything)
			make_everything(read);
		aid_keep(read);
		mapped = aid_open(path);
		assert_true(trace_is_cached(mapped));
		assert_false(cache_wanted(mapped));
		aid_same(read, mapped);
		trace_free(mapped);
		trace_free(read);
	}
	unlink(path);
	unlink(cache);
}

static void round_trips(const char *from)
{
	DIR *dir = opendir(from);
	const struct dirent *entry;
	unsigned n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[512];
		struct stat st;
		snprintf(path, sizeof path, "%s/%s", from, entry->d_name);
		if (!strstr(entry->d_name, ".trc") || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
			continue;
		round_trip(path, n++ % 2 == 0);
		round_trip(path, n % 2 == 0);
	}
	closedir(dir);
	assert_true(n > 2);
}

/* What is lent comes mapped; what is of a base goes when the base is made anew. */
TEST(test_kept)
{
	OWNED char *path = aid_copy("traces/sweep.trc", "same.trc"),
		   *cache = aid_path(".same.trc.tvcache");
	struct trace *read = trace_load(path, NULL, NULL, NULL), *mapped;
	uint64_t *large = xcalloc(5000, sizeof *large), of_base = 7, other = 8, found = 0;
	const uint64_t *lent;
	size_t bytes;

	for (size_t i = 0; i < 5000; i++)
		large[i] = i * i;
	keep_of_base(read, "of-base", BASE_LINEAR, &of_base, sizeof of_base);
	keep_give(read, "large", BASE_LINEAR, large, 5000 * sizeof *large);
	keep_put(read, "other", BASE_LINEAR, &other, sizeof other);
	aid_keep(read);
	trace_free(read);
	mapped = aid_open(path);
	assert_true(trace_is_cached(mapped));
	lent = keep_lent(mapped, "large", BASE_LINEAR, &bytes);
	assert_non_null(lent);
	assert_int_equal(bytes, 5000 * sizeof *lent);
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(lent[i], i * i);
	assert_false(keep_get(mapped, "large", BASE_LINEAR, &found, sizeof found));
	assert_true(keep_get(mapped, "of-base", BASE_LINEAR, &found, sizeof found));
	assert_int_equal(found, 7);
	base_drop(mapped, BASE_LINEAR);
	assert_null(keep_lent(mapped, "large", BASE_LINEAR, &bytes));
	assert_false(keep_get(mapped, "of-base", BASE_LINEAR, &found, sizeof found));
	assert_true(keep_get(mapped, "other", BASE_LINEAR, &found, sizeof found));
	assert_int_equal(found, 8);
	trace_free(mapped);
	unlink(path);
	unlink(cache);
}

TEST(test_round_trips)
{
	round_trips("traces");
	round_trips("traces/bad");
}

/* ---- damage ---- */

/* Every byte of the file counts: whichever is changed, the file is thrown away. */
TEST(test_flips)
{
	OWNED char *path = aid_copy("traces/picl-1992-table20.trc", "flip.trc");
	OWNED char *cache = aid_path(".flip.trc.tvcache"), *bytes;
	OWNED_TRACE *trace = aid_open(path), *again;
	bool damaged;
	size_t n;

	aid_keep(trace);
	bytes = aid_slurp(cache, &n);
	assert_non_null(bytes);
	assert_true(n > 1000 && n < 100000);
	for (size_t i = 0; i < n; i++) {
		const char good = bytes[i];
		bytes[i] = (char)(good ^ (1 << i % 8));
		file_write(cache, bytes, n);
		bytes[i] = good;
		again = cache_load(path, &(struct load_options){ 0 }, &damaged);
		/* Bytes 12 to 15 tell versions apart: another's file is in nobody's way. */
		const bool version = i >= 12 && i < 16;
		if (again || damaged == version || aid_exists(cache) != version)
			fail_msg("byte %zu of %zu was changed and not missed", i, n);
	}
	for (size_t cut = 0; cut < n; cut += cut < 600 ? 1 : 97) {
		file_write(cache, bytes, cut);
		again = cache_load(path, &(struct load_options){ 0 }, &damaged);
		assert_null(again);
		assert_true(damaged);
	}
	file_write(cache, bytes, n);
	again = aid_open(path);
	assert_true(trace_is_cached(again));
	aid_same(trace, again);
	unlink(path);
	unlink(cache);
}
