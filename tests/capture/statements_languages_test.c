/* From source to record in C++ and Fortran: exceptions, and procedures and lines that are found by
 * hooks and addresses (statements_aid.h). */
#include <string.h>

#include "capture/statements_aid.h"
#include "harness/test.h"

struct programs {
	char folder[FOLDER_NAME];
	bool cxx, fortran; /* what could be built */
};

static int setup(void **state)
{
	static struct programs programs;

	*state = &programs;
	folder_make(programs.folder, "languages");
	if (!traced_possible() || !counted_possible("mpicc.mpich"))
		return 0;
	programs.cxx = counted_possible("g++") && counted_possible("mpicxx.mpich");
	if (programs.cxx)
		counted_build(programs.folder,
			      "mpicc.mpich -O2 -c $S/counts_write.c && "
			      "$B/tvcxx --all -O2 -g -o throws $S/throws.cpp counts_write.o");
	programs.fortran = counted_possible("gfortran") && counted_possible("mpifort.mpich");
	if (programs.fortran)
		counted_build(programs.folder, "$B/tvfc -O1 -g -o lines $P/lines.f90");
	return 0;
}

static int teardown(void **state)
{
	const struct programs *programs = *state;

	folder_remove(programs->folder);
	return 0;
}

GROUP_FIXTURE(setup, teardown)

TEST_WITH(test_exceptions, const struct programs *programs)
{
	static const char *const options[] = { "--statistics", "--no-insitu" };

	if (!programs->cxx)
		skip();
	for (size_t i = 0; i < 2; i++) {
		OWNED_COUNTED_RUN run = { 0 };
		counted_run_begin(&run, programs->folder, 1, options[i], "throws", "");
		counted_compare(&run);
		counted_compare_graph(&run);
	}
}

/* Hooks and addresses: who called whom from which line, and what was sent from where
 * (tests/capture/programs/lines.f90). */
TEST_WITH(test_fortran, const struct programs *programs)
{
	static const struct counted expected[] = {
		{ 0, "procedure", "lines.f90", "exchange", 23, 0, 1, 0, 0, false },
		{ 1, "procedure", "lines.f90", "exchange", 24, 0, 1, 0, 0, false },
		{ 0, "with", "lines.f90", "", 10, 1, 6, 3 * 40 + 3 * 80, 0, false },
		{ 1, "with", "lines.f90", "", 12, 0, 6, 0, 3 * 40 + 3 * 80, false },
		{ 1, "with", "lines.f90", "", 25, -1, 1, 8, 8, false },
	};
	OWNED_COUNTED_RUN run = { 0 };
	const struct trace *t;

	if (!programs->fortran)
		skip();
	counted_run_alone(&run, programs->folder, 2, "--statistics --yield", "lines", "");
	t = run.traced->trace;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		counted_compare_numbers(t, &expected[i]);
	for (uint32_t i = 0; i < trace_statement_count(t); i++) {
		const struct statement *s = trace_statement(t, i);
		if (s->kind != STATEMENT_COMMUNICATION || s->line > 15)
			continue;
		/* By its address: tvfc does not list calls. */
		assert_true(s->flags & STATEMENT_FOUND);
		do
			s = trace_statement(t, s->parent);
		while (s->kind == STATEMENT_LOOP);
		assert_string_equal(trace_string(t, s->name), "exchange");
	}
}
