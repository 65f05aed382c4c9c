/* The calls around the events that other processes have as ghosts (model/trace/halo.h), and the
 * requests of far rows' receives, which their senders get as ghosts, too. One pass over this
 * process' locations, when their call paths are known. */
#include "base/exchange.h"
#include "model/build/build.h"
#include "model/build/ghosts.h"
#include "model/trace/halo.h"

/* A request of a far row's receive. */
struct far_post {
	struct halo_call call;
	uint32_t path, process;
	uint32_t row, location; /* row at the sender */
};

/* An open region: what waits for its end begins at `waiting`. */
struct open_region {
	uint32_t enter;
	size_t waiting;
};

struct finding_calls {
	const struct builder *b;
	struct trace *trace;
	struct halo *halo;
	uint32_t *given; /* [messages] 1 + place of the row's own end in its list, 0: none has it */
	uint32_t *paths[2]; /* [HALO_SENDS, HALO_RECVS][given] */
	VEC(struct far_post) posts;
	bool *posted; /* [far rows] */
	VEC(struct open_region) open;
	VEC(uint32_t *) waiting; /* the `leave` of calls */
};

/* ---- the pass ---- */

static void ends(struct finding_calls *f, uint32_t depth, uint32_t event)
{
	while (f->open.n > depth) {
		const size_t first = vec_pop(&f->open).waiting;
		while (f->waiting.n > first)
			*vec_pop(&f->waiting) = event;
	}
}

static void begins(struct finding_calls *f, uint32_t enter)
{
	vec_push(&f->open, ((struct open_region){ enter, f->waiting.n }));
}

static void in_call(struct finding_calls *f, struct halo_call *call)
{
	if (!f->open.n)
		return;
	call->enter = vec_last(&f->open)->enter;
	vec_push(&f->waiting, &call->leave);
}

/* Where the pass is. */
struct passed {
	uint32_t location, path, event, what;
};

/* Posts move while they are found: their leaves are filled in at the end, by place. */
static void see_post(struct finding_calls *f, const struct passed *at, uint32_t row)
{
	const uint32_t far = row - f->halo->far_first;
	const struct message *m = store_message(f->trace, row);
	struct far_post *post;

	if (f->posted[far] || m->flags & MSG_NO_RECV || m->recv == at->event)
		return;
	f->posted[far] = true;
	post = &f->posts.data[f->posts.n++]; /* there is room for all */
	*post = (struct far_post){
		.call = { EVENT_NONE, at->event, EVENT_NONE },
		.path = at->path,
		.process = f->halo->process[store_event_block(f->trace, m->send)->location],
		.row = f->b->far[far].row,
		.location = at->location,
	};
	in_call(f, &post->call);
}

static void see_event(struct finding_calls *f, const struct passed *at)
{
	const enum event_kind kind = what_kind(at->what);
	const enum halo_kind list = kind == EV_SEND ? HALO_SENDS : HALO_RECVS;
	const uint32_t row = what_id(at->what);
	const struct message *m;

	if (row >= store_message_count(f->trace))
		return;
	if (kind == EV_RECV_REQUEST && trace_message_is_far(f->trace, row))
		see_post(f, at, row);
	if (!f->given[row])
		return;
	m = store_message(f->trace, row);
	if (at->event != (kind == EV_SEND ? m->send : m->recv))
		return;
	f->paths[list][f->given[row] - 1] = at->path;
	in_call(f, &f->halo->lists[list].given[f->given[row] - 1]);
}

static void see_block(struct finding_calls *f, uint32_t id)
{
	const struct callpath *paths = f->trace->paths.data;
	const struct block *block = store_block(f->trace, id);
	struct passed at = { .location = block->location, .path = block->path };

	for (uint32_t slot = 0; slot < block->n; slot++) {
		at.what = block->what[slot];
		at.event = id * BLOCK_EVENTS + slot;
		switch (what_kind(at.what)) {
		case EV_ENTER:
			at.path = what_id(at.what);
			begins(f, at.event);
			break;
		case EV_LEAVE:
			at.path = paths[what_id(at.what)].parent;
			ends(f, paths[at.path].depth, at.event);
			break;
		case EV_SEND:
		case EV_RECV:
		case EV_RECV_REQUEST: see_event(f, &at); break;
		default: break;
		}
	}
}

