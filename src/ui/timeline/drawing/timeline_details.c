/* What is under the cursor, in words. */
#include <string.h>

#include "correct/correct.h"
#include "model/trace/copy.h"
#include "model/trace/detail.h"
#include "model/trace/gap.h"
#include "ui/timeline/drawing/timeline_draw.h"
#include "ui/timeline/picture/timeline_item.h"
#include "views/facts/event_content.h"
#include "views/facts/place_words.h"

/* ---- the visit ---- */

/* Times that were estimated in gaps are marked. */
static void add_times(struct str *out, const struct timeline_item *item, const struct query *query)
{
	const struct trace *trace = query->trace;
	const struct timescale *units = trace_scale(trace);
	const int64_t length = item->t1 - item->t0;
	const char *mark = gap_mark((double)gap_time_of_visit(trace, query->base, item->location,
							      item->t0, item->t1),
				    (double)length);

	if (!item->t0_known)
		str_add(out, "before ");
	units_span(out, item->t0, item->t1, units, 4);
	if (!item->t1_known)
		str_add(out, trace_live(trace) ? " so far" : " until the trace ends");
	if (item->t0_known && item->t1_known) {
		str_add_fmt(out, " (%s", mark);
		units_human_time(out, length, units, 4);
		str_add_char(out, ')');
	}
}

/* ---- message and collective ---- */

/* " <- rank 0 tag 7, 8,192 B": the arrow points as the message goes, seen from here. */
static void add_message(struct str *out, const struct timeline_item *item,
			const struct query *query)
{
	const struct trace *trace = query->trace;
	const struct message *m = trace_message(trace, item->message);
	const int32_t here = trace_location(trace, item->location)->rank;
	const bool matched = !(m->flags & (MSG_NO_SEND | MSG_NO_RECV));
	/* To itself: the event under the cursor tells which end this is. */
	const bool sent = !(m->flags & MSG_NO_SEND) &&
			  trace_event_location(trace, m->send) == item->location &&
			  !(message_source(trace, m) == message_destination(trace, m) &&
			    item->event == m->recv);
	const int32_t other = sent ? message_destination(trace, m) : message_source(trace, m);

	str_add(out, sent ? "  -> " : "  <- ");
	rank_name(other, "unknown rank", out);
	if (other == here)
		str_add(out, " (itself)");
	if (!(m->flags & MSG_NO_TAG))
		str_add_fmt(out, " tag %d", m->tag);
	if (!(m->flags & MSG_NO_BYTES)) {
		str_add(out, ", ");
		units_bytes(out, message_bytes(m));
	}
	if (m->comm) {
		str_add(out, ", ");
		str_add_clean_text(out, trace_string(trace, trace_comm(trace, m->comm)->name));
	}
	if (!matched)
		str_add(out, ", unmatched");
	else if (m->flags & (MSG_GUESSED | MSG_TURN_GUESSED))
		str_add(out, ", match guessed");
	if (item->messages > 1) {
		str_add(out, "  and ");
		units_count(out, item->messages - 1);
		str_add(out, " more");
	}
}

enum { MEMBERS_READ = 20000 };

/* By the clocks the later one may be the earlier one. */
static bool is_unsure(const struct query *query, uint32_t before, uint32_t after)
{
	const struct clock_room *room = query->corrections ? &query->corrections->room : NULL;
	const struct clock_place a = clock_place_of(room, query->trace, query->base, before);
	const struct clock_place b = clock_place_of(room, query->trace, query->base, after);
	const int64_t apart = trace_event_time(query->trace, query->base, after) -
			      trace_event_time(query->trace, query->base, before);

	return a.known && b.known && (double)apart + clock_room_between(room, &a, &b).low <= 0;
}

