/* Children of a builder: events of different locations appended by different threads.
 *
 * Blocks and their times are the parent's from the start (a child takes them in runs, under a
 * lock): nothing that grows with the events is copied. Rows of messages, details and so on are a
 * child's own. The join goes through each location's events in the order of the calls and moves the
 * rows they name to where they belong: after those of all locations before it; the blocks are put
 * in the same order. So only the numbers of texts, which no one sees, depend on who fed what.
 *
 * A row that has been moved says where it went: in `send` of messages and receives, in
 * `collective` of parts. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/jobs.h"
#include "model/build/build.h"

struct builder *builder_fork(struct builder *b)
{
	struct rlimit limit;
	struct builder *child;

	assert(!b->parent);
	/* Address space is limited: leave all of it to the parent. */
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		return NULL;
	child = xcalloc(1, sizeof *child);
	pthread_mutex_init(&child->growing, NULL);
	requests_init(&child->requests);
	child->trace = xcalloc(1, sizeof *child->trace);
	store_slabs_init(child->trace);
	build_slabs_init(child);
	if (!strings_init(&child->trace->strings, NULL)) {
		builder_abandon(child);
		return NULL;
	}
	build_slabs_join(child, b->trace->pool);
	child->home = b->trace;
	child->parent = b;
	/* Text 0 is "" in both; the parent has fewer. */
	child->strings_before = INT32_MAX;
	child->stand_ins.first_site = child->stand_ins.first_region = UINT32_MAX;
	child->err = b->err;
	builder_fork_locations(child);
	b->children++;
	return child;
}

void builder_fork_locations(struct builder *child)
{
	const size_t n = child->parent ? child->parent->tails.n : 0;

	vec_reserve(&child->tails, n);
	vec_reserve(&child->tally, n);
	while (child->tails.n < n) {
		struct tail *tail = vec_add(&child->tails);
		tail->last = INT64_MIN;
		tail->part = UINT32_MAX;
		vec_add(&child->tally);
	}
}

void builder_stand_in(struct builder *child, const struct builder_stand_ins *ids)
{
	child->stand_ins = *ids;
}

size_t builder_fork_texts(const struct builder *child)
{
	return child->trace->strings.start.n - 1;
}

const char *builder_fork_text(const struct builder *child, size_t i)
{
	return strings_get(&child->trace->strings, (uint32_t)i + 1);
}

/* ---- joining ---- */

struct join {
	struct builder *b;
	struct builder **children;
	uint32_t **texts; /* [child][text of its own] id in the parent */
	struct place {
		uint32_t child; /* UINT32_MAX: no child fed the location */
		uint64_t first[ROW_KINDS];
	} * places;                /* [location] */
	uint64_t first[ROW_KINDS]; /* rows that the parent has itself */
	uint64_t all[ROW_KINDS];
};

enum { PAGE = 4096 };

/* A location of a child while its rows move to the parent. */
struct mover {
	struct builder *b, *child;
	const uint32_t *texts;
	uint64_t at[ROW_KINDS]; /* next row in the parent's tables */
	/* Rows in the child's tables, from the first one on (of messages, receives and parts). */
	uint32_t low[ROW_KINDS], high[ROW_KINDS];
};

static void note(struct mover *m, enum row_kind kind, uint32_t id)
{
	if (m->low[kind] == UINT32_MAX)
		m->low[kind] = id;
	m->high[kind] = id;
}

static uint32_t text_of(const struct mover *m, uint32_t text)
{
	const uint32_t before = m->child->strings_before;

	return text <= before ? text : m->texts[text - before];
}

static uint32_t site_of(const struct mover *m, uint32_t site)
{
	const struct builder_stand_ins *ids = &m->child->stand_ins;

	return site < ids->first_site ? site : ids->sites[site - ids->first_site];
}

static uint32_t region_of(const struct builder *child, uint32_t region)
{
	const struct builder_stand_ins *ids = &child->stand_ins;

	return region < ids->first_region ? region : ids->regions[region - ids->first_region];
}

static uint32_t move_message(struct mover *m, uint32_t id)
{
	struct message *from = store_message(m->child->trace, id);
	const uint32_t to = (uint32_t)m->at[ROW_MESSAGE]++;

	note(m, ROW_MESSAGE, id);
	*store_message(m->b->trace, to) = *from;
	from->send = to;
	return to;
}

