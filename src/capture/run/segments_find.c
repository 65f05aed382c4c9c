#include "capture/run/segments.h"

#include <stdlib.h>

enum { PATHS_OF_A_PLACE = 8, PLACES_OF_A_RUN = 16, ROUNDS = 12, STEPS = 1 << 16 };

/* Records from one gap to the next. */
struct segment_run {
	struct rank_stream at; /* before its first record */
	bool follows;          /* as deep as the run before it: TV_SEGMENT says so */
	uint32_t users;        /* the user regions that are open at its begin, for those are always
				  recorded */
	bool known;
	uint32_t region; /* the user regions after its first record, if that enters one; else 0 */
	uint32_t base, end; /* stacks at its begin and end */
};

/* One of the stacks in which a place was seen. */
struct seen_place {
	uint32_t path, next;
};

struct segment_search {
	struct segments *s;
	const struct rankfile *file;
	VEC(struct segment_run) runs;
	struct keymap places; /* key of a call or a frame -> its newest place */
	VEC(struct seen_place) place;
	struct keymap depths; /* (site, path) -> place in pointers */
	VEC(uint64_t) pointers;
	/* The run that is walked: frames from its base upwards, those that it left below, innermost
	 * first. */
	VEC(uint64_t) open;
	VEC(uint64_t) left;
	VEC(uint64_t) more;
	VEC(uint32_t) nodes; /* stacks of the frames in open, as far as they were asked for */
	uint32_t base;
	uint32_t candidate[PLACES_OF_A_RUN];
	size_t candidates;
	size_t calls; /* of MPI in it */
};

/* ---- stacks ---- */

static uint32_t child(struct segments *s, uint32_t parent, uint64_t what)
{
	uint32_t *known =
		keymap_add(&s->children,
			   (struct key){ { parent, (uint32_t)what, (uint32_t)(what >> 32) } });
	const uint32_t fresh = (uint32_t)s->paths.n;
	uint32_t users;

	if (*known != UINT32_MAX)
		return *known;
	*known = fresh;
	vec_push(&s->paths, ((struct segment_path){ .what = what,
						    .parent = parent,
						    .depth = s->paths.data[parent].depth + 1 }));
	users = s->paths.data[parent].users;
	if (what & SEGMENT_USER) /* below a stack of user regions this goes no deeper */
		users = users == parent ? fresh : child(s, users, what);
	s->paths.data[fresh].users = users;
	return fresh;
}

/* A stack with the frames of `left` on top of it, of which the first is the innermost. */
static uint32_t with_left(struct segment_search *f, uint32_t path, size_t n)
{
	while (n-- > 0)
		path = child(f->s, path, f->left.data[n]);
	return path;
}

/* A stack with the user regions on top of it that `users` has beyond `common`. */
static uint32_t with_missing(struct segment_search *f, uint32_t path, uint32_t common,
			     uint32_t users)
{
	const size_t kept = f->more.n;

	for (; users != common; users = f->s->paths.data[users].parent)
		vec_push(&f->more, f->s->paths.data[users].what);
	while (f->more.n > kept) {
		const uint64_t what = vec_pop(&f->more);
		path = child(f->s, path, what);
	}
	return path;
}

/* ---- walking a run ---- */

/* A site is left wherever it was entered from. */
static bool same_frame(uint64_t a, uint64_t b)
{
	return a == b || ((a & SEGMENT_SITE) && (b & SEGMENT_SITE) && (uint32_t)a == (uint32_t)b);
}

/* What a record enters or leaves; 0 nothing. */
static uint64_t frame_of(const struct tv_head *head, bool *enters)
{
	const struct tv_function *function = (const void *)head;

	*enters = head->kind == TV_FUNCTION_ENTER || head->kind == TV_USER_ENTER ||
		  head->kind == TV_SITE_ENTER;
	switch (head->kind) {
	case TV_FUNCTION_ENTER:
	case TV_FUNCTION_LEAVE: return tv_function_address(function->what);
	case TV_SITE_ENTER:
	case TV_SITE_LEAVE: return SEGMENT_SITE | function->what >> 8;
	case TV_USER_ENTER:
	case TV_USER_LEAVE: return SEGMENT_USER | head->id;
	default: return 0;
	}
}

