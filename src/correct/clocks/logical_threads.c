/* OpenMP: fork -> begin of every thread of the team, end of every thread -> join, and the barriers
 * inside a team. A team's n-th instance is its master's n-th fork; a thread that was in every
 * instance goes by the count, any other by the time (the threads of a process share a clock). */
#include "base/mem.h"
#include "base/order.h"
#include "correct/clocks/logical_state.h"
#include "model/trace/store.h"

/* A thread in one instance of a team. */
struct thread_visit {
	uint32_t comm, location;
	uint32_t begin, end; /* events; end EVENT_NONE: never */
	uint32_t fork, join; /* of the master, EVENT_NONE */
	uint32_t first, n;   /* its barriers */
};

struct barrier {
	uint32_t visit;
	uint32_t enter, leave; /* EVENT_NONE */
};

struct teams {
	struct logical *logical;
	const struct trace *trace;
	VEC(struct thread_visit) visits; /* by location, then order */
	VEC(struct barrier) barriers;    /* the same */
	VEC(uint32_t) open;              /* open visits of the current location */
	VEC(uint32_t) closed;            /* of masters: their join follows */
	uint32_t fork;                   /* its team has not begun; EVENT_NONE: none */
	uint32_t barrier;                /* the open one; UINT32_MAX: none */
	struct barrier *by_visit;        /* [barriers] */
};

/* ---- visits and barriers ---- */

static void begin_team(struct teams *t, uint32_t location, uint32_t event, uint32_t comm)
{
	struct thread_visit visit = { .comm = comm,
				      .location = location,
				      .begin = event,
				      .end = EVENT_NONE,
				      .fork = t->fork,
				      .join = EVENT_NONE };

	t->fork = EVENT_NONE;
	vec_push(&t->open, (uint32_t)t->visits.n);
	vec_push(&t->visits, visit);
}

static void end_team(struct teams *t, uint32_t event)
{
	uint32_t visit;

	if (!t->open.n)
		return;
	visit = vec_pop(&t->open);
	t->visits.data[visit].end = event;
	if (t->visits.data[visit].fork != EVENT_NONE)
		vec_push(&t->closed, visit);
}

static void see_thread(struct teams *t, uint32_t location, uint32_t event, uint32_t id)
{
	const struct detail *detail = trace_detail(t->trace, id);

	switch (detail->type) {
	case DETAIL_THREAD_FORK: t->fork = event; break;
	case DETAIL_TEAM_BEGIN:
		begin_team(t, location, event, (uint32_t)trace_detail_values(t->trace, detail)[0]);
		break;
	case DETAIL_TEAM_END: end_team(t, event); break;
	case DETAIL_THREAD_JOIN:
		if (t->closed.n)
			t->visits.data[vec_pop(&t->closed)].join = event;
		break;
	default: break;
	}
}

static void see_barrier(struct teams *t, uint32_t event, bool enter)
{
	if (enter && t->open.n) {
		struct barrier barrier = { *vec_last(&t->open), event, EVENT_NONE };
		t->barrier = (uint32_t)t->barriers.n;
		vec_push(&t->barriers, barrier);
	} else if (!enter && t->barrier != UINT32_MAX) {
		t->barriers.data[t->barrier].leave = event;
		t->barrier = UINT32_MAX;
	}
}

static void see_event(struct teams *t, uint32_t location, uint32_t event, uint32_t what)
{
	switch (what_kind(what)) {
	case EV_THREAD:
	case EV_THREAD_BEGIN:
	case EV_THREAD_END: see_thread(t, location, event, what_id(what)); break;
	case EV_ENTER:
	case EV_LEAVE:
		if (t->logical->special_paths[what_id(what)] == OPERATION_OMP_BARRIER)
			see_barrier(t, event, what_kind(what) == EV_ENTER);
		break;
	default: break;
	}
}

