/* Cache files: a trace that was mapped is the trace that was read; nothing that is damaged, stale or
 * somebody else's is believed; writers do not meet. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "harness/invariants.h"
#include "model/cache.h"
#include "model/picl_aid.h"
#include "model/profile.h"
#include "model/shading.h"

/* A folder of the test's own; traces are copied into it. */
static char folder[64];

static char *path_of(const char *name)
{
	struct str path = STR_INIT;

	str_add_fmt(&path, "%s/%s", folder, name);
	return str_take(&path);
}

static char *slurp(const char *path, size_t *n)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;

	*n = 0;
	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*n = (size_t)ftell(file);
	rewind(file);
	bytes = xmalloc(*n);
	assert_int_equal(fread(bytes, 1, *n, file), *n);
	fclose(file);
	return bytes;
}

static void spit(const char *path, const char *bytes, size_t n)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static char *copy_trace(const char *from, const char *name)
{
	char *to = path_of(name);
	size_t n;
	char *bytes = slurp(from, &n);

	assert_non_null(bytes);
	spit(to, bytes, n);
	free(bytes);
	return to;
}

static struct trace *load(const char *path)
{
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(path, NULL, NULL, &err);

	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

static void write_cache(const struct trace *trace)
{
	struct err err = ERR_INIT;

	if (!cache_write(trace, &err))
		fail_msg("%s", err.text);
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* ---- the same trace ---- */

static char *findings_of(const struct trace *trace)
{
	struct str out = STR_INIT;

	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		str_add_fmt(&out, "%s %llu %s\n", f->code, (unsigned long long)f->count, f->text);
	}
	return str_take(&out);
}

static void assert_same(struct trace *a, struct trace *b)
{
	char *texts[][2] = { { aid_write(a), aid_write(b) },
			     { aid_events(a), aid_events(b) },
			     { findings_of(a), findings_of(b) } };
	const char *broken = trace_broken(b);

	if (broken)
		fail_msg("%s", broken);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_string_equal(texts[i][0], texts[i][1]);
		free(texts[i][0]);
		free(texts[i][1]);
	}
	assert_int_equal(trace_message_count(a), trace_message_count(b));
	assert_int_equal(trace_collective_count(a), trace_collective_count(b));
}

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
	char *path = copy_trace(from, "same.trc"), *cache = path_of(".same.trc.tvcache");
	struct trace *read = trace_load(path, NULL, NULL, NULL), *mapped;

	if (read) { /* some of traces/bad are none at all */
		assert_false(trace_is_cached(read));
		if (everything)
			make_everything(read);
		write_cache(read);
		mapped = load(path);
		assert_true(trace_is_cached(mapped));
		assert_false(cache_wanted(mapped));
		assert_same(read, mapped);
		trace_free(mapped);
		trace_free(read);
	}
	unlink(path);
	unlink(cache);
	free(path);
	free(cache);
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

static void test_round_trips(void **state)
{
	(void)state;
	round_trips("traces");
	round_trips("traces/bad");
}

/* ---- damage ---- */

/* Every byte of the file counts: whichever is changed, the file is thrown away. */
static void test_flips(void **state)
{
	char *path = copy_trace("traces/picl-1992-table20.trc", "flip.trc");
	char *cache = path_of(".flip.trc.tvcache"), *bytes;
	struct trace *trace = load(path), *again;
	bool damaged;
	size_t n;

	(void)state;
	write_cache(trace);
	bytes = slurp(cache, &n);
	assert_non_null(bytes);
	assert_true(n > 1000 && n < 100000);
	for (size_t i = 0; i < n; i++) {
		const char good = bytes[i];
		bytes[i] = (char)(good ^ (1 << i % 8));
		spit(cache, bytes, n);
		bytes[i] = good;
		again = cache_load(path, &(struct load_options){ 0 }, &damaged);
		if (again || !damaged || exists(cache))
			fail_msg("byte %zu of %zu was changed and not missed", i, n);
	}
	for (size_t cut = 0; cut < n; cut += cut < 600 ? 1 : 97) {
		spit(cache, bytes, cut);
		again = cache_load(path, &(struct load_options){ 0 }, &damaged);
		assert_null(again);
		assert_true(damaged);
	}
	spit(cache, bytes, n);
	again = load(path);
	assert_true(trace_is_cached(again));
	assert_same(trace, again);
	trace_free(again);
	trace_free(trace);
	unlink(path);
	unlink(cache);
	free(bytes);
	free(path);
	free(cache);
}

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tview-cache-XXXXXX");
	setenv("TVIEW_CACHE_MIN", "0", 1);
	if (!mkdtemp(folder))
		return -1;
	setenv("XDG_CACHE_HOME", folder, 1);
	return 0;
}

static int teardown(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof command, "chmod -R u+w %s && rm -rf %s", folder, folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_flips),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
