#include "capture/lib/blanks.h"

#include <string.h>

#include "capture/lib/ends.h"
#include "capture/lib/gap_tables.h"
#include "capture/lib/open.h"
#include "capture/lib/probes.h"

/* A blank segment may take so long, or twice the longest: one that loses its core for a moment is
 * one all the same. */
enum { LATE_US = 2000, ROOM_MORE = 64 };

/* Segments that had equally many records before one is blank: what is done every tenth time is
 * seen by then. */
enum { SAME_LEAST = 48 };

void tv_blank_learn(struct tv_segment_kind *k, uint64_t records)
{
	/* One without records is a kind of its own to the program. */
	if (k->seen == 0 && records)
		k->same = (uint32_t)records;
	else if (k->same != records || !records)
		k->same = TV_VARIES;
	k->seen += k->seen < UINT32_MAX;
}

void tv_gap_count(struct tv_thread *t, const struct tv_gap_count *count)
{
	struct tv_gap_tables *tables = t->gaps.tables;
	uint32_t at = 0;

	if (tables->counts > TV_GAP_COUNTS)
		return;
	while (at < tables->counts && tables->count[at].site != count->site)
		at++;
	if (at == tables->counts) {
		if (tables->counts++ == TV_GAP_COUNTS)
			return;
		tables->count[at] = (struct tv_gap_count){ count->site, 0, 0 };
	}
	tables->count[at].executions += count->executions;
	tables->count[at].iterations += count->iterations;
}

/* Room for the notes among those that are kept. */
static bool make_room(struct tv_gap_tables *tables, struct tv_gap_pattern *p, uint32_t notes)
{
	if (p->room < notes && notes + ROOM_MORE <= KEPT - tables->keeps) {
		p->first = tables->keeps;
		p->room = notes + ROOM_MORE; /* there may be more readings the next time */
		tables->keeps += p->room;
	}
	return p->room >= notes;
}

void tv_blank_keep(struct tv_thread *t, struct tv_segment_kind *k, uint64_t time)
{
	struct tv_gap_tables *tables = t->gaps.tables;
	const struct tv_segment *s = &t->segment;
	const uint32_t notes = (uint32_t)(s->note - tables->note);
	struct tv_gap_pattern *p = &k->pattern;

	tv_blank_learn(k, notes - s->readings);
	p->notes = 0;
	if (k->same == TV_VARIES || tables->counts > TV_GAP_COUNTS || tv_ends_handlers() ||
	    !make_room(tables, p, notes))
		return;
	memcpy(&tables->kept[p->first], tables->note, notes * sizeof *tables->note);
	memcpy(p->count, tables->count, tables->counts * sizeof *tables->count);
	p->counts = tables->counts;
	p->notes = notes;
	p->readings = s->readings;
	p->generation = __atomic_load_n(&tv.generation, __ATOMIC_RELAXED);
	p->begin = s->begin;
	p->took = time - s->begin;
	p->noted_from = p->from;
	p->to = t->frame;
	p->next = s->next;
	p->at = s->at;
	p->call = s->at ? *s->at : NULL;
}

bool tv_blank_may_begin(const struct tv_thread *t, const struct tv_segment_kind *k)
{
	const struct tv_gap_pattern *p = &k->pattern;

	return k->blanks < TV_BLANKS_OF_KIND && p->notes && k->same != TV_VARIES &&
	       k->seen >= SAME_LEAST && p->took && t->frame == p->noted_from &&
	       p->generation == __atomic_load_n(&tv.generation, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&tv.file->threads, __ATOMIC_RELAXED) == 1;
}

void tv_blank_begin(struct tv_thread *t, uint64_t time)
{
	t->segment.begin = t->segment.read = time;
	tv_set_mode(t, TV_BLANK);
}

static bool is_as_expected(const struct tv_thread *t, const struct tv_segment_kind *k,
			   uint64_t time)
{
	const uint64_t took = time - t->segment.begin, late = LATE_US * tv.microsecond;

	return t->frame == k->pattern.to && t->segment.next == k->pattern.next &&
	       t->serial == t->segment.serial &&
	       took <= (late > 2 * k->longest ? late : 2 * k->longest) &&
	       k->pattern.generation == __atomic_load_n(&tv.generation, __ATOMIC_RELAXED);
}

/* The notes that a gap would have had, with its readings of the clock at the times of this one. */
static void take_notes(struct tv_thread *t, const struct tv_gap_pattern *p, uint64_t time)
{
	struct tv_gap_tables *tables = t->gaps.tables;
	struct tv_segment *s = &t->segment;
	const double scale = (double)(time - s->begin) / (double)p->took;

	memcpy(tables->note, &tables->kept[p->first], p->notes * sizeof *tables->note);
	s->note = tables->note + p->notes;
	s->readings = p->readings;
	for (struct tv_note *note = tables->note; note < s->note; note++)
		if (note->what == TV_SEGMENT)
			note->with = s->begin + (uint64_t)((double)(note->with - p->begin) * scale);
	s->at = p->at;
	if (s->at)
		*s->at = p->call;
	for (uint32_t i = 0; i < p->counts; i++)
		tv_count_in_row(t, &p->count[i]);
}

bool tv_blank_end(struct tv_thread *t, struct tv_segment_kind *k, uint64_t time)
{
	if (!is_as_expected(t, k, time)) {
		k->same = TV_VARIES;
		tv_blank_give_up(t);
		return false;
	}
	tv_set_mode(t, (enum tv_mode)tv.normal);
	take_notes(t, &k->pattern, time);
	return true;
}

void tv_blank_mark(struct tv_thread *t)
{
	const struct tv_rows *rows = &t->rows;

	for (uint32_t depth = rows->depth; depth && rows->stack[depth - 1].start > t->segment.begin;
	     depth--)
		rows->stack[depth - 1].flags |= TV_FRAME_BLANK;
}

void tv_blank_give_up(struct tv_thread *t)
{
	tv_set_mode(t, (enum tv_mode)tv.normal);
	if (t->visits)
		tv_write_own(t, CALL_unrecorded, t->segment.begin);
	t->has_paused = true; /* what is open may have been left, or entered */
}
