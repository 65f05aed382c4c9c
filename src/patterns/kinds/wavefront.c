/* wavefront: Late Senders where the pipeline of a wavefront refills, by the corner that it comes
 * from (paper 5, section 4.1). Listens to the messages of each location
 * and to its Late Senders. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "patterns/analysis/analysis.h"
#include "patterns/analysis/pattern.h"
#include "patterns/topology/sweep.h"
#include "patterns/topology/topology.h"

enum run { WITH_KEYS, WITHOUT_KEYS, RUNS };

/* What one location keeps. */
struct wave {
	bool begun;
	const struct grid *grid; /* NULL: it takes no part */
	unsigned dims[GRID_DIMS], n_dims;
	struct sweeps sweeps[RUNS];
	struct {
		struct wait *data;
		size_t n, cap;
	} late; /* its Late Senders */
};

/* ---- messages as tokens (1.1, 1.2) ---- */

/* A neighbour's place: `by` along a live dimension. UINT32_MAX: no rank there. */
static uint32_t neighbour(const struct wave *wave, const int32_t *at, unsigned live, int32_t by)
{
	int32_t there[GRID_DIMS];

	for (uint32_t d = 0; d < wave->grid->dims; d++)
		there[d] = at[d];
	there[wave->dims[live]] += by;
	return grid_location(wave->grid, there);
}

static void begin(struct wave *wave, const struct grid *grid, uint32_t location)
{
	const int32_t *at = grid ? grid_at(grid, location) : NULL;
	uint8_t below = 0, above = 0;

	wave->begun = true;
	if (!at)
		return;
	wave->n_dims = grid_live(grid, wave->dims);
	/* Two processes do not form a pipeline, and a guessed row of ranks may be any chain or
	 * ring. */
	if (wave->n_dims < (grid->source == GRID_GUESSED ? 2 : 1) || wave->n_dims > SWEEP_DIMS ||
	    grid->places < 3)
		return;
	wave->grid = grid;
	for (unsigned d = 0; d < wave->n_dims; d++) {
		if (neighbour(wave, at, d, -1) != UINT32_MAX)
			below |= (uint8_t)(1u << d);
		if (neighbour(wave, at, d, 1) != UINT32_MAX)
			above |= (uint8_t)(1u << d);
	}
	for (int run = 0; run < RUNS; run++)
		sweeps_init(&wave->sweeps[run], wave->n_dims, below, above, run == WITH_KEYS);
}

/* The live dimension along which a message between neighbours travels; false: it travels along
 * none. */
static bool direction(const struct wave *wave, const int32_t *from, const int32_t *to,
		      struct sweep_token *token)
{
	unsigned differing = 0;

	for (unsigned d = 0; d < wave->n_dims; d++) {
		const int32_t by = to[wave->dims[d]] - from[wave->dims[d]];
		if (by == 0)
			continue;
		if (by != 1 && by != -1)
			return false;
		token->dim = (uint8_t)d;
		token->up = by > 0;
		differing++;
	}
	return differing == 1;
}

/* Where the other end of a message is; NULL: not on the grid. */
static const int32_t *partner_at(const struct grid *grid, const struct trace *trace,
				 const struct message *m, bool sent)
{
	const bool unmatched = m->flags & (sent ? MSG_NO_RECV : MSG_NO_SEND);
	const uint32_t end = sent ? m->recv : m->send;
	const uint32_t location = unmatched ? trace_location_of_rank(trace, (int32_t)end)
					    : trace_event_location(trace, end);

	return location == UINT32_MAX ? NULL : grid_at(grid, location);
}

static struct sweep_key key_of(const struct trace *trace, const struct walk_call *call,
			       uint32_t comm)
{
	struct sweep_key key = { UINT32_MAX, UINT32_MAX, comm };
	uint32_t parent;

	if (!call || call->path == 0)
		return key;
	key.region = trace_callpath_region(trace, call->path);
	parent = trace_callpath(trace, call->path)->parent;
	if (parent)
		key.around = trace_callpath_region(trace, parent);
	return key;
}

static void push(struct wave *wave, const struct sweep_token *token)
{
	for (int run = 0; run < RUNS; run++)
		sweeps_push(&wave->sweeps[run], token);
}

static void on_event(const struct trace *trace, struct wave *wave, const struct notice *notice)
{
	const enum event_kind kind = what_kind(notice->what);
	struct sweep_token token = { .kind = SWEEP_BREAK,
				     .row = what_id(notice->what),
				     .event = notice->event };
	const struct message *m;
	const int32_t *here, *there;

	if (kind == EV_COLLECTIVE_END)
		push(wave, &token);
	if ((kind != EV_SEND && kind != EV_RECV) || token.row >= trace_message_count(trace))
		return;
	token.kind = kind == EV_SEND ? SWEEP_SEND : SWEEP_RECV;
	m = trace_message(trace, token.row);
	here = grid_at(wave->grid, notice->location);
	there = partner_at(wave->grid, trace, m, kind == EV_SEND);
	if (!there || !(kind == EV_SEND ? direction(wave, here, there, &token)
					: direction(wave, there, here, &token)))
		return;
	token.key = key_of(trace, notice->call, m->comm);
	push(wave, &token);
}