static uint32_t move_recv(struct mover *m, uint32_t id)
{
	struct message *from = build_recv(m->child, id);
	uint32_t to;

	if (from->flags & RECV_CLOSED) /* closed together with its request */
		return from->send;
	to = (uint32_t)m->at[ROW_RECV]++;
	note(m, ROW_RECV, id);
	*build_recv(m->b, to) = *from;
	from->flags |= RECV_CLOSED;
	from->send = to;
	return to;
}

static uint32_t move_ref(struct mover *m, uint32_t id)
{
	const uint32_t ref = m->child->refs.data[id];
	const uint32_t row = ref >> REQUEST_KIND_BITS, kind = ref & REQUEST_KIND_MASK;
	const uint32_t moved = kind == REQUEST_RECV ? build_recv(m->child, row)->send
						    : store_message(m->child->trace, row)->send;
	const uint32_t to = (uint32_t)m->at[ROW_REF]++;

	m->b->refs.data[to] = moved << REQUEST_KIND_BITS | kind;
	return to;
}

static uint32_t move_part(struct mover *m, uint32_t id)
{
	struct part *from = build_part(m->child, id);
	const uint32_t to = (uint32_t)m->at[ROW_PART]++;

	note(m, ROW_PART, id);
	*build_part(m->b, to) = *from;
	build_part(m->b, to)->region = region_of(m->child, from->region) & INT32_MAX;
	*store_member(m->b->trace, to) = *store_member(m->child->trace, id);
	from->collective = to;
	return to;
}

static uint32_t move_record(struct mover *m, uint32_t id)
{
	struct record record = m->child->trace->records.data[id];
	const uint32_t to = (uint32_t)m->at[ROW_RECORD]++;

	record.text = text_of(m, record.text);
	record.site = site_of(m, record.site);
	m->b->trace->records.data[to] = record;
	return to;
}

static uint32_t move_detail(struct mover *m, uint32_t id)
{
	const struct trace *rows = m->child->trace;
	struct detail detail = *trace_detail(rows, id);
	const uint64_t *from = trace_detail_values(rows, &detail);
	uint64_t *to = store_value(m->b->trace, m->at[ROW_VALUE]);
	const uint32_t row = (uint32_t)m->at[ROW_DETAIL]++;

	detail.first = m->at[ROW_VALUE];
	m->at[ROW_VALUE] += detail.n;
	for (uint32_t i = 0; i < detail.n; i++)
		to[i] = detail_is_text(&detail, i) && from[i] < UINT32_MAX
				? text_of(m, (uint32_t)from[i])
			: detail_is_site(&detail, i) && from[i] < UINT32_MAX
				? site_of(m, (uint32_t)from[i])
				: from[i];
	*store_detail(m->b->trace, row) = detail;
	return row;
}

static uint32_t moved_id(struct mover *m, enum event_kind kind, uint32_t id)
{
	switch (kind) {
	case EV_ENTER:
	case EV_LEAVE:
	case EV_STRAY_LEAVE:
	case EV_MARK:
	case EV_TRACING_ON:
	case EV_TRACING_OFF: return site_of(m, id);
	case EV_SEND: return move_message(m, id);
	case EV_SEND_COMPLETE: return store_message(m->child->trace, id)->send;
	case EV_RECV_REQUEST:
	case EV_RECV: return move_recv(m, id);
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: return move_ref(m, id);
	case EV_COLLECTIVE_BEGIN: return move_part(m, id);
	case EV_COLLECTIVE_END: return build_part(m->child, id)->collective;
	case EV_DATA:
	case EV_MESSAGE_TEXT:
	case EV_STATISTICS:
	case EV_IO: return move_record(m, id);
	default: return move_detail(m, id);
	}
}

/* Frees the rows that have been moved, if they are contiguous: otherwise all rows of all children
 * would be in memory twice. */
static void give_back(const struct mover *m, uint32_t location, enum row_kind kind,
		      const struct slab *slab, size_t size)
{
	const uint64_t n = m->child->tally.data[location].rows[kind];
	size_t from, to;

	if (n == 0 || m->high[kind] - m->low[kind] + 1 != n)
		return;
	from = (m->low[kind] * size + PAGE - 1) / PAGE * PAGE;
	to = (m->low[kind] + n) * size / PAGE * PAGE;
	if (from < to)
		madvise(slab->data + from, to - from, MADV_DONTNEED);
}

