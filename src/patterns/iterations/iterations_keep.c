#include "patterns/iterations/iterations_keep.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/piece.h"
#include "patterns/iterations/iterations_state.h"

static const char keep_name[] = "iterations";

/* Whether begins of a level are kept: of the one to show, and, if that is one of several loops, of
 * all of these. */
static bool has_begins(const struct iteration_choice *choice, size_t level)
{
	const struct iteration_level *levels = choice->levels.data;

	return choice->main != LEVEL_NONE &&
	       (level == choice->main || (levels[choice->main].loop && levels[level].loop));
}

void iterations_keep(const struct iterations *it)
{
	const struct iteration_choice *choice = &it->choice;
	const uint32_t locations = trace_location_count(it->trace);
	const size_t cells = choice->levels.n * (size_t)locations;
	OWNED uint8_t *has = xcalloc(cells + 1, sizeof *has);
	OWNED_VEC(int64_t) begins = VEC_INIT;
	struct piece piece = { VEC_INIT };

	for (size_t i = 0; i < cells; i++) {
		const int64_t *begin = has_begins(choice, i / locations) ? it->begin[i] : NULL;

		for (uint32_t k = 0; begin && k <= choice->levels.data[i / locations].n; k++)
			vec_push(&begins, begin[k]);
	}
	for (size_t i = 0; i < cells; i++)
		has[i] = it->has[i];
	piece_add(&piece, &choice->main, 1, sizeof choice->main);
	piece_add(&piece, choice->levels.data, choice->levels.n, sizeof *choice->levels.data);
	piece_add(&piece, has, cells, sizeof *has);
	piece_add(&piece, begins.data, begins.n, sizeof *begins.data);
	piece_keep(&piece, it->trace, keep_name, it->base);
}

/* ---- reading ---- */

static bool is_share(double share)
{
	return share >= 0 && share <= 1;
}

static bool is_level(const struct trace *trace, const struct iteration_level *level)
{
	const unsigned char *bytes = (const unsigned char *)level;

	return bytes[offsetof(struct iteration_level, closing)] <= 1 &&
	       bytes[offsetof(struct iteration_level, loop)] <= 1 && level->n > 0 &&
	       level->n < UINT32_MAX && level->path < trace_callpath_count(trace) &&
	       is_share(level->similar) && is_share(level->cover);
}

/* The begins of a level on a location, in order; NULL: they are not. */
static int64_t *take_begins(const int64_t **at, size_t *left, uint32_t n)
{
	const size_t all = (size_t)n + 1;
	int64_t *begin;

	/* Lengths do not overflow. */
	if (all > *left || (*at)[0] < -INT64_MAX / 4 || (*at)[n] > INT64_MAX / 4)
		return NULL;
	for (uint32_t k = 0; k < n; k++)
		if ((*at)[k] > (*at)[k + 1])
			return NULL;
	begin = memcpy(xmalloc(all * sizeof *begin), *at, all * sizeof *begin);
	*at += all;
	*left -= all;
	return begin;
}

static bool take_levels(struct iterations *it, struct piece_reader *r)
{
	struct iteration_choice *choice = &it->choice;
	bool ok = piece_value(r, &choice->main, sizeof choice->main);
	size_t n;
	const struct iteration_level *levels = piece_next(r, sizeof *levels, &n);

	ok = ok && !r->bad && (choice->main == LEVEL_NONE || choice->main < n);
	for (size_t i = 0; i < n && ok; i++) {
		ok = is_level(it->trace, &levels[i]);
		if (ok)
			vec_push(&choice->levels, levels[i]);
	}
	return ok;
}

static bool take_all(struct iterations *it, struct piece_reader *r)
{
	const uint32_t locations = trace_location_count(it->trace);
	size_t rows, left;
	const bool ok = take_levels(it, r);
	const uint8_t *has = piece_next(r, sizeof *has, &rows);
	const int64_t *begins = piece_next(r, sizeof *begins, &left);
	const size_t cells = it->choice.levels.n * (size_t)locations;

	if (!ok || !piece_ends(r) || rows != cells)
		return false;
	it->begin = xcalloc(cells + 1, sizeof *it->begin);
	it->has = xcalloc(cells + 1, sizeof *it->has);
	for (size_t i = 0; i < cells; i++)
		it->has[i] = has[i] != 0;
	for (size_t i = 0; i < cells; i++) {
		const size_t level = i / locations;

		if (it->has[i] && has_begins(&it->choice, level) &&
		    !(it->begin[i] = take_begins(&begins, &left, it->choice.levels.data[level].n)))
			return false;
	}
	return left == 0;
}

struct iterations *iterations_kept(const struct trace *trace, enum time_base base)
{
	struct piece_reader reader;
	struct iterations *it;

	if (!piece_find(&reader, trace, keep_name, base))
		return NULL;
	it = xcalloc(1, sizeof *it);
	it->trace = trace;
	it->base = base;
	if (take_all(it, &reader))
		return it;
	iterations_free(it);
	return NULL;
}
