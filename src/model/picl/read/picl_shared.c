/* A file that several processes share. Where its text cannot be divided (picl_divide.c), each
 * process reads all of it, and all define the same, but only the events of its own ranks are
 * kept, and what they are worth a note is noted once. */
#include "base/exchange.h"
#include "model/picl/read/picl_divided.h"
#include "model/picl/read/picl_header_state.h"

static uint32_t process_of(const struct picl_reader *r, int32_t rank)
{
	const uint32_t n = exchange_processes(r->options->exchange);

	if (r->divided)
		return picl_owner_of(r->divided, rank);
	if (r->apart || rank < 0)
		return 0;
	if (!r->ranks)
		return (uint32_t)rank % n;
	if (rank >= r->ranks)
		return n - 1;
	return (uint32_t)((uint64_t)rank * n / (uint32_t)r->ranks);
}

/* Whether a program with streams of a device has locations of several ranks. */
static bool streams_serve_ranks(const struct picl_reader *r)
{
	const uint32_t n = builder_location_count(r->builder);
	OWNED uint32_t *program = xmalloc((n + 1) * sizeof *program);
	ENDED_BY(keymap_fini) struct keymap ranks = { NULL, 0, 0 }; /* program: rank */
	bool several = false;

	builder_programs_with_streams(r->builder, program);
	for (uint32_t l = 0; l < n; l++) {
		const uint32_t rank = (uint32_t)builder_location_rank(r->builder, l);
		uint32_t known;
		if (program[l] != UINT32_MAX &&
		    !keymap_new(&ranks, KEY_OF(program[l]), rank, &known))
			several = several || known != rank;
	}
	return several;
}

/* Locations without rank belong to others, by what made them or by their team: these must be in one
 * process, and here all are. So are teams of several ranks, and hosts with their streams. */
static bool must_stay_together(const struct picl_reader *r)
{
	const struct location *l;
	const struct picl_own_comm *comm;

	vec_each (l, &r->header->places)
		if (l->rank == RANK_UNKNOWN)
			return true;
	vec_each (comm, &r->header->comms)
		if (comm->kind == COMM_THREADS)
			return true;
	return streams_serve_ranks(r);
}

void picl_shared_begin(struct picl_reader *r)
{
	const struct picl_subset *world =
		picl_defs_subset_of(&r->defs, REC_SUBSET_PROCESSES, r->world);
	const struct location *l;

	if (!r->options->exchange)
		return;
	r->apart = must_stay_together(r);
	r->ranks = r->own && r->world && world ? (int32_t)world->n : 0;
	vec_each (l, &r->header->places)
		if (l->rank != RANK_HOST && l->rank >= r->ranks)
			r->ranks = l->rank + 1;
	if (!picl_may_divide(r))
		picl_shared_places(r);
}

void picl_shared_places(struct picl_reader *r)
{
	for (size_t i = 0; i < r->places.n; i++)
		picl_shared_place(r, r->places.data[i]);
}

void picl_shared_place(struct picl_reader *r, struct picl_place *place)
{
	struct exchange *x = r->options->exchange;

	if (!x || !r->events || place->skipped || r->divided)
		return;
	place->elsewhere = process_of(r, builder_location_rank(r->builder, place->location)) !=
			   exchange_process(x);
	if (place->elsewhere)
		builder_leave_out(r->feed, place->location);
}

void picl_shared_note(struct picl_reader *r, const struct picl_place *place)
{
	const bool mine = place && !place->skipped ? !place->elsewhere
						   : exchange_process(r->options->exchange) == 0;
	const struct picl_noted *noted;

	vec_each (noted, &r->noted)
		if (mine)
			builder_finding(r->feed, noted->kind, noted->code, noted->line,
					noted->text);
	r->noted.n = 0;
}

void picl_shared_end(const struct picl_reader *r, struct builder *b)
{
	struct exchange *x = r->options->exchange;
	const uint32_t n = x ? builder_location_count(b) : 0;
	OWNED uint32_t *process = NULL;

	if (!x)
		return;
	process = xmalloc((n + 1) * sizeof *process);
	for (uint32_t l = 0; l < n; l++)
		process[l] = process_of(r, builder_location_rank(b, l));
	builder_left_out(b, x, process);
}