static void find_calls(struct finding_calls *f, uint32_t location)
{
	const struct block_ids *list = &f->trace->lists.data[location];
	const uint32_t before = list->n ? store_block(f->trace, list->data[0])->path : 0;

	for (uint32_t d = 0; d < f->trace->paths.data[before].depth; d++)
		begins(f, EVENT_NONE);
	for (size_t i = 0; i < list->n; i++)
		see_block(f, list->data[i]);
	ends(f, 0, EVENT_NONE);
}

/* ---- what the others are told ---- */

static void index_given(struct finding_calls *f)
{
	const uint32_t processes = f->trace->exchange->processes;

	for (int list = HALO_SENDS; list <= HALO_RECVS; list++) {
		const struct halo_list *l = &f->halo->lists[list];
		const size_t n = l->given_first[processes];
		f->paths[list] = xcalloc(n + 1, sizeof *f->paths[list]);
		for (size_t i = 0; i < n; i++) {
			const uint32_t what = *store_what(f->trace, l->given[i].event);
			f->given[what_id(what)] = (uint32_t)i + 1;
		}
	}
}

static void share_paths(const struct finding_calls *f, enum halo_kind kind)
{
	const struct halo_list *list = &f->halo->lists[kind];
	const struct ghosts ghosts = { .trace = f->trace };
	struct exchange_parts theirs;
	const uint32_t *paths;

	exchange_swap(f->trace->exchange, f->paths[kind], sizeof *f->paths[kind], list->given_first,
		      &theirs);
	paths = (const uint32_t *)(const void *)theirs.data;
	for (size_t i = 0; i < list->taken_first[f->trace->exchange->processes]; i++)
		ghost_path(&ghosts, list->taken[i], paths[i]);
	exchange_parts_fini(&theirs);
}

static bool take_posts(const struct finding_calls *f, const struct exchange_parts *parts,
		       struct err *err)
{
	const struct far_post *posts = (const struct far_post *)(const void *)parts->data;
	const uint32_t processes = f->trace->exchange->processes;
	const size_t n = parts->first[processes] / sizeof *posts;
	struct halo_list *list = &f->halo->lists[HALO_POSTS];
	struct ghosts ghosts;
	bool ok = true;

	halo_list_take(list, processes, parts->first, sizeof *posts);
	ghosts_init(&ghosts, f->trace, err);
	for (size_t i = 0; i < n && ok; i++) {
		list->taken[i] =
			ghost_add(&ghosts, posts[i].location, EV_RECV_REQUEST, posts[i].row);
		ok = list->taken[i] != EVENT_NONE;
		if (ok)
			ghost_path(&ghosts, list->taken[i], posts[i].path);
	}
	ghosts_fini(&ghosts);
	return ok;
}

static bool share_posts(struct finding_calls *f, struct err *err)
{
	struct halo_list *list = &f->halo->lists[HALO_POSTS];
	const size_t n = f->posts.n;
	OWNED uint32_t *to = xmalloc((n + 1) * sizeof *to);
	OWNED size_t *place = xmalloc((n + 1) * sizeof *place);
	struct exchange_parts parts;
	bool ok;

	for (size_t i = 0; i < n; i++)
		to[i] = f->posts.data[i].process;
	halo_list_give(list, f->trace->exchange->processes, to, n, place);
	for (size_t i = 0; i < n; i++)
		list->given[place[i]] = f->posts.data[i].call;
	exchange_deal(f->trace->exchange, f->posts.data, n, sizeof *f->posts.data, to, &parts);
	ok = take_posts(f, &parts, err);
	exchange_parts_fini(&parts);
	return ok;
}

bool build_share_calls(struct builder *b, struct err *err)
{
	struct trace *trace = b->trace;
	struct finding_calls f = { .b = b, .trace = trace, .halo = trace->halo };
	bool ok;

	if (!trace->halo)
		return true;
	f.given = xcalloc(store_message_count(trace) + 1u, sizeof *f.given);
	f.posted = xcalloc(f.halo->far_end - f.halo->far_first + 1u, sizeof *f.posted);
	vec_reserve(&f.posts, f.halo->far_end - f.halo->far_first);
	index_given(&f);
	for (uint32_t l = 0; l < trace->locations.n; l++)
		find_calls(&f, l);
	share_paths(&f, HALO_SENDS);
	share_paths(&f, HALO_RECVS);
	ok = share_posts(&f, err);
	free_all(f.given, f.paths[HALO_SENDS], f.paths[HALO_RECVS], f.posted);
	vec_fini(&f.posts);
	vec_fini(&f.open);
	vec_fini(&f.waiting);
	if (!ok)
		return false;
	halo_places(trace);
	halo_times(trace, BASE_MEASURED);
	return true;
}
