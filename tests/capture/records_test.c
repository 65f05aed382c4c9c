/* From ranks' files to statements and their records (records_aid.h): tables of the program, rows of
 * statistics, events at sites, addresses of this executable's own. */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/records_aid.h"
#include "harness/test.h"

TEST(test_statements)
{
	const struct statement *s;
	MERGED m = merged_begin();

	merged_make_of(&m, made_of_program(0, TV_STATISTICS, NULL));
	/* Those of the second unit are the same. */
	assert_int_equal(trace_statement_count(m.trace), SITES);
	assert_int_equal(trace_statement_record_count(m.trace), 0);
	s = trace_statement(m.trace, merged_statement(&m, STATEMENT_CALL, 44));
	assert_string_equal(trace_string(m.trace, s->name), "sweep");
	assert_string_equal(trace_string(m.trace, s->file), "/src/grid.c");
	assert_int_equal(s->parent, merged_statement(&m, STATEMENT_LOOP, 42));
	assert_int_equal(s->callee, merged_statement(&m, STATEMENT_PROCEDURE, 40));
	assert_int_equal(s->column, 3);
	assert_int_equal(s->region, UINT32_MAX);
	s = trace_statement(m.trace, merged_statement(&m, STATEMENT_COMMUNICATION, 46));
	assert_int_equal(s->flags, STATEMENT_ALONE);
	assert_string_equal(trace_string(m.trace, s->reason), "is in a macro");
	assert_int_equal(s->parent, merged_statement(&m, STATEMENT_PROCEDURE, 40));
	s = trace_statement(m.trace, merged_statement(&m, STATEMENT_PROCEDURE, 3));
	assert_string_equal(trace_string(m.trace, s->file), "/inc/two.h");
	assert_int_equal(s->flags, STATEMENT_LOCAL);
	assert_int_equal(s->end_line, 5);
	/* What was there for how long is known without events. */
	assert_int_equal(trace_location_count(m.trace), 1);
	assert_int_equal(trace_location(m.trace, 0)->begin, 0);
	assert_int_equal(trace_location(m.trace, 0)->end, 900000 - 1000);
	assert_string_equal(trace_property_value(m.trace, "statistics"), "alone");
}

