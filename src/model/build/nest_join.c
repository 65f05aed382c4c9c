/* Nests all locations in several threads and joins the results: one numbering of call paths,
 * members of collectives in their rows, texts and attributes at their events, findings. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/jobs.h"
#include "model/build/nesting.h"
#include "model/sums/sums.h"
#include "model/trace/region_meaning.h"

/* The result of the pass over one location. */
struct passed {
	uint32_t worker;
	uint32_t from, to; /* call paths that the worker met here first */
	uint32_t highest;  /* largest call path in its events */
};

struct nesting {
	struct trace *trace;
	const struct progress *progress;
	struct shading *shading;
	unsigned jobs;
	struct nest *workers;  /* [jobs] */
	struct passed *passed; /* [location] */
	uint32_t **final;      /* [worker][its call path] id in the trace */
	uint32_t *same; /* [worker] its call paths below this have the same id in the trace */
	struct keymap children; /* (parent, site): call path, as in the trace */
	bool full;              /* there are more call paths than ids */
	_Atomic uint64_t done;  /* events */
	_Atomic bool stop;
};

/* ---- the passes ---- */

static void pass(void *context, unsigned worker, size_t location)
{
	struct nesting *n = context;
	struct nest *nest = &n->workers[worker];
	struct passed *p = &n->passed[location];
	const uint64_t events = n->trace->locations.data[location].events;

	if (atomic_load_explicit(&n->stop, memory_order_relaxed))
		return;
	if (worker == 0 &&
	    !progress_step(n->progress, "call paths", atomic_load(&n->done), n->trace->events)) {
		atomic_store(&n->stop, true);
		return;
	}
	p->worker = worker;
	p->from = (uint32_t)nest->paths.n;
	nest_location(nest, (uint32_t)location);
	p->to = (uint32_t)nest->paths.n;
	p->highest = nest->highest;
	atomic_fetch_add(&n->done, events);
	if (nest->full || !nest->ok)
		atomic_store(&n->stop, true);
}

/* ---- call paths ---- */

static uint32_t add_path(struct nesting *n, uint32_t parent, uint32_t site)
{
	struct trace *trace = n->trace;
	uint32_t *id = keymap_add(&n->children, KEY_OF(parent, site));

	if (*id != UINT32_MAX)
		return *id;
	if (trace->paths.n >= ID_NONE) {
		n->full = true;
		*id = 1;
		return *id;
	}
	*id = (uint32_t)trace->paths.n;
	vec_push(&trace->paths,
		 ((struct callpath){ parent, site, 0, trace->paths.data[parent].depth + 1 }));
	shade_path(n->shading, (uint8_t)trace_callpath_class(trace, *id), parent,
		   (uint8_t)trace_callpath_class(trace, parent));
	return *id;
}

/* This process' own numbers, from 1 in the order in which its locations meet call paths. */
static void number_own(struct nesting *n, struct shared_paths *mine)
{
	ENDED_BY(keymap_fini) struct keymap map = { NULL, 0, 0 };

	for (uint32_t l = 0; l < n->trace->locations.n; l++) {
		const struct passed *p = &n->passed[l];
		const struct callpath *paths = n->workers[p->worker].paths.data;
		uint32_t *final = n->final[p->worker];
		for (uint32_t id = p->from; id < p->to; id++) {
			const uint32_t parent = final[paths[id].parent], site = paths[id].site;
			if (keymap_new(&map, KEY_OF(parent, site), mine->n + 1, &final[id]))
				vec_push(mine,
					 ((struct shared_path){ l, final[id], parent, site, 0 }));
		}
	}
}

/* The same numbers in all processes, those that one would have given. */
static void number_shared(struct nesting *n)
{
	struct exchange *x = n->trace->exchange;
	const uint32_t processes = exchange_processes(x);
	OWNED size_t *first = xcalloc(processes + 1u, sizeof *first);
	struct shared_paths mine = VEC_INIT, all = VEC_INIT;
	const struct shared_path *path;
	uint32_t *to;

	number_own(n, &mine);
	build_share_paths(x, &mine, &all);
	vec_each (path, &all)
		first[path->process + 1]++;
	for (uint32_t p = 0; p < processes; p++)
		first[p + 1] += first[p];
	to = xcalloc(all.n + 1, sizeof *to);
	vec_each (path, &all) {
		uint32_t *of = to + first[path->process];
		of[path->id - 1] = add_path(n, path->parent ? of[path->parent - 1] : 0, path->site);
	}
	for (unsigned w = 0; w < n->jobs; w++)
		for (size_t id = 1; id < n->workers[w].paths.n; id++)
			n->final[w][id] = to[first[exchange_process(x)] + n->final[w][id] - 1];
	free(to);
	vec_fini(&mine);
	vec_fini(&all);
}