/* How the location came to the collective: its place among the members, and who was the last. */
static void add_arrival(struct str *out, const struct query *query, const struct collective *c,
			const struct member *here)
{
	const struct trace *trace = query->trace;
	uint32_t before = 0, known = 0, last;
	int64_t mine, latest;

	if (here->begin == EVENT_NONE || c->members > MEMBERS_READ)
		return;
	mine = trace_event_time(trace, query->base, here->begin);
	for (uint32_t i = 0; i < c->members; i++) {
		const uint32_t begin = trace_member(trace, c->first + i)->begin;

		known += begin != EVENT_NONE;
		before += begin != EVENT_NONE && trace_event_time(trace, query->base, begin) < mine;
	}
	if (known < 2)
		return;
	last = collective_last(trace, query->base, c);
	latest = trace_event_time(trace, query->base, last);
	if (latest == mine) {
		str_add_fmt(out, "  entered last of %u", known);
		return;
	}
	str_add_fmt(out, "  entered %u of %u, last: ", before + 1, known);
	rank_name(trace_location(trace, trace_event_location(trace, last))->rank, "unknown rank",
		  out);
	str_add(out, ", ");
	units_human_time(out, latest - mine, trace_scale(trace), 3);
	str_add(out, " later");
	if (is_unsure(query, here->begin, last))
		str_add(out, " (uncertain)");
}

static void add_collective(struct str *out, const struct timeline_item *item,
			   const struct query *query)
{
	const struct trace *trace = query->trace;
	const struct member *here = trace_member(trace, item->member);
	const struct collective *c =
		trace_collective(trace, trace_member_collective(trace, item->member));
	const char *comm = trace_string(trace, trace_comm(trace, c->comm)->name);

	if (c->comm) {
		str_add(out, *comm ? "  " : "  communicator");
		str_add_clean_text(out, comm);
		str_add_char(out, ',');
	}
	add_arrival(out, query, c, here);
	if (c->root >= 0) {
		str_add(out, ", root ");
		rank_name(c->root, "unknown rank", out);
	}
	if (here->sent != UINT64_MAX && here->sent) {
		str_add(out, ", sends ");
		units_bytes(out, here->sent);
	}
	if (here->received != UINT64_MAX && here->received) {
		str_add(out, ", receives ");
		units_bytes(out, here->received);
	}
}

/* ---- the way there ---- */

/* "sweep.c:141 sweep() <- inner() <- main()": where it was called, or is, innermost first. */
static void add_callers(struct str *out, const struct trace *trace, uint32_t path)
{
	const struct site *site = trace_site(trace, trace_callpath(trace, path)->site);
	const struct region *region = trace_region(trace, site->region);
	const bool called = site->file != 0 && trace_callpath(trace, path)->depth > 1;
	const char *arrow = "";

	if (called)
		path = trace_callpath(trace, path)->parent;
	if (words_source(trace, site->file || called ? site->file : region->file,
			 site->file ? site->line : region->line, out))
		str_add_char(out, ' ');
	if (!called && trace_callpath(trace, path)->depth > 1 && region->cls != CLASS_USER)
		path = trace_callpath(trace, path)->parent;
	for (; trace_callpath(trace, path)->depth; path = trace_callpath(trace, path)->parent) {
		str_add(out, arrow);
		words_caller(trace, trace_callpath_region(trace, path), out);
		arrow = " <- ";
	}
}

static void add_event_text(struct str *out, const struct trace *trace, uint32_t event)
{
	OWNED_STR text = STR_INIT;

	event_content(trace, event, &text);
	if (text.n)
		str_add_fmt(out, ": %s", text.text);
}

void timeline_item_text(const struct timeline_item *item, const struct query *query,
			struct str *what, struct str *where)
{
	const struct trace *trace = query->trace;