TEST(test_records)
{
	MERGED m = merged_begin();
	struct made *rank = made_of_program(4, 0, NULL);
	struct tv_statistic *s;

	s = made_row(rank, 1, 0, TV_STAT_PROCEDURE, made_place(&made_unit, MAIN), 0);
	s->count = 1, s->time = 70000, s->children = 65000, s->least = s->most = 70000;
	/* Of both units: one call statement. */
	for (int i = 0; i < 2; i++) {
		const struct made_unit *u = i ? &made_other_unit : &made_unit;
		s = made_row(rank, 1, 0, TV_STAT_PROCEDURE, made_place(u, SWEEP),
			     made_place(u, MAIN_SWEEP));
		s->count = 10, s->time = 5000 + (uint64_t)i, s->children = 4000;
		s->least = 30 - (uint64_t)i, s->most = 900 + (uint64_t)i;
	}
	s = made_row(rank, 1, 0, TV_STAT_PROCEDURE, made_place(&made_unit, SWEEP),
		     made_place(&made_unit, SWEEP_SWEEP));
	s->count = 7, s->procedure.inner = 7, s->flags = TV_STAT_LIMITED | TV_STAT_LOST;
	s = made_row(rank, 1, 0, TV_STAT_LOOP, made_place(&made_unit, SWEEP_WHILE), 0);
	s->count = 27, s->loop.inner = 7, s->loop.iterations = 100, s->time = 8000;
	s->loop.quickest = 16 * 5 + 8, s->loop.slowest = 16 * 900, s->loop.iterated = 1;
	for (int peer = -1; peer < 4; peer += 2) {
		s = made_row(rank, 1, 0, TV_STAT_COMMUNICATION, made_place(&made_unit, MAIN_SEND),
			     0);
		s->call = CALL_SEND, s->count = 5, s->time = 1000;
		s->flags = TV_STAT_SENT;
		s->communication.peer = peer;
		s->communication.sync = 600, s->communication.trans = 300;
		s->communication.own = 2, s->communication.carried = 3;
		s->communication.sent = 4096;
	}
	made_row(rank, 1, 0, TV_STAT_LOOP, made_place(&made_unit, MAIN_FOR),
		 0); /* never executed: no record */
	merged_make_of(&m, rank);

	assert_int_equal(m.summary.records, 8);
	assert_int_equal(m.summary.limited, 1);
	assert_int_equal(trace_statement_record_count(m.trace), 7);
	merged_record_is(&m, merged_statement(&m, STATEMENT_PROCEDURE, 40),
			 merged_statement(&m, STATEMENT_CALL, 13), RANK_UNKNOWN,
			 "count 20 time 10001 exclusive 2001 min 29 max 901");
	merged_record_is(&m, merged_statement(&m, STATEMENT_PROCEDURE, 40),
			 merged_statement(&m, STATEMENT_CALL, 44), RANK_UNKNOWN,
			 "count 7 inner 7 flags 3");
	merged_record_is(
		&m, merged_statement(&m, STATEMENT_LOOP, 42), NO_STATEMENT, RANK_UNKNOWN,
		"count 27 inner 7 time 8000 exclusive 8000 iterations 100 quickest 5.5 slowest 900 "
		"flags 16");
	for (int32_t peer = -1; peer < 4; peer += 2)
		merged_record_is(
			&m, merged_statement(&m, STATEMENT_COMMUNICATION, 14), NO_STATEMENT,
			peer < 0 ? PARTNER_MANY : peer,
			"count 5 time 1000 exclusive 1000 trans 300 sync 600 own 2 carried 3 sent 4096 "
			"flags 4");
	merged_record_is(&m, merged_statement(&m, STATEMENT_PROCEDURE, 10), NO_STATEMENT,
			 RANK_UNKNOWN, "count 1 time 70000 exclusive 5000 min 70000 max 70000");
}

/* Killed before it set `most`: it is there, and said to be so. */
TEST(test_record_that_was_being_changed)
{
	MERGED m = merged_begin();
	struct made *rank = made_of_program(4, 0, NULL);
	struct tv_statistic *s =
		made_row(rank, 1, 0, TV_STAT_LOOP, made_place(&made_unit, MAIN_FOR), 0);

	s->count = 1, s->least = 40, s->seq = 3;
	merged_make_of(&m, rank);
	assert_int_equal(m.summary.torn, 1);
	assert_int_equal(trace_finding_count(m.trace), 1);
	assert_string_equal(trace_finding(m.trace, 0)->code, "statistics-torn");
	merged_record_is(&m, merged_statement(&m, STATEMENT_LOOP, 12), NO_STATEMENT, RANK_UNKNOWN,
			 "count 1 min 40 max 40 flags 64");
}

/* The place where a region was called, "grid.c:13 in main"; "0 in " without. */
static void called_at(const struct merged *m, const char *region, const char *wanted)
{
	for (uint32_t path = 1; path < trace_callpath_count(m->trace); path++) {
		const struct callpath *c = trace_callpath(m->trace, path);
		const struct site *site = trace_site(m->trace, c->site);
		char text[128];
		if (strcmp(trace_region_name(m->trace, site->region), region) != 0)
			continue;
		snprintf(text, sizeof text, "%s:%u in %s", trace_string(m->trace, site->file),
			 site->line,
			 c->parent ? trace_region_name(m->trace,
						       trace_callpath_region(m->trace, c->parent))
				   : "");
		assert_string_equal(text, wanted);
		return;
	}
	fail_msg("no region %s", region);
}

