#include "capture/run/visit_watch.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "capture/run/rank_follow.h"
#include "capture/run/run_list.h"
#include "capture/run/visit_names.h"
#include "model/filter/filter_alone.h"

/* What is open in a thread. */
struct open_visits {
	struct tv_ledger *ledger;
	uint64_t told[TV_LEDGER_FRAMES]; /* of a frame that matched already: its start */
};

struct watched_rank {
	char *name; /* of the file */
	struct rank_follow *follow;
	struct visit_names *names;
	struct keymap regions; /* (what, kind and thread) -> the filter's region */
	VEC(struct open_visits *) threads;
	struct calibration clock;
	uint64_t least; /* ticks: no shorter visit matches */
};

struct visit_watch {
	char *folder;
	struct filter_alone *filter;
	struct symbols *symbols;
	struct follow_room *room;
	VEC(struct watched_rank) ranks;
	struct str *what; /* during a look */
	bool found;
};

/* What `tell` gets. */
struct telling {
	struct visit_watch *watch;
	struct watched_rank *rank;
};

struct visit_watch *visit_watch_new(const char *folder, const char *filter, struct err *err)
{
	struct filter_alone *compiled = filter_alone_new(filter, &units_nanoseconds, err);
	struct visit_watch *w;

	if (!compiled)
		return NULL;
	w = xcalloc(1, sizeof *w);
	w->folder = xstrdup(folder);
	w->filter = compiled;
	w->symbols = symbols_new();
	w->room = follow_room_new();
	return w;
}

void visit_watch_free(struct visit_watch *w)
{
	struct watched_rank *rank;
	struct open_visits **thread;

	if (!w)
		return;
	vec_each (rank, &w->ranks) {
		vec_each (thread, &rank->threads)
			if (*thread)
				free_all((*thread)->ledger, *thread);
		vec_fini(&rank->threads);
		keymap_fini(&rank->regions);
		visit_names_free(rank->names);
		rank_follow_free(rank->follow);
		free(rank->name);
	}
	vec_fini(&w->ranks);
	symbols_free(w->symbols);
	follow_room_free(w->room);
	filter_alone_free(w->filter);
	free_all(w->folder, w);
}

/* ---- one visit ---- */

/* `visit`: the record that begins it. */
static uint32_t region_of(struct telling *t, uint32_t thread, const union tv_kept *visit)
{
	struct watched_rank *rank = t->rank;
	const struct visit_place place = visit_place_of(&visit->head, thread);
	uint32_t *known =
		keymap_add(&rank->regions, KEY_OF(place.kind, place.thread, (uint32_t)place.what,
						  (uint32_t)(place.what >> 32)));
	OWNED_STR name = STR_INIT;

	if (*known == UINT32_MAX) {
		visit_names_add(rank->names, rank_follow_head(rank->follow), place, &name);
		*known = filter_alone_region(t->watch->filter, name.n ? name.text : "");
	}
	return *known;
}

static void tell_match(struct telling *t, uint32_t thread, const union tv_kept *visit, int64_t dur,
		       bool goes_on)
{
	OWNED_STR name = STR_INIT, time = STR_INIT;

	if (!t->watch->found) {
		visit_names_add(t->rank->names, rank_follow_head(t->rank->follow),
				visit_place_of(&visit->head, thread), &name);
		units_human_time(&time, dur, &units_nanoseconds, 3);
		str_add_fmt(t->watch->what, "rank %d ",
			    (int)rank_follow_head(t->rank->follow)->rank);
		str_add(t->watch->what, goes_on ? "has been in " : "was in ");
		str_add_clean_text(t->watch->what, name.text);
		str_add_fmt(t->watch->what, " for %s", time.text);
	}
	t->watch->found = true;
}

static bool matches(struct telling *t, uint32_t thread, const union tv_kept *visit, int64_t dur)
{
	const struct tv_file *head = rank_follow_head(t->rank->follow);

	return filter_alone_matches(t->watch->filter,
				    &(struct filter_alone_visit){
					    region_of(t, thread, visit),
					    head->state & TV_INITIALISED ? head->rank : -1, thread,
					    dur });
}

static int64_t time_of(const struct telling *t, uint64_t ticks)
{
	return ticks_duration(&t->rank->clock, ticks, TICKS_NEAREST);
}

/* ---- records ---- */

static struct open_visits *open_of(struct watched_rank *rank, uint32_t thread)
{
	struct open_visits **open;

	while (rank->threads.n <= thread)
		vec_push(&rank->threads, NULL);
	open = &rank->threads.data[thread];
	if (!*open) {
		*open = xcalloc(1, sizeof **open);
		(*open)->ledger = xcalloc(1, sizeof *(*open)->ledger);
	}
	return *open;
}