/* A leave that is not of the innermost frame closes those above it, as a jump out of them does. */
static void leave(struct segment_search *f, uint64_t what)
{
	size_t n = f->open.n;

	while (n > 0 && !same_frame(f->open.data[n - 1], what))
		n--;
	if (n > 0) {
		f->open.n = n - 1;
		f->nodes.n = f->nodes.n < f->open.n ? f->nodes.n : f->open.n;
	} else if (f->open.n == 0) {
		vec_push(&f->left, what);
	}
}

static uint32_t path_now(struct segment_search *f)
{
	while (f->nodes.n < f->open.n) {
		const uint32_t parent = f->nodes.n ? *vec_last(&f->nodes) : f->base;
		const uint32_t node = child(f->s, parent, f->open.data[f->nodes.n]);
		vec_push(&f->nodes, node);
	}
	return f->nodes.n ? *vec_last(&f->nodes) : f->base;
}

static struct key key_of_call(const struct tv_enter *enter)
{
	return (struct key){ { (uint32_t)enter->site, (uint32_t)(enter->site >> 32),
			       (uint32_t)enter->frame, (uint32_t)(enter->frame >> 32) } };
}

/* No stack pointer is that large. */
static struct key key_of_frame(uint64_t what)
{
	const uint32_t upper = (uint32_t)((what & SEGMENT_SITE ? SEGMENT_SITE : what) >> 32);

	return (struct key){ { (uint32_t)what, upper, UINT32_MAX, UINT32_MAX } };
}

static uint32_t first_place(const struct segment_search *f, struct key key)
{
	const uint32_t *first = keymap_find(&f->places, key);

	return first ? *first : UINT32_MAX;
}

/* The base that the run has if the call is in `path`: its own frames must be on top of it. */
static bool base_from(struct segment_search *f, uint32_t path, uint32_t *base)
{
	for (size_t n = f->open.n; n-- > 0; path = f->s->paths.data[path].parent)
		if (!path || !same_frame(f->s->paths.data[path].what, f->open.data[n]))
			return false;
	*base = with_left(f, path, f->left.n);
	return true;
}

static void note_candidates(struct segment_search *f, const struct tv_enter *enter)
{
	uint32_t base;

	for (uint32_t at = first_place(f, key_of_call(enter)); at != UINT32_MAX;
	     at = f->place.data[at].next)
		if (f->candidates < PLACES_OF_A_RUN && base_from(f, f->place.data[at].path, &base))
			f->candidate[f->candidates++] = base;
}

/* False where it is known, or too many are. */
static bool learn_place(struct segment_search *f, struct key key, uint32_t path)
{
	uint32_t *first = keymap_add(&f->places, key);
	int n = 0;

	for (uint32_t at = *first; at != UINT32_MAX; at = f->place.data[at].next, n++)
		if (f->place.data[at].path == path)
			return false;
	if (n >= PATHS_OF_A_PLACE)
		return false;
	vec_push(&f->place, ((struct seen_place){ path, *first }));
	*first = (uint32_t)f->place.n - 1;
	return true;
}

/* One call site in one stack has one stack pointer. */
static struct key key_of_depth(const struct tv_enter *enter, uint32_t path)
{
	return (struct key){ { (uint32_t)enter->site, (uint32_t)(enter->site >> 32), path, 0 } };
}

static bool contradicts(struct segment_search *f, const struct tv_enter *enter)
{
	const uint32_t *known = keymap_find(&f->depths, key_of_depth(enter, path_now(f)));

	return known && f->pointers.data[*known] != enter->frame;
}

static void learn(struct segment_search *f, const struct tv_enter *enter)
{
	const struct segment_path *path;
	uint32_t at = path_now(f), *depth;

	if (!learn_place(f, key_of_call(enter), at))
		return;
	depth = keymap_add(&f->depths, key_of_depth(enter, at));
	if (*depth == UINT32_MAX) {
		*depth = (uint32_t)f->pointers.n;
		vec_push(&f->pointers, enter->frame);
	}
	for (; at; at = path->parent) {
		path = &f->s->paths.data[at];
		if (!learn_place(f, key_of_frame(path->what), at))
			break;
	}
}