static const struct region *region_of(const struct merged *m, enum statement_kind kind,
				      uint32_t line)
{
	return trace_region(m->trace,
			    trace_statement(m->trace, merged_statement(m, kind, line))->region);
}

TEST(test_events)
{
	MERGED m = merged_begin();
	struct made *rank = made_of_program(2, 0, NULL);
	const struct region *region;

	made_site_event(rank, TV_SITE_ENTER, MAIN, -1, 2000);
	made_site_event(rank, TV_SITE_ENTER, MAIN_FOR, -1, 2100);
	made_site_event(rank, TV_SITE_ENTER, SWEEP, MAIN_SWEEP, 2200);
	made_site_event(rank, TV_SITE_LEAVE, SWEEP, -1, 2300);
	made_mpi_event(rank, CALL_SEND, made_place(&made_unit, MAIN_SEND), 2400, 2500);
	made_site_event(rank, TV_SITE_LEAVE, MAIN_FOR, -1, 2600);
	made_site_event(rank, TV_SITE_LEAVE, MAIN, -1, 2700);
	merged_make_of(&m, rank);
	assert_int_equal(trace_finding_count(m.trace), 0);
	called_at(&m, "main", ":0 in ");
	called_at(&m, "for grid.c:12", "/src/grid.c:12 in main");
	called_at(&m, "sweep", "/src/grid.c:13 in for grid.c:12");
	called_at(&m, "MPI_Send", "/src/grid.c:14 in for grid.c:12");
	region = region_of(&m, STATEMENT_PROCEDURE, 10);
	assert_int_equal(region->line, 10);
	assert_string_equal(trace_string(m.trace, region->file), "/src/grid.c");
	assert_int_equal(region->cls, CLASS_USER);
	region = region_of(&m, STATEMENT_LOOP, 12);
	assert_int_equal(region->role, 3); /* a loop */
	assert_string_equal(trace_string(m.trace, region->name), "for grid.c:12");
	region = region_of(&m, STATEMENT_COMMUNICATION, 14);
	assert_string_equal(trace_string(m.trace, region->name), "MPI_Send");
}

/* A thread moves to a core whose clock is 30 ticks behind: its records keep their order. */
TEST(test_clock_steps_back)
{
	MERGED m = merged_begin();
	struct made *rank = made_of_program(2, 0, NULL);
	const struct trace *trace;
	struct cursor c;
	const int64_t wanted[] = { 0, 200, 200, 200, 275, 400 }; /* from 2000 on */
	uint32_t at = 0;

	made_site_event(rank, TV_SITE_ENTER, MAIN, -1, 2000);
	made_site_event(rank, TV_SITE_ENTER, SWEEP, MAIN_SWEEP, 2200);
	made_site_event(rank, TV_SITE_LEAVE, SWEEP, -1, 2175);
	made_mpi_event(rank, CALL_SEND, made_place(&made_unit, MAIN_SEND), 2185, 2275);
	made_site_event(rank, TV_SITE_LEAVE, MAIN, -1, 2400);
	merged_make_of(&m, rank);
	trace = m.trace;
	assert_int_equal(trace_finding_count(trace), 1);
	assert_string_equal(trace_finding(trace, 0)->code, "clock-stepped-back");
	assert_int_equal(trace_finding(trace, 0)->kind, FINDING_GUESS);
	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, 0); ok; ok = cursor_next(&c)) {
		const enum event_kind kind = what_kind(cursor_what(&c));
		assert_int_not_equal(kind, EV_STRAY_LEAVE);
		if (kind != EV_ENTER && kind != EV_LEAVE)
			continue;
		assert_int_equal(cursor_time(&c) - trace_event_time(trace, BASE_MEASURED, 0),
				 wanted[at++]);
	}
	assert_int_equal(at, 6);
}