	if (!item->known) {
		str_add(what, "no rank here");
		return;
	}
	words_location(trace, item->location, false, what);
	str_add(what, "  ");
	if (item->event != EVENT_NONE) {
		const int64_t t = trace_event_time(trace, query->base, item->event);

		str_clear(where);
		str_add(where, event_kind_name(what_kind(trace_event_what(trace, item->event))));
		str_add(where, " at ");
		if (gap_at(trace, query->base, item->location, t))
			str_add(where, GAP_MARK);
		units_human_time(where, t, trace_scale(trace), 9);
		add_event_text(where, trace, item->event);
		str_add(where, "  ");
	}
	if (item->copy != NO_ROW && item->path == 0) {
		copy_text(trace, trace_copy(trace, item->copy), what);
		return;
	}
	if (item->path == 0) {
		const struct location *l = trace_location(trace, item->location);

		if (!location_has_states(l))
			str_add(what, "only counters were recorded here");
		else if (l->type == LOCATION_ACCELERATOR)
			str_add(what, "idle: no kernel or copy is recorded here");
		else
			str_add(what, item->traced ? "outside all regions" : "not recorded");
		return;
	}
	if (!item->traced)
		str_add(what, "not recorded, in ");
	str_add_clean_text(what,
			   trace_region_name(trace, trace_callpath_region(trace, item->path)));
	str_add(what, "  ");
	add_times(what, item, query);
	if (item->message != NO_ROW)
		add_message(what, item, query);
	else if (item->member != NO_ROW)
		add_collective(what, item, query);
	if (item->more || !item->more_exact) {
		str_add(what, "  (");
		units_count(what, item->more);
		str_add(what, item->more_exact ? " more here)" : " and more here)");
	}
	add_callers(where, trace, item->path);
}

/* ---- a group ---- */

static void add_share(struct str *out, uint64_t part, uint64_t all)
{
	str_add_char(out, ' ');
	units_share(out, (double)part / (double)all);
}

/* "collective 71.2 %, user 20.1 %, ...": by size, as many as there are. */
static void add_mix(struct str *out, const struct query *query, const struct timeline_mix *mix)
{
	bool said[STATE_COUNT] = { false };
	const char *between = "";

	for (;;) {
		unsigned best = STATE_COUNT;

		for (unsigned s = 0; s < STATE_COUNT; s++)
			if (!said[s] && mix->of[s] &&
			    (best == STATE_COUNT || mix->of[s] > mix->of[best]))
				best = s;
		if (best == STATE_COUNT)
			return;
		said[best] = true;
		str_add(out, between);
		timeline_state_text(query, best, out);
		add_share(out, mix->of[best], mix->all);
		between = ", ";
	}
}

static void add_group_name(struct str *out, const struct timeline_rows *rows,
			   const struct timeline_row *row)
{
	uint32_t n;

	timeline_row_members(rows, row, &n);
	if (rows->grouping.key == BY_RANGE || rows->grouping.key == BY_LIKENESS)
		str_add(out, "ranks ");
	grouping_name(&rows->grouping, rows->trace, row->group, out);
	str_add(out, "  ");
	units_count(out, n);
	str_add(out, " locations");
}

void timeline_group_text(const struct timeline_picture *p, const struct query *query, uint32_t row,
			 int64_t time, struct str *what, struct str *where)
{
	const struct timescale *units = trace_scale(query->trace);
	const int32_t nth = timeline_nth_of(p, row);
	const int64_t column = time_scale_column(&p->scale, time);
	const struct timeline_mix *mix = nth < 0 ? NULL : timeline_mix_of(p, (uint32_t)nth);
	const bool exact = nth >= 0 && timeline_sums_of(p, (uint32_t)nth) == SUMS_EXACT;
	struct span w;

	add_group_name(what, p->rows, &p->rows->list.data[row]);
	if (!mix || column < 0 || column >= p->scale.n)
		return;
	if (timeline_sums_of(p, (uint32_t)nth) == SUMS_NONE) {
		str_add(what, "  still being summed");
		return;
	}
	mix += column;
	w = time_scale_window(&p->scale, (int)column);
	str_add(what, "  ");
	units_span(what, w.t0, w.t1, units, 3);
	if (mix->all == 0)
		return;
	str_add(what, "  ");
	add_mix(what, query, mix);
	for (unsigned s = 0; s < STATE_COUNT; s++) {
		if (!mix->of[s])
			continue;
		str_add(where, where->n ? ", " : exact ? "sums: " : "approximate: ");
		timeline_state_text(query, s, where);
		str_add_char(where, ' ');
		units_human_time(where, (int64_t)mix->of[s], units, 4);
	}
}
