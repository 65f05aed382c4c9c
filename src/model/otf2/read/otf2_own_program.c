/* The program's statements and their records, as tview's own archives have them: numbers in
 * properties of the system tree's root. */
#include <stdlib.h>
#include <string.h>

#include "model/build/load_options.h"
#include "model/otf2/read/otf2_own_read.h"
#include "model/trace/program.h"

static void passed_over(struct otf2_archive *a, const char *what)
{
	builder_finding(a->builder, FINDING_DAMAGE, "own-statements", 0, what);
}

static void read_statements(struct otf2_archive *a)
{
	struct otf2_own_rows r = { .a = a, .list = OTF2_PROPERTY_STATEMENTS };

	while (otf2_own_row(&r)) {
		struct statement s = { 0 };
		int64_t values[STATEMENT_VALUES];
		uint32_t region;

		s.name = otf2_string(a, (uint32_t)otf2_own_number(&r));
		s.file = otf2_string(a, (uint32_t)otf2_own_number(&r));
		s.reason = otf2_string(a, (uint32_t)otf2_own_number(&r));
		for (int i = 0; i < STATEMENT_VALUES; i++)
			values[i] = otf2_own_number(&r);
		if (r.damaged || !statement_from(values, &s) ||
		    (s.parent != NO_STATEMENT && s.parent >= builder_statement_count(a->builder))) {
			passed_over(
				a,
				"a statement of the program cannot be read: it has no name and no "
				"source line");
			s = (struct statement){ .parent = NO_STATEMENT,
						.callee = NO_STATEMENT,
						.region = UINT32_MAX };
		}
		region = otf2_ids_get(&a->region_ids, s.region);
		s.region = region == UINT32_MAX ? UINT32_MAX : a->regions.data[region].region;
		builder_statement(a->builder, &s);
	}
}

/* The trace's communicator of a ref. */
static int64_t comm_of(const struct otf2_archive *a, int64_t ref, int32_t rank)
{
	const struct otf2_comm *comm = ref >= 0 ? otf2_comm(a, (uint32_t)ref) : NULL;

	if (!comm)
		return -1;
	if (comm->kind == COMM_SELF)
		return rank >= 0 && (uint32_t)rank < comm->size ? (int64_t)comm->id + rank : -1;
	return comm->id;
}

/* An archive's ticks may be several of the trace's. */
static bool scale(const struct otf2_archive *a, struct statement_record *r)
{
	int64_t *const times[] = { &r->time, &r->exclusive, &r->min, &r->max, &r->trans, &r->sync };

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (*times[i] > INT64_MAX / 64 / a->factor)
			return false;
		*times[i] *= a->factor;
	}
	r->quickest *= (double)a->factor;
	r->slowest *= (double)a->factor;
	return true;
}

static bool read_record(struct otf2_archive *a, struct otf2_own_rows *r,
			struct statement_record *made, bool *wanted)
{
	const struct otf2_place *place = otf2_place(a, (uint64_t)otf2_own_number(r));
	const int64_t statement = otf2_own_number(r);
	int64_t values[RECORD_VALUES];
	enum statement_kind kind;
	size_t n;

	if (r->damaged || !place || statement < 0 ||
	    statement >= (int64_t)builder_statement_count(a->builder))
		return false;
	/* Also of other processes' locations. */
	*wanted = !place->absent && load_part_has_rank(&a->options->part, place->rank);
	made->statement = (uint32_t)statement;
	made->location = place->location;
	kind = builder_statement_kind(a->builder, made->statement);
	n = record_count(kind);
	for (size_t i = 0; i < n; i++)
		values[i] = otf2_own_number(r);
	if (kind == STATEMENT_COMMUNICATION)
		values[RECORD_COMM] = comm_of(a, values[RECORD_COMM], place->rank);
	return !r->damaged && record_from(kind, values, n, made) && scale(a, made);
}

void otf2_own_program(struct otf2_archive *a)
{
	struct otf2_own_rows r = { .a = a, .list = OTF2_PROPERTY_RECORDS };

	if (!a->own)
		return;
	read_statements(a);
	while (!a->options->part.timed && otf2_own_row(&r)) {
		struct statement_record made = { 0 };
		bool wanted = true;
		if (!read_record(a, &r, &made, &wanted))
			passed_over(a, "a statement record cannot be read: skipped");
		else if (wanted)
			builder_statement_record(a->builder, &made);
	}
}
