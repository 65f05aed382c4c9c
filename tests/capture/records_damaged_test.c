/* Ranks' files that are damaged, cut short or do not fit the program that is there: the merge keeps
 * what makes sense and says what is missing (records_aid.h). */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "capture/records_aid.h"
#include "harness/test.h"

static bool is_found(const struct trace *trace, const char *code)
{
	for (size_t i = 0; i < trace_finding_count(trace); i++)
		if (strcmp(trace_finding(trace, i)->code, code) == 0)
			return true;
	return false;
}

TEST(test_look_at_a_row_that_changes_all_the_time)
{
	MERGED m = merged_begin();
	struct made *rank = made_of_program(1, 0, NULL);
	struct tv_statistic *s;

	s = made_row(rank, 1, 0, TV_STAT_LOOP, made_place(&made_unit, MAIN_FOR), 0);
	s->count = 3, s->loop.iterations = 30;
	s = made_row(rank, 1, 0, TV_STAT_LOOP, made_place(&made_unit, SWEEP_WHILE), 0);
	s->count = 1, s->seq = 3;
	made_write(&m, rank);
	merged_look(&m);
	assert_int_equal(m.summary.records, 1);
	assert_int_equal(trace_finding_count(m.trace), 1);
	assert_string_equal(trace_finding(m.trace, 0)->code, "look-incomplete");
	assert_non_null(strstr(trace_finding(m.trace, 0)->text, "1 part of their records"));
}

/* The executable is gone, or another one: what was recorded is there all the same, and the trace
 * says why it has no names. */
TEST(test_program_gone)
{
	const char *const paths[] = { "/nowhere/app", "/bin/true" };

	for (size_t i = 0; i < 2; i++) {
		MERGED m = merged_begin();
		struct made *rank = made_of_program(0, 0, paths[i]);
		struct tv_statistic *s;
		made_site_event(rank, TV_SITE_ENTER, MAIN, -1, 2000);
		made_mpi_event(rank, CALL_SEND, made_place(&made_unit, MAIN_SEND), 2400, 2500);
		made_site_event(rank, TV_SITE_LEAVE, MAIN, -1, 2700);
		s = made_row(rank, 1, 0, TV_STAT_PROCEDURE, made_place(&made_unit, MAIN), 0);
		s->count = 1, s->time = 700;
		/* A number of a module, and a slot, that were never defined. */
		s = made_row(rank, 1, 0, TV_STAT_LOOP, tv_place_site(200, 77777), 0);
		s->count = 3, s->time = 9;
		merged_make_of(&m, rank);
		assert_int_equal(trace_finding_count(m.trace), 1);
		assert_string_equal(trace_finding(m.trace, 0)->code, "program-changed");
		assert_int_equal(trace_event_count(m.trace), 5);
		assert_int_equal(trace_statement_record_count(m.trace), 2);
		assert_int_equal(trace_statement_record(m.trace, 0)->time, 700);
		assert_int_equal(trace_statement_record(m.trace, 1)->count, 3);
	}
}

/* Anything may stand in what was left by a process that wrote into it: no crash, and what makes
 * sense is there. */
TEST(test_hostile)
{
	uint64_t x = 88172645463325252u;

	for (int round = 0; round < 20; round++) {
		MERGED m = merged_begin();
		struct made *rank = made_of_program(1, round & 1 ? TV_STATISTICS : 0, NULL);
		for (int i = 0; i < 200; i++) {
			uint64_t *words = (uint64_t *)(void *)made_row(rank, 1, 0, 0, 0, 0);
			for (size_t w = 0; w < TV_STATISTIC_SIZE / sizeof *words; w++) {
				x ^= x << 13, x ^= x >> 7, x ^= x << 17;
				words[w] = x;
			}
			if (i & 1)
				((struct tv_statistic *)(void *)words)->kind = (uint8_t)(1 + i % 3);
			if (i & 2)
				((struct tv_statistic *)(void *)words)->place =
					TV_PLACE_SITE | UINT64_C(3) << 32 | (x & 15);
		}
		merged_make_of(&m, rank);
		/* Of 200 rows a half has any kind at all. */
		assert_true(is_found(m.trace, "statistics-damaged"));
		assert_int_equal(m.summary.damaged, 1);
		for (size_t i = 0; i < trace_statement_record_count(m.trace); i++) {
			const struct statement_record *r = trace_statement_record(m.trace, i);
			assert_true(r->statement < trace_statement_count(m.trace));
			assert_true(r->from == NO_STATEMENT ||
				    r->from < trace_statement_count(m.trace));
			assert_true(r->inner <= r->count);
		}
	}
}

