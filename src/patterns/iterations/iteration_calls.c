#include "patterns/iterations/iteration_calls.h"

#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "model/trace/region_meaning.h"
#include "model/trace/visit_walk.h"

/* ---- tokens ---- */

/* Calls that programs make as often as they like: their counts mean nothing. */
static bool is_incidental(const char *name)
{
	static const char *const prefixes[] = {
		"MPI_Comm_", "MPI_Wtime", "MPI_Test", "MPI_Iprobe",
		"MPI_Get_",  "MPI_Type_", "MPI_Pack", "MPI_Unpack"
	};
	char standard[MPI_NAME_SIZE];

	if (!mpi_standard_name(name, standard))
		return false;
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncmp(standard, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Of each region: whether it is of the program, and whether it may be a token. */
struct region_use {
	bool own, wanted, init, finalize;
};

static struct region_use *uses_of(const struct trace *trace)
{
	const uint32_t n = trace_region_count(trace);
	struct region_use *uses = xcalloc((size_t)n + 1, sizeof *uses);

	for (uint32_t r = 0; r < n; r++) {
		const enum call_kind call = region_meaning(trace, r).call;

		uses[r].own = trace_region(trace, r)->cls == CLASS_USER;
		uses[r].init = call == CALL_INIT;
		uses[r].finalize = call == CALL_FINALIZE;
		uses[r].wanted = !uses[r].init && !uses[r].finalize &&
				 !is_incidental(trace_region_name(trace, r));
	}
	return uses;
}

void iteration_tokens_init(struct iteration_tokens *t, const struct trace *trace,
			   const struct plain_paths *plain)
{
	OWNED struct region_use *uses = uses_of(trace);
	struct keymap map = { 0 };

	t->n = 0;
	t->of = xmalloc(((size_t)plain->n + 1) * sizeof *t->of);
	t->path = xcalloc((size_t)plain->n + 1, sizeof *t->path);
	t->init = xcalloc((size_t)plain->n + 1, sizeof *t->init);
	t->finalize = xcalloc((size_t)plain->n + 1, sizeof *t->finalize);
	t->depth = xcalloc((size_t)plain->n + 1, sizeof *t->depth);
	t->mpi = xcalloc((size_t)plain->n + 1, sizeof *t->mpi);
	t->of[0] = TOKEN_NONE;
	for (uint32_t i = 1; i < plain->n; i++) {
		const struct site *site = trace_site(trace, trace_callpath(trace, i)->site);
		const struct region_use *use = &uses[site->region];
		const bool placed = !use->own && site->line;
		uint32_t token;

		t->of[i] = TOKEN_NONE;
		t->depth[i] = t->depth[trace_callpath(trace, i)->parent] + !plain->hidden[i];
		t->init[i] = use->init;
		t->finalize[i] = use->finalize;
		/* Functions are left out in some visits where the recorder samples: their counts
		 * are random then. */
		if (!use->wanted || plain->hidden[i] || plain->unrecorded[i] ||
		    (use->own && plain->sampled))
			continue;
		if (keymap_new(&map,
			       placed ? KEY_OF(site->region, site->file, site->line, 1)
				      : KEY_OF(plain->of[i], 0, 0, 0),
			       t->n, &token))
			t->path[t->n++] = i;
		t->of[i] = token;
		t->mpi[token] = !use->own;
	}
	keymap_fini(&map);
}

void iteration_tokens_fini(struct iteration_tokens *t)
{
	free_all(t->of, t->path, t->init, t->finalize, t->depth, t->mpi);
}

/* ---- calls ---- */

/* A call that is open: `row` in the calls. */
struct open_call {
	uint32_t row, depth;
};

struct calls_walk {
	struct iteration_calls *calls;
	const struct iteration_tokens *tokens;
	VEC(struct open_call) open;
	bool begun; /* MPI_Init has been left */
	bool over;  /* MPI_Finalize has been entered */
};

static void on_enter(struct calls_walk *w, const struct visit_walk *v)
{
	const uint32_t token = w->tokens->of[v->next];
	const uint32_t depth = v->paths[v->next].depth;

	if (w->tokens->finalize[v->next] && !w->over) {
		w->over = true;
		w->calls->to = v->time;
	}
	if (token == TOKEN_NONE || w->over)
		return;
	vec_push(&w->open, ((struct open_call){ (uint32_t)w->calls->of.n, depth }));
	vec_push(&w->calls->of,
		 ((struct iteration_call){ token, w->tokens->depth[v->next], v->time, v->time }));
}

static void on_leave(struct calls_walk *w, const struct visit_walk *v)
{
	const uint32_t depth = v->paths[what_id(v->what)].depth;

	while (w->open.n && vec_last(&w->open)->depth >= depth)
		w->calls->of.data[vec_pop(&w->open).row].lv = v->time;
	if (!w->tokens->init[what_id(v->what)] || w->begun)
		return;
	/* Calls that began before do not count. */
	w->begun = true;
	w->calls->from = v->time;
	w->calls->of.n = 0;
	w->open.n = 0;
}

void iteration_calls_find(struct iteration_calls *calls, const struct iteration_tokens *tokens,
			  const struct trace *trace, enum time_base base, uint32_t location)
{
	struct calls_walk w = { .calls = calls, .tokens = tokens };
	struct visit_walk v;
	bool first = true;

	calls->of.n = 0;
	calls->from = calls->to = 0;
	for (bool ok = visit_walk_begin(&v, trace, base, location, INT64_MIN, INT64_MAX); ok;
	     ok = visit_walk_next(&v)) {
		if (first)
			calls->from = v.time;
		first = false;
		if (visit_walk_kind(&v) == EV_ENTER)
			on_enter(&w, &v);
		else if (visit_walk_kind(&v) == EV_LEAVE)
			on_leave(&w, &v);
		if (!w.over)
			calls->to = v.time;
	}
	while (w.open.n)
		calls->of.data[vec_pop(&w.open).row].lv = calls->to;
	vec_fini(&w.open);
}
