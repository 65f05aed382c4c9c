/* Rows by place and time become events: complete events are entered and left, over a stack of open
 * ones. An event that ends after the one it is in ends there, too. */
#include <string.h>

#include "base/order.h"
#include "model/chrome/chrome_state.h"
#include "model/meaning/meaning.h"
#include "model/trace/copy.h"

struct open {
	int64_t end;
	uint32_t site;
	bool begun; /* by B */
	bool collective;
	uint64_t bytes; /* of a collective */
	uint64_t copy;  /* number of a copy, 0: none */
};

struct feeding {
	struct chrome_reading *c;
	uint32_t location;
	int64_t zero; /* times of the trace begin with 0 */
	bool in_collective;
	uint64_t copies;
	uint32_t window; /* of copies; UINT32_MAX: not made */
	VEC(struct open) open;
};

static int by_place_and_time(const void *a, const void *b)
{
	const struct chrome_row *x = a, *y = b;

	ORDER_BY(x->place, y->place);
	ORDER_BY(x->time, y->time);
	ORDER_BY(x->kind != ROW_COMPLETE, y->kind != ROW_COMPLETE);
	if (x->kind == ROW_COMPLETE)
		ORDER_BY(y->end, x->end);
	return ORDER(x->nth, y->nth);
}

static int64_t limit_of(const struct feeding *f)
{
	return f->open.n ? vec_last(&f->open)->end : INT64_MAX;
}

static void leave(struct feeding *f, int64_t time)
{
	const struct open last = vec_pop(&f->open);

	if (last.collective) {
		builder_collective_end(f->c->builder, f->location, time - f->zero, last.bytes,
				       UINT64_MAX);
		f->in_collective = false;
	}
	if (last.copy)
		builder_detail(f->c->builder, f->location, time - f->zero,
			       DETAIL_RMA_OP_COMPLETE_BLOCKING,
			       (const uint64_t[]){ f->window, last.copy }, 2);
	builder_leave(f->c->builder, f->location, time - f->zero, last.site);
}

static void leave_until(struct feeding *f, int64_t time)
{
	while (f->open.n && vec_last(&f->open)->end <= time) {
		const struct open *last = vec_last(&f->open);
		leave(f, last->end);
	}
}

static uint32_t calls_before(struct builder *b)
{
	enum { UINT64_OF_OTF2 = 4 };

	return builder_object(b, OBJECT_ATTRIBUTE,
			      builder_string(b, CALLS_BEFORE, sizeof CALLS_BEFORE - 1),
			      (const uint64_t[]){ 0, UINT64_OF_OTF2 }, 2);
}

/* Its root is not known. */
static void begin_collective(struct feeding *f, const struct chrome_row *row)
{
	struct builder *b = f->c->builder;
	const uint32_t *before;
	const uint32_t region = builder_site_region(b, row->what);
	const char *name = builder_text(b, builder_region_of(b, row->what)->name);
	const enum collective_kind kind =
		meaning_of_region(name, CLASS_COUNT, 0, PARADIGM_UNKNOWN).collective;

	builder_collective_begin(b, f->location, row->time - f->zero,
				 f->c->groups.data[row->tag].comm, region,
				 collective_has_root(kind) ? RANK_UNKNOWN : -1, row->value,
				 UINT64_MAX);
	f->in_collective = true;
	before = f->c->before_of.n ? keymap_find(&f->c->before_of, KEY_OF(row->nth)) : NULL;
	if (before)
		builder_attribute(b, f->location, calls_before(b), *before);
}

static void make_window(struct feeding *f)
{
	if (f->window == UINT32_MAX)
		f->window = builder_object(f->c->builder, OBJECT_RMA_WINDOW,
					   builder_string(f->c->builder, "copies", 6),
					   (const uint64_t[]){ 0, 0 }, 2);
}