TEST(test_anonymous)
{
	MERGED m = merged_begin();
	struct made *rank = made_of_program(0, TV_ANONYMOUS, NULL);
	struct tv_statistic *s;

	made_site_event(rank, TV_SITE_ENTER, SWEEP, MAIN_SWEEP, 2000);
	made_site_event(rank, TV_SITE_LEAVE, SWEEP, MAIN_SWEEP, 2100);
	s = made_row(rank, 1, 0, TV_STAT_PROCEDURE, made_place(&made_unit, SWEEP),
		     made_place(&made_unit, MAIN_SWEEP));
	s->count = 1, s->time = 100;
	made_write(&m, rank);
	merged_make(&m, true);
	/* Nothing tells that a procedure of another name is the same. */
	assert_int_equal(trace_statement_count(m.trace), 2 * SITES);
	for (uint32_t i = 0; i < trace_statement_count(m.trace); i++) {
		const struct statement *one = trace_statement(m.trace, i);
		const char *name = trace_string(m.trace, one->name);
		assert_string_equal(trace_string(m.trace, one->file),
				    one->line < 10 ? "file 2" : "file 1");
		assert_int_equal(one->reason, 0);
		if (one->kind == STATEMENT_PROCEDURE)
			assert_memory_equal(name, "function ", 9);
		if (one->kind == STATEMENT_CALL)
			assert_int_equal(one->name, trace_statement(m.trace, one->callee)->name);
	}
	for (uint32_t i = 0; i < trace_region_count(m.trace); i++)
		assert_string_not_equal(trace_region_name(m.trace, i), "sweep");
	assert_int_equal(trace_statement_record_count(m.trace), 1);
}

/* ---- addresses: this executable's own ---- */

static int executable_part(struct dl_phdr_info *info, size_t size, void *to)
{
	struct tv_def_module *where = to;

	(void)size;
	where->bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		where->start = info->dlpi_addr + segment->p_vaddr;
		where->end = where->start + segment->p_memsz;
	}
	return 1;
}