static void see_location(struct teams *t, uint32_t location)
{
	const struct block_ids *list = &t->trace->lists.data[location];

	t->open.n = t->closed.n = 0;
	t->fork = EVENT_NONE;
	t->barrier = UINT32_MAX;
	for (size_t b = 0; b < list->n; b++) {
		const struct block *block = store_block(t->trace, list->data[b]);
		for (uint32_t slot = 0; slot < block->n; slot++)
			see_event(t, location, list->data[b] * BLOCK_EVENTS + slot,
				  block->what[slot]);
	}
}

/* Barriers of an outer team may contain those of an inner one: each visit gets its own. */
static void sort_barriers(struct teams *t)
{
	uint32_t at = 0;

	for (size_t i = 0; i < t->barriers.n; i++)
		t->visits.data[t->barriers.data[i].visit].n++;
	for (size_t i = 0; i < t->visits.n; i++) {
		t->visits.data[i].first = at;
		at += t->visits.data[i].n;
		t->visits.data[i].n = 0;
	}
	t->by_visit = xmalloc((t->barriers.n + 1) * sizeof *t->by_visit);
	for (size_t i = 0; i < t->barriers.n; i++) {
		struct thread_visit *visit = &t->visits.data[t->barriers.data[i].visit];
		t->by_visit[visit->first + visit->n++] = t->barriers.data[i];
	}
}

/* ---- instances ---- */

/* Threads of a team are of one process: a team that was not recorded is another one in each. */
struct ordered_lock {
	uint32_t comm;
	uint32_t rank, owner; /* of the process; the owner where its rank is unknown */
	uint32_t instance;    /* UINT32_MAX: of none */
	uint32_t visit;
};

ORDERING(by_place, struct ordered_lock, comm, rank, owner, instance, visit)

ORDERING_OF_NUMBERS(by_value, int64_t)

/* The number of the n ascending times that are not after t. */
static uint32_t not_behind(const int64_t *times, uint32_t n, int64_t t)
{
	uint32_t low = 0, high = n;

	BISECT(low, high, middle, times[middle] <= t);
	return low;
}

/* Numbers the visits of one team, which are sorted by location. */
static void number_team(struct teams *t, struct ordered_lock *list, uint32_t n, int64_t *forks)
{
	uint32_t n_forks = 0, i = 0;

	for (uint32_t k = 0; k < n; k++) {
		const struct thread_visit *visit = &t->visits.data[list[k].visit];
		if (visit->fork != EVENT_NONE)
			forks[n_forks++] = trace_event_time(t->trace, BASE_MEASURED, visit->fork);
	}
	SORT(forks, n_forks, by_value);
	while (i < n) {
		const uint32_t location = t->visits.data[list[i].visit].location;
		uint32_t end = i;
		while (end < n && t->visits.data[list[end].visit].location == location)
			end++;
		for (uint32_t k = i; k < end; k++) {
			const struct thread_visit *visit = &t->visits.data[list[k].visit];
			list[k].instance =
				end - i == n_forks
					? k - i
					: not_behind(forks, n_forks,
						     trace_event_time(t->trace, BASE_MEASURED,
								      visit->begin)) -
						  1; /* before all forks: UINT32_MAX */
		}
		i = end;
	}
}

/* ---- groups ---- */

/* The master waits for the threads whose end is known. */
static void add_join(struct teams *t, const struct ordered_lock *list, uint32_t n, uint32_t master)
{
	uint32_t n_parties = 0, root = 0;

	extra_begin(t->logical, LOGICAL_JOIN);
	for (uint32_t i = 0; i < n; i++) {
		const struct thread_visit *v = &t->visits.data[list[i].visit];
		if (i == master)
			root = n_parties;
		else if (v->end == EVENT_NONE)
			continue;
		n_parties++;
		extra_party(t->logical, i == master ? (struct party){ v->location, EVENT_NONE,
								      v->join, false, true }
						    : (struct party){ v->location, v->end,
								      EVENT_NONE, true, false });
	}
	extra_end(t->logical, root);
}

