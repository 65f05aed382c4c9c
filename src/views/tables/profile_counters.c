#include "views/tables/profile_counters.h"

#include <string.h>

#include "base/exchange.h"
#include "model/trace/detail.h"
#include "views/query/view_common.h"

enum { WIDTH = 10 };

/* By a chosen location, whichever process has it. */
static bool is_recorded(const struct profile_counters *c, const struct query *query,
			uint32_t metric)
{
	bool recorded = false;

	for (uint32_t i = 0; i < query_location_count(query) && !recorded; i++)
		recorded = counters_has(c->counters, query_location(query, i), metric);
	return exchange_any(trace_exchange(query->trace), recorded);
}

/* Counts of seconds are shown as times. */
static void add_columns(struct profile_counters *c, const struct trace *trace, uint32_t metric,
			struct column *columns)
{
	const uint32_t k = c->n++;
	const struct metric *m = trace_metric(trace, metric);
	const char *name = trace_string(trace, m->name);
	const char *unit = trace_string(trace, m->unit);
	const char *end = "";
	struct column column = { .type = COLUMN_EXACT, .exported = true };

	c->metric[k] = metric;
	str_add_clean_text(&c->name[k], name);
	if (strcmp(unit, "s") == 0) {
		column.type = COLUMN_PART;
		end = "_s";
	} else if (!*unit || strcmp(unit, "#") == 0) {
		column.type = COLUMN_COUNT;
	} else {
		str_add(&c->name[k], " ");
		str_add_clean_text(&c->name[k], unit);
	}
	c->type[k] = column.type;
	str_add_clean_text(&c->exclusive[k], name);
	str_add_fmt(&c->exclusive[k], "_exclusive%s", end);
	str_add_clean_text(&c->inclusive[k], name);
	str_add_fmt(&c->inclusive[k], "_inclusive%s", end);
	column.width = (int)(c->name[k].n > WIDTH ? c->name[k].n : WIDTH);
	column.title = c->name[k].text;
	column.name = c->exclusive[k].text;
	column.on_screen = true;
	*columns++ = column;
	column.name = column.title = c->inclusive[k].text;
	column.on_screen = false;
	*columns = column;
}

unsigned profile_counters_begin(struct profile_counters *c, const struct query *query,
				struct column *columns)
{
	const struct trace *trace = query->trace;

	memset(c, 0, sizeof *c);
	for (uint32_t m = 0; m < trace_metric_count(trace) && c->n < PROFILE_COUNTERS_MOST; m++) {
		if (!metric_is_rate(trace_metric(trace, m)))
			continue;
		if (!c->counters)
			c->counters = counters_new(trace);
		if (is_recorded(c, query, m))
			add_columns(c, trace, m, columns + 2 * (size_t)c->n);
	}
	return 2 * c->n;
}

void profile_counters_fini(struct profile_counters *c)
{
	counters_free(c->counters);
	for (uint32_t k = 0; k < c->n; k++) {
		str_fini(&c->name[k]);
		str_fini(&c->inclusive[k]);
		str_fini(&c->exclusive[k]);
	}
	profile_counts_fini(&c->latest);
	vec_fini(&c->rows);
}

bool profile_counters_add(struct profile_counters *c, const struct query *query,
			  enum profile_key key, const uint32_t *locations, size_t n,
			  struct exchange *x)
{
	if (!c->n)
		return true;
	profile_counts_fini(&c->latest);
	c->latest = (struct profile_counts){ .n = c->n, .metric = c->metric };
	return profile_counts_make(&c->latest, c->counters, query->trace, query->base, key,
				   locations, n, query->t0, query->t1, query->filter, x,
				   query->progress);
}

size_t profile_counters_row(struct profile_counters *c, uint32_t key)
{
	const size_t row = c->rows.n;

	if (!c->n || key >= c->latest.rows)
		return NO_COUNTS;
	for (uint32_t k = 0; k < c->n; k++) {
		vec_push(&c->rows, c->latest.exclusive[(size_t)key * c->n + k]);
		vec_push(&c->rows, c->latest.inclusive[(size_t)key * c->n + k]);
	}
	return row;
}

size_t profile_counters_share(struct profile_counters *c, struct exchange *x)
{
	const size_t before = exchange_before(x, c->rows.n);

	exchange_rows(x, &c->rows);
	return before;
}

void profile_counters_cells(const struct profile_counters *c, size_t row,
			    const struct timescale *scale, struct value *values)
{
	const bool known = row != NO_COUNTS;

	for (uint32_t i = 0; i < 2 * c->n; i++) {
		const double counted = known ? c->rows.data[row + i] : 0;
		if (c->type[i / 2] == COLUMN_COUNT)
			values[i] = value_integer(known, (int64_t)(counted + 0.5));
		else if (c->type[i / 2] == COLUMN_PART)
			values[i] = value_real(known, counted * (double)scale->per_second);
		else
			values[i] = value_real(known, counted);
	}
}