static void move_location(void *context, unsigned worker, size_t location)
{
	struct join *join = context;
	const struct place *place = &join->places[location];
	const struct trace *home = join->b->trace;
	const struct block_ids *list = &home->lists.data[location];
	struct mover m = { .b = join->b };
	uint64_t rows = 0;

	(void)worker;
	if (place->child == UINT32_MAX)
		return;
	m.child = join->children[place->child];
	m.texts = join->texts[place->child];
	memcpy(m.at, place->first, sizeof m.at);
	memset(m.low, 0xff, sizeof m.low);
	for (int kind = 0; kind < ROW_KINDS; kind++)
		rows += m.child->tally.data[location].rows[kind];
	if (rows == 0 && m.child->stand_ins.first_site == UINT32_MAX)
		return;
	for (size_t i = 0; i < list->n; i++) {
		struct block *block = store_block(home, list->data[i]);
		store_prefetch(home, BASE_MEASURED, list, i + 2);
		for (uint32_t slot = 0; slot < block->n; slot++) {
			const enum event_kind kind = what_kind(block->what[slot]);
			const uint32_t id = what_id(block->what[slot]);
			if (id != ID_NONE || kind == EV_ENTER)
				block->what[slot] = what_make(kind, moved_id(&m, kind, id));
		}
	}
	give_back(&m, (uint32_t)location, ROW_MESSAGE, &m.child->trace->messages,
		  sizeof(struct message));
	give_back(&m, (uint32_t)location, ROW_RECV, &m.child->recvs, sizeof(struct message));
	give_back(&m, (uint32_t)location, ROW_PART, &m.child->parts, sizeof(struct part));
	give_back(&m, (uint32_t)location, ROW_PART, &m.child->trace->members,
		  sizeof(struct member));
}

/* Room for n more rows of `size` bytes each. */
static bool grow(struct builder *b, struct slab *slab, uint64_t n, size_t size)
{
	return n == 0 || slab_extend(slab, n * size, &b->err);
}

static bool grow_tables(struct join *join)
{
	struct builder *b = join->b;
	struct trace *trace = b->trace;
	uint64_t *all = join->all, more[ROW_KINDS];

	for (int kind = 0; kind < ROW_KINDS; kind++) {
		more[kind] = all[kind] - join->first[kind];
		if (kind != ROW_VALUE && all[kind] > ID_NONE)
			return err_set(&b->err, STATUS_IO,
				       "%s has more messages, collectives or events with data than "
				       "tview can hold (2^27); load a part of it with --ranks or "
				       "--time",
				       trace->path);
	}
	vec_reserve(&b->refs, more[ROW_REF]);
	vec_reserve(&trace->records, more[ROW_RECORD]);
	b->refs.n += more[ROW_REF];
	trace->records.n += more[ROW_RECORD];
	return grow(b, &trace->messages, more[ROW_MESSAGE], sizeof(struct message)) &&
	       grow(b, &b->recvs, more[ROW_RECV], sizeof(struct message)) &&
	       grow(b, &b->parts, more[ROW_PART], sizeof(struct part)) &&
	       grow(b, &trace->members, more[ROW_PART], sizeof(struct member)) &&
	       grow(b, &trace->details, more[ROW_DETAIL], sizeof(struct detail)) &&
	       grow(b, &trace->values, more[ROW_VALUE], sizeof(uint64_t));
}

/* Decides where each location's rows go, and takes back the tails. */
static void place_locations(struct join *join, size_t n)
{
	struct builder *b = join->b;

	for (uint32_t l = 0; l < b->tails.n; l++) {
		struct place *place = &join->places[l];
		place->child = UINT32_MAX;
		for (uint32_t c = 0; c < n; c++) {
			const struct builder *child = join->children[c];
			if (l >= child->tails.n || !child->tails.data[l].block)
				continue;
			assert(place->child == UINT32_MAX && !b->tails.data[l].block);
			place->child = c;
			b->tails.data[l] = child->tails.data[l];
			b->tails.data[l].part = UINT32_MAX;
			for (int kind = 0; kind < ROW_KINDS; kind++) {
				place->first[kind] = join->all[kind];
				join->all[kind] += child->tally.data[l].rows[kind];
			}
		}
	}
}

