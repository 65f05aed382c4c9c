#include "patterns/causes/points_far.h"

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "patterns/analysis/groups.h"

void points_far_free(struct far_points *far)
{
	if (!far)
		return;
	free_all(far->asked, far->told, far->asked_first, far->told_first, far);
}

/* ---- sets ---- */

static uint32_t keep_list(struct points *p, const uint32_t *locations, uint32_t n)
{
	const size_t first = p->pool.n;

	for (uint32_t i = 0; i < n; i++)
		vec_push(&p->pool, locations[i]);
	return points_keep_set(p, first);
}

static uint32_t keep_comm(struct points *p, const struct trace *trace, uint32_t id)
{
	const struct comm *comm = trace_comm(trace, id);
	const size_t first = p->pool.n;
	uint32_t *row = keymap_add(&p->by_comm, KEY_OF(id));

	if (*row == UINT32_MAX) {
		for (uint32_t i = 0; i < groups_size(comm); i++)
			vec_push(&p->pool, groups_location(trace, comm, i));
		*row = points_keep_set(p, first);
	}
	return *row;
}

void points_far_sets(struct points *p, const struct trace *trace, const struct sync_group *g,
		     struct sync *sync)
{
	const struct sync_far *far = g->far;

	sync->members = far->members ? keep_list(p, far->members, far->n_members)
				     : keep_comm(p, trace, g->comm);
	sync->met = far->met ? keep_list(p, far->met, far->n_met) : sync->members;
}

/* ---- messages ---- */

/* The other side of a wait, for the process that has it. */
struct far_meeting {
	uint32_t location, at; /* of its point */
	uint32_t peer;         /* who waited */
	int64_t used;
};

struct meetings {
	VEC(struct far_meeting) rows;
	VEC(uint32_t) to;
};

static void collect(struct meetings *meetings, const struct trace *trace, uint32_t location,
		    const struct point_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		const struct point_pair *pair = &pairs->data[i];
		if (trace_has_location(trace, pair->location))
			continue;
		vec_push(&meetings->rows, ((struct far_meeting){ pair->location, pair->other.at,
								 location, pair->other.used }));
		vec_push(&meetings->to, trace_process_of(trace, pair->location));
	}
}

static bool make_point(const struct analysis *a, const struct far_meeting *m,
		       struct located_point *made)
{
	const struct trace *trace = analysis_trace(a);
	struct call_span call;
	struct cursor c;

	if (!cursor_nth(&c, trace, analysis_base(a), m->location, m->at))
		return false;
	call = calls_meeting(analysis_calls(a), c.id);
	*made = (struct located_point){ m->location, point_in(trace, c.id, &call) };
	made->point.used = m->used == USED_CALL ? call.lv - call.en : m->used;
	made->point.peer = m->peer;
	return true;
}

struct located_point *points_far_meet(const struct points *p, const struct analysis *a,
				      const struct point_pairs *of, size_t *n)
{
	const struct trace *trace = analysis_trace(a);
	struct exchange *x = trace_exchange(trace);
	struct meetings meetings = { VEC_INIT, VEC_INIT };
	const struct far_meeting *row;
	struct located_point *made;

	*n = 0;
	if (!x)
		return NULL;
	for (uint32_t l = 0; l < p->locations; l++)
		collect(&meetings, trace, l, &of[l]);
	exchange_deal_rows(x, &meetings.rows, meetings.to.data);
	made = xmalloc((meetings.rows.n + 1) * sizeof *made);
	vec_each (row, &meetings.rows)
		*n += make_point(a, row, &made[*n]);
	vec_fini(&meetings.rows);
	vec_fini(&meetings.to);
	return made;
}

/* ---- who waited for whom ---- */

struct asking {
	VEC(struct asked_point) points;
	VEC(struct told_point) rows; /* `other_point`: index of the event on its location */
	VEC(uint32_t) to;
};

static void ask_location(struct asking *asking, const struct points *p, const struct trace *trace,
			 uint32_t location)
{
	const struct location_points *of = &p->of[location];

	for (uint32_t i = 1; i < of->n; i++) {
		const struct point *point = &of->data[i];
		const uint32_t other = point->match == POINT_NONE || point->w <= 0
					       ? location
					       : points_peer(p, point);
		if (trace_has_location(trace, other))
			continue;
		vec_push(&asking->points, ((struct asked_point){ location, i }));
		vec_push(&asking->rows,
			 ((struct told_point){ location, other, point->match, point->cls }));
		vec_push(&asking->to, trace_process_of(trace, other));
	}
}

/* By process; the places of the rows follow from the same counts on both sides. */
static void send(struct far_points *far, const struct asking *asking)
{
	struct exchange *x = far->exchange;
	const size_t n = asking->rows.n;
	OWNED size_t *place = xmalloc((n + 1) * sizeof *place);
	struct exchange_parts parts;

	far->asked_first = xcalloc(x->processes + 1u, sizeof *far->asked_first);
	far->asked = xmalloc((n + 1) * sizeof *far->asked);
	exchange_places(x->processes, asking->to.data, n, far->asked_first, place);
	for (size_t i = 0; i < n; i++)
		far->asked[place[i]] = asking->points.data[i];
	exchange_deal(x, asking->rows.data, n, sizeof *asking->rows.data, asking->to.data, &parts);
	far->told = (struct told_point *)(void *)parts.data;
	far->told_first = parts.first;
	for (uint32_t p = 0; p <= x->processes; p++)
		far->told_first[p] /= sizeof *far->told;
}

static void answer(struct points *p, struct far_points *far)
{
	struct exchange *x = far->exchange;
	const size_t n = far->told_first[x->processes];
	OWNED uint32_t *rows = xmalloc((n + 1) * sizeof *rows);
	struct exchange_parts parts;

	for (size_t i = 0; i < n; i++) {
		struct told_point *told = &far->told[i];
		const struct location_points *of = &p->of[told->other];
		rows[i] = told->other_point = points_first(of, told->other_point, NULL);
	}
	exchange_swap(x, rows, sizeof *rows, far->told_first, &parts);
	for (size_t i = 0; i < far->asked_first[x->processes]; i++)
		p->of[far->asked[i].location].data[far->asked[i].point].match =
			((const uint32_t *)(const void *)parts.data)[i];
	exchange_parts_fini(&parts);
}

struct far_points *points_far_match(struct points *p, const struct trace *trace)
{
	struct asking asking = { VEC_INIT, VEC_INIT, VEC_INIT };
	struct far_points *far;

	if (!trace_exchange(trace))
		return NULL;
	far = xcalloc(1, sizeof *far);
	far->exchange = trace_exchange(trace);
	far->trace = trace;
	for (uint32_t l = 0; l < p->locations; l++)
		ask_location(&asking, p, trace, l);
	send(far, &asking);
	answer(p, far);
	vec_fini(&asking.points);
	vec_fini(&asking.rows);
	vec_fini(&asking.to);
	return far;
}
