/* The merged tree of call paths. Work items are lists of siblings, the old ones and the new ones,
 * that may be partners; what is matched makes an item of its children. No recursion: paths may be
 * deep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "patterns/compare/align_steps.h"

enum {
	HASHES = 16,    /* of a sketch */
	LOOKED_AT = 16, /* heaviest siblings without namesakes that are compared, per side */
	LEVELS = 8,     /* that may be inserted or removed, one below the other */
	FIRST_NODES = 64
};

/* A call path among siblings, and the node that it goes below. */
struct path_sibling {
	uint32_t path, parent;
};

struct siblings {
	struct path_sibling *list;
	uint32_t n;
};

/* One trace's call paths, by canonical path. */
struct path_tree {
	const struct trace *trace;
	uint32_t n;
	const uint32_t *names, *files; /* [regions] */
	struct lists children;
	double *weight, *visits;   /* share of the run's time, with all below; number */
	uint32_t (*below)[HASHES]; /* least hashes of the names below */
};

struct work {
	struct siblings of[ALIGN_SIDES];
	uint32_t levels;
};

struct paths {
	struct alignment *a;
	struct path_tree trees[ALIGN_SIDES];
	uint32_t cap;
	VEC(struct work) stack;
	uint32_t *stamps, stamp; /* [names] */
};

/* ---- the properties of a tree ---- */

static uint32_t name_of(const struct path_tree *tree, uint32_t path)
{
	return tree->names[trace_callpath_region(tree->trace, path)];
}

static bool is_canonical(const struct path_tree *tree, uint32_t path)
{
	return path != 0 && trace_callpath(tree->trace, path)->canon == path;
}

static uint32_t parent_of(const struct path_tree *tree, uint32_t path)
{
	return trace_callpath(tree->trace, trace_callpath(tree->trace, path)->parent)->canon;
}

static void find_children(struct path_tree *tree)
{
	OWNED uint32_t *parent = xmalloc(((size_t)tree->n + 1) * sizeof *parent);

	for (uint32_t p = 0; p < tree->n; p++)
		parent[p] = is_canonical(tree, p) ? parent_of(tree, p) : ALIGN_NONE;
	lists_make(&tree->children, tree->n, parent, tree->n);
}

/* Hash i of a name. */
static uint32_t hash(uint32_t name, uint32_t i)
{
	uint64_t h = ((uint64_t)name << 8 | i) * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(h >> 32);
}

static void sketch(struct path_tree *tree)
{
	tree->below = xmalloc(((size_t)tree->n + 1) * sizeof *tree->below);
	memset(tree->below, 0xff, ((size_t)tree->n + 1) * sizeof *tree->below);
	/* Parents have smaller numbers than their children. */
	for (uint32_t p = tree->n; p-- > 1;) {
		uint32_t *into;
		if (!is_canonical(tree, p))
			continue;
		into = tree->below[parent_of(tree, p)];
		for (uint32_t i = 0; i < HASHES; i++) {
			const uint32_t own = hash(name_of(tree, p), i);
			const uint32_t least = own < tree->below[p][i] ? own : tree->below[p][i];
			if (least < into[i])
				into[i] = least;
		}
	}
}

static void tree_init(struct path_tree *tree, const struct cube *cube, const uint32_t *names,
		      const uint32_t *files)
{
	double all;

	tree->trace = cube_trace(cube);
	tree->n = trace_callpath_count(tree->trace);
	tree->names = names;
	tree->files = files;
	tree->weight = xcalloc((size_t)tree->n + 1, sizeof *tree->weight);
	tree->visits = xcalloc((size_t)tree->n + 1, sizeof *tree->visits);
	cube_by_path(cube, CUBE_TIME, NULL, tree->weight);
	cube_by_path(cube, CUBE_VISITS, NULL, tree->visits);
	cube_include_paths(tree->trace, tree->weight);
	all = tree->n && tree->weight[0] > 0 ? tree->weight[0] : 1;
	for (uint32_t p = 0; p < tree->n; p++)
		tree->weight[p] /= all;
	find_children(tree);
	sketch(tree);
}

static void tree_fini(struct path_tree *tree)
{
	lists_fini(&tree->children);
	free_all(tree->weight, tree->visits, tree->below);
}

/* ---- likeness ---- */

static double ratio(double a, double b)
{
	const double most = a > b ? a : b, least = a > b ? b : a;

	return most > 0 && least >= 0 ? least / most : 0;
}

static bool has_children(const struct path_tree *tree, uint32_t path)
{
	return tree->children.start[path + 1] > tree->children.start[path];
}

static bool is_user(const struct path_tree *tree, uint32_t path)
{
	return trace_callpath_class(tree->trace, path) == CLASS_USER;
}

