/* As Score-P writes it: a fork, then each thread is in the team and in the parallel region; the
 * inside of a critical section is a region of its own. */
#include "capture/run/feed_teams.h"

#include "model/meaning/recorded.h"

#define DETAIL(f, time, type, ...)                                                   \
	do {                                                                         \
		const uint64_t values[] = { __VA_ARGS__ };                           \
		builder_detail((f)->job->builder, (f)->location, time, type, values, \
			       sizeof values / sizeof *values);                      \
	} while (0)

/* ---- what is known before the events ---- */

static struct rank_team *team_of(const struct rank *rank, uint32_t number)
{
	return number && number < rank->teams.n ? &rank->teams.data[number] : NULL;
}

/* NULL if the number is impossible: each team has at least one record. */
static struct rank_team *team_add(struct rank *rank, uint32_t number)
{
	if (!number || number >= rank->file->size / sizeof(struct tv_enter))
		return NULL;
	while (rank->teams.n <= number)
		vec_push(&rank->teams, ((struct rank_team){ .first = UINT32_MAX }));
	return &rank->teams.data[number];
}

static void survey_fork(struct rank *rank, team_numbers *forked, uint32_t thread,
			const struct tv_enter *fork)
{
	struct rank_team *team = team_add(rank, fork->head.id);

	if (!team)
		return;
	team->site = fork->site;
	team->body = fork->frame;
	team->first = thread;
	team->level = (uint32_t)forked->n;
	vec_push(forked, fork->head.id);
}

void rank_survey_team(struct rank *rank, team_numbers *forked, uint32_t thread,
		      const struct tv_head *head)
{
	struct rank_team *team;

	switch (head->kind) {
	case TV_FORK: survey_fork(rank, forked, thread, (const void *)head); break;
	case TV_JOIN:
		while (forked->n && vec_pop(forked) != head->id)
			;
		team = team_of(rank, head->id);
		if (team)
			team->join = head->time;
		break;
	case TV_TEAM_BEGIN:
		team = team_add(rank, head->id);
		if (team)
			team->threads++;
		break;
	case TV_BUFFER_FULL: forked->n = 0; break;
	default: break;
	}
}

/* ---- regions ---- */

static void leave(const struct team_feed *f, int64_t time, uint32_t site)
{
	builder_leave(f->job->builder, f->location, time, site);
}

/* Without an address the barrier at a team's end has the place of the team. */
static void open_construct(struct team_feed *f, uint32_t construct, uint64_t address, uint64_t body,
			   int64_t time)
{
	const struct rank_team *team =
		f->visits.n ? team_of(f->rank, vec_last(&f->visits)->team) : NULL;
	uint32_t site;

	address = rank_program_place(f->rank, address);
	if (!address && team && construct == TV_OMP_IMPLICIT_BARRIER) {
		address = rank_program_place(f->rank, team->site);
		body = team->body;
	}
	site = job_construct_site(f->job, f->rank, construct, address, body);
	vec_push(&f->open, ((struct open_construct){ construct, site, address, UINT32_MAX }));
	builder_enter(f->job->builder, f->location, time, site);
}

static void close_to(struct team_feed *f, size_t depth, int64_t time)
{
	while (f->open.n > depth)
		leave(f, time, vec_pop(&f->open).site);
}

/* The innermost construct that is open in the innermost team; NULL: none is. */
static const struct open_construct *innermost(const struct team_feed *f)
{
	const size_t depth = f->visits.n ? vec_last(&f->visits)->depth : 0;

	return f->open.n > depth ? vec_last(&f->open) : NULL;
}

static void close_construct(struct team_feed *f, uint32_t construct, int64_t time)
{
	const struct open_construct *open = innermost(f);

	/* A construct that was clipped has ended already. */
	if (open && open->construct == construct)
		close_to(f, f->open.n - 1, time);
}

/* ---- teams ---- */