/* A process that was killed before it wrote anything was there all the same. */
TEST(test_killed_at_once)
{
	struct made *first = made_new(0, 2, 0), *second = made_new(1, 2, 0);
	const struct tv_def_offset offset = { 1, 0, 2000, 2100, 2200, 3 };
	MERGED m = merged_begin(), without_first = merged_begin();

	made_define_world(first, 2);
	made_define(first, TV_DEF_OFFSET, 0, &offset, sizeof offset, "");
	second->chunk[0]->used = 0;
	made_write(&m, first);
	made_write(&m, second);
	merged_make(&m, false);
	assert_int_equal(m.summary.ranks, 2);
	assert_int_equal(trace_location_count(m.trace), 2);
	assert_int_equal(trace_location(m.trace, 1)->rank, 1);
	/* The same of rank 0, to which all clocks are compared. */
	first = made_new(0, 2, TV_STATISTICS), second = made_new(1, 2, TV_STATISTICS);
	first->chunk[0]->used = 0;
	made_define_world(second, 2);
	made_write(&without_first, first);
	made_write(&without_first, second);
	merged_make(&without_first, false);
	assert_int_equal(trace_location_count(without_first.trace), 2);
	assert_int_equal(trace_location(without_first.trace, 0)->rank, 0);
}

/* A number of a thread that the process cannot have had makes no locations, and is damage; one that
 * it may have had makes its own alone. */