/* Likelihood that one of two call paths with different names is the other, renamed. MPI's functions
 * keep their names. */
static double renamed(const struct paths *p, uint32_t old, uint32_t new)
{
	const struct path_tree *a = &p->trees[ALIGN_OLD], *b = &p->trees[ALIGN_NEW];
	const double time = ratio(a->weight[old], b->weight[new]);
	const double visits = ratio(a->visits[old], b->visits[new]);
	unsigned same = 0;

	if (!is_user(a, old) || !is_user(b, new) || has_children(a, old) != has_children(b, new))
		return 0;
	if (!has_children(a, old))
		return (time + visits) / 2;
	for (int i = 0; i < HASHES; i++)
		same += a->below[old][i] == b->below[new][i];
	return 0.6 * same / HASHES + 0.2 * (time + visits);
}

/* Likelihood that `level` of side s was inserted between its parent and those of the other side:
 * the share of both that has its namesake on the other side. */
static double between(struct paths *p, const struct siblings *others, int s, uint32_t level)
{
	const struct path_tree *tree = &p->trees[s], *other = &p->trees[!s];
	double common = 0, all = tree->weight[level];
	uint32_t n;
	const uint32_t *children = lists_of(&tree->children, level, &n);

	if (!is_user(tree, level) || !has_children(tree, level))
		return 0;
	p->stamp++;
	for (uint32_t i = 0; i < n; i++)
		p->stamps[name_of(tree, children[i])] = p->stamp;
	for (uint32_t i = 0; i < others->n; i++)
		if (p->stamps[name_of(other, others->list[i].path)] == p->stamp)
			common += other->weight[others->list[i].path];
	return all > 0 ? ratio(common, all) : 0;
}

/* ---- nodes and work ---- */

static uint32_t add_node(struct paths *p, struct path_sibling old, struct path_sibling new,
			 double likeness)
{
	struct alignment *a = p->a;
	const uint32_t node = a->n_paths++;
	const uint32_t both[ALIGN_SIDES] = { old.path, new.path };

	if (node == p->cap) {
		p->cap += p->cap / 2 + FIRST_NODES;
		a->paths = xrealloc(a->paths, p->cap * sizeof *a->paths);
	}
	a->paths[node] = (struct aligned_path){ new.path != ALIGN_NONE ? new.parent : old.parent,
						{ old.path, new.path },
						likeness };
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (both[s] != ALIGN_NONE)
			a->path_of[s][both[s]] = node;
	return node;
}

/* Appends the children of a path. */
static void add_children(const struct path_tree *tree, struct siblings *to, uint32_t path,
			 uint32_t node)
{
	uint32_t n;
	const uint32_t *children = lists_of(&tree->children, path, &n);

	to->list = xrealloc(to->list, ((size_t)to->n + n + 1) * sizeof *to->list);
	for (uint32_t i = 0; i < n; i++)
		to->list[to->n++] = (struct path_sibling){ children[i], node };
}

static void push(struct paths *p, struct work work)
{
	if (work.of[ALIGN_OLD].n + work.of[ALIGN_NEW].n) {
		vec_push(&p->stack, work);
		return;
	}
	free_all(work.of[ALIGN_OLD].list, work.of[ALIGN_NEW].list);
}

static void go_below(struct paths *p, uint32_t node)
{
	struct work work = { .levels = 0 };

	for (int s = 0; s < ALIGN_SIDES; s++)
		if (p->a->paths[node].path[s] != ALIGN_NONE)
			add_children(&p->trees[s], &work.of[s], p->a->paths[node].path[s], node);
	push(p, work);
}

static const struct path_sibling nobody = { ALIGN_NONE, ALIGN_NONE };

static void pair(struct paths *p, struct path_sibling *old, struct path_sibling *new,
		 double likeness)
{
	go_below(p, add_node(p, *old, *new, likeness));
	old->path = new->path = ALIGN_NONE;
}

/* ---- by name ---- */

struct keyed_path {
	uint32_t name, file, line, path, at; /* `at`: in the siblings */
};

ORDERING(compare_keys, struct keyed_path, name, file, line, path)

/* Of a call; without a line a number made of its function's name (struct site). */
static uint32_t line_of(const struct path_tree *tree, const struct site *site)
{
	uint32_t number = 0;

	if (site->line || !site->file)
		return site->line;
	for (const char *c = trace_string(tree->trace, site->file); *c; c++)
		number = hash(number, (unsigned char)*c);
	return number | 1u << 31;
}

/* Keys of the siblings that have no partner yet; returns the count. */
static uint32_t keys_of(const struct path_tree *tree, const struct siblings *siblings, bool by_file,
			struct keyed_path **keys)
{
	uint32_t n = 0;

