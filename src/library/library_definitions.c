/* library_definitions: what a trace defines: its times, locations, regions, call paths,
 * communicators and grids. */
#include <stdlib.h>
#include <string.h>
#include <tview/records.h>

#include "base/keymap.h"
#include "library/library.h"
#include "patterns/topology/topology.h"
#include "views/query/view_common.h"

_Static_assert((int)TVIEW_NO_RANK == (int)RANK_UNKNOWN &&
		       (int)TVIEW_LOCATION_COUNTERS == (int)LOCATION_METRICS &&
		       (int)TVIEW_DIMS == (int)GRID_DIMS,
	       "numbers of the header");

static struct trace *trace_of(const tview_trace *t)
{
	return t->opened.trace;
}

/* ---- texts: most are clean as they are; of the others copies are kept ---- */

struct library_texts {
	pthread_mutex_t adding;
	struct keymap of; /* string: index */
	VEC(char *) copies;
};

struct library_texts *library_texts_new(void)
{
	struct library_texts *texts = xcalloc(1, sizeof *texts);

	pthread_mutex_init(&texts->adding, NULL);
	return texts;
}

void library_texts_free(struct library_texts *texts)
{
	char **copy;

	vec_each (copy, &texts->copies)
		free(*copy);
	vec_fini(&texts->copies);
	keymap_fini(&texts->of);
	pthread_mutex_destroy(&texts->adding);
	free(texts);
}

static const char *copy_of(struct library_texts *texts, uint32_t string, struct str *clean)
{
	uint32_t at;
	const char *copy;

	pthread_mutex_lock(&texts->adding);
	if (keymap_new(&texts->of, KEY_OF(string), texts->copies.n, &at))
		vec_push(&texts->copies, str_take(clean));
	copy = texts->copies.data[at];
	pthread_mutex_unlock(&texts->adding);
	return copy;
}

const char *tview_string(const tview_trace *t, uint32_t string)
{
	OWNED_STR clean = STR_INIT;
	const char *text;

	if (string >= trace_string_count(trace_of(t)))
		return NULL;
	text = trace_string(trace_of(t), string);
	str_add_clean_text(&clean, text);
	return strcmp(clean.text, text) == 0 ? text : copy_of(t->texts, string, &clean);
}

/* ---- time ---- */

int64_t tview_ticks_per_second(const tview_trace *t)
{
	return trace_scale(trace_of(t))->per_second;
}

const char *tview_base_name(const tview_trace *t, unsigned i)
{
	for (int b = 0; b < BASE_COUNT; b++)
		if (trace_has_base(trace_of(t), (enum time_base)b) && i-- == 0)
			return time_base_name((enum time_base)b);
	return NULL;
}

const char *tview_base(const tview_trace *t)
{
	return time_base_name(t->opened.choice.query.base);
}

void tview_span(const tview_trace *t, int64_t *begin, int64_t *end)
{
	trace_span(trace_of(t), t->opened.choice.query.base, begin, end);
}

/* ---- locations, regions, call paths, communicators ---- */

uint32_t tview_location_count(const tview_trace *t)
{
	return trace_location_count(trace_of(t));
}

bool tview_location(const tview_trace *t, uint32_t id, struct tview_location *location)
{
	const struct location *l;

	if (id >= tview_location_count(t))
		return false;
	l = trace_location(trace_of(t), id);
	*location = (struct tview_location){ .name = tview_string(t, l->name),
					     .node = tview_string(t, l->node),
					     .begin = l->begin,
					     .end = l->end,
					     .events = l->events,
					     .rank = l->rank,
					     .thread = l->thread,
					     .type = l->type };
	return true;
}

uint32_t tview_region_count(const tview_trace *t)
{
	return trace_region_count(trace_of(t));
}

bool tview_region(const tview_trace *t, uint32_t id, struct tview_region *region)
{
	const struct region *r;

	if (id >= tview_region_count(t))
		return false;
	r = trace_region(trace_of(t), id);
	*region = (struct tview_region){ .name = tview_string(t, r->name),
					 .file = tview_string(t, r->file),
					 .cls = region_class_name((enum region_class)r->cls),
					 .line = r->line };
	return true;
}

uint32_t tview_callpath_count(const tview_trace *t)
{
	return trace_callpath_count(trace_of(t));
}

bool tview_callpath(const tview_trace *t, uint32_t id, struct tview_callpath *callpath)
{
	const struct callpath *p;
	const struct site *site;

	if (id >= tview_callpath_count(t))
		return false;
	p = trace_callpath(trace_of(t), id);
	site = id ? trace_site(trace_of(t), p->site) : NULL;
	*callpath = (struct tview_callpath){ .file = site ? tview_string(t, site->file) : "",
					     .line = site ? site->line : 0,
					     .parent = p->parent,
					     .canonical = p->canon,
					     .region = site ? site->region : TVIEW_NONE,
					     .depth = p->depth };
	return true;
}

size_t tview_callpath_text(const tview_trace *t, uint32_t id, char *text, size_t size)
{
	OWNED_STR path = STR_INIT;

	if (id < tview_callpath_count(t))
		trace_callpath_text(trace_of(t), id, &path);
	if (size > 0) {
		const size_t n = path.n < size ? path.n : size - 1;
		memcpy(text, path.text, n);
		text[n] = '\0';
	}
	return path.n;
}

uint32_t tview_comm_count(const tview_trace *t)
{
	return trace_comm_count(trace_of(t));
}

bool tview_comm(const tview_trace *t, uint32_t id, struct tview_comm *comm)
{
	const struct comm *c;

	if (id >= tview_comm_count(t))
		return false;
	c = trace_comm(trace_of(t), id);
	*comm = (struct tview_comm){ .name = tview_string(t, c->name),
				     .ranks = c->ranks,
				     .remote = c->remote,
				     .size = c->size,
				     .remote_size = c->remote_size,
				     .parent = c->parent < tview_comm_count(t) ? c->parent
									       : TVIEW_NONE,
				     .of_threads = c->kind == COMM_THREADS };
	return true;
}

/* ---- grids ---- */

static const struct grid *grid_of(tview_trace *t, uint32_t i)
{
	const struct query *q = &t->opened.choice.query;
	const struct grids *grids;

	pthread_mutex_lock(&t->making);
	grids = analyses_grids(q->analyses, q->base, NULL);
	pthread_mutex_unlock(&t->making);
	return grids && i < grids->n ? &grids->grid[i] : NULL;
}

bool tview_grid(tview_trace *t, uint32_t i, struct tview_grid *grid)
{
	const struct grid *g = grid_of(t, i);

	if (!g)
		return false;
	*grid = (struct tview_grid){ .name = g->name,
				     .note = g->note,
				     .dims = g->dims,
				     .guessed = g->source == GRID_GUESSED };
	memcpy(grid->size, g->size, sizeof grid->size);
	memcpy(grid->periodic, g->periodic, sizeof grid->periodic);
	return true;
}

bool tview_grid_places(tview_trace *t, uint32_t i, struct tview_array *places)
{
	const struct grid *g = grid_of(t, i);

	if (!g)
		return false;
	*places = (struct tview_array){ .data = g->coords,
					.shape = { g->n, g->dims },
					.stride = { (int64_t)(g->dims * sizeof *g->coords),
						    sizeof *g->coords },
					.format = 'i',
					.dims = 2,
					.shared = true };
	return true;
}