static void on_notice(struct analysis *analysis, void *local, const struct notice *notice)
{
	struct wave *wave = local;

	if (!wave->begun)
		begin(wave, analysis_grid(analysis), notice->location);
	if (!wave->grid)
		return;
	if (notice->subject == SUBJECT_EVENT)
		on_event(analysis_trace(analysis), wave, notice);
	else if (notice->subject == SUBJECT_LATE_SENDER)
		vec_push(&wave->late, *notice->wait);
	else
		for (int run = 0; run < RUNS; run++)
			sweeps_end(&wave->sweeps[run]);
}

/* ---- what all processes together say (1.5, 1.6) ---- */

static enum cube_metric metric_of(unsigned dims, unsigned direction)
{
	/* By the corner that it starts in: travel to higher x begins in the west, to higher y in
	 * the south, to higher z below. */
	static const enum cube_metric metrics[SWEEP_DIMS][SWEEP_DIRECTIONS] = {
		{ CUBE_MPI_WAVEFRONT_E, CUBE_MPI_WAVEFRONT_W },
		{ CUBE_MPI_WAVEFRONT_NE, CUBE_MPI_WAVEFRONT_NW, CUBE_MPI_WAVEFRONT_SE,
		  CUBE_MPI_WAVEFRONT_SW },
		{ CUBE_MPI_WAVEFRONT_UNE, CUBE_MPI_WAVEFRONT_UNW, CUBE_MPI_WAVEFRONT_USE,
		  CUBE_MPI_WAVEFRONT_USW, CUBE_MPI_WAVEFRONT_DNE, CUBE_MPI_WAVEFRONT_DNW,
		  CUBE_MPI_WAVEFRONT_DSE, CUBE_MPI_WAVEFRONT_DSW },
	};

	return metrics[dims - 1][direction];
}

ORDERING(by_event, struct wait, event)

ORDERING_OF_NUMBERS(by_row, uint32_t)

/* The Late Sender of a receive, if there is one, also counts for this corner. */
static void found(struct analysis *analysis, const struct wave *wave, uint32_t location,
		  uint32_t event, unsigned direction)
{
	const struct wait key = { .event = event };
	const struct wait *late =
		wave->late.n ? bsearch(&key, wave->late.data, wave->late.n, sizeof key, by_event)
			     : NULL;
	struct wait wait;

	if (!late)
		return;
	wait = *late;
	wait.metric = (uint8_t)metric_of(wave->n_dims, direction);
	wait.flags = (uint8_t)(WAIT_PART | (wait.flags & WAIT_EMPTY));
	analysis_found(analysis, location, &wait);
}

/* Messages that its neighbours upstream sent in the first step of a refill: their rows, sorted. */
struct wavefront_rows {
	uint32_t *data;
	size_t n, cap;
};

struct wavefront {
	const struct trace *trace;
	const struct grid *grid;
	struct wave **waves; /* [locations] */
	enum run run;        /* that has a direction */
	unsigned taken;
	struct wavefront_rows far[SWEEP_DIRECTIONS]; /* such messages of other processes, to here */
};

static void first_sends(const struct sweeps *s, unsigned direction, struct wavefront_rows *rows)
{
	const struct sweep *sweep;

	vec_each (sweep, &s->all)
		for (uint32_t k = 0;
		     sweep->refill && sweep->direction == direction && k < sweep->n_first; k++)
			if (s->tokens.data[sweep->first + k].kind == SWEEP_SEND)
				vec_push(rows, s->tokens.data[sweep->first + k].row);
}

static void refills_upstream(struct wave *const *waves, enum run run, uint32_t location,
			     unsigned direction, struct wavefront_rows *rows)
{
	const struct wave *wave = waves[location];
	const int32_t *at = grid_at(wave->grid, location);

	for (unsigned d = 0; d < wave->n_dims; d++) {
		const uint32_t from = neighbour(wave, at, d, direction >> d & 1u ? -1 : 1);
		if (from != UINT32_MAX && waves[from]->grid)
			first_sends(&waves[from]->sweeps[run], direction, rows);
	}
	vec_sort(rows, by_row);
}

/* The corner reached last only receives, and its messages have no order to hold on to where a
 * border's come before them: the senders know which were the first. */
static bool has_row(const struct wavefront_rows *rows, uint32_t row)
{
	return rows->n && bsearch(&row, rows->data, rows->n, sizeof *rows->data, by_row);
}

static void last_corner(struct analysis *analysis, const struct wavefront *w, uint32_t location,
			unsigned direction)
{
	struct wave *const *waves = w->waves;
	const struct sweeps *s = &waves[location]->sweeps[w->run];
	struct wavefront_rows rows = { 0 };

	refills_upstream(waves, w->run, location, direction, &rows);
	for (size_t i = 0; i < s->last.n; i++) {
		const struct sweep_token *token = &s->last.data[i];
		if (token->dim == direction &&
		    (has_row(&rows, token->row) || has_row(&w->far[direction], token->row)))
			found(analysis, waves[location], location, token->event, direction);
	}
	vec_fini(&rows);
}

