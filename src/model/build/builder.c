/* The begin and end of a builder: the steps from appended events to a finished trace. */
#include "model/build/builder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/heap.h"
#include "base/memory_bound.h"
#include "base/order.h"
#include "base/str.h"
#include "base/timesort.h"
#include "base/units.h"
#include "model/build/build.h"

void build_slabs_init(struct builder *b)
{
	enum { RECVS_BITS = 32, PARTS_BITS = 33 };

	slab_init(&b->recvs, (size_t)1 << RECVS_BITS);
	slab_init(&b->parts, (size_t)1 << PARTS_BITS);
}

void build_slabs_join(struct builder *b, struct slab_pool *pool)
{
	store_slabs_join(b->trace, pool);
	slab_join(&b->recvs, pool);
	slab_join(&b->parts, pool);
}

struct builder *builder_new(const char *path, const struct timescale *scale, struct err *err)
{
	struct builder *b = xcalloc(1, sizeof *b);

	requests_init(&b->requests);
	b->trace = store_new(path, scale, err);
	b->home = b->trace;
	pthread_mutex_init(&b->growing, NULL);
	build_slabs_init(b);
	if (!b->trace) {
		builder_abandon(b);
		return NULL;
	}
	return b;
}

void builder_use_pool(struct builder *b, struct slab_pool *pool)
{
	if (!pool)
		return;
	build_slabs_join(b, pool);
	slab_join(&b->trace->columns[BASE_MEASURED].times, pool);
	slab_join(&b->trace->columns[BASE_MEASURED].wide, pool);
	b->trace->pool = slab_pool_share(pool);
}

/* Rows of messages and collectives, as far as events tell. */
static void expect_rows(struct builder *b, uint64_t events)
{
	enum { EVENTS_OF_ROW = 20 };
	const size_t rows = (size_t)(events / EVENTS_OF_ROW);

	slab_expect(&b->trace->messages, rows * sizeof(struct message));
	slab_expect(&b->trace->members, rows * sizeof(struct member));
	slab_expect(&b->trace->collectives, rows / 4 * sizeof(struct collective));
	slab_expect(&b->recvs, rows * sizeof(struct message));
	slab_expect(&b->parts, rows * sizeof(struct part));
}

void builder_expect(struct builder *b, uint64_t events)
{
	enum { MOST = 1 << 30, HEAP_BYTES = 8 /* of an event, measured: 3 to 6 */ };
	const uint64_t n = events < MOST ? events : MOST;

	heap_expect((size_t)n * HEAP_BYTES);
	slab_expect(&b->trace->blocks, (size_t)n * sizeof(uint32_t));
	slab_expect(&b->trace->columns[BASE_MEASURED].times, (size_t)n * sizeof(uint32_t));
	expect_rows(b, n);
}

static void matching_free(struct builder *b)
{
	slab_fini(&b->recvs);
	slab_fini(&b->parts);
	vec_fini(&b->refs);
	requests_fini(&b->requests);
	vec_fini(&b->begun);
	vec_fini(&b->ended);
	vec_fini(&b->tally);
	free_all(b->send_order, b->recv_order, b->far);
}

/* Removes what the child appended from the parent's lists. */
static void leave_parent(const struct builder *child)
{
	child->parent->children--;
	for (size_t l = 0; l < child->tails.n; l++)
		if (child->tails.data[l].block)
			child->home->lists.data[l].n = 0;
}

void builder_abandon(struct builder *b)
{
	if (!b)
		return;
	if (b->parent)
		leave_parent(b);
	matching_free(b);
	vec_fini(&b->tails);
	vec_fini(&b->topology_rows);
	vec_fini(&b->found_by_all);
	keymap_fini(&b->regions);
	keymap_fini(&b->sites);
	keymap_fini(&b->locations);
	keymap_fini(&b->pairs);
	trace_free(b->trace);
	pthread_mutex_destroy(&b->growing);
	free(b);
}

bool builder_failed(const struct builder *b)
{
	return b->err.status != 0;
}

/* The slabs go to a file; what cannot do so is told by its numbers. */
static bool has_room(struct builder *b)
{
	const struct trace *home = b->home;
	OWNED_STR allowed = STR_INIT;

	if (!memory_is_short())
		return true;
	units_bytes(&allowed, memory_bound_bytes());
	return err_set(&b->err, STATUS_IO,
		       "%s does not fit into the %s that --max-mem (or ulimit -d) allows: so far "
		       "it has %zu locations, %zu regions, %zu call sites and %zu requests without "
		       "an end; --ranks and --time load less",
		       home->path, allowed.text, home->locations.n, home->regions.n, home->sites.n,
		       b->requests.n);
}

bool builder_step(struct builder *b, const struct progress *progress, const char *what,
		  uint64_t done, uint64_t all)
{
	if (!has_room(b))
		return false;
	if (progress && progress->look)
		progress->look(progress->context, b);
	return progress_step(progress, what, done, all);
}

bool builder_keep(struct builder *b, const struct progress *progress, uint64_t done, uint64_t all)
{
	OWNED_STR text = STR_INIT;

	if (progress_dropped(progress))
		return false;
	str_add(&text, "stopped ");
	if (all) {
		str_add_fmt(&text, "at %d %%",
			    done < all ? (int)(100 * (double)done / (double)all) : 100);
	} else {
		str_add(&text, "after ");
		units_bytes(&text, done);
	}
	builder_partial(b, text.text);
	return true;
}

/* ---- the end ---- */

ORDERING_OF_NUMBERS(by_value, int32_t)