/* What happens on the way through a run. */
enum purpose {
	LOOK,  /* its base is unknown: collects `left` and candidates */
	CHECK, /* nothing in it contradicts the base that is proposed */
	LEARN, /* it is known: what it leaves below its base is popped, places are learned */
	PASS   /* the same without learning: it was guessed */
};

static void leave_base(struct segment_search *f)
{
	for (; f->left.n; f->left.n--)
		f->base = f->base ? f->s->paths.data[f->base].parent : 0;
}

/* False where it was to check, and something contradicts. */
static bool walk(struct segment_search *f, const struct segment_run *run, enum purpose purpose)
{
	struct rank_stream at = run->at;
	const struct tv_head *head;
	bool inside = run != f->runs.data; /* after a gap */

	f->open.n = f->left.n = f->nodes.n = 0;
	f->candidates = f->calls = 0;
	f->base = run->base;
	while ((head = rank_stream_next(&at))) {
		bool enters;
		const uint64_t what = frame_of(head, &enters);
		if (what && enters)
			vec_push(&f->open, what);
		else if (what)
			leave(f, what);
		if (purpose != LOOK)
			leave_base(f);
		if (head->kind == TV_ENTER && !segment_is_own(f->file, head)) {
			f->calls++;
			if (purpose == LOOK)
				note_candidates(f, (const void *)head);
			else if (purpose == LEARN)
				learn(f, (const void *)head);
			else if (purpose == CHECK && contradicts(f, (const void *)head))
				return false;
		}
		if (segment_turn(&inside, f->file, head) & SEGMENT_BEGINS)
			break;
	}
	return true;
}

static bool fits(struct segment_search *f, struct segment_run *run, uint32_t base)
{
	run->base = base;
	return walk(f, run, CHECK);
}

static void settle(struct segment_search *f, struct segment_run *run, uint32_t base,
		   enum purpose purpose)
{
	run->base = base;
	run->known = true;
	walk(f, run, purpose);
	run->end = path_now(f);
}

/* ---- finding out ---- */

/* Whether what the run leaves is what is on top of the base, in that order, and the user regions
 * are the right ones. */
static bool agrees(const struct segment_search *f, const struct segment_run *run, uint32_t base)
{
	if (f->s->paths.data[base].users != run->users)
		return false;
	for (size_t i = 0; i < f->left.n; i++, base = f->s->paths.data[base].parent)
		if (!base || !same_frame(f->s->paths.data[base].what, f->left.data[i]))
			return false;
	return true;
}

/* Nor does anything change below user regions that stay open. */
static bool keeps_regions(const struct segment_search *f, const struct segment_run *run,
			  uint32_t base)
{
	const struct segment_path *paths = f->s->paths.data;

	return run == f->runs.data || !run[-1].known ||
	       paths[segments_common(f->s, run[-1].end, base)].users == run->users;
}

/* Of the candidates that agree the one that has most in common with the stack before the gap. */
static bool choose(const struct segment_search *f, const struct segment_run *run, uint32_t before,
		   uint32_t *base)
{
	uint32_t most = 0;
	bool any = false;

	for (size_t i = 0; i < f->candidates; i++) {
		const uint32_t one = f->candidate[i];
		const uint32_t depth = f->s->paths.data[segments_common(f->s, before, one)].depth;
		if ((any && depth <= most) || !agrees(f, run, one) || !keeps_regions(f, run, one))
			continue;
		any = true;
		most = depth;
		*base = one;
	}
	return any;
}

/* One round over the runs that are not known yet; false where nothing came of it. */
static bool spread(struct segment_search *f)
{
	uint32_t before = 0;
	bool any = false;

	for (size_t i = 0; i < f->runs.n; i++) {
		struct segment_run *run = &f->runs.data[i];
		uint32_t base = before;
		if (!run->known) {
			if (run->follows && !run[-1].known)
				continue;
			if (!run->follows) {
				walk(f, run, LOOK);
				if (!choose(f, run, before, &base) || !fits(f, run, base))
					continue;
			}
			settle(f, run, base, LEARN);
			f->s->known++;
			any = true;
		}
		before = run->end;
	}
	return any;
}