	*keys = xcalloc((size_t)siblings->n + 1, sizeof **keys);
	for (uint32_t i = 0; i < siblings->n; i++) {
		const uint32_t path = siblings->list[i].path;
		const struct site *site;
		if (path == ALIGN_NONE)
			continue;
		site = trace_site(tree->trace, trace_callpath(tree->trace, path)->site);
		(*keys)[n++] = (struct keyed_path){ tree->names[site->region],
						    by_file ? tree->files[site->region] : 0,
						    line_of(tree, site), path, i };
	}
	qsort(*keys, n, sizeof **keys, compare_keys);
	return n;
}

static bool is_one_run(const struct keyed_path *a, const struct keyed_path *b)
{
	return a->name == b->name && a->file == b->file;
}

/* Pairs siblings of one name: first those from the same line, then the others in the order of their
 * lines. */
static void pair_run(struct paths *p, struct work *w, const struct keyed_path *old, uint32_t n_old,
		     const struct keyed_path *new, uint32_t n_new)
{
	struct path_sibling *olds = w->of[ALIGN_OLD].list, *news = w->of[ALIGN_NEW].list;

	for (uint32_t i = 0, k = 0; i < n_old && k < n_new;)
		if (old[i].line == new[k].line)
			pair(p, &olds[old[i++].at], &news[new[k++].at], 1);
		else if (old[i].line < new[k].line)
			i++;
		else
			k++;
	for (uint32_t i = 0, k = 0; i < n_old && k < n_new;)
		if (olds[old[i].at].path == ALIGN_NONE)
			i++;
		else if (news[new[k].at].path == ALIGN_NONE)
			k++;
		else
			pair(p, &olds[old[i++].at], &news[new[k++].at], 1);
}

static void pair_names(struct paths *p, struct work *w, bool by_file)
{
	struct keyed_path *old, *new;
	const uint32_t n = keys_of(&p->trees[ALIGN_OLD], &w->of[ALIGN_OLD], by_file, &old);
	const uint32_t m = keys_of(&p->trees[ALIGN_NEW], &w->of[ALIGN_NEW], by_file, &new);

	for (uint32_t i = 0, k = 0; i < n && k < m;) {
		uint32_t i1 = i + 1, k1 = k + 1;

		if (!is_one_run(&old[i], &new[k])) {
			if (old[i].name < new[k].name ||
			    (old[i].name == new[k].name &&old[i].file < new[k].file))
				i++;
			else
				k++;
			continue;
		}
		while (i1 < n && is_one_run(&old[i1], &old[i]))
			i1++;
		while (k1 < m && is_one_run(&new[k1], &new[k]))
			k1++;
		pair_run(p, w, old + i, i1 - i, new + k, k1 - k);
		i = i1;
		k = k1;
	}
	free_all(old, new);
}

/* ---- by likeness ---- */

enum kind { RENAMED, PUT_IN, TAKEN_OUT };

struct candidate {
	enum kind kind;
	uint32_t at[ALIGN_SIDES]; /* in the siblings */
	double likeness;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	ORDER_BY(y->likeness, x->likeness);
	ORDER_BY(x->at[ALIGN_OLD], y->at[ALIGN_OLD]);
	return ORDER(x->at[ALIGN_NEW], y->at[ALIGN_NEW]);
}

static void leave_out_paired(struct siblings *siblings)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < siblings->n; i++)
		if (siblings->list[i].path != ALIGN_NONE)
			siblings->list[n++] = siblings->list[i];
	siblings->n = n;
}

/* The indices of the heaviest, heaviest first; returns the count. */
static uint32_t heaviest(const struct path_tree *tree, const struct siblings *siblings,
			 uint32_t best[LOOKED_AT])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < siblings->n; i++) {
		const double weight = tree->weight[siblings->list[i].path];
		uint32_t k = n < LOOKED_AT ? n++ : LOOKED_AT;
		for (; k > 0 && weight > tree->weight[siblings->list[best[k - 1]].path]; k--)
			if (k < LOOKED_AT)
				best[k] = best[k - 1];
		if (k < LOOKED_AT)
			best[k] = i;
	}
	return n;
}

static uint32_t find_candidates(struct paths *p, struct work *w, struct candidate *list)
{
	uint32_t best[ALIGN_SIDES][LOOKED_AT], n[ALIGN_SIDES], found = 0;

	for (int s = 0; s < ALIGN_SIDES; s++)
		n[s] = heaviest(&p->trees[s], &w->of[s], best[s]);
	for (uint32_t i = 0; i < n[ALIGN_OLD]; i++)
		for (uint32_t k = 0; k < n[ALIGN_NEW]; k++) {
			const uint32_t o = best[ALIGN_OLD][i], m = best[ALIGN_NEW][k];
			list[found++] =
				(struct candidate){ RENAMED,
						    { o, m },
						    renamed(p, w->of[ALIGN_OLD].list[o].path,
							    w->of[ALIGN_NEW].list[m].path) };
		}
	for (int s = 0; s < ALIGN_SIDES && w->levels < LEVELS; s++)
		for (uint32_t i = 0; i < n[s]; i++) {
			const uint32_t at = best[s][i];
			list[found++] = (struct candidate){ s == ALIGN_NEW ? PUT_IN : TAKEN_OUT,
							    { at, at },
							    between(p, &w->of[!s], s,
								    w->of[s].list[at].path) };
		}
	SORT(list, found, compare_candidates);
	return found;
}

