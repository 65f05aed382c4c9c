/* The ranks of a list, and the place of the cursor. */
#include "ui/options/choose_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/formats/load.h"

/* Reads a rank at *p; false where there is none. */
static bool read_rank(const char **p, int32_t *rank)
{
	char *end;
	long value;

	if (strncmp(*p, "host", 4) == 0) {
		*rank = RANK_HOST;
		*p += 4;
		return true;
	}
	if (**p < '0' || **p > '9')
		return false;
	value = strtol(*p, &end, 10);
	*p = end;
	*rank = value > INT32_MAX ? INT32_MAX : (int32_t)value;
	return true;
}

static void rank_names(const struct trace *trace, struct str *out)
{
	int32_t low = INT32_MAX, high = -1;
	bool host = false;

	for (uint32_t i = 0; i < trace_location_count(trace); i++) {
		const int32_t rank = trace_location(trace, i)->rank;
		if (rank == RANK_HOST) {
			host = true;
			continue;
		}
		if (rank < low)
			low = rank;
		if (rank > high)
			high = rank;
	}
	if (high >= 0)
		str_add_fmt(out, low == high ? "rank %d" : "ranks %d to %d", low, high);
	if (host)
		str_add_fmt(out, "%sthe host", out->n ? " and " : "");
	if (!out->n)
		str_add(out, "none");
}

/* "ranks 0 to 3": all that the file has, of which a part may be loaded. */
static void file_ranks(const struct trace *trace, struct str *out)
{
	struct err err = ERR_INIT;
	struct trace *whole =
		trace_partial(trace)->is ? trace_load(trace_path(trace), NULL, NULL, &err) : NULL;

	rank_names(whole ? whole : trace, out);
	trace_free(whole);
}

/* host is a range by itself. */
bool choose_list(const char *list, struct load_part *part, struct err *err)
{
	VEC(struct rank_range) ranges = VEC_INIT;
	const char *p = list;
	bool ok = false;

	while (!ok) {
		struct rank_range range;
		if (!read_rank(&p, &range.first))
			break;
		range.last = range.first;
		if (*p == '-') {
			p++;
			if (!read_rank(&p, &range.last) || range.last < range.first)
				break;
		}
		if (*p && *p != ',')
			break;
		vec_push(&ranges, range);
		ok = !*p++;
	}
	part->ranks = ranges.data;
	part->n_ranks = ranges.n;
	return ok ||
	       err_set(err, STATUS_USAGE, "invalid list of ranks '%s' (example: 0-3,8,host)", list);
}

void choice_part_fini(struct load_part *part)
{
	free((void *)(uintptr_t)part->ranks);
	part->ranks = NULL;
	part->n_ranks = 0;
}

/* Adds the locations of the ranges; each range must have some. */
static bool add_ranks(struct choice *choice, const struct load_part *part)
{
	const struct trace *trace = choice->query.trace;
	const uint32_t n = trace_location_count(trace);

	for (size_t i = 0; i < part->n_ranks; i++) {
		const struct load_part one = { .ranks = &part->ranks[i], .n_ranks = 1 };
		uint32_t l = 0;
		while (l < n && !load_part_has_rank(&one, trace_location(trace, l)->rank))
			l++;
		if (l == n)
			return false;
	}
	for (uint32_t l = 0; l < n; l++)
		if (load_part_has_rank(part, trace_location(trace, l)->rank))
			vec_push(&choice->locations, l);
	return true;
}

bool choose_ranks(struct choice *choice, const char *list, struct err *err)
{
	const struct trace *trace = choice->query.trace;
	struct load_part part = { 0 };
	OWNED_STR has = STR_INIT;
	bool ok = !list || choose_list(list, &part, err);

	if (ok && list && !add_ranks(choice, &part)) {
		file_ranks(trace, &has);
		ok = err_set(err, STATUS_USAGE, "%s has none of the ranks '%s' (it has %s)",
			     trace_path(trace), list, has.text);
	}
	choice->query.locations = choice->locations.data;
	choice->query.n_locations = (uint32_t)choice->locations.n;
	choice_part_fini(&part);
	return ok;
}

/* ---- the cursor ---- */