/* The stack, somewhere in `before`, whose top is left[i], left[i + 1], ... to the last; 0 none. */
static uint32_t find_left(const struct segment_search *f, uint32_t before, size_t i, int *steps)
{
	for (; before && *steps > 0; before = f->s->paths.data[before].parent) {
		uint32_t at = before;
		size_t k = i;
		for (; k < f->left.n && at && --*steps > 0; k++, at = f->s->paths.data[at].parent)
			if (!same_frame(f->s->paths.data[at].what, f->left.data[k]))
				break;
		if (k == f->left.n)
			return before;
	}
	return 0;
}

/* What a run may begin with, from the best reason to the worst; it was looked at. */
enum reason {
	TO_ROOT,   /* it leaves the outermost function, too */
	ALL_OPEN,  /* all that it leaves was open before the gap, in that order */
	SEEN,      /* the outermost function that it leaves was open elsewhere */
	SOME_OPEN, /* some functions that it leaves were open before the gap; the others were
		      entered inside those open before and after */
	REASONS
};

/* The functions that the run leaves, on top of those open before and after it, with only the user
 * regions known to be open. */
static uint32_t entered_in_gap(struct segment_search *f, const struct segment_run *run,
			       uint32_t before, uint32_t after)
{
	const struct segment_path *paths = f->s->paths.data;
	const uint32_t stop = segments_common(f->s, before, after);
	uint32_t base = before, users = run->users, common;

	for (size_t i = 0; i < f->left.n; i++)
		if (f->left.data[i] & SEGMENT_USER)
			users = paths[users].parent;
	common = segments_common(f->s, paths[before].users, users);
	while (paths[base].users != common)
		base = paths[base].parent;
	while (paths[base].depth > paths[stop].depth && paths[paths[base].parent].users == common)
		base = paths[base].parent;
	return with_left(f, with_missing(f, base, common, users), f->left.n);
}

static bool propose(struct segment_search *f, const struct segment_run *run, enum reason reason,
		    uint32_t before, uint32_t after, uint32_t *base)
{
	const size_t n = f->left.n;
	int steps = STEPS;

	if (reason == TO_ROOT) {
		uint32_t root = f->runs.data[0].end;
		while (f->s->paths.data[root].depth > 1)
			root = f->s->paths.data[root].parent;
		*base = with_left(f, root, n - 1);
		return root && agrees(f, run, *base);
	}
	if (reason == ALL_OPEN) {
		*base = find_left(f, before, 0, &steps);
		return *base != 0 && agrees(f, run, *base);
	}
	if (reason == SEEN) {
		uint32_t at = first_place(f, key_of_frame(f->left.data[n - 1]));
		for (f->candidates = 0; at != UINT32_MAX && f->candidates < PLACES_OF_A_RUN;
		     at = f->place.data[at].next)
			f->candidate[f->candidates++] = with_left(f, f->place.data[at].path, n - 1);
		return choose(f, run, before, base);
	}
	for (size_t i = 1; i < n; i++) {
		const uint32_t found = find_left(f, before, i, &steps);
		*base = found ? with_left(f, found, i) : 0;
		if (found && agrees(f, run, *base))
			return true;
	}
	*base = entered_in_gap(f, run, before, after);
	return true;
}

/* Of the runs for which there is this reason, and nothing that contradicts, the one that leaves
 * most: it has most evidence. What is learned from it may settle others. */
static bool seed(struct segment_search *f, enum reason reason)
{
	uint32_t before = 0, base, best_base = 0;
	struct segment_run *best = NULL;
	size_t next = 0, most = 0;

	for (size_t i = 0; i < f->runs.n; i++) {
		struct segment_run *run = &f->runs.data[i];
		while (next < f->runs.n && (next < i || !f->runs.data[next].known))
			next++;
		if (run->known) {
			before = run->end;
			continue;
		}
		walk(f, run, LOOK);
		if (f->left.n <= most || f->calls == 0 ||
		    !propose(f, run, reason, before,
			     next < f->runs.n ? f->runs.data[next].base : before, &base))
			continue;
		const size_t n = f->left.n;
		if (!fits(f, run, base))
			continue;
		most = n;
		best = run;
		best_base = base;
	}
	if (!best)
		return false;
	settle(f, best, best_base, LEARN);
	f->s->guessed++;
	return true;
}