static uint64_t begin_copy(struct feeding *f, const struct chrome_row *row)
{
	make_window(f);
	builder_detail(f->c->builder, f->location, row->time - f->zero,
		       row->copy == CHROME_TO_DEVICE ? DETAIL_RMA_GET : DETAIL_RMA_PUT,
		       (const uint64_t[]){ f->window, 0, row->value, ++f->copies }, 4);
	return f->copies;
}

static void enter(struct feeding *f, const struct chrome_row *row, int64_t end, bool begun)
{
	const int64_t limit = limit_of(f);
	struct open open = { .end = end < limit ? end : limit, .site = row->what, .begun = begun };

	if (!begun && end > limit)
		f->c->counts.overlapping++;
	builder_enter(f->c->builder, f->location, row->time - f->zero, row->what);
	if (row->call && !f->in_collective) {
		open.collective = true;
		open.bytes = row->value;
		begin_collective(f, row);
	}
	if (row->copy && row->value != UINT64_MAX)
		open.copy = begin_copy(f, row);
	vec_push(&f->open, open);
}

/* The innermost one that a B began, and what is open inside of it. */
static void end_begun(struct feeding *f, int64_t time)
{
	size_t i = f->open.n;

	while (i > 0 && !f->open.data[i - 1].begun)
		i--;
	if (i == 0) {
		f->c->counts.no_begin++;
		return;
	}
	f->c->counts.overlapping += f->open.n - i;
	while (f->open.n >= i)
		leave(f, time);
}

static struct message_end end_of(const struct feeding *f, const struct chrome_row *row)
{
	const struct chrome_place *other = &f->c->places.data[row->what];

	return (struct message_end){ .rank = f->c->processes.data[other->process].rank,
				     .process = -1,
				     .tag = (int32_t)row->tag,
				     .bytes = row->value == UINT64_MAX ? 0 : row->value,
				     .flags = row->value == UINT64_MAX ? MSG_NO_BYTES : 0 };
}

static void feed(struct feeding *f, const struct chrome_row *row)
{
	struct builder *b = f->c->builder;
	const int64_t time = row->time - f->zero;
	const struct message_end end = row->kind == ROW_SEND || row->kind == ROW_RECV
					       ? end_of(f, row)
					       : (struct message_end){ 0 };

	switch ((enum chrome_row_kind)row->kind) {
	case ROW_COMPLETE: enter(f, row, row->end, false); break;
	case ROW_BEGIN: enter(f, row, INT64_MAX, true); break;
	case ROW_END: end_begun(f, row->time); break;
	case ROW_SEND: builder_send(b, f->location, time, &end); break;
	case ROW_RECV: builder_recv(b, f->location, time, &end); break;
	case ROW_MARK: builder_mark(b, f->location, time, row->what); break;
	case ROW_COUNTER:
		builder_detail(b, f->location, time, DETAIL_METRIC,
			       (const uint64_t[]){ row->what, row->value }, 2);
		break;
	}
}

/* What was begun and did not end stays open, as in a run that was cut off. */
static void finish_place(struct feeding *f)
{
	while (f->open.n && vec_last(&f->open)->end < INT64_MAX)
		leave_until(f, vec_last(&f->open)->end);
	f->open.n = 0;
	f->in_collective = false;
}

static int64_t first_time(const struct chrome_reading *c)
{
	const struct chrome_row *row;
	int64_t first = INT64_MAX;

	vec_each (row, &c->rows)
		if (row->time < first && !c->places.data[row->place].derived)
			first = row->time;
	return first;
}

void chrome_feed(struct chrome_reading *c)
{
	struct feeding f = { .c = c, .zero = first_time(c), .window = UINT32_MAX };
	const struct chrome_row *row;
	uint32_t place = UINT32_MAX;

	vec_sort(&c->rows, by_place_and_time);
	vec_each (row, &c->rows) {
		const uint32_t location = c->places.data[row->place].location;
		if (location == UINT32_MAX)
			continue;
		if (row->place != place)
			finish_place(&f);
		place = row->place;
		f.location = location;
		leave_until(&f, row->time);
		feed(&f, row);
	}
	finish_place(&f);
	vec_fini(&f.open);
}