static void number_alone(struct nesting *n)
{
	for (uint32_t l = 0; l < n->trace->locations.n; l++) {
		const struct passed *p = &n->passed[l];
		const struct callpath *paths = n->workers[p->worker].paths.data;
		uint32_t *final = n->final[p->worker];
		for (uint32_t id = p->from; id < p->to; id++)
			final[id] = add_path(n, final[paths[id].parent], paths[id].site);
	}
}

static void number_paths(struct nesting *n)
{
	for (unsigned w = 0; w < n->jobs; w++)
		n->final[w] = xcalloc(n->workers[w].paths.n, sizeof **n->final);
	if (n->trace->exchange)
		number_shared(n);
	else
		number_alone(n);
	for (unsigned w = 0; w < n->jobs; w++)
		while (n->same[w] < n->workers[w].paths.n && n->final[w][n->same[w]] == n->same[w])
			n->same[w]++;
}

static void renumber(void *context, unsigned worker, size_t location)
{
	struct nesting *n = context;
	const struct passed *p = &n->passed[location];
	const struct block_ids *list = &n->trace->lists.data[location];
	const uint32_t *final = n->final[p->worker];

	(void)worker;
	if (p->highest < n->same[p->worker])
		return;
	for (size_t i = 0; i < list->n; i++) {
		struct block *block = store_block(n->trace, list->data[i]);
		block->path = final[block->path];
		for (uint32_t slot = 0; slot < block->n; slot++) {
			const uint32_t what = block->what[slot];
			if (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE)
				block->what[slot] =
					what_make(what_kind(what), final[what_id(what)]);
		}
	}
}

/* Sets the representative of each call path: the one for all with the same regions and call sites,
 * whatever their event types. */
static void set_canons(struct nesting *n)
{
	struct trace *trace = n->trace;
	ENDED_BY(keymap_fini) struct keymap map = { NULL, 0, 0 };
	OWNED uint32_t *canon = xmalloc(trace->sites.n * sizeof *canon);

	for (uint32_t s = 0; s < trace->sites.n; s++) {
		const struct site *site = &trace->sites.data[s];
		keymap_new(&map, KEY_OF(site->region, site->file, site->line), s, &canon[s]);
	}
	/* A parent comes before its children, and new representatives are added at the end. */
	for (uint32_t p = 1; p < trace->paths.n; p++) {
		const uint32_t parent = trace->paths.data[trace->paths.data[p].parent].canon;
		const uint32_t site = canon[trace->paths.data[p].site];
		const uint32_t id =
			parent == trace->paths.data[p].parent && site == trace->paths.data[p].site
				? p
				: add_path(n, parent, site);
		trace->paths.data[p].canon = id;
	}
}

/* ---- tables that refer to events ---- */

/* Moves the members, which are in the order of the file, to their rows. */
static void move_members(const struct builder *b)
{
	const uint32_t n = build_part_count(b);
	uint32_t kept = n;

	for (uint32_t i = 0; i < n; i++) {
		struct part *part = build_part(b, i);
		kept -= part->collective == PART_UNKNOWN;
		while (part->row != i) {
			const uint32_t to = part->row;
			const struct member member = *store_member(b->trace, i);
			*store_member(b->trace, i) = *store_member(b->trace, to);
			*store_member(b->trace, to) = member;
			part->row = build_part(b, to)->row;
			build_part(b, to)->row = to;
		}
	}
	slab_cut(&b->trace->members, kept * sizeof(struct member));
}

/* Follows an event's record to where the repair of equal times moved it. */
static void move(const struct nesting *n, uint32_t *event)
{
	const uint32_t *to = NULL;

	for (unsigned w = 0; w < n->jobs && !to; w++)
		to = keymap_find(&n->workers[w].moved, KEY_OF(*event));
	if (to)
		*event = *to;
}

static void move_texts(const struct nesting *n)
{
	struct trace *trace = n->trace;
	struct event_attribute *attribute;
	struct event_text *text;
	size_t moved = 0;

	for (unsigned w = 0; w < n->jobs; w++)
		moved += n->workers[w].moved.n;
	if (moved == 0)
		return;
	vec_each (text, &trace->extras.rows)
		move(n, &text->event);
	vec_each (text, &trace->time_texts.rows)
		move(n, &text->event);
	vec_each (attribute, &trace->attributes)
		move(n, &attribute->event);
}

/* ---- findings ---- */

/* A finding on those locations for which `holds` is true; their names end the sentence. */
static void report_locations(struct trace *trace, const char *code, const char *sentence,
			     bool (*holds)(const struct location *))
{
	enum { NAMED = 4 };
	OWNED_STR text = STR_INIT;
	const struct location *l;
	uint64_t n = 0;

	str_add(&text, sentence);
	vec_each (l, &trace->locations) {
		if (!holds(l))
			continue;
		if (n++ < NAMED)
			str_add_fmt(&text, "%s%s", n > 1 ? ", " : " ",
				    trace_string(trace, l->name));
	}
	if (n > NAMED)
		str_add_fmt(&text, " and %llu more", (unsigned long long)(n - NAMED));
	store_finding(trace, FINDING_INFO, code, 0, n, text.text);
}