/* Teams that the same thread forks at the same level, one after the other, are one team in the
 * trace. */
static uint32_t comm_of(const struct team_feed *f, const struct rank_team *team)
{
	uint32_t *comm = keymap_add(&f->rank->team_comms, KEY_OF(team->first, team->level));
	struct builder *b = f->job->builder;
	VEC(int32_t) members = { 0 };
	struct str name = STR_INIT;
	const uint32_t *location;

	if (*comm != UINT32_MAX)
		return *comm;
	str_add_fmt(&name, "team of rank %d", f->rank->number);
	if (team->first)
		str_add_fmt(&name, " thread %u", team->first);
	if (team->level)
		str_add_fmt(&name, " level %u", team->level + 1);
	vec_each (location, &f->rank->locations)
		if (*location != UINT32_MAX)
			vec_push(&members, (int32_t)*location);
	*comm = builder_comm_define(b, &(struct comm){
					       .name = builder_string(b, name.text, name.n),
					       .size = (uint32_t)members.n,
					       .ranks = members.data,
					       .parent = UINT32_MAX,
					       .kind = COMM_THREADS,
				       });
	vec_fini(&members);
	str_fini(&name);
	return *comm;
}

static void begin_visit(struct team_feed *f, uint32_t number, bool first, int64_t time)
{
	const struct rank_team *team = team_of(f->rank, number);
	struct team_visit visit = { .team = number, .first = first, .depth = f->open.n };

	if (!team || team->first == UINT32_MAX)
		return;
	visit.site = job_construct_site(f->job, f->rank, CONSTRUCT_PARALLEL,
					rank_program_place(f->rank, team->site), team->body);
	visit.comm = comm_of(f, team);
	if (first)
		DETAIL(f, time, DETAIL_THREAD_FORK, PARADIGM_OPENMP, team->threads + 1);
	DETAIL(f, time, DETAIL_TEAM_BEGIN, visit.comm);
	builder_enter(f->job->builder, f->location, time, visit.site);
	vec_push(&f->visits, visit);
}

static void end_visit(struct team_feed *f, int64_t time)
{
	const struct team_visit visit = vec_pop(&f->visits);

	close_to(f, visit.depth, time);
	leave(f, time, visit.site);
	DETAIL(f, time, DETAIL_TEAM_END, visit.comm);
	if (visit.first)
		DETAIL(f, time, DETAIL_THREAD_JOIN, PARADIGM_OPENMP);
}

/* The team, and what is open inside of it. */
static void end_team(struct team_feed *f, uint32_t number, int64_t time)
{
	bool is_in = false;

	for (size_t i = 0; i < f->visits.n; i++)
		is_in |= f->visits.data[i].team == number;
	while (is_in) {
		is_in = vec_last(&f->visits)->team != number;
		end_visit(f, time);
	}
}

/* Whether the first thread has ended the team by `tick`; another thread may note this later. */
static bool is_over(const struct team_feed *f, uint64_t tick, int64_t *time)
{
	const struct team_visit *visit = f->visits.n ? vec_last(&f->visits) : NULL;
	const struct rank_team *team =
		visit && !visit->first ? team_of(f->rank, visit->team) : NULL;

	if (!team || !team->join || tick < team->join)
		return false;
	*time = job_time(f->job, f->rank, team->join);
	return true;
}

/* ---- births ---- */

static void feed_birth(struct team_feed *f, const struct tv_enter *birth, int64_t time)
{
	f->born = job_has_name(f->job, f->rank, birth->site);
	f->birth = time;
	if (f->born)
		f->start = job_function_site(f->job, f->rank, birth->site);
}