/* A level that only one side has: its children are compared with the other side's siblings. */
static void open_level(struct paths *p, struct work *w, int s, uint32_t at)
{
	const struct path_sibling level = w->of[s].list[at];
	const uint32_t node =
		s == ALIGN_NEW ? add_node(p, nobody, level, 0) : add_node(p, level, nobody, 0);

	w->of[s].list[at].path = ALIGN_NONE;
	for (int side = 0; side < ALIGN_SIDES; side++)
		leave_out_paired(&w->of[side]);
	add_children(&p->trees[s], &w->of[s], level.path, node);
	w->levels++;
}

/* True if a level was opened: the work starts again. */
static bool pair_likely(struct paths *p, struct work *w)
{
	struct candidate list[LOOKED_AT * LOOKED_AT + 2 * LOOKED_AT];
	const uint32_t n = find_candidates(p, w, list);

	for (uint32_t i = 0; i < n && list[i].likeness >= LIKENESS_LEAST; i++) {
		const struct candidate *c = &list[i];
		struct path_sibling *old = &w->of[ALIGN_OLD].list[c->at[ALIGN_OLD]];
		struct path_sibling *new = &w->of[ALIGN_NEW].list[c->at[ALIGN_NEW]];

		if (c->kind == RENAMED) {
			/* Under different names, no likeness makes it certain. */
			if (old->path != ALIGN_NONE && new->path != ALIGN_NONE)
				pair(p, old, new, fmin(c->likeness, 0.99));
		} else if ((c->kind == PUT_IN ? new : old)->path != ALIGN_NONE) {
			const int s = c->kind == PUT_IN ? ALIGN_NEW : ALIGN_OLD;
			open_level(p, w, s, c->at[s]);
			return true;
		}
	}
	return false;
}

/* Adds what has no partner, with all below it. */
static void add_alone(struct paths *p, struct work *w)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		for (uint32_t i = 0; i < w->of[s].n; i++) {
			const struct path_sibling one = w->of[s].list[i];
			if (one.path != ALIGN_NONE)
				go_below(p, s == ALIGN_NEW ? add_node(p, nobody, one, 0)
							   : add_node(p, one, nobody, 0));
		}
}

static void align_siblings(struct paths *p, struct work *w)
{
	bool again = true;

	while (again) {
		/* Functions of one name in different files are different functions, unless one was
		 * moved: the second pass pairs those that remain. */
		pair_names(p, w, true);
		pair_names(p, w, false);
		for (int s = 0; s < ALIGN_SIDES; s++)
			leave_out_paired(&w->of[s]);
		again = w->of[ALIGN_OLD].n && w->of[ALIGN_NEW].n && pair_likely(p, w);
	}
	add_alone(p, w);
	for (int s = 0; s < ALIGN_SIDES; s++)
		free(w->of[s].list);
}

/* Call paths that are not canonical have the node of their canonical one. */
static void share_nodes(struct alignment *a)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		for (uint32_t p = 0; p < trace_callpath_count(a->trace[s]); p++)
			a->path_of[s][p] = a->path_of[s][trace_callpath(a->trace[s], p)->canon];
}

void align_paths_make(struct alignment *a, const struct cube *const cubes[ALIGN_SIDES])
{
	struct paths p = { .a = a };
	struct align_names names;

	align_names_init(&names, a);
	p.stamps = xcalloc((size_t)names.n + 1, sizeof *p.stamps);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		tree_init(&p.trees[s], cubes[s], names.of[s], names.file[s]);
		a->path_of[s] = xcalloc((size_t)p.trees[s].n + 1, sizeof *a->path_of[s]);
	}
	go_below(&p, add_node(&p, (struct path_sibling){ 0, 0 }, (struct path_sibling){ 0, 0 }, 1));
	while (p.stack.n) {
		struct work work = vec_pop(&p.stack);
		align_siblings(&p, &work);
	}
	share_nodes(a);
	for (int s = 0; s < ALIGN_SIDES; s++)
		tree_fini(&p.trees[s]);
	vec_fini(&p.stack);
	free(p.stamps);
	align_names_fini(&names);
}
