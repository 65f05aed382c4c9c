#include "capture/lib/open.h"

#include "capture/lib/virtual.h"

void tv_write_left(struct tv_thread *t, const struct tv_frame *f, uint64_t now)
{
	uint64_t what, *at;
	uint32_t slot;

	if (f->flags & TV_FRAME_USER) {
		tv_write(t, now, TV_USER_LEAVE, 0, 0, (uint32_t)f->site);
		return;
	}
	what = f->flags & TV_FRAME_SITE
		       ? f->entry->what
		       : tv_function_make(f->site, f->flags & TV_FRAME_GUARDED ? TV_GUARDED : 0);
	at = tv_visit_room(t, f->entry, what, &slot);
	if (at)
		tv_visit_commit(t, f->entry, at, TV_WORD_LEFT, slot, now);
}

uint64_t tv_row_now(void)
{
	return tv.virtual_time && tv.statistics ? tv_virtual_now() : tv_now();
}

uint64_t tv_row_time_slow(void)
{
	if (tv.virtual_time)
		tv_virtual_probe(0);
	return tv_row_now();
}

void tv_visit_missed(void)
{
	if (!tv.file->functions_stopped)
		tv.file->functions_stopped = tv_now();
}

uint64_t *tv_visit_define(struct tv_thread *t, struct tv_entry *entry, uint64_t what, uint64_t *at)
{
	struct tv_wording *w = &t->wording;

	if ((what & 0xff) == TV_FUNCTION_ENTER)
		what = tv_function_make(entry->place ? entry->place
						     : tv_lasting(t, tv_function_address(what)),
					what & TV_GUARDED);
	/* The spare entry is that of several functions. */
	if (entry == t->rows.spare || w->slots == TV_WORD_SLOTS)
		return tv_words_slot(w, at, what, 0, 0, &w->found);
	entry->stamp = w->stamp;
	entry->slot = w->found = w->slots++;
	return tv_words_define(w, at, w->found, &(struct tv_contents){ .what = what });
}

void tv_close_lost(struct tv_thread *t, uint32_t depth, uint64_t now, bool events)
{
	while (t->rows.depth > depth) {
		const struct tv_frame *f = tv_top(&t->rows);
		if (events && f->flags & TV_FRAME_WRITTEN)
			tv_write_left(t, f, now);
		tv_close(t, now, TV_STAT_LOST);
	}
}

uint64_t tv_begun_in(const struct tv_frame *below, uint64_t caller)
{
	uint64_t place = 0;

	if (below && below->flags & TV_FRAME_SITE)
		place = tv_site_place((const struct tv_site *)(uintptr_t)below->site);
	else if (below && (below->flags & TV_FRAME_USER || !caller))
		place = below->site;
	return place ? place : caller;
}

uint32_t tv_depth_of(const struct tv_rows *rows, uint64_t site)
{
	for (uint32_t depth = rows->depth; depth > 0; depth--)
		if (rows->stack[depth - 1].site == site)
			return depth;
	return 0;
}

static bool on_stack(const struct tv_rows *rows, uintptr_t frame)
{
	return frame >= rows->low && frame < rows->high;
}

void tv_longjmp(struct tv_thread *t, uintptr_t frame)
{
	const struct tv_rows *rows = &t->rows;
	uint32_t depth = rows->depth;

	if (!on_stack(rows, frame))
		return;
	while (depth && on_stack(rows, rows->stack[depth - 1].frame) &&
	       rows->stack[depth - 1].frame < frame)
		depth--;
	if (depth < rows->depth)
		tv_close_lost(t, depth, tv_probe_time(t), true);
}

void tv_close_all(struct tv_thread *t, uint64_t now)
{
	tv_close_lost(t, 0, now, false);
}