static bool is_leave(const struct tv_head *head)
{
	return head->kind == TV_FUNCTION_LEAVE || head->kind == TV_SITE_LEAVE ||
	       head->kind == TV_USER_LEAVE || head->kind == TV_LEAVE;
}

/* The visit that a leave ends. */
static void try_leave(struct telling *t, uint32_t thread, const struct open_visits *open,
		      const struct tv_head *head)
{
	const struct tv_ledger *l = open->ledger;
	uint32_t i = l->frames;
	uint64_t ticks;

	while (i > 0 && !tv_ledger_leaves(head, &l->frame[i - 1]))
		i--;
	if (i == 0)
		return;
	ticks = head->time - l->frame[i - 1].head.time;
	if (ticks >= t->rank->least && open->told[i - 1] != l->frame[i - 1].head.time &&
	    matches(t, thread, &l->frame[i - 1], time_of(t, ticks)))
		tell_match(t, thread, &l->frame[i - 1], time_of(t, ticks), false);
}

static void take(void *context, uint32_t thread, const struct tv_head *head)
{
	struct telling *t = context;
	struct open_visits *open = open_of(t->rank, thread);

	if (!head) {
		open->ledger->frames = 0;
		return;
	}
	if (head->kind == TV_DEFINE && !tv_is_of_run(head->call)) {
		visit_names_define(t->rank->names, thread, head);
		return;
	}
	if (is_leave(head))
		try_leave(t, thread, open, head);
	tv_ledger_take(open->ledger, head);
}

/* What goes on. */
static void try_open(struct telling *t, uint32_t thread, struct open_visits *open, uint64_t now)
{
	const struct tv_ledger *l = open->ledger;

	for (uint32_t i = 0; i < l->frames; i++) {
		const union tv_kept *visit = &l->frame[i];
		const uint64_t start = visit->head.time;
		if (start >= now || now - start < t->rank->least || open->told[i] == start ||
		    !matches(t, thread, visit, time_of(t, now - start)) ||
		    !matches(t, thread, visit, INT64_MAX))
			continue;
		open->told[i] = start;
		tell_match(t, thread, visit, time_of(t, now - start), true);
	}
}

/* ---- a look ---- */

static void find_new(struct visit_watch *w)
{
	const struct watched_rank *rank;
	const struct dirent *entry;
	OWNED_STR path = STR_INIT;
	DIR *folder = opendir(w->folder);

	while (folder && (entry = readdir(folder))) {
		bool known = !str_ends_with(entry->d_name, ".tvrank");
		vec_each (rank, &w->ranks)
			known = known || !strcmp(rank->name, entry->d_name);
		if (known)
			continue;
		str_clear(&path);
		str_add_fmt(&path, "%s/%s", w->folder, entry->d_name);
		vec_push(&w->ranks,
			 ((struct watched_rank){ .name = xstrdup(entry->d_name),
						 .follow = rank_follow_new(path.text, w->room),
						 .names = visit_names_new(w->symbols) }));
	}
	if (folder)
		closedir(folder);
}

/* False: it has run for too short a time to be measured. */
static bool set_clock(struct watched_rank *rank, const struct filter_alone *filter,
		      struct reading now)
{
	const struct tv_file *head = rank_follow_head(rank->follow);
	const int64_t least = filter_alone_least(filter);

	if (head->clock != TV_CLOCK_TSC)
		calibrate_nanoseconds(&rank->clock);
	else if (!calibrate(&rank->clock, (struct reading){ head->first_tick, head->first_nano },
			    now))
		return false;
	/* One less: conversions round. */
	rank->least = least > 1 ? (uint64_t)((double)least / ticks_length(&rank->clock)) - 1 : 0;
	return true;
}

bool visit_watch_look(struct visit_watch *w, struct str *what)
{
	struct watched_rank *rank;
	struct reading now;

	w->what = what;
	w->found = false;
	find_new(w);
	vec_each (rank, &w->ranks) {
		struct telling t = { w, rank };
		const struct tv_file *head;
		bool alive;
		tv_ticks_and_nanos(TV_CLOCK_TSC, &now.tick, &now.nano);
		if (!rank_follow_map(rank->follow))
			continue;
		head = rank_follow_head(rank->follow);
		if (!rank_is_here(head) || !set_clock(rank, w->filter, now))
			continue;
		alive = rank_lives(head);
		rank_follow_look(rank->follow, take, &t);
		for (uint32_t i = 0; alive && i < rank->threads.n; i++)
			if (rank->threads.data[i])
				try_open(&t, i, rank->threads.data[i],
					 head->clock == TV_CLOCK_TSC ? now.tick : now.nano);
	}
	return w->found;
}