bool choose_location(const struct trace *trace, const char *name, uint32_t *location,
		     struct err *err)
{
	OWNED_STR has = STR_INIT;
	const char *p = name;
	int32_t rank = RANK_HOST, thread = 0;
	bool ok = read_rank(&p, &rank);

	if (ok && *p == '.') {
		p++;
		ok = *p != 'h' && read_rank(&p, &thread);
	}
	for (uint32_t l = 0; ok && !*p && l < trace_location_count(trace); l++)
		if (trace_location(trace, l)->rank == rank &&
		    trace_location(trace, l)->thread == thread) {
			*location = l;
			return true;
		}
	file_ranks(trace, &has);
	return err_set(err, STATUS_USAGE,
		       ok && !*p ? "%s has no rank %s (it has %s)"
				 : "%s: a rank is 3, a thread of it 3.1, not '%s' (it has %s)",
		       trace_path(trace), name, has.text);
}

bool choose_locations(const struct trace *trace, const char *list, bool *chosen, struct err *err)
{
	OWNED char *text = xstrdup(list);
	char *rest = text;
	uint32_t l;

	for (char *name; (name = strsep(&rest, ","));) {
		struct load_part part = { 0 };
		bool ok;
		if (strchr(name, '.')) {
			if (!choose_location(trace, name, &l, err))
				return false;
			chosen[l] = true;
			continue;
		}
		ok = choose_list(name, &part, err);
		for (l = 0; ok && l < trace_location_count(trace); l++)
			chosen[l] |= load_part_has_rank(&part, trace_location(trace, l)->rank) &&
				     (strchr(name, '-') || trace_location(trace, l)->thread == 0);
		choice_part_fini(&part);
		if (!ok)
			return false;
	}
	return true;
}

void choose_add_location(const struct trace *trace, uint32_t location, struct str *out)
{
	const struct location *l = trace_location(trace, location);

	if (l->rank == RANK_HOST)
		str_add(out, "host");
	else
		str_add_fmt(out, "%d", l->rank);
	if (l->thread)
		str_add_fmt(out, ".%d", l->thread);
}

struct named_location {
	int32_t rank;
	uint32_t location;
};

ORDERING(by_rank_then_location, struct named_location, rank, location)

void choose_add_locations(const struct trace *trace, const bool *chosen, struct str *out)
{
	OWNED_VEC(struct named_location) all = VEC_INIT;
	const size_t start = out->n;
	int32_t last = -1; /* rank that ends the range which was written last, -1: none */
	size_t range = 0;  /* where its end is to be written */

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		vec_push(&all, ((struct named_location){ trace_location(trace, l)->rank, l }));
	vec_sort(&all, by_rank_then_location);
	for (size_t i = 0, n; i < all.n; i += n) {
		const int32_t rank = all.data[i].rank;
		size_t marked = 0;

		for (n = 0; i + n < all.n && all.data[i + n].rank == rank; n++)
			marked += chosen[all.data[i + n].location];
		if (marked == n && rank != RANK_HOST && last >= 0 && rank == last + 1) {
			out->n = range;
			str_add_fmt(out, "-%d", rank);
			last = rank;
		} else if (marked == n && rank != RANK_HOST) {
			str_add_fmt(out, "%s%d", out->n > start ? "," : "", rank);
			range = out->n;
			if (n > 1)
				str_add_fmt(out, "-%d", rank);
			last = rank;
		} else if (marked) {
			last = -1;
			for (size_t k = i; k < i + n; k++)
				if (chosen[all.data[k].location]) {
					str_add(out, out->n > start ? "," : "");
					choose_add_location(trace, all.data[k].location, out);
				}
		}
	}
}

bool choose_cursor(struct choice *choice, const struct options *options, struct err *err)
{
	const struct trace *trace = choice->query.trace;
	const struct query *query = &choice->query;

	choice->placed = options->at || options->rank;
	choice->location = query->n_locations ? query->locations[0] : 0;
	choice->time = INT64_MIN;
	if (options->rank && !choose_location(trace, options->rank, &choice->location, err))
		return false;
	if (options->at &&
	    !units_parse_time(options->at, NULL, trace_scale(trace), &choice->time, err))
		return false;
	return true;
}