/* First locations of the ranks; and the world, unless the file said which ranks are in it. */
static void name_ranks(struct builder *b)
{
	struct trace *trace = b->trace;
	OWNED int32_t *ranks = xmalloc(trace->locations.n * sizeof *ranks);
	uint32_t n = 0, processes = 0;

	for (uint32_t i = 0; i < trace->locations.n; i++) {
		const struct location *l = &trace->locations.data[i];
		uint32_t *first;
		build_name_location(b, i);
		if (l->rank == RANK_UNKNOWN)
			continue;
		first = keymap_add(&trace->rank_location, KEY_OF((uint32_t)l->rank));
		if (*first == UINT32_MAX) {
			*first = i;
			if (l->rank != RANK_HOST)
				ranks[n++] = l->rank;
		} else {
			processes += l->process != trace->locations.data[*first].process;
			if (l->thread < trace->locations.data[*first].thread)
				*first = i;
		}
	}
	if (exchange_any(trace->exchange, trace->messages.size + b->recvs.size > 0))
		store_finding(
			trace, FINDING_GUESS, "several-processes", 0, processes,
			"a processor has several processes: messages are matched by processor "
			"only");
	if (!b->world_given) {
		SORT(ranks, n, by_value);
		builder_world(b, ranks, n);
	}
	if (trace->comms.data[0].name == 0)
		trace->comms.data[0].name = builder_string(b, "world", 5);
}

static int64_t event_of_text(const void *row)
{
	return ((const struct event_text *)row)->event;
}

static int64_t event_of_attribute(const void *row)
{
	return ((const struct event_attribute *)row)->event;
}

static int64_t time_of_marker(const void *row)
{
	return ((const struct marker *)row)->time;
}

/* Sorts n rows, stably: the attributes of one event stay in their order. */
static void order_rows(void *rows, size_t n, size_t size, int64_t (*key)(const void *row))
{
	char *row = rows, *ordered;
	struct timed *places;
	bool sorted = true;

	for (size_t i = 1; i < n && sorted; i++)
		sorted = key(row + (i - 1) * size) <= key(row + i * size);
	if (sorted)
		return;
	places = xmalloc(2 * n * sizeof *places);
	ordered = xmalloc(n * size);
	for (size_t i = 0; i < n; i++)
		places[i] = (struct timed){ key(row + i * size), (uint32_t)i, 0 };
	timed_sort(places, places + n, n);
	for (size_t i = 0; i < n; i++)
		memcpy(ordered + i * size, row + places[i].a * size, size);
	memcpy(rows, ordered, n * size);
	free_all(places, ordered);
}

#define ORDER_ROWS(v, key) order_rows((v)->data, (v)->n, sizeof *(v)->data, key)

static void count_events(struct builder *b)
{
	struct trace *trace = b->trace;

	for (uint32_t l = 0; l < trace->locations.n; l++) {
		const struct block_ids *list = &trace->lists.data[l];
		if (list->n == 0)
			continue;
		trace->locations.data[l].events =
			(uint64_t)(list->n - 1) * BLOCK_EVENTS + b->tails.data[l].block->n;
		trace->events += trace->locations.data[l].events;
	}
}

static bool finish(struct builder *b, const struct builder_options *options,
		   const struct progress *progress, struct err *err)
{
	struct trace *trace = b->trace;

	assert(b->children == 0);
	trace->jobs = options->jobs;
	store_finding_sort(trace);
	name_ranks(b);
	store_order_offsets(trace);
	build_findings_apart(b);
	count_events(b);
	if (b->ended.n)
		build_requests_leave(b, b);
	if (!progress_step(progress, "sorting", 0, trace->events) || !build_arrange(b, err))
		return false;
	build_hand_over(b);
	if (!progress_step(progress, "matching", 0, trace->events) || !build_match(b, err) ||
	    !build_gather(b, err) || !build_nest(b, options, progress, err) ||
	    !build_share_calls(b, err))
		return false;
	builder_share_findings(b);
	store_finding_sort(trace);
	build_share_locations(b);
	build_tell_unended(trace);
	matching_free(b);
	memset(&b->recvs, 0, sizeof b->recvs);
	memset(&b->parts, 0, sizeof b->parts);
	memset(&b->requests, 0, sizeof b->requests);
	b->send_order = b->recv_order = NULL;
	b->far = NULL;
	ORDER_ROWS(&trace->extras.rows, event_of_text);
	ORDER_ROWS(&trace->time_texts.rows, event_of_text);
	ORDER_ROWS(&trace->attributes, event_of_attribute);
	ORDER_ROWS(&trace->markers, time_of_marker);
	build_statements(trace);
	if (options->only_written)
		return true;
	build_gaps(trace);
	build_copies(trace);
	if (!progress_step(progress, "indexing", 0, trace->events))
		return false;
	order_make(&trace->message_order[BASE_MEASURED], trace, BASE_MEASURED, false);
	order_make(&trace->collective_order[BASE_MEASURED], trace, BASE_MEASURED, true);
	return true;
}

struct trace *builder_finish(struct builder *b, const struct builder_options *options,
			     const struct progress *progress, struct err *err)
{
	static const struct builder_options defaults = { .jobs = 1 };
	const struct progress whole = progress_whole(progress);
	struct trace *trace = NULL;

	if (builder_failed(b)) {
		err_set(err, b->err.status, "%s", b->err.text);
	} else if (finish(b, options ? options : &defaults, &whole, &b->err)) {
		trace = b->trace;
		b->trace = NULL;
		slab_trim(&trace->blocks);
		slab_trim(&trace->messages);
		slab_trim(&trace->columns[BASE_MEASURED].times);
	} else if (builder_failed(b)) {
		err_set(err, b->err.status, "%s", b->err.text);
	}
	builder_abandon(b);
	return trace;
}
