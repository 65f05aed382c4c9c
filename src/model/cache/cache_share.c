/* A cache file that several processes write together (cache_shared.h): the first one opens the
 * draft and decides where each section is; all write their rows there, and make the orders of
 * messages and collectives from what is in the file by then; all sum up chunks; the first one
 * writes the rest, and gives the file its name. Whatever fails in one of them, there is no file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/exchange.h"
#include "model/cache/cache_shared.h"
#include "model/trace/halo.h"

/* What the first process tells the others. */
struct plan {
	bool ok, busy; /* busy: another program writes the file */
	struct cache_header header;
	VEC(struct section) sections;
	VEC(char) draft; /* name */
};

struct sharing {
	struct trace *trace;
	struct exchange *x;
	struct shared shared;
	struct plan plan;
	struct cache_draft draft; /* the first process' */
	struct cache_io io;
	int fd; /* of the draft; -1 */
};

static bool is_first(const struct sharing *g)
{
	return exchange_process(g->x) == 0;
}

static bool all_are(const struct sharing *g, bool ok)
{
	return !exchange_any(g->x, !ok);
}

static bool cannot(const struct sharing *g, struct err *err)
{
	return err_errno(err, STATUS_IO, "cannot write %s", g->plan.draft.data);
}

static const struct section *find_section(const struct sharing *g, const char *name, uint32_t index)
{
	const struct section *s;

	vec_each (s, &g->plan.sections)
		if (s->index == index && strncmp(s->name, name, sizeof s->name) == 0)
			return s;
	return NULL;
}

/* ---- rows ---- */

static bool write_stretch(const struct sharing *g, const struct shared_rows *rows,
			  const struct section *section, const struct stretch *at)
{
	return io_write_at(g->fd, (const char *)rows->data + at->from * rows->row,
			   at->n * rows->row,
			   g->plan.header.data_offset + section->offset + at->to * rows->row);
}

static bool write_sections(const struct sharing *g, const struct shared_sections *sections)
{
	const struct shared_rows *rows;
	bool ok = true;

	vec_each (rows, &sections->list) {
		const struct section *section = find_section(g, rows->name, rows->index);
		const struct stretch all = { 0, 0, rows->rows }, *at;
		if (!section || !rows->data)
			continue;
		if (!rows->stretches)
			ok = ok && write_stretch(g, rows, section, &all);
		else
			vec_each (at, &rows->stretches->list)
				ok = ok && write_stretch(g, rows, section, at);
	}
	return ok;
}

static struct slab slab_of(const struct sharing *g, char *file, const char *name, uint32_t index)
{
	const struct section *s = find_section(g, name, index);
	const uint64_t n = s ? s->n * s->element : 0;

	return slab_borrow(n ? file + g->plan.header.data_offset + s->offset : NULL, n);
}

/* From the rows of all, which are in the file. */
static bool write_orders(const struct sharing *g, char *file)
{
	OWNED struct trace *whole = xcalloc(1, sizeof *whole);
	struct shared_order orders[SHARED_ORDERS];
	const uint32_t n = shared_orders_list(&g->shared, orders);
	bool ok = true;

	whole->messages = slab_of(g, file, "messages", 0);
	whole->collectives = slab_of(g, file, "collectives", 0);
	whole->members = slab_of(g, file, "members", 0);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t base = (uint32_t)orders[i].base;
		struct shared_sections sections = { VEC_INIT };
		struct made_order made;
		whole->columns[base].times = slab_of(g, file, "times", base);
		whole->columns[base].wide = slab_of(g, file, "wide-times", base);
		made_order_make(&made, g->x, whole, &orders[i]);
		shared_orders_add(&sections, &orders[i], &made);
		ok = ok && write_sections(g, &sections);
		vec_fini(&sections.list);
		made_order_fini(&made);
	}
	return ok;
}

/* ---- checksums ---- */

/* Of the chunks that are this process' part. */
static void sum_chunks(struct sharing *g, const char *file)
{
	const struct cache_header *h = &g->plan.header;
	const uint64_t size = h->data_size, chunk = (uint64_t)1 << h->chunk_bits;
	const uint64_t n = (size + chunk - 1) >> h->chunk_bits;
	const uint64_t processes = exchange_processes(g->x), own = exchange_process(g->x);
	OWNED_VEC(uint64_t) sums = VEC_INIT;
	const uint64_t *sum;

	for (uint64_t i = n * own / processes; i < n * (own + 1) / processes; i++) {
		const uint64_t at = i << h->chunk_bits;
		vec_push(&sums, guard_sum(file + h->data_offset + at,
					  (size_t)(size - at < chunk ? size - at : chunk)));
	}
	exchange_rows(g->x, &sums);
	vec_each (sum, &sums)
		vec_push(&g->io.sums, *sum);
}