static __attribute__((noinline)) uint64_t returned_to(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

enum { CALL_LINE = __LINE__ + 4 };
static __attribute__((noinline)) uint64_t caller_of(uint64_t add)
{
	/* Behind it something is left to do, or it would be a jump. */
	return returned_to() + add;
}

static struct made *addresses(const char *path)
{
	struct made *rank = made_new(0, 1, 0);
	struct tv_def_module where = { 0 };
	const uint64_t call = caller_of(0);
	struct tv_statistic *s;

	dl_iterate_phdr(executable_part, &where);
	made_define(rank, TV_DEF_MODULE, 0, &where, sizeof where, path);
	made_define_world(rank, 1);
	/* caller_of() called returned_to() twice, and from somewhere outside was called itself. */
	s = made_row(rank, 1, 0, TV_STAT_PROCEDURE, (uintptr_t)returned_to, call);
	s->count = 2, s->time = 50;
	s->procedure.hook = (uintptr_t)returned_to + 1; /* not inlined */
	s = made_row(rank, 1, 0, TV_STAT_PROCEDURE, (uintptr_t)caller_of, 4711);
	s->count = 1, s->time = 70, s->children = 50;
	/* MPI_Recv from somebody, at the same line. */
	s = made_row(rank, 1, 0, TV_STAT_COMMUNICATION, call, 0);
	s->call = CALL_RECV, s->count = 9, s->communication.peer = 0;
	return rank;
}

TEST(test_addresses)
{
	OWNED char *path = realpath("/proc/self/exe", NULL);
	const struct statement_record *r;
	const struct statement *s;
	MERGED m = merged_begin();
	uint32_t call, procedure, callee;

	merged_make_of(&m, addresses(path));
	/* And those of this executable's own tables, which is the program. */
	assert_int_equal(trace_statement_count(m.trace), 4 + SITES);
	call = merged_statement(&m, STATEMENT_CALL, CALL_LINE);
	s = trace_statement(m.trace, call);
	assert_string_equal(trace_string(m.trace, s->name), "returned_to");
	assert_non_null(strstr(trace_string(m.trace, s->file), "tests/capture/records_test.c"));
	assert_int_equal(s->flags, STATEMENT_FOUND);
	procedure = s->parent;
	callee = s->callee;
	s = trace_statement(m.trace, procedure);
	assert_int_equal(s->kind, STATEMENT_PROCEDURE);
	assert_int_equal(s->line, CALL_LINE - 3);
	assert_string_equal(trace_string(m.trace, s->name), "caller_of");
	assert_string_equal(trace_string(m.trace, trace_statement(m.trace, callee)->name),
			    "returned_to");
	r = merged_record(&m, callee, call, RANK_UNKNOWN);
	assert_int_equal(r->count, 2);
	r = merged_record(&m, procedure, NO_STATEMENT, RANK_UNKNOWN);
	assert_int_equal(r->exclusive, 20);
	r = merged_record(&m, merged_statement(&m, STATEMENT_COMMUNICATION, CALL_LINE),
			  NO_STATEMENT, 0);
	assert_int_equal(r->count, 9);
	s = trace_statement(m.trace, r->statement);
	assert_int_equal(s->parent, procedure);
	assert_string_equal(trace_string(m.trace, s->name), "MPI_Recv");
}

TEST(test_regions_and_threads)
{
	struct made *rank = made_new(0, 1, 0);
	struct tv_statistic *s;
	MERGED m = merged_begin();

	made_define(rank, TV_DEF_STRING, 5, "", 0, "assemble");
	for (uint32_t thread = 0; thread < 3; thread += 2) {
		s = made_row(rank, thread ? 2 : 1, thread, TV_STAT_PROCEDURE, TV_PLACE_REGION | 5,
			     0);
		s->count = 1 + thread, s->time = 10;
	}
	merged_make_of(&m, rank);
	assert_int_equal(trace_statement_record_count(m.trace), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct statement_record *r = trace_statement_record(m.trace, i);
		/* Strings are the thread's: the second one never said its name. */
		assert_string_equal(trace_string(m.trace,
						 trace_statement(m.trace, r->statement)->name),
				    i ? "region 5" : "assemble");
		assert_int_equal(trace_location(m.trace, r->location)->thread, i ? 2 : 0);
		assert_int_equal(r->count, i ? 3 : 1);
	}
}

/* What a rank measured at its begin and end: the smaller, but where it is said what records cost at
 * most. Clocks count nanoseconds, so a thousandth of
 * a tick is a picosecond. */
TEST(test_costs_are_measured_twice)
{
	static const struct tv_def_cost first = { .pair = { { 0, 13000 }, { 14000 } },
						  .work = 20000,
						  .work_least = 18000,
						  .work_most = 21000,
						  .blank = 3000,
						  .blank_least = 2000,
						  .blank_most = 4000,
						  .copy = { 5000 } };
	static const struct tv_def_cost last = { .pair = { { 0, 15000 }, { 12000 } },
						 .work = 13000,
						 .work_least = 12000,
						 .work_most = 15000,
						 .blank = 3500,
						 .blank_least = 2500,
						 .blank_most = 4500 };
	struct made *rank = made_new(0, 1, 0);
	MERGED m = merged_begin();

	made_define(rank, TV_DEF_COST, 0, &first, sizeof first, "");
	made_define(rank, TV_DEF_COST, 0, &last, sizeof last, "");
	merged_make_of(&m, rank);
	assert_string_equal(trace_property_value(m.trace, "cost-work-ps"), "13000 12000 21000");
	assert_string_equal(trace_property_value(m.trace, "cost-blank-ps"), "3000 2000 4500");
	assert_string_equal(trace_property_value(m.trace, "cost-pairs-ps"),
			    "0 13000 0 0 12000 0 0 0 0 0 0 0 0 0 0 0");
	assert_ptr_equal(strstr(trace_property_value(m.trace, "cost-copy-ps"), "64:5000 "),
			 trace_property_value(m.trace, "cost-copy-ps"));
}