static void refills(struct analysis *analysis, const struct wavefront *w, uint32_t location)
{
	const struct wave *wave = w->waves[location];
	const struct sweeps *s = &wave->sweeps[w->run];
	const unsigned taken = w->taken;

	for (unsigned d = 0; d < 1u << wave->n_dims; d++)
		if (taken >> d & 1u && sweeps_ends_here(s, (uint8_t)d))
			last_corner(analysis, w, location, d);
	for (size_t i = 0; i < s->all.n; i++) {
		const struct sweep *sweep = &s->all.data[i];
		if (!sweep->refill || !(taken >> sweep->direction & 1u) ||
		    sweeps_ends_here(s, sweep->direction))
			continue;
		for (uint32_t k = 0; k < sweep->n_first; k++) {
			const struct sweep_token *token = &s->tokens.data[sweep->first + k];
			if (token->kind == SWEEP_RECV)
				found(analysis, wave, location, token->event, sweep->direction);
		}
	}
}

/* Another thread of a rank takes no part. */
static bool takes_part(const struct wavefront *w, uint32_t location)
{
	return grid_location(w->grid, grid_at(w->grid, location)) == location;
}

/* What the processes that share a trace say of theirs. */
struct wavefront_steps {
	struct sweep_steps steps;
	bool silent; /* a place takes no part */
};

/* The directions taken on the grid: by the first location of each place. */
static unsigned directions_taken(const struct wavefront *w, enum run run)
{
	struct {
		struct wavefront_steps *data;
		size_t n, cap;
	} all = { 0 };
	struct wavefront_steps *mine = vec_add(&all);
	struct sweep_steps steps;
	unsigned dims[GRID_DIMS], taken;
	bool silent = false;

	sweep_steps_init(&mine->steps);
	for (uint32_t i = 0; i < w->grid->places; i++) {
		const uint32_t l = w->grid->order[i];
		if (!takes_part(w, l) || !trace_has_location(w->trace, l))
			continue;
		if (w->waves[l]->grid)
			sweep_steps_add(&mine->steps, &w->waves[l]->sweeps[run]);
		else
			mine->silent = true;
	}
	exchange_rows(trace_exchange(w->trace), &all);
	sweep_steps_init(&steps);
	for (size_t i = 0; i < all.n; i++) {
		sweep_steps_join(&steps, &all.data[i].steps);
		silent = silent || all.data[i].silent;
	}
	vec_fini(&all);
	taken = silent ? 0 : sweeps_taken(&steps, grid_live(w->grid, dims));
	return taken;
}

/* Tells the other processes of the first sends of refills to them. */
static void tell_refills(struct wavefront *w)
{
	for (unsigned d = 0; d < SWEEP_DIRECTIONS; d++) {
		struct wavefront_rows sent = { 0 };
		if (!(w->taken >> d & 1u))
			continue;
		for (uint32_t i = 0; i < w->grid->places; i++) {
			const uint32_t l = w->grid->order[i];
			if (takes_part(w, l) && w->waves[l]->grid)
				first_sends(&w->waves[l]->sweeps[w->run], d, &sent);
		}
		halo_tell(w->trace, sent.data, sent.n, &w->far[d].data, &w->far[d].n);
		vec_sort(&w->far[d], by_row);
		vec_fini(&sent);
	}
}

static void finish(struct analysis *analysis, const struct pattern *self)
{
	const struct trace *trace = analysis_trace(analysis);
	const uint32_t n = trace_location_count(trace);
	struct wavefront w = { .trace = trace,
			       .grid = analysis_grid(analysis),
			       .waves = xcalloc((size_t)n + 1, sizeof(struct wave *)) };

	for (uint32_t l = 0; l < n; l++)
		w.waves[l] = analysis_local(analysis, self, l);
	for (enum run run = WITH_KEYS; w.grid && !w.taken && run < RUNS; run++) {
		w.run = run;
		w.taken = directions_taken(&w, run);
	}
	if (w.taken && trace_exchange(trace))
		tell_refills(&w);
	for (uint32_t l = 0; w.taken && l < n; l++) {
		if (!w.waves[l]->grid)
			continue;
		if (w.waves[l]->late.n)
			qsort(w.waves[l]->late.data, w.waves[l]->late.n, sizeof(struct wait),
			      by_event);
		refills(analysis, &w, l);
	}
	for (unsigned d = 0; d < SWEEP_DIRECTIONS; d++)
		free(w.far[d].data);
	free(w.waves);
}

static void release(void *local)
{
	struct wave *wave = local;

	for (int run = 0; run < RUNS; run++)
		sweeps_fini(&wave->sweeps[run]);
	vec_fini(&wave->late);
}

const struct pattern wavefront_pattern = {
	.name = "wavefront",
	.subjects = 1u << SUBJECT_LATE_SENDER | 1u << SUBJECT_LOCATION,
	.events = 1u << EV_SEND | 1u << EV_RECV | 1u << EV_COLLECTIVE_END,
	.local = sizeof(struct wave),
	.on_notice = on_notice,
	.finish = finish,
	.release = release,
};