/* ---- the file ---- */

/* In the first process: where everything will be. */
static void make_plan(struct sharing *g, struct err *err)
{
	struct trace *trace = g->trace;
	struct plan *plan = &g->plan;
	struct cache_io measured = { .pass = CACHE_MEASURE,
				     .fd = -1,
				     .shared = &g->shared.sections };

	plan->ok = cache_draft_open(trace->cache, &g->draft, err);
	plan->busy = plan->ok && g->draft.fd < 0;
	if (!plan->ok || plan->busy)
		return;
	for (uint32_t l = 0; l < trace->locations.n; l++)
		trace->lists.data[l].n =
			(size_t)((trace->locations.data[l].events + BLOCK_EVENTS - 1) /
				 BLOCK_EVENTS);
	g->io.shared = &g->shared.sections;
	plan->ok = cache_draft_begin(trace, &g->draft, &g->io, &plan->header, err);
	cache_pass(&measured, trace);
	memcpy(&plan->sections, &measured.sections, sizeof plan->sections);
	memset(&measured.sections, 0, sizeof measured.sections);
	io_fini(&measured);
	for (const char *at = g->draft.draft.text;; at++) {
		vec_push(&plan->draft, *at);
		if (!*at)
			break;
	}
}

static void tell_plan(struct sharing *g)
{
	struct plan *plan = &g->plan;
	OWNED_VEC(struct cache_header) header = VEC_INIT;

	if (is_first(g))
		vec_push(&header, plan->header);
	exchange_rows(g->x, &header);
	plan->header = header.data[0];
	plan->ok = exchange_any(g->x, plan->ok);
	plan->busy = exchange_any(g->x, plan->busy);
	exchange_rows(g->x, &plan->sections);
	exchange_rows(g->x, &plan->draft);
}

static bool write_rows(struct sharing *g, struct err *err)
{
	bool ok;

	g->fd = open(g->plan.draft.data, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	ok = g->fd >= 0 && write_sections(g, &g->shared.sections);
	if (!ok)
		cannot(g, err);
	if (ok && is_first(g)) {
		cache_pass(&g->io, g->trace);
		io_finish(&g->io);
		errno = g->io.error;
		ok = !g->io.bad || cannot(g, err);
	}
	/* Where processes are on several machines, what others wrote is seen by who opens the file
	 * after that. */
	if (g->fd >= 0 && close(g->fd) != 0 && ok)
		ok = cannot(g, err);
	g->fd = -1;
	return all_are(g, ok);
}

static bool finish(struct sharing *g, struct err *err)
{
	const size_t size = (size_t)(g->plan.header.data_offset + g->plan.header.data_size);
	char *file = MAP_FAILED;
	bool ok;

	g->fd = open(g->plan.draft.data, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (g->fd >= 0)
		file = mmap(NULL, size, PROT_READ, MAP_SHARED, g->fd, 0);
	if (!all_are(g, file != MAP_FAILED || cannot(g, err)))
		return false;
	ok = all_are(g, write_orders(g, file) || cannot(g, err));
	if (ok)
		sum_chunks(g, file);
	munmap(file, size);
	if (ok && is_first(g))
		ok = cache_draft_end(&g->draft, &g->io, &g->plan.header, err) &&
		     cache_draft_place(g->trace->cache, &g->draft, err);
	return all_are(g, ok);
}

static bool share(struct sharing *g, struct err *err)
{
	if (!shared_make(&g->shared, g->trace, err))
		return false;
	shared_orders_announce(&g->shared);
	if (is_first(g))
		make_plan(g, err);
	tell_plan(g);
	if (g->plan.busy)
		return err_set(err, STATUS_IO, "another program is writing the cache file of %s",
			       trace_path(g->trace));
	return g->plan.ok && write_rows(g, err) && finish(g, err);
}

bool cache_share(struct trace *trace, struct err *err)
{
	struct sharing g = {
		.trace = trace, .x = trace->exchange, .draft = { .fd = -1 }, .fd = -1
	};
	int64_t begin, end;
	bool ok;

	if (!g.x)
		return cache_write(trace, err);
	for (int base = 0; base < BASE_COUNT; base++)
		if (trace->columns[base].made)
			trace_span(trace, (enum time_base)base, &begin, &end);
	ok = share(&g, err);
	cache_draft_close(&g.draft, ok);
	if (g.fd >= 0)
		close(g.fd);
	for (int base = 0; base < BASE_COUNT; base++) {
		order_fini(&trace->message_order[base]);
		order_fini(&trace->collective_order[base]);
	}
	shared_fini(&g.shared);
	io_fini(&g.io);
	vec_fini(&g.plan.sections);
	vec_fini(&g.plan.draft);
	return ok;
}