TEST(test_thread_number)
{
	static const struct {
		uint32_t said, thread, locations, findings;
	} cases[] = { { 0, 458754, 1, 1 },
		      { 2, 2, 2, 0 },
		      { 2, 458754, 1, 1 },
		      { 900, 899, 2, 0 },
		      { 900, 900, 1, 1 },
		      { UINT32_MAX, 458754, 2, 0 },
		      { UINT32_MAX, UINT32_MAX, 1, 1 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		MERGED m = merged_begin();
		struct made *rank = made_new(0, 1, 0);
		char at[40];
		made_define_world(rank, 1);
		rank->head->threads = cases[i].said;
		rank->chunk[1]->used = sizeof(struct tv_chunk);
		rank->chunk[1]->thread = cases[i].thread;
		merged_make_of(&m, rank);
		assert_int_equal(trace_location_count(m.trace), cases[i].locations);
		assert_int_equal(trace_finding_sum(m.trace, FINDING_DAMAGE), cases[i].findings);
		if (!cases[i].findings)
			continue;
		snprintf(at, sizeof at, "at byte %d,", TV_HEADER_SIZE + TV_CHUNK_SIZE);
		assert_string_equal(trace_finding(m.trace, 0)->code, "thread-damaged");
		assert_non_null(strstr(trace_finding(m.trace, 0)->text, at));
	}
}

/* A communicator that is defined again, as one far larger: the members of the first definition are
 * not its members. */
TEST(test_communicator_again)
{
	const int32_t pair[] = { 0, 2, 0, 0, 0, 1 }, all[] = { 0, 1 << 24, 0, 0 };
	struct made *rank = made_new(0, 2, 0);
	MERGED m = merged_begin();

	made_define_world(rank, 2);
	made_define(rank, TV_DEF_COMM, 1, pair, sizeof pair, "");
	made_define(rank, TV_DEF_COMM, 1, all, sizeof all, "");
	/* Numbers that nobody can have come to. */
	made_define(rank, TV_DEF_COMM, (1 << 24) - 1, pair, sizeof pair, "");
	merged_make_of(&m, rank);
	assert_int_equal(trace_comm_count(m.trace), 1);
}

/* ---- files that have lost their end ---- */

enum { EVENTS = 40 };

/* A rank of two with so many records; ends[i]: the file's bytes up to the end of the i-th. */
static struct made *made_of_events(size_t ends[EVENTS])
{
	struct made *rank = made_new(1, 2, 0);

	made_define_world(rank, 2);
	for (size_t i = 0; i < EVENTS; i++) {
		made_site_event(rank, i & 1 ? TV_SITE_LEAVE : TV_SITE_ENTER, MAIN, -1,
				2000 + 10 * i);
		ends[i] = TV_HEADER_SIZE + rank->chunk[0]->used;
	}
	return rank;
}

/* The trace's events of the rank, without the mark at their start. */
static uint64_t events_of(const struct trace *trace, int32_t rank)
{
	for (uint32_t i = 0; i < trace_location_count(trace); i++)
		if (trace_location(trace, i)->rank == rank)
			return trace_location(trace, i)->events -
			       (trace_location(trace, i)->events > 0);
	return 0;
}

static const char *lacks_of(const struct trace *trace)
{
	for (size_t i = 0; i < trace_property_count(trace); i++)
		if (strcmp(trace_string(trace, trace_property(trace, i)->key), "lacks") == 0)
			return trace_string(trace, trace_property(trace, i)->value);
	return "";
}

/* At any place from the header's end on: what is before it is in the trace, and that something is
 * missing is said, in the trace, too. */
TEST(test_cut_at_any_place)
{
	size_t ends[EVENTS] = { 0 };

	for (size_t size = TV_HEADER_SIZE - 3; size < TV_HEADER_SIZE + 1200; size += 5) {
		MERGED m = merged_begin();
		struct made *rank = made_of_events(ends), *other = made_new(0, 2, 0);
		uint64_t whole = 0;

		while (whole < EVENTS && ends[whole] <= size)
			whole++;
		made_define_world(other, 2);
		rank->size = size;
		made_write(&m, other);
		made_write(&m, rank);
		merged_make(&m, false);
		if (size < TV_HEADER_SIZE) {
			assert_int_equal(m.summary.passed_over, 1);
			continue;
		}
		assert_int_equal(m.summary.passed_over, 0);
		assert_int_equal(events_of(m.trace, 1), whole);
		assert_int_equal(m.summary.damaged, 1);
		assert_true(is_found(m.trace, "buffer-cut"));
		assert_string_equal(lacks_of(m.trace), "damaged 0 1");
	}
	/* The last ones were whole. */
	assert_in_range(ends[EVENTS - 1], TV_HEADER_SIZE + 40 * 24, TV_HEADER_SIZE + 1200);
}

/* Of a process that was killed while it wrote a copy the chunk itself is there. */
TEST(test_copy_under_way)
{
	size_t ends[EVENTS];
	struct made *rank = made_of_events(ends);
	MERGED m = merged_begin();

	rank->head->state = TV_INITIALISED;
	rank->head->threads = 1;
	memcpy(rank->chunk[CHUNKS - 1], rank->chunk[0], TV_CHUNK_SIZE);
	rank->size = (size_t)((char *)rank->chunk[CHUNKS - 1] - rank->bytes) + 500;
	made_write(&m, rank);
	merged_make(&m, false);
	assert_int_equal(events_of(m.trace, 1), EVENTS);
	assert_int_equal(m.summary.damaged, 0);
	assert_int_equal(trace_finding_sum(m.trace, FINDING_DAMAGE), 0);
}

/* Serials 0 and 2 of a thread: 1 is not there. */
TEST(test_part_between_others)
{
	size_t ends[EVENTS];
	struct made *rank = made_of_events(ends);
	MERGED m = merged_begin();

	memcpy(rank->chunk[1], rank->chunk[0], TV_CHUNK_SIZE);
	rank->chunk[1]->serial = 2;
	made_write(&m, rank);
	merged_make(&m, false);
	assert_int_equal(events_of(m.trace, 1), 2 * EVENTS);
	assert_int_equal(m.summary.damaged, 1);
	assert_true(is_found(m.trace, "buffer-gap"));
}

/* The calls that are open are at the end of a chunk of rows: a file that is cut before them has the
 * rows, and no open calls. */
TEST(test_rows_cut)
{
	struct made *rank = made_of_program(1, TV_STATISTICS, NULL);
	MERGED m = merged_begin();
	struct tv_statistics *rows;

	made_row(rank, CHUNKS - 1, 0, TV_STAT_LOOP, made_place(&made_unit, MAIN_FOR), 0)->count = 3;
	made_row(rank, CHUNKS - 1, 0, TV_STAT_LOOP, made_place(&made_unit, SWEEP_WHILE), 0)->count =
		7;
	rows = (void *)rank->chunk[CHUNKS - 1];
	rows->chunk.serial = 0;
	rows->open = 1;
	/* The second row is half there. */
	rank->size =
		(size_t)((char *)rank->chunk[CHUNKS - 1] - rank->bytes) + 2 * TV_STATISTIC_SIZE + 8;
	merged_make_of(&m, rank);
	assert_int_equal(trace_statement_record_count(m.trace), 1);
	assert_int_equal(trace_statement_record(m.trace, 0)->count, 3);
	assert_int_equal(m.summary.damaged, 1);
}

TEST(test_world_too_large)
{
	struct merge_options options = { 0 };
	struct err err = ERR_INIT;
	MERGED m = merged_begin();

	made_write(&m, made_new(0, INT32_MAX, 0));
	options.folder = m.folder;
	m.trace = merge_ranks("run.trc", &options, &m.summary, &err);
	assert_null(m.trace);
	assert_int_equal(m.summary.passed_over, 1);
	assert_non_null(strstr(m.summary.first_trouble, "damaged"));
}
