/* view_causes: the causes of waiting that have a name, the largest first. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "patterns/severity/plain_path.h"
#include "views/facts/cause_words.h"
#include "views/facts/diagnosis.h"
#include "views/query/analyses.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                                       \
	ROW(N_KIND, "kind", "kind", COLUMN_TEXT, 16, true, true)                           \
	ROW(N_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                            \
	ROW(N_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)                      \
	ROW(N_CALLPATH, "callpath", "call path", COLUMN_NAME, 0, true, false)              \
	ROW(N_SHARE, "share", "of waiting", COLUMN_SHARE, 10, true, true)                  \
	ROW(N_COVERAGE, "coverage", "together", COLUMN_SHARE, 9, true, true)               \
	ROW(N_COST, "cost_s", "waiting", COLUMN_PART, 10, true, true)                      \
	ROW(N_CALLS, "calls", "calls", COLUMN_REAL, 8, true, false)                        \
	ROW(N_OTHERS_CALLS, "others_calls", "others' calls", COLUMN_REAL, 8, true, false)  \
	ROW(N_TIME, "time_s", "time", COLUMN_PART, 10, true, false)                        \
	ROW(N_OTHERS_TIME, "others_time_s", "others' time", COLUMN_PART, 10, true, false)  \
	ROW(N_BYTES, "bytes", "bytes", COLUMN_REAL, 10, true, false)                       \
	ROW(N_OTHERS_BYTES, "others_bytes", "others' bytes", COLUMN_REAL, 10, true, false) \
	ROW(N_ITERATIONS, "iterations", "iterations", COLUMN_INT, 10, true, false)         \
	ROW(N_SENTENCE, "sentence", "cause", COLUMN_TEXT, 0, true, true)
enum { COLUMNS(COLUMN_ID) N_COLUMNS };
static const struct column columns[N_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct causes_table {
	struct list_table list;
	struct cause_names names;
	struct phrases phrases;
};

/* Of kinds that compare a rank with the others in each iteration. */
static bool has_rates(const struct named_cause *c)
{
	return c->kind != CAUSE_WRONG_ORDER && c->kind != CAUSE_SERIALISATION &&
	       c->kind != CAUSE_MACHINE;
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct causes_table *t = (struct causes_table *)list;
	const struct named_cause *c = &t->names.of[item];
	const struct location *location =
		c->location == UINT32_MAX ? NULL : trace_location(list->trace, c->location);
	const bool rates = has_rates(c);
	const bool calls = rates && c->kind != CAUSE_ROTATING && c->kind != CAUSE_NO_PROGRESS;
	struct str *path = list_table_text(list);
	double coverage = 0;

	for (uint32_t i = 0; i <= item; i++)
		coverage += t->names.of[i].share;
	plain_path_text(list->trace, c->path, path);
	v[N_KIND] = value_text(cause_kind_name((enum cause_kind)c->kind));
	v[N_RANK] = location ? value_rank(location->rank) : value_integer(false, 0);
	v[N_THREAD] = value_integer(location != NULL, location ? location->thread : 0);
	v[N_CALLPATH] = value_text(path->text);
	v[N_SHARE] = value_real(true, c->share);
	v[N_COVERAGE] = value_real(true, coverage);
	v[N_COST] = value_real(true, c->cost);
	v[N_CALLS] = value_real(calls, c->calls);
	v[N_OTHERS_CALLS] = value_real(calls, c->others_calls);
	v[N_TIME] = value_real(rates, c->time);
	v[N_OTHERS_TIME] = value_real(rates, c->others_time);
	v[N_BYTES] = value_real(c->bytes > 0, c->bytes);
	v[N_OTHERS_BYTES] = value_real(c->bytes > 0, c->others_bytes);
	v[N_ITERATIONS] = value_integer(t->names.iterations > 0, t->names.iterations);
	v[N_SENTENCE] = value_text(cause_sentence(&t->phrases, &t->names, item));
}

static void fini(struct list_table *list)
{
	phrases_fini(&((struct causes_table *)list)->phrases);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct causes_table *t = (const struct causes_table *)list;

	if (t->names.of[item].kind == CAUSE_MACHINE)
		return (struct row_thing){ .kind = THING_NONE };
	return (struct row_thing){ .kind = THING_CALLPATH, .id = t->names.of[item].path };
}

static const struct list_ops ops = { .cells = cells, .fini = fini, .thing = thing };

struct table *causes_table_new(const struct query *query, struct err *err)
{
	struct diagnosis *d = xcalloc(1, sizeof *d);
	struct causes_table *t;
	bool done;

	t = list_table_new(sizeof *t, &ops, columns, N_COLUMNS, query->trace);
	t->phrases.trace = query->trace;
	done = !query->analyses || diagnosis_make(d, query, true, err) == DIAGNOSIS_THERE;
	t->names = d->names;
	list_table_add_all(&t->list, t->names.n);
	free(d);
	return list_table_done(&t->list, done);
}
