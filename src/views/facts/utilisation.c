#include "views/facts/utilisation.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "views/query/analyses.h"

static const struct {
	const char *name;
	char letter;
} kinds[USE_KINDS] = {
	[USE_BUSY] = { "busy", '#' },
	[USE_TRANSFER] = { "transfer", '=' },
	[USE_WAITING] = { "waiting", '.' },
	[USE_MANAGEMENT] = { "management", 'o' },
	[USE_FILTERED] = { "filtered out", 'x' },
	[USE_IDLE] = { "idle", ' ' },
	[USE_UNRECORDED] = { "not recorded", ' ' },
};

const struct chart_part utilisation_parts[USE_PARTS] = {
	[USE_BUSY] = { "busy", TEXT_CLASS + CLASS_USER },
	[USE_TRANSFER] = { "transfer", TEXT_CLASS + CLASS_P2P },
	[USE_WAITING] = { "waiting", TEXT_WAIT },
	[USE_MANAGEMENT] = { "management", TEXT_CLASS + CLASS_OVERHEAD },
	[USE_FILTERED] = { "filtered out", TEXT_MUTED },
};

const char *use_kind_name(enum use_kind kind)
{
	return kinds[kind].name;
}

char use_kind_letter(enum use_kind kind)
{
	return kinds[kind].letter;
}

/* Without wait states a call that communicates waits all the time. */
static enum use_kind use_of_state(unsigned state, bool wait_states)
{
	switch (state) {
	case CLASS_USER: return USE_BUSY;
	case CLASS_P2P:
	case CLASS_COLLECTIVE:
	case CLASS_SYNC:
	case CLASS_RMA: return wait_states ? USE_TRANSFER : USE_WAITING;
	case CLASS_IO: return USE_TRANSFER;
	case CLASS_DEVICE: return USE_WAITING;
	case CLASS_OUTSIDE: return USE_UNRECORDED;
	case STATE_FILTERED: return USE_FILTERED;
	default: return USE_MANAGEMENT;
	}
}

bool utilisation_begin(struct utilisation *u, const struct query *query,
		       struct timeline_shades *shades, struct err *err)
{
	*u = (struct utilisation){ .query = query };
	u->own = shades ? NULL : timeline_shades_new();
	u->level = timeline_shades_get(shades ? shades : u->own, query, 0, err);
	if (!u->level)
		return false;
	u->wait_states = u->level->waits != NULL;
	for (unsigned slot = 0; slot < u->level->slots; slot++)
		u->use_of[slot] = (uint8_t)use_of_state(u->level->state[slot], u->wait_states);
	u->locations = xcalloc((size_t)query_location_count(query) + 1, sizeof *u->locations);
	for (uint32_t i = 0; i < query_location_count(query); i++) {
		const uint32_t location = query_location(query, i);

		if (location_has_states(trace_location(query->trace, location)) &&
		    (!query->filter || filter_location(query->filter, location)))
			u->locations[u->n++] = location;
	}
	return true;
}

void utilisation_end(struct utilisation *u)
{
	timeline_shades_free(u->own);
	free(u->locations);
	*u = (struct utilisation){ 0 };
}

const char *utilisation_waiting(const struct utilisation *u)
{
	return u->wait_states ? "wait states" : "calls that communicate";
}

static bool is_stream(const struct utilisation *u, uint32_t location)
{
	return trace_location(u->query->trace, location)->type == LOCATION_ACCELERATOR;
}

enum use_kind utilisation_of_nothing(const struct utilisation *u, uint32_t location)
{
	return is_stream(u, location) ? USE_IDLE : USE_UNRECORDED;
}

enum use_kind utilisation_of_path(const struct utilisation *u, uint32_t location, uint32_t path)
{
	const struct trace *trace = u->query->trace;

	if (!path && is_stream(u, location))
		return USE_IDLE;
	return (enum use_kind)u->use_of[u->level->slot_of ? u->level->slot_of[path]
							  : trace_callpath_class(trace, path)];
}

/* Waiting is taken out of the time of the class that its call has. */
static void add_waits(const struct utilisation *u, uint32_t location, const int64_t *edges,
		      size_t cells, uint64_t *sums)
{
	const struct wait_slot *slots;
	const unsigned n = wait_sums_slots(u->level->waits, &slots);
	OWNED uint64_t *waits = xcalloc(cells * n + 1, sizeof *waits);

	wait_sums_add(u->level->waits, location, edges, cells, waits);
	for (size_t cell = 0; cell < cells; cell++) {
		for (unsigned slot = 0; slot < n; slot++) {
			const enum use_kind from = use_of_state(slots[slot].cls, true);
			uint64_t *own = &sums[cell * USE_KINDS + from];
			const uint64_t waited = waits[cell * n + slot];
			const uint64_t taken = waited < *own ? waited : *own;

			if (from == USE_BUSY)
				continue;
			*own -= taken;
			sums[cell * USE_KINDS + USE_WAITING] += taken;
		}
	}
}

void utilisation_add(const struct utilisation *u, uint32_t location, const int64_t *edges,
		     size_t cells, uint64_t *sums)
{
	const unsigned slots = u->level->slots;
	OWNED uint64_t *swept = xcalloc(cells * SHADING_SLOTS + 1, sizeof *swept);
	OWNED uint64_t *own = xcalloc(cells * USE_KINDS + 1, sizeof *own);
	const enum use_kind nothing = utilisation_of_nothing(u, location);

	shading_sweep(u->level->shading, location, edges, cells, swept);
	for (size_t cell = 0; cell < cells; cell++)
		for (unsigned slot = 0; slot < slots; slot++) {
			const uint8_t use = u->use_of[slot];
			own[cell * USE_KINDS + (use == USE_UNRECORDED ? nothing : use)] +=
				swept[cell * SHADING_SLOTS + slot];
		}
	if (u->level->waits)
		add_waits(u, location, edges, cells, own);
	for (size_t i = 0; i < cells * USE_KINDS; i++)
		sums[i] += own[i];
}

bool utilisation_sum(const struct utilisation *u, const int64_t *edges, size_t cells,
		     uint64_t *sums)
{
	for (uint32_t i = 0; i < u->n; i++) {
		if (!progress_step(u->query->progress, "utilisation", i, u->n))
			return false;
		if (trace_has_location(u->query->trace, u->locations[i]))
			utilisation_add(u, u->locations[i], edges, cells, sums);
	}
	exchange_sums(trace_exchange(u->query->trace), sums, cells * USE_KINDS);
	return true;
}

size_t utilisation_edges(int64_t t0, int64_t t1, size_t most, int64_t *edges)
{
	const uint64_t width = (uint64_t)t1 - (uint64_t)t0;
	const size_t cells = width < most ? (size_t)width : most;

	edges[0] = t0;
	for (size_t i = 1; i <= cells; i++)
		edges[i] = t0 + (int64_t)(width / cells * i + width % cells * i / cells);
	return cells;
}