/* While a region that the program marks is open, nothing below it changes: a run that begins with
 * its enter has what a run that is known has below it. */
static bool below_region(struct segment_search *f)
{
	enum { AHEAD = 64 };
	bool any = false;

	for (size_t i = 1; i < f->runs.n; i++) {
		struct segment_run *run = &f->runs.data[i];
		const uint32_t region = run->region;
		if (run->known || !region)
			continue;
		for (size_t k = i + 1; k < f->runs.n && k < i + AHEAD; k++) {
			const struct segment_path *paths = f->s->paths.data;
			uint32_t at = f->runs.data[k].users;
			if (segments_common(f->s, at, region) != region)
				break;
			if (!f->runs.data[k].known)
				continue;
			for (at = f->runs.data[k].base;
			     at && paths[paths[at].parent].users != run->users;)
				at = paths[at].parent;
			settle(f, run, paths[at].parent, LEARN);
			f->s->known++;
			any = true;
			break;
		}
	}
	return any;
}

/* The rest. */
static void guess(struct segment_search *f)
{
	uint32_t before = 0;
	size_t next = 0;

	for (size_t i = 0; i < f->runs.n; i++) {
		struct segment_run *run = &f->runs.data[i];
		uint32_t base = before;
		bool found = run->known || run->follows;
		while (next < f->runs.n && (next < i || !f->runs.data[next].known))
			next++;
		if (!found)
			walk(f, run, LOOK);
		found |= f->left.n == 0;
		for (enum reason reason = TO_ROOT; !found && reason < REASONS; reason++)
			found = propose(f, run, reason, before,
					next < f->runs.n ? f->runs.data[next].base : before, &base);
		if (!run->known) {
			settle(f, run, base, PASS);
			f->s->guessed++;
		}
		before = run->end;
	}
}

/* What is known spreads; where that ends, the best remaining reason settles one more run. */
static void find_out(struct segment_search *f)
{
	for (int round = 0; round < ROUNDS; round++) {
		bool any = spread(f) || below_region(f);
		for (enum reason reason = TO_ROOT; !any && reason < REASONS; reason++)
			any = seed(f, reason);
		if (!any)
			break;
	}
	guess(f);
}

static void split(struct segment_search *f, uint32_t thread)
{
	const struct tv_head *head;
	struct rank_stream at;
	bool inside = false;
	uint32_t users = 0;

	rank_stream_begin(&at, f->file, thread);
	vec_push(&f->runs, ((struct segment_run){ .at = at }));
	for (struct rank_stream before = at; (head = rank_stream_next(&at)); before = at) {
		const bool ends = segment_turn(&inside, f->file, head) & SEGMENT_ENDS;
		if (ends)
			vec_push(&f->runs,
				 ((struct segment_run){ .at = before,
							.follows = head->kind == TV_SEGMENT,
							.users = users }));
		if (head->kind == TV_USER_ENTER) {
			users = child(f->s, users, SEGMENT_USER | head->id);
			if (ends)
				vec_last(&f->runs)->region = users;
		}
		if (head->kind == TV_USER_LEAVE)
			users = f->s->paths.data[users].parent;
	}
}

void segments_find(struct segments *s, const struct rankfile *file, uint32_t thread)
{
	static const struct segment_path nothing = { 0 };
	struct segment_search f = { .s = s, .file = file };

	*s = (struct segments){ 0 };
	vec_push(&s->paths, nothing);
	split(&f, thread);
	if (f.runs.n > 1) {
		walk(&f, f.runs.data, LOOK);
		s->first = with_left(&f, 0, f.left.n);
		settle(&f, f.runs.data, s->first, LEARN);
		s->known = 1;
		find_out(&f);
	}
	for (size_t i = 1; i < f.runs.n; i++)
		vec_push(&s->gaps,
			 ((struct segment_gap){ f.runs.data[i - 1].end, f.runs.data[i].base }));
	keymap_fini(&f.places);
	keymap_fini(&f.depths);
	vec_fini(&f.pointers);
	vec_fini(&f.runs);
	vec_fini(&f.place);
	vec_fini(&f.open);
	vec_fini(&f.left);
	vec_fini(&f.more);
	vec_fini(&f.nodes);
}
