/* The wait state that a chain of causes begins with: what it was, whether clocks and overhead leave
 * it certain, and where the other rank was. */
#include <stdio.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/copy.h"
#include "model/trace/halo.h"
#include "patterns/analysis/wait_numbers.h"
#include "views/explain/explaining_chain.h"
#include "views/facts/clock_bounds.h"
#include "views/facts/perturbed.h"

/* A sentence that the process of a location makes, of events that it alone has: for all. */
static void share_text(const struct chain *c, uint32_t location, struct str *text)
{
	uint64_t n = text->n;
	OWNED char *bytes = NULL;

	chain_share(c, location, &n, sizeof n);
	bytes = xcalloc(n + 1, 1);
	if (text->n)
		memcpy(bytes, text->text, text->n < n ? text->n : n);
	chain_share(c, location, bytes, n);
	str_clear(text);
	str_add(text, bytes);
}

static void add_head(struct chain *c, const struct chain_node *n)
{
	const struct wait *w = &n->of.wait;
	struct explain_line *line;
	OWNED_STR text = STR_INIT;

	if (trace_has_location(c->query->trace, n->location))
		str_add(&text, explain_head(&c->e->p, c->bounds, n->location, w,
					    chain_delayer(c, n, &n->of)));
	share_text(c, n->location, &text);
	line = explain_add(c->e, 0, TEXT_VALUE, "%s", text.text);
	line->location = n->location;
	line->time = w->begin;
	line->wait = n->wait;
	line->path = w->path;
	line->ticks = (double)w->length;
	snprintf(line->value, sizeof line->value, "%.32s",
		 cube_metric_info((enum cube_metric)w->metric)->title);
}

/* Whether the wait may be none, by the clocks of its rank and of the one that ended it. */
static void add_certainty(struct chain *c, const struct chain_node *n)
{
	const struct trace *trace = c->query->trace;
	const struct clock_room *room = c->query->corrections ? &c->query->corrections->room : NULL;
	const struct wait *w = &n->of.wait;
	struct clock_place begin = { .known = false }, end = { .known = false };
	const char *text;

	if (n->of.partner == UINT32_MAX)
		return;
	if (trace_has_location(trace, n->location))
		begin = clock_place_at(room, trace, c->query->base, n->location, w->begin);
	if (trace_has_location(trace, n->of.partner))
		end = clock_place_at(room, trace, c->query->base, n->of.partner,
				     w->begin + w->length);
	chain_share(c, n->location, &begin, sizeof begin);
	chain_share(c, n->of.partner, &end, sizeof end);
	text = clock_bounds_wait(&c->e->p, room, &begin, &end, (double)w->length);
	if (*text)
		explain_add(c->e, 1, TEXT_WARNING, "%s", text);
}

/* What overhead did to it. */
static void add_perturbed(struct chain *c, const struct chain_node *n)
{
	const struct trace *trace = c->query->trace;
	const struct wait *w = &n->of.wait;
	struct perturbed_place begin = { .known = false }, end = { .known = false };
	const char *text;

	if (n->of.partner == UINT32_MAX)
		return;
	if (trace_has_location(trace, n->location))
		begin = perturbed_at(trace, c->query->base, n->location, w->begin);
	if (trace_has_location(trace, n->of.partner))
		end = perturbed_at(trace, c->query->base, n->of.partner, w->begin + w->length);
	chain_share(c, n->location, &begin, sizeof begin);
	chain_share(c, n->of.partner, &end, sizeof end);
	text = perturbed_wait(&c->e->p, &begin, &end, (double)w->length);
	if (*text)
		explain_add(c->e, 1, TEXT_MUTED, "%s", text);
}

/* The event that a wait was for, in the process that has it, or a ghost of it; EVENT_NONE in the
 * others. */
static uint32_t held_event(const struct chain *c, const struct chain_node *n)
{
	const struct trace *trace = c->query->trace;
	const bool here = trace_has_location(trace, n->location);
	const struct wait_place place = { n->location, n->wait };
	OWNED struct wait_numbers *numbers = NULL;

	if (!(n->of.wait.flags & WAIT_ELSEWHERE))
		return here ? n->of.wait.partner : EVENT_NONE;
	numbers = wait_numbers_of(c->analysis, &place, here);
	chain_share(c, n->location, numbers, sizeof *numbers);
	return trace_has_location(trace, n->of.partner)
		       ? trace_event_numbered(trace, n->of.partner, numbers->partner)
		       : EVENT_NONE;
}

/* What the one did that a wait was for: a call path, or of a device a copy. */
struct held_work {
	uint64_t bytes;
	uint32_t path, direction; /* direction: enum copy_direction, UINT32_MAX: no copy */
};

static const char *held_work(const struct chain *c, const struct chain_node *n, uint32_t event)
{
	const struct trace *trace = c->query->trace;
	const uint32_t copy = event == EVENT_NONE ? UINT32_MAX : trace_copy_of(trace, event);
	struct held_work work = { .direction = UINT32_MAX };
	OWNED_STR bytes = STR_INIT;

	if (event != EVENT_NONE)
		work.path = trace_event_path(trace, event);
	if (copy != UINT32_MAX) {
		work.bytes = trace_copy(trace, copy)->bytes;
		work.direction = copy_direction(trace, trace_copy(trace, copy));
	}
	chain_share(c, n->of.wait.flags & WAIT_ELSEWHERE ? n->of.partner : n->location, &work,
		    sizeof work);
	if (work.direction == UINT32_MAX)
		return phrase_path(&c->e->p, work.path);
	units_bytes(&bytes, work.bytes);
	return phrase(&c->e->p, "a copy %s of %s",
		      copy_direction_name((enum copy_direction)work.direction), bytes.text);
}

/* If causes are not searched, as for locks: where the other rank was. */
static void add_held(struct chain *c, const struct chain_node *n)
{
	struct phrases *p = &c->e->p;
	struct explain_line *line;
	uint32_t event;

	if (!c->causes || c->steps.n > 0 || n->of.partner == UINT32_MAX)
		return;
	event = held_event(c, n);
	line = explain_add(c->e, 1, TEXT_PLAIN, "Meanwhile %s was in %s",
			   explain_who(p, n->of.partner), held_work(c, n, event));
	explain_lead(line, c->query, event);
}

void chain_add_wait(struct chain *c, const struct chain_node *n)
{
	add_head(c, n);
	add_certainty(c, n);
	add_perturbed(c, n);
	add_held(c, n);
}
