/* A sample of many clocks: those that exchange most messages with the reference and each other. */
#include <stdlib.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"

enum { OUTSIDE = UINT32_MAX };

/* The edges that each clock sends are one after the other. */
struct sent_edges {
	size_t begin, end;
};

static struct sent_edges *sent_edges(const struct fit_edges *edges, const struct fit_share *share)
{
	struct sent_edges *sent = xcalloc(share_slots(share) + 1u, sizeof *sent);

	for (size_t i = 0; i < edges->n; i++) {
		struct sent_edges *of = &sent[edges->data[i].from];
		of->begin = of->end ? of->begin : i;
		of->end = i + 1;
	}
	return sent;
}

/* A clock that exchanges messages with those that are in. */
struct near_clock {
	uint64_t messages, clock;
};

/* Of all processes: the one with most messages, of equals the first. */
static uint32_t nearest(const struct fit_share *share, const uint64_t *messages,
			const uint32_t *number)
{
	OWNED_VEC(struct near_clock) all = VEC_INIT;
	struct near_clock best = { 0, OUTSIDE }, *one;

	for (uint32_t c = 0; c < share->own; c++)
		if (number[c] == OUTSIDE && messages[c] > best.messages)
			best = (struct near_clock){ messages[c], share_clock(share, c) };
	vec_push(&all, best);
	exchange_rows(share->x, &all);
	best = all.data[0];
	vec_each (one, &all)
		if (one->messages > best.messages)
			best = *one;
	return (uint32_t)best.clock;
}

/* Numbers of slots: next is always the clock that exchanges most with those that are in, so that
 * what is between them is as dense as in the whole. Returns how many. */
static uint32_t number_clocks(const struct fit_edges *edges, const struct fit_share *share,
			      uint32_t n, uint32_t *number)
{
	OWNED struct sent_edges *sent = sent_edges(edges, share);
	OWNED uint64_t *messages = xcalloc(share_slots(share) + 1u, sizeof *messages);
	uint32_t count = 0;

	for (uint32_t c = 0; c < share_slots(share); c++)
		number[c] = OUTSIDE;
	for (uint32_t next = 0; next != OUTSIDE && count < n; count++) {
		const uint32_t slot = share_slot(share, next);
		if (slot < share_slots(share) && share_clock(share, slot) == next) {
			number[slot] = count;
			for (size_t i = sent[slot].begin; i < sent[slot].end; i++)
				messages[edges->data[i].to]++;
		}
		next = nearest(share, messages, number);
	}
	return count;
}

/* Where the rows of a sampled clock go: the number of the clock there, and the process. */
struct sampled_clock {
	uint32_t number, process;
};

static struct sampled_clock sampled(const struct fit_share *share, uint32_t number)
{
	const uint32_t process = share_process(share, number);

	return (struct sampled_clock){ number - share->first[process], process };
}

static void sample_anchors(const struct model *model, const uint32_t *number,
			   const struct fit_share *share, struct model *out)
{
	OWNED_VEC(uint32_t) to = VEC_INIT;
	const uint32_t knots = model->knots;

	for (size_t i = 0; i < model->anchors.n; i++) {
		struct clock_anchor anchor = model->anchors.data[i];
		const uint32_t clock = number[anchor.place.at / knots];
		if (clock == OUTSIDE)
			continue;
		const struct sampled_clock is = sampled(share, clock);
		anchor.place.at = is.number * knots + anchor.place.at % knots;
		vec_push(&out->anchors, anchor);
		vec_push(&to, is.process);
	}
	if (share->job)
		exchange_deal_rows(share->job, &out->anchors, to.data);
}

static void sample_rates(const struct model *model, const uint32_t *number,
			 const struct fit_share *share, struct model *out)
{
	OWNED_VEC(uint32_t) to = VEC_INIT;

	for (size_t i = 0; i < model->rates.n; i++) {
		const struct clock_rate *usual = &model->rates.data[i];
		if (number[usual->clock] == OUTSIDE)
			continue;
		const struct sampled_clock is = sampled(share, number[usual->clock]);
		vec_push(&out->rates, ((struct clock_rate){ is.number, usual->expected }));
		vec_push(&to, is.process);
	}
	if (share->job)
		exchange_deal_rows(share->job, &out->rates, to.data);
}

struct base_knot {
	uint64_t at;
	double value;
};

static void sample_base(const struct model *model, const uint32_t *number,
			const struct fit_share *share, struct model *out)
{
	OWNED_VEC(struct base_knot) rows = VEC_INIT;
	OWNED_VEC(uint32_t) to = VEC_INIT;
	const struct base_knot *row;
	const uint32_t knots = model->knots;

	for (size_t i = 0; i < model->base.n; i++) {
		if (number[i / knots] == OUTSIDE)
			continue;
		const struct sampled_clock is = sampled(share, number[i / knots]);
		vec_push(&rows, ((struct base_knot){ (uint64_t)is.number * knots + i % knots,
						     model->base.data[i] }));
		vec_push(&to, is.process);
	}
	if (share->job)
		exchange_deal_rows(share->job, &rows, to.data);
	if (rows.n == 0)
		return;
	for (size_t i = 0; i < (size_t)out->clocks * knots; i++)
		vec_push(&out->base, 0);
	vec_each (row, &rows)
		out->base.data[row->at] = row->value;
}

static void sample_edges(const struct fit_edges *edges, const uint32_t *number,
			 const struct fit_share *share, struct fit_edges *out)
{
	out->flags = xmalloc(edges->n + 1);
	for (size_t i = 0; i < edges->n; i++) {
		struct fit_edge e = edges->data[i];
		if (number[e.from] == OUTSIDE || number[e.to] == OUTSIDE ||
		    !edges_counts(share, &edges->data[i]))
			continue;
		e.from = number[e.from];
		e.to = number[e.to];
		out->flags[out->n] = edges->flags[i];
		vec_push(out, e);
	}
}

void sample_make(const struct model *model, const struct fit_edges *edges,
		 const struct fit_share *share, uint32_t n, struct model *model_out,
		 struct fit_edges *edges_out, struct fit_share *share_out)
{
	OWNED uint32_t *number = xcalloc(share_slots(share) + 1u, sizeof *number);
	const uint32_t clocks = number_clocks(edges, share, n, number);

	share_init(share_out, share->x, clocks);
	*model_out = *model;
	model_out->clocks = share_out->own;
	model_out->held = share_reference(share_out);
	vec_zero(&model_out->anchors, sizeof model_out->anchors);
	vec_zero(&model_out->terms, sizeof model_out->terms);
	vec_zero(&model_out->rates, sizeof model_out->rates);
	vec_zero(&model_out->base, sizeof model_out->base);
	sample_anchors(model, number, share_out, model_out);
	sample_rates(model, number, share_out, model_out);
	sample_base(model, number, share_out, model_out);
	*edges_out = (struct fit_edges){ .clocks = clocks };
	sample_edges(edges, number, share, edges_out);
	edges_spread(edges_out, share_out);
}
