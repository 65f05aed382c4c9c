#include "capture/lib/virtual_teams.h"

#include "capture/lib/teams.h"

enum { TEAMS = 256 }; /* a power of 2 */

struct most {
	int64_t value;
};

/* The largest values of those that have come so far: when, really and virtually, and the error
 * of that; 0: none has. */
struct meeting {
	struct most time, moved, error;
};

struct team {
	uint32_t number; /* 0: none; written last */
	const struct tv_thread *first;
	struct virtual_entry fork;
	struct meeting barriers[2], end;
	/* Of its first thread, which goes on there. */
	uint32_t outer, outer_barriers;
};

static struct team teams[TEAMS];

/* Of a thread. */
static _Thread_local struct {
	uint32_t team, barriers; /* the innermost one, 0 none; how many it has left there */
	struct virtual_entry arrived;
} self;

/* NULL: not known any more. */
static struct team *team_of(uint32_t number)
{
	struct team *team = &teams[number % TEAMS];

	return number && __atomic_load_n(&team->number, __ATOMIC_ACQUIRE) == number ? team : NULL;
}

static void raise(struct most *most, int64_t value)
{
	int64_t before = __atomic_load_n(&most->value, __ATOMIC_RELAXED);

	while (value > before && !__atomic_compare_exchange_n(&most->value, &before, value, true,
							      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static void arrive(struct meeting *m)
{
	const struct virtual_entry e = self.arrived = tv_virtual_here();

	tv_virtual_pause();
	raise(&m->time, e.time);
	raise(&m->moved, e.time - e.intrusion);
	raise(&m->error, e.error);
}

static void go_on(struct tv_thread *t, const struct meeting *m)
{
	struct virtual_entry latest = { .time = __atomic_load_n(&m->time.value, __ATOMIC_ACQUIRE),
					.error = __atomic_load_n(&m->error.value,
								 __ATOMIC_ACQUIRE) };

	if (!latest.time || !self.arrived.time)
		return;
	latest.intrusion = latest.time - __atomic_load_n(&m->moved.value, __ATOMIC_ACQUIRE);
	tv_virtual_waited(t, self.arrived, latest, true);
	self.arrived.time = 0;
}

static void fork_team(const struct tv_thread *t, uint32_t number)
{
	struct team *team = &teams[number % TEAMS];

	__atomic_store_n(&team->number, 0, __ATOMIC_RELEASE);
	*team = (struct team){ .first = t,
			       .fork = tv_virtual_here(),
			       .outer = self.team,
			       .outer_barriers = self.barriers };
	__atomic_store_n(&team->number, number, __ATOMIC_RELEASE);
	self.team = number;
	self.barriers = 0;
}

static void join_team(struct tv_thread *t, const struct team *team)
{
	go_on(t, &team->end);
	self.team = team->outer;
	self.barriers = team->outer_barriers;
}

static void begin_in_team(struct tv_thread *t, const struct team *team, uint32_t number,
			  uint64_t now)
{
	struct virtual_entry fork = tv_virtual_here();

	fork.error = VIRTUAL_NO_BOUND;
	tv_virtual_follow(t, team ? team->fork : fork, now, true);
	self.team = number;
	self.barriers = 0;
}

/* The first thread goes on itself, the others are idle. */
static void end_part(struct tv_thread *t, struct team *team)
{
	arrive(&team->end);
	if (t == team->first)
		return;
	tv_virtual_idles(t, self.arrived);
	self.team = 0;
}

void tv_virtual_team(struct tv_thread *t, enum tv_kind kind, uint32_t number, uint64_t now)
{
	struct team *team = kind == TV_FORK ? NULL : team_of(number);

	switch (kind) {
	case TV_FORK: fork_team(t, number); break;
	case TV_JOIN:
		if (team)
			join_team(t, team);
		break;
	case TV_TEAM_BEGIN: begin_in_team(t, team, number, now); break;
	case TV_TEAM_PART:
		if (team && self.team == number)
			end_part(t, team);
		break;
	default: self.team = 0; break;
	}
}

void tv_virtual_barrier(struct tv_thread *t, bool enters)
{
	struct team *team = team_of(self.team);
	struct meeting *m;

	if (!team)
		return;
	m = &team->barriers[self.barriers % 2];
	if (enters) {
		arrive(m);
		/* If it is the end of the team, it leaves when it is told of the next one. */
		if (tv_omp_told && t != team->first)
			tv_virtual_idles(t, self.arrived);
	} else {
		go_on(t, m);
		self.barriers++;
	}
}