/* The next record after a birth. */
static void decide_start(struct team_feed *f, const struct tv_head *head)
{
	const struct builder *b = f->job->builder;
	const struct tv_function *function = (const void *)head;
	uint32_t entered = UINT32_MAX;

	if (head->kind == TV_DEFINE)
		return;
	f->born = false;
	if (head->kind == TV_FUNCTION_ENTER)
		entered = job_function_site(f->job, f->rank, tv_function_address(function->what));
	else if (head->kind == TV_SITE_ENTER)
		entered = job_probe_site(f->job, f->rank, function->what >> 8, 0);
	if (head->kind == TV_TEAM_BEGIN ||
	    (entered != UINT32_MAX &&
	     builder_site_region(b, entered) == builder_site_region(b, f->start)))
		return;
	f->runs = true;
	builder_enter(f->job->builder, f->location, f->birth, f->start);
}

/* ---- all ---- */

void feed_teams_catch_up(struct team_feed *f, const struct tv_head *head)
{
	int64_t time;

	if (f->born)
		decide_start(f, head);
	while (f->visits.n && head->kind != TV_DEFINE && is_over(f, head->time, &time))
		end_visit(f, time);
}

static void feed_lock(struct team_feed *f, const struct tv_function *record, int64_t time)
{
	const uint64_t address = tv_function_address(record->what);
	uint32_t *lock =
		keymap_add(&f->rank->locks, KEY_OF((uint32_t)address, (uint32_t)(address >> 32)));
	const struct open_construct *open = innermost(f);
	bool inside;

	if (*lock == UINT32_MAX)
		*lock = (uint32_t)f->rank->locks.n;
	if ((record->what & 0xff) == TV_LOCKED) {
		DETAIL(f, time, DETAIL_LOCK_ACQUIRE, PARADIGM_OPENMP, *lock, 0);
		if (open && open->construct == TV_OMP_CRITICAL) {
			open_construct(f, CONSTRUCT_INSIDE, open->address, 0, time);
			vec_last(&f->open)->lock = *lock;
		}
		return;
	}
	/* A lock that was acquired in a critical section may be released there. */
	inside = open && open->construct == CONSTRUCT_INSIDE && open->lock == *lock;
	if (inside)
		close_construct(f, CONSTRUCT_INSIDE, time);
	DETAIL(f, time, DETAIL_LOCK_RELEASE, PARADIGM_OPENMP, *lock, 0);
	if (inside)
		close_construct(f, TV_OMP_CRITICAL, time);
}

void feed_teams(struct team_feed *f, const struct tv_head *head, int64_t time)
{
	const struct tv_enter *enter = (const void *)head;

	switch ((enum tv_kind)head->kind) {
	case TV_BORN: feed_birth(f, enter, time); break;
	case TV_FORK: begin_visit(f, head->id, true, time); break;
	case TV_TEAM_BEGIN: begin_visit(f, head->id, false, time); break;
	case TV_TEAM_PART:
		if (f->visits.n && vec_last(&f->visits)->team == head->id)
			open_construct(f, TV_OMP_IMPLICIT_BARRIER, 0, 0, time);
		break;
	case TV_JOIN:
	case TV_TEAM_END: end_team(f, head->id, time); break;
	case TV_OMP_ENTER:
		if (head->call < TV_OMP_CONSTRUCTS)
			open_construct(f, head->call, enter->site, enter->frame, time);
		break;
	case TV_OMP_LEAVE: close_construct(f, head->call, time); break;
	case TV_LOCKED:
	case TV_UNLOCKED: feed_lock(f, (const void *)head, time); break;
	default: break;
	}
}

void feed_teams_stop(struct team_feed *f)
{
	f->visits.n = f->open.n = 0;
	f->runs = false;
}

void feed_teams_end(struct team_feed *f, bool ended, int64_t time)
{
	int64_t join;

	/* A thread may be gone before the first one is back. */
	while (is_over(f, UINT64_MAX, &join))
		end_visit(f, ended && time < join ? time : join);
	if (ended && f->runs)
		leave(f, time, f->start);
	vec_fini(&f->visits);
	vec_fini(&f->open);
}
