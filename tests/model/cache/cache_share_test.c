/* Cache files that several processes write together: section by section that of one process, whose
 * rows and numbers they have; from it comes the trace that one process reads. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/cache_aid.h"
#include "harness/invariants.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/processes.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "model/cache/cache_state.h"
#include "model/formats/save.h"
#include "model/sums/profile_sums.h"
#include "model/sums/shading.h"

GROUP_FIXTURE(cache_aid_setup, cache_aid_teardown)

enum { MOST = 13 };

/* ---- writing ---- */

struct job {
	const char *path;
	bool everything;
	char said[MOST][sizeof((struct err *)NULL)->text]; /* by each process, "" without failure */
	bool ok[MOST];
};

static void make_base(struct trace *trace, enum time_base base)
{
	struct profile profile;

	if (!trace_has_base(trace, base) || !trace_base_make(trace, base, NULL, NULL))
		return;
	(void)trace_class_shading(trace, base);
	if (profile_make(&profile, trace, base, PROFILE_REGION, NULL, 0, INT64_MIN / 4,
			 INT64_MAX / 4, NULL, NULL))
		profile_fini(&profile);
}

static void write_share(struct exchange *x, void *context)
{
	struct job *job = context;
	const struct load_options how = { .exchange = x, .no_cache = true, .jobs = 1 };
	const struct load_options source = { .jobs = 1 };
	const uint32_t p = exchange_process(x);
	struct cache_state *state = p == 0 ? cache_prepare(job->path, &source) : NULL;
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(job->path, &how, NULL, &err);

	if (trace) {
		for (int base = 0; base < BASE_COUNT && job->everything; base++)
			make_base(trace, (enum time_base)base);
		cache_remember(trace, state, false);
		job->ok[p] = cache_share(trace, &err);
	} else {
		cache_state_free(state);
	}
	snprintf(job->said[p], sizeof job->said[p], "%s", err_is_set(&err) ? err.text : "");
	trace_free(trace);
}

/* ---- comparing files ---- */

struct cached_file {
	char *bytes;
	size_t n;
	const struct cache_header *header;
	const struct section *sections;
};

static struct cached_file open_file(const char *path)
{
	struct cached_file f = { .n = 0 };

	f.bytes = aid_slurp(path, &f.n);
	assert_true(f.n > sizeof *f.header);
	f.header = (const struct cache_header *)(const void *)f.bytes;
	f.sections = (const struct section *)(const void *)(f.header + 1);
	return f;
}

static const struct section *find(const struct cached_file *f, const struct section *as)
{
	for (uint32_t i = 0; i < f->header->sections; i++)
		if (f->sections[i].index == as->index &&
		    memcmp(f->sections[i].name, as->name, sizeof as->name) == 0)
			return &f->sections[i];
	return NULL;
}

static char *data_of(const struct cached_file *f, const struct section *s)
{
	return f->bytes + f->header->data_offset + s->offset;
}

/* Sections that processes share. Numbers of texts may differ (definitions, records with texts), and
 * rows of wide times that a sort has made unnecessary. */
