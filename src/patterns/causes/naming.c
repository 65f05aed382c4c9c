#include "patterns/causes/naming.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "patterns/analysis/analysis_state.h"
#include "patterns/causes/naming_state.h"

enum { RANKS_MOST = 3 }; /* of a call path that are named */

#define QUIET 0.02 /* share of the core that must be waiting */

const char *cause_kind_name(enum cause_kind kind)
{
	static const char *const names[CAUSE_KINDS] = {
#define X(id, name) [CAUSE_##id] = name,
#include "patterns/causes/cause_kind.def"
#undef X
	};

	return names[kind];
}

/* ---- all ---- */

/* After the wrong order, which is first, by its share; the later of equal ones last. */
static void add(struct cause_names *names, const struct named_cause *cause)
{
	uint32_t place = names->n;

	if (names->n == CAUSES_NAMED)
		return;
	for (; place > 0 && names->of[place - 1].kind != CAUSE_WRONG_ORDER &&
	       names->of[place - 1].share < cause->share;
	     place--)
		names->of[place] = names->of[place - 1];
	names->of[place] = *cause;
	names->n++;
}

/* No cost is named twice: not as wrong order and as work, either. */
static void cap_shares(struct cause_names *names)
{
	double left = 1;

	for (uint32_t i = 0; i < names->n; i++) {
		struct named_cause *c = &names->of[i];
		if (c->share > left) {
			c->share = left;
			c->cost = left * names->waiting;
		}
		left -= c->share;
	}
}

static bool name(struct naming *m, struct cause_names *names)
{
	struct named_cause machine;

	naming_groups(m, names);
	names->waiting = m->waiting;
	names->core = m->core;
	names->quiet = !(m->waiting > 0 && m->waiting >= QUIET * m->core);
	if (names->quiet)
		return true;
	if (naming_order(m, &names->of[0]))
		names->n = 1;
	else
		memset(names->of, 0, sizeof names->of);
	m->iterations = causes_iterations(m->causes, m->progress);
	if (!m->iterations || !naming_series(m))
		return false;
	names->iterations = m->series.iterating ? m->series.n : 0;
	names->before = m->series.before;
	names->of_run = m->series.of_run;
	naming_core_costs(m);
	for (unsigned g = 0; g < m->n_groups; g++) {
		struct named_cause cause;
		for (unsigned nth = 0; nth < RANKS_MOST && naming_rule(m, g, nth, &cause); nth++) {
			add(names, &cause);
			if (cause.kind == CAUSE_SERIALISATION)
				m->no_core -= cause.cost - m->groups[g].sum;
			if (cause.location == UINT32_MAX)
				break;
		}
	}
	if (naming_machine(m, names, &machine))
		add(names, &machine);
	cap_shares(names);
	return true;
}

void naming_begin(struct naming *m, const struct causes *causes, const struct cube *cube,
		  int64_t t0, int64_t t1, const struct progress *progress)
{
	const struct trace *trace = analysis_trace(causes->analysis);

	*m = (struct naming){ .causes = causes,
			      .trace = trace,
			      .base = analysis_base(causes->analysis),
			      .cube = cube,
			      .t0 = t0,
			      .t1 = t1,
			      .progress = progress,
			      .jobs = causes->analysis->jobs };
	plain_paths_init(&m->plain, trace);
	m->series.locations = trace_location_count(trace);
	m->group_of = xmalloc((size_t)m->plain.n + 1);
}

void naming_end(struct naming *m)
{
	for (unsigned g = 0; g < m->n_groups; g++)
		free_all(m->groups[g].cost, m->groups[g].cost_with_core);
	free_all(m->group_of, m->series.active, m->series.there, m->series.stream, m->series.time,
		 m->series.core, m->series.visits, m->series.bytes, m->series.spoiled);
	plain_paths_fini(&m->plain);
}

bool cause_names_make(const struct causes *causes, const struct cube *cube, int64_t t0, int64_t t1,
		      const struct progress *progress, struct cause_names *names)
{
	struct naming m;
	bool done;

	memset(names, 0, sizeof *names);
	naming_begin(&m, causes, cube, t0, t1, progress);
	done = name(&m, names);
	naming_end(&m);
	return done;
}