static void join_texts(struct join *join, uint32_t c)
{
	struct builder *b = join->b;
	const struct strings *own = &join->children[c]->trace->strings;
	uint32_t *texts = xmalloc(own->start.n * sizeof *texts);

	for (uint32_t i = 0; i < own->start.n; i++) {
		const char *text = strings_get(own, i);
		texts[i] = builder_string(b, text, strings_length(own, i));
	}
	join->texts[c] = texts;
}

/* OTF2's types of attributes whose value is a string, or a site. */
enum { ATTRIBUTE_STRING = 11, ATTRIBUTE_SITE = 21 };

static void join_attributes(struct mover *m)
{
	struct trace *home = m->b->trace;
	const struct event_attribute *a;

	vec_each (a, &m->child->trace->attributes) {
		struct event_attribute attribute = *a;
		const struct detail *detail = &home->objects.data[a->object].detail;
		const uint64_t type = detail->n > 1 ? trace_detail_values(home, detail)[1] : 0;
		if (type == ATTRIBUTE_STRING && a->value < UINT32_MAX)
			attribute.value = text_of(m, (uint32_t)a->value);
		else if (type == ATTRIBUTE_SITE && a->value < UINT32_MAX)
			attribute.value = site_of(m, (uint32_t)a->value);
		vec_push(&home->attributes, attribute);
	}
}

static void join_event_texts(const struct mover *m, struct event_texts *to,
			     const struct event_texts *from)
{
	const struct event_text *text;

	vec_each (text, &from->rows)
		vec_push(&to->rows, ((struct event_text){ text->event, text_of(m, text->text) }));
}

static void join_child(struct join *join, uint32_t c)
{
	struct builder *child = join->children[c];
	struct mover m = { .b = join->b, .child = child, .texts = join->texts[c] };
	struct trace *home = join->b->trace;
	const struct finding *f;

	join_event_texts(&m, &home->extras, &child->trace->extras);
	join_event_texts(&m, &home->time_texts, &child->trace->time_texts);
	join_attributes(&m);
	vec_each (f, &child->trace->findings)
		store_finding_join(home, f);
}

static bool join_rows(struct join *join, size_t n)
{
	for (uint32_t c = 0; c < n; c++)
		join_texts(join, c);
	if (builder_failed(join->b))
		return false;
	jobs_run((unsigned)n, join->b->tails.n, move_location, join);
	for (uint32_t c = 0; c < n; c++)
		join_child(join, c);
	return true;
}

static void count_own(struct join *join)
{
	const struct builder *b = join->b;

	join->first[ROW_MESSAGE] = store_message_count(b->trace);
	join->first[ROW_RECV] = build_recv_count(b);
	join->first[ROW_PART] = build_part_count(b);
	join->first[ROW_REF] = b->refs.n;
	join->first[ROW_RECORD] = b->trace->records.n;
	join->first[ROW_DETAIL] = trace_detail_count(b->trace);
	join->first[ROW_VALUE] = store_value_count(b->trace);
	memcpy(join->all, join->first, sizeof join->all);
}

static void leave_requests(struct builder *child, struct builder *b)
{
	struct request_end *end;

	vec_each (end, &child->ended)
		end->part.region = region_of(child, end->part.region);
	build_requests_leave(child, b);
}

bool builder_join(struct builder *b, struct builder **children, size_t n)
{
	struct join join = { .b = b, .children = children };
	bool ok = true;

	assert(b->children >= n);
	for (size_t c = 0; c < n && ok; c++) {
		assert(children[c]->parent == b);
		ok = !builder_failed(children[c]);
		if (!ok)
			err_set(&b->err, children[c]->err.status, "%s", children[c]->err.text);
	}
	join.places = xcalloc(b->tails.n, sizeof *join.places);
	join.texts = xcalloc(n, sizeof *join.texts);
	if (ok) {
		for (size_t c = 0; c < n; c++)
			leave_requests(children[c], b);
		count_own(&join);
		place_locations(&join, n);
		ok = grow_tables(&join) && join_rows(&join, n);
	}
	if (ok && b->children == n) {
		OWNED uint8_t *fed = xcalloc(b->tails.n, 1);
		for (size_t l = 0; l < b->tails.n; l++)
			fed[l] = join.places[l].child != UINT32_MAX;
		build_order_blocks(b, fed);
	}
	for (size_t c = 0; c < n; c++) {
		free(join.texts[c]);
		vec_fini(&children[c]->tails); /* so that its blocks stay */
		builder_abandon(children[c]);
	}
	free_all(join.texts, join.places);
	return ok;
}