static void add_fork_and_join(struct teams *t, const struct ordered_lock *list, uint32_t n,
			      uint32_t master)
{
	const struct thread_visit *of = t->visits.data;
	const struct thread_visit *first = &of[list[master].visit];

	extra_begin(t->logical, LOGICAL_FORK);
	for (uint32_t i = 0; i < n; i++) {
		const struct thread_visit *v = &of[list[i].visit];
		extra_party(t->logical, i == master ? (struct party){ v->location, v->fork,
								      EVENT_NONE, true, false }
						    : (struct party){ v->location, EVENT_NONE,
								      v->begin, false, true });
	}
	extra_end(t->logical, master);
	if (first->join == EVENT_NONE)
		return;
	add_join(t, list, n, master);
}

/* Adds the barriers that all threads of an instance passed. */
static void add_barriers(struct teams *t, const struct ordered_lock *list, uint32_t n)
{
	const struct thread_visit *of = t->visits.data;
	uint32_t least = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t barriers = of[list[i].visit].n;
		least = barriers < least ? barriers : least;
		most = barriers > most ? barriers : most;
	}
	t->logical->counts.incomplete += most - least;
	for (uint32_t k = 0; k < least; k++) {
		extra_begin(t->logical, LOGICAL_TEAM);
		for (uint32_t i = 0; i < n; i++) {
			const struct thread_visit *v = &of[list[i].visit];
			const struct barrier *b = &t->by_visit[v->first + k];
			extra_party(t->logical, (struct party){ v->location, b->enter, b->leave,
								true, b->leave != EVENT_NONE });
		}
		extra_end(t->logical, UINT32_MAX);
	}
}

static void add_instance(struct teams *t, const struct ordered_lock *list, uint32_t n)
{
	uint32_t masters = 0, master = 0, twice = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct thread_visit *visit = &t->visits.data[list[i].visit];
		if (visit->fork != EVENT_NONE) {
			masters++;
			master = i;
		}
		if (i)
			twice += visit->location == t->visits.data[list[i - 1].visit].location;
	}
	if (masters != 1 || twice) {
		t->logical->counts.incomplete++;
		return;
	}
	if (n < 2)
		return; /* a team of one */
	add_fork_and_join(t, list, n, master);
	add_barriers(t, list, n);
}

static bool is_one_team(const struct ordered_lock *a, const struct ordered_lock *b)
{
	return a->comm == b->comm && a->rank == b->rank && a->owner == b->owner;
}

static void add_teams(struct teams *t)
{
	const uint32_t n = (uint32_t)t->visits.n;
	struct ordered_lock *list = xmalloc((n + 1) * sizeof *list);
	int64_t *forks = xmalloc((n + 1) * sizeof *forks);

	for (uint32_t i = 0; i < n; i++) {
		const struct thread_visit *v = &t->visits.data[i];
		const struct location *l = trace_location(t->trace, v->location);
		list[i] = (struct ordered_lock){ v->comm, (uint32_t)l->rank,
						 l->rank == RANK_UNKNOWN ? l->owner : 0, 0, i };
	}
	SORT(list, n, by_place);
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && is_one_team(&list[end], &list[i]);)
			end++;
		number_team(t, list + i, end - i, forks);
	}
	SORT(list, n, by_place);
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && is_one_team(&list[end], &list[i]) &&
			      list[end].instance == list[i].instance;)
			end++;
		if (list[i].instance != UINT32_MAX)
			add_instance(t, list + i, end - i);
	}
	free_all(forks, list);
}

bool threads_find(struct logical *logical, const struct progress *progress)
{
	struct teams t = { .logical = logical, .trace = logical->trace };
	const uint32_t n = trace_location_count(logical->trace);
	bool ok = true;

	for (uint32_t l = 0; l < n && ok; l++) {
		see_location(&t, l);
		ok = progress_step(progress, "clocks", l, n);
	}
	if (ok && t.visits.n) {
		sort_barriers(&t);
		add_teams(&t);
	}
	vec_fini(&t.visits);
	vec_fini(&t.barriers);
	vec_fini(&t.open);
	vec_fini(&t.closed);
	free(t.by_visit);
	return ok;
}