static bool is_cut_off(const struct location *l)
{
	return l->cut_off;
}

static bool is_unfinished(const struct location *l)
{
	return l->unfinished;
}

static void report(const struct nesting *n)
{
	uint64_t unclosed = 0, strays = 0, inferred = 0, reordered = 0;
	struct trace *trace = n->trace;

	for (unsigned w = 0; w < n->jobs; w++) {
		unclosed += n->workers[w].unclosed;
		strays += n->workers[w].strays;
		inferred += n->workers[w].inferred;
		reordered += n->workers[w].reordered;
	}
	store_finding(trace, FINDING_ODDITY, "unclosed-enter", 0, unclosed,
		      "a region was still open when the region around it ended: it ends there, "
		      "too");
	store_finding(trace, FINDING_ODDITY, "stray-leave", 0, strays,
		      "a region is left that was not entered");
	store_finding(trace, FINDING_ODDITY, "equal-time-order", 0, reordered,
		      "events with equal times did not nest and were reordered");
	store_finding(trace, FINDING_GUESS, "open-at-start", 0, inferred,
		      "a region was already open before the first record");
}

void build_tell_unended(struct trace *trace)
{
	if (trace_live(trace)) {
		report_locations(trace, "running",
				 "the run went on when it was looked at:", is_unfinished);
		return;
	}
	report_locations(trace, "cut-off", "regions are still open at the last record of",
			 is_cut_off);
	report_locations(trace, "not-finalised",
			 "ended without MPI_Finalize (crashed, killed or cut off):", is_unfinished);
}

/* ---- all ---- */

static enum milestone milestone_of(const struct trace *trace, uint32_t region)
{
	switch (region_meaning(trace, region).collective) {
	case COLLECTIVE_INIT: return MILESTONE_INIT;
	case COLLECTIVE_FINALIZE: return MILESTONE_FINALIZE;
	default: return MILESTONE_NONE;
	}
}

static bool nest_all(struct nesting *n, struct builder *b, struct err *err)
{
	const size_t locations = n->trace->locations.n;

	jobs_run(n->jobs, locations, pass, n);
	for (unsigned w = 0; w < n->jobs; w++) {
		n->full = n->full || n->workers[w].full;
		if (!n->workers[w].ok)
			return err_set(err, n->workers[w].err.status, "%s", n->workers[w].err.text);
	}
	if (!n->full && atomic_load(&n->stop))
		return false;
	if (!n->full) {
		number_paths(n);
		jobs_run(n->jobs, locations, renumber, n);
		move_members(b);
		set_canons(n);
		move_texts(n);
	}
	if (n->full)
		return err_set(err, STATUS_IO, "%s has more call paths than tview can hold (2^27)",
			       n->trace->path);
	report(n);
	return true;
}

static void nesting_init(struct nesting *n, struct builder *b, const uint8_t *milestone,
			 const struct builder_options *options)
{
	n->workers = xcalloc(n->jobs, sizeof *n->workers);
	n->passed = xcalloc(n->trace->locations.n, sizeof *n->passed);
	n->final = xcalloc(n->jobs, sizeof *n->final);
	n->same = xcalloc(n->jobs, sizeof *n->same);
	shade_path(n->shading, CLASS_USER, 0, CLASS_USER);
	for (unsigned w = 0; w < n->jobs; w++) {
		nest_init(&n->workers[w], b, n->shading, milestone);
		n->workers[w].decide_blocked = options->decide_blocked;
		n->workers[w].shades = !options->only_written;
	}
}

static void nesting_fini(struct nesting *n)
{
	for (unsigned w = 0; w < n->jobs; w++) {
		nest_fini(&n->workers[w]);
		free(n->final[w]);
	}
	free_all(n->workers, n->passed, n->final, n->same);
	keymap_fini(&n->children);
}

bool build_nest(struct builder *b, const struct builder_options *options,
		const struct progress *progress, struct err *err)
{
	/* Deciding about receives adds sites, so that only one thread may do it. */
	const int jobs = options->decide_blocked ? 1 : options->jobs;
	struct nesting n = { .trace = b->trace, .progress = progress, .jobs = jobs_count(jobs) };
	uint8_t *milestone;
	bool ok;

	n.shading = shade_begin(b->trace, BASE_MEASURED, CLASS_COUNT, CLASS_OUTSIDE, err);
	if (!n.shading)
		return false;
	b->trace->class_shading[BASE_MEASURED] = n.shading;
	sums_attach(b->trace);
	milestone = xcalloc(b->trace->regions.n, sizeof *milestone);
	for (uint32_t i = 0; i < b->trace->regions.n; i++)
		milestone[i] = (uint8_t)milestone_of(b->trace, i);
	nesting_init(&n, b, milestone, options);
	ok = nest_all(&n, b, err);
	nesting_fini(&n);
	if (options->only_written)
		b->trace->drop_sums(b->trace, BASE_MEASURED);
	free(milestone);
	return ok;
}
