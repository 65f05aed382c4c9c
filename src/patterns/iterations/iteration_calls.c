#include "patterns/iterations/iteration_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "model/trace/region_meaning.h"

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

/* Calls that begin before the leave of MPI_Init do not count. */
static void forget(struct iteration_calls *calls)
{
	const struct iteration_own_token *own;

	vec_each (own, &calls->own)
		calls->row[own->token] = 0;
	calls->own.n = 0;
	calls->of.n = 0;
}

/* There is room for it. */
static void add_call(struct iteration_calls *calls, uint32_t token, uint32_t path, uint32_t event)
{
	uint32_t row = calls->row[token];

	if (!row) {
		vec_push(&calls->own, ((struct iteration_own_token){ token, 0 }));
		row = calls->row[token] = (uint32_t)calls->own.n;
	}
	calls->own.data[row - 1].visits++;
	calls->of.data[calls->of.n++] = (struct iteration_call){ row - 1, path, event };
}

/* The events of a block. False: the call of MPI_Finalize is there. */
static bool walk_block(struct iteration_calls *calls, const struct block *block, uint32_t first,
		       bool *begun)
{
	const struct iteration_tokens *tokens = calls->tokens;

	vec_reserve(&calls->of, block->n);
	for (uint32_t i = 0; i < block->n; i++) {
		const uint32_t id = what_id(block->what[i]);
		if (what_kind(block->what[i]) == EV_ENTER) {
			if (tokens->of[id] != TOKEN_NONE)
				add_call(calls, tokens->of[id], id, first + i);
			else if (tokens->finalize[id]) {
				calls->to = trace_event_time(calls->trace, calls->base, first + i);
				return false;
			}
		} else if (!*begun && what_kind(block->what[i]) == EV_LEAVE && tokens->init[id]) {
			*begun = true;
			calls->from = trace_event_time(calls->trace, calls->base, first + i);
			forget(calls);
		}
	}
	return true;
}

void iteration_calls_find(struct iteration_calls *calls, const struct iteration_tokens *tokens,
			  const struct trace *trace, enum time_base base, uint32_t location)
{
	struct cursor c;
	bool begun = false; /* MPI_Init has been left */

	if (!calls->row)
		calls->row = xcalloc((size_t)tokens->n + 1, sizeof *calls->row);
	calls->tokens = tokens;
	calls->trace = trace;
	calls->base = base;
	calls->location = location;
	calls->from = calls->to = 0;
	forget(calls);
	if (!cursor_first(&c, trace, base, location))
		return;
	calls->from = cursor_time(&c);
	do {
		if (!walk_block(calls, c.block, c.id, &begun))
			return;
	} while (cursor_next_block(&c));
	cursor_last(&c, trace, base, location);
	calls->to = cursor_time(&c);
}

void iteration_calls_fini(struct iteration_calls *calls)
{
	vec_fini(&calls->of);
	vec_fini(&calls->own);
	free(calls->row);
}

int64_t iteration_call_begin(const struct iteration_calls *calls, size_t nth)
{
	return trace_event_time(calls->trace, calls->base, calls->of.data[nth].event);
}

/* ---- visits ---- */

/* A visit that is open. */
struct open_visit {
	uint32_t depth;
	int64_t *end;
};

/* One of the tokens that are looked for. */
struct wanted {
	struct iteration_visits of;
	uint32_t next; /* visit */
	uint32_t also; /* the next one of the same token, + 1; 0: none */
};

static uint32_t depth_of(const struct trace *trace, uint32_t what)
{
	return trace_callpath(trace, what_id(what))->depth;
}

/* [tokens] the first of `wanted` with this token, + 1; 0: none. The caller frees it. */
static uint32_t *index_wanted(const struct iteration_tokens *tokens, const struct trace *trace,
			      struct wanted *wanted, size_t n)
{
	uint32_t *of_token = xcalloc((size_t)tokens->n + 1, sizeof *of_token);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t what = trace_event_what(trace, wanted[i].of.first);
		const uint32_t token = tokens->of[what_id(what)];
		wanted[i].also = of_token[token];
		of_token[token] = i + 1;
	}
	return of_token;
}

void iteration_visits_find(const struct iteration_tokens *tokens, const struct trace *trace,
			   enum time_base base, const struct iteration_visits *of, size_t n)
{
	OWNED_VEC(struct open_visit) open = VEC_INIT;
	OWNED struct wanted *wanted = xcalloc(n + 1, sizeof *wanted);
	OWNED uint32_t *of_token = NULL;
	uint32_t first = UINT32_MAX;
	uint64_t left = 0;
	struct cursor c;

	for (size_t i = 0; i < n; i++) {
		wanted[i].of = of[i];
		left += of[i].n;
		first = of[i].first < first ? of[i].first : first;
	}
	if (!left)
		return;
	of_token = index_wanted(tokens, trace, wanted, n);
	cursor_at(&c, trace, base, first);
	do {
		const uint32_t what = cursor_what(&c);
		if (what_kind(what) == EV_ENTER && tokens->of[what_id(what)] < tokens->n) {
			for (uint32_t i = of_token[tokens->of[what_id(what)]]; i;
			     i = wanted[i - 1].also) {
				struct wanted *w = &wanted[i - 1];
				if (c.id < w->of.first || w->next == w->of.n)
					continue;
				w->of.begin[w->next] = cursor_time(&c);
				vec_push(&open, ((struct open_visit){ depth_of(trace, what),
								      &w->of.end[w->next++] }));
				left--;
			}
		} else if (open.n && what_kind(what) == EV_LEAVE) {
			const uint32_t depth = depth_of(trace, what);
			while (open.n && vec_last(&open)->depth >= depth)
				*vec_pop(&open).end = cursor_time(&c);
		}
	} while ((open.n || left) && cursor_next(&c));
	/* They are open where the location ends. */
	while (open.n)
		*vec_pop(&open).end = cursor_time(&c);
}