static bool is_shared(const char *name)
{
	static const char *const names[] = {
		"blocks",
		"messages",
		"collectives",
		"members",
		"details",
		"values",
		"attributes",
		"gaps",
		"list-lengths",
		"lists",
		"times",
		"shading-sums",
		"shading-supers",
		"shading-wide",
		"shading-wide-rows",
		"profile-sums",
		"profile-ends",
		"profile-supers",
		"shading-super-of",
		"profile-super-of",
		"order",
		"order-chunks",
		"order-tree",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Without what the compiler puts after the last field. */
static size_t bytes_of(const struct section *s)
{
	return strcmp(s->name, "profile-supers") ? s->element : offsetof(struct super, walked) + 1;
}

/* Numbers of rows that may differ. */
static void leave_out(const struct section *s, void *row)
{
	struct times *times = row;

	if (strcmp(s->name, "times") == 0)
		times->wide = 0;
}

static void same_files(const char *what, const struct cached_file *is,
		       const struct cached_file *was)
{
	for (uint32_t i = 0; i < was->header->sections; i++) {
		const struct section *a = &was->sections[i], *b = find(is, a);
		if (!b)
			fail_msg("%s: no section %s", what, a->name);
		if (!is_shared(a->name))
			continue;
		if (a->n != b->n || a->element != b->element)
			fail_msg("%s: %s: %zu rows instead of %zu", what, a->name, (size_t)b->n,
				 (size_t)a->n);
		for (size_t k = 0; k < a->n; k++) {
			char *x = data_of(was, a) + k * a->element;
			char *y = data_of(is, b) + k * a->element;
			leave_out(a, x);
			leave_out(b, y);
			if (memcmp(x, y, bytes_of(a)) != 0)
				fail_msg("%s: %s %u: row %zu of %zu", what, a->name, a->index, k,
					 (size_t)a->n);
		}
	}
	assert_int_equal(is->header->events, was->header->events);
}

/* ---- the same trace ---- */

static void write_alone(const char *path, bool everything)
{
	const struct load_options how = { .jobs = 1 };
	OWNED_TRACE *trace = trace_load(path, &how, NULL, NULL);

	assert_non_null(trace);
	assert_false(trace_is_cached(trace));
	for (int base = 0; base < BASE_COUNT && everything; base++)
		make_base(trace, (enum time_base)base);
	aid_keep(trace);
}

/* `numbers` of processes, up to 0. */
static void same(const char *path, bool everything, const uint32_t *numbers)
{
	const struct load_options uncached = { .no_cache = true, .jobs = 1 };
	OWNED_TRACE *read = trace_load(path, &uncached, NULL, NULL);
	OWNED char *cache = aid_cache(path);
	struct cached_file alone;

	write_alone(path, everything);
	alone = open_file(cache);
	unlink(cache);
	for (; *numbers; numbers++) {
		struct job job = { .path = path, .everything = everything };
		OWNED_STR what = STR_INIT;
		struct cached_file together;
		str_add_fmt(&what, "%s by %u", path, *numbers);
		processes_run(*numbers, write_share, &job);
		for (uint32_t p = 0; p < *numbers; p++)
			if (!job.ok[p])
				fail_msg("%s: %s", what.text, job.said[p]);
		together = open_file(cache);
		same_files(what.text, &together, &alone);
		free(together.bytes);
		OWNED_TRACE *mapped = aid_open(path);
		assert_true(trace_is_cached(mapped));
		aid_same(read, mapped);
		unlink(cache);
	}
	free(alone.bytes);
}

static char *save(struct trace *trace, enum save_format format)
{
	char *path = aid_path(format == SAVE_OTF2 ? "run.otf2" : "run.trc");
	struct err err = ERR_INIT;

	if (!trace_save(trace, format, path, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
	return path;
}

TEST(random_traces)
{
	for (uint64_t seed = 1; seed <= rounds(8); seed++) {
		OWNED_TRACE *trace = random_trace(seed, 90, 1000000000);
		OWNED char *path = save(trace, SAVE_OTF2);
		same(path, seed % 2, (const uint32_t[]){ 2, 3, 5, 8, MOST, 0 });
	}
}

TEST(random_messages)
{
	for (uint64_t seed = 1; seed <= rounds(6); seed++) {
		OWNED_TRACE *trace = random_trace_of_messages(seed, 150, 1000000000, seed % 2);
		OWNED char *path = save(trace, SAVE_OTF2);
		same(path, seed % 2 == 0, (const uint32_t[]){ 2, 3, 8, 0 });
	}
}

TEST(random_picl)
{
	for (uint64_t seed = 1; seed <= rounds(6); seed++) {
		OWNED_TRACE *trace =
			seed % 2 ? random_trace(seed, 90, 1000000000)
				 : random_trace_of_messages(seed, 150, 1000000000, seed % 4 == 0);
		OWNED char *path = save(trace, SAVE_PICL);
		same(path, seed % 2, (const uint32_t[]){ 2, 3, 8, MOST, 0 });
	}
}

/* Orders have several chunks, and trees of several levels. */
TEST(many_messages)
{
	OWNED_TRACE *trace = random_trace_of_messages(3, 12000, 1000000000, false);
	OWNED char *path = save(trace, SAVE_OTF2);

	print_message("# %u messages\n", trace_message_count(trace));
	assert_true(trace_message_count(trace) > 4 * ORDER_CHUNK);
	same(path, false, (const uint32_t[]){ 2, 5, MOST, 0 });
}

/* One process writes it as always. */
TEST(alone)
{
	OWNED_TRACE *trace = random_trace(1, 90, 1000000000);
	OWNED char *path = save(trace, SAVE_OTF2);

	same(path, true, (const uint32_t[]){ 1, 0 });
}

/* The parts of gaps are divided, too. */
TEST(gaps)
{
	OWNED_TRACE *trace = notation_trace(
		"region MPI_Barrier class sync; region tview_gap class overhead\n"
		"rank 0: main@0 { work@5 { MPI_Barrier@10-20\n"
		"  leaf@30-40 leaf@60-90, gap 4 1 @100, tview_gap@100-101\n"
		"  MPI_Barrier@101-110 leaf@120-150 } @160 } @200\n"
		"rank 1: main@0 { MPI_Barrier@10-20 MPI_Barrier@30-110 } @200\n"
		"rank 2: main@0 { MPI_Barrier@10-20\n"
		"  leaf@30-45 leaf@50-60, gap 4 1 @100, tview_gap@100-101\n"
		"  MPI_Barrier@101-110 leaf@120-150, gap 2 1 @160, tview_gap@160-161 } @200\n");
	OWNED char *path = save(trace, SAVE_OTF2);
	OWNED_TRACE *read = aid_open(path);

	assert_int_equal(trace_gap_count(read), 3);
	same(path, false, (const uint32_t[]){ 2, 3, 0 });
}
