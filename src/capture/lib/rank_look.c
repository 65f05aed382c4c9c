#include "capture/lib/rank_look.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "capture/lib/proc_stat.h"
#include "capture/lib/recorder.h"
#include "capture/lib/virtual.h"

enum {
	GUARD = 1,     /* microseconds that a processor may delay what a line says */
	LONG = 100000, /* microseconds: a call that does not wait is not in MPI for so long */
	TIED = 2000000,
	ALIVE = 1000000, /* microseconds between looks whether a rank is alive */
	OWN = 5000,      /* and what it does; twice that counts at most */
};

uint32_t rank_look_space(void)
{
	struct stat space;

	return stat("/proc/self/ns/pid", &space) == 0 ? (uint32_t)space.st_ino : 0;
}

static bool is_near(const struct rank_line *line, uint32_t space)
{
	return space && line->space == space && line->pid > 0;
}

static bool is_dead(const struct rank_line *line, uint32_t space)
{
	return is_near(line, space) && tv_proc_is_dead(line->pid);
}

/* Nanoseconds of the processor that a process has had. */
static uint64_t cpu_of(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &t) == 0
		       ? (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec
		       : 0;
}

/* Asleep, or stopped: not one that is ready to go on, nor one that reads or writes a file. */
static bool is_asleep(pid_t pid)
{
	char text[TV_PROC_STAT];
	const char *stat = tv_proc_stat(pid, text);

	return !stat || strchr("STt", *stat);
}

/* Adds to what it had of its own since the line is the same. */
static void count_own(struct rank_look *l, uint64_t now)
{
	const uint64_t every = OWN * tv.microsecond, passed = now - l->counted;
	const uint64_t most = passed < 2 * every ? passed : 2 * every, before = l->cpu;
	uint64_t ran;

	if (passed < every)
		return;
	l->counted = now;
	l->cpu = cpu_of(l->line.pid);
	ran = l->cpu > before ? (l->cpu - before) * tv.microsecond / 1000 : 0;
	if (!l->cpu || is_asleep(l->line.pid))
		l->own += most;
	else if (before)
		l->own += ran < most ? ran : most;
}

void rank_look_at(struct rank_look *l, const struct rank_line *line, uint64_t now, uint64_t same,
		  uint32_t space)
{
	const uint64_t seq = l->line.seq;
	const int64_t moved = l->line.moved;

	if (!rank_line_read(line, &l->line)) {
		l->line = (struct rank_line){ 0 };
		l->line.state = __atomic_load_n(&line->state, __ATOMIC_RELAXED) == RANK_DONE
					? RANK_DONE
					: RANK_CALLS;
	}
	if (l->line.seq != seq || l->line.state != l->state || l->line.moved != moved ||
	    !l->since) {
		l->since = l->asked = l->counted = now;
		l->own = l->cpu = 0;
		l->state = l->line.state;
		l->dead = false;
	}
	same = same > now - l->since ? same : now - l->since;
	if (is_near(&l->line, space))
		count_own(l, now);
	l->stays = (is_near(&l->line, space) ? l->own : same) > LONG * tv.microsecond;
	l->tied = same > TIED * tv.microsecond;
	if (now - l->asked > ALIVE * tv.microsecond) {
		l->asked = now;
		l->dead = is_dead(&l->line, space);
	}
	if (l->dead)
		l->line.state = RANK_DONE;
}

/* When the nth of a rank's messages under way from another arrives, or its receives, which wait for
 * messages of that one; ORDER_NEVER: there is none. */
static int64_t under_way(const struct rank_sight *sight, bool posts, int from, int to,
			 uint32_t comm, int tag, unsigned nth)
{
	struct carry_entry e;
	const uint64_t time = sight->under_way(sight->of, posts, from, to, comm, tag, nth, &e);

	/* What cannot be told may be early. */
	return !time                   ? ORDER_NEVER
	       : time == CARRY_UNKNOWN ? 0
				       : rank_look_arrival(&e, sight->latency);
}

static bool is_here(const struct rank_sight *sight, const struct carry_meeting *meeting,
		    const struct rank_line *line, int q)
{
	const struct rank_line *other = &sight->look[q].line;

	if (q < 64)
		return meeting->here >> q & 1;
	return other->state == RANK_MEETS && other->ticket == line->ticket;
}

/* In a collective: whether it can go on, or waits for all that are not there, or for the root. */
static void meets(const struct rank_sight *sight, const struct rank_line *line, int u,
		  struct order_rank *r)
{
	struct carry_meeting meeting;
	bool all = true;

	if (!sight->meeting(sight->of, u, line->ticket, &meeting)) {
		r->state = ORDER_RUNS;
		return;
	}
	if (line->rule == VIRTUAL_FROM_ROOT) {
		if (meeting.root)
			r->ready = meeting.root;
		return;
	}
	for (int q = 0; q < sight->n && all; q++)
		all = !rank_is_member(line, (unsigned)q) || is_here(sight, &meeting, line, q);
	r->state = all ? ORDER_FIRST : ORDER_EVERY;
	if (all)
		r->ready = meeting.moved;
}

/* When one of several requests goes on: after those before it for the same messages. */
static int64_t wanted(const struct rank_sight *sight, const struct rank_line *line,
		      const struct rank_wanted *w, int u)
{
	const uint32_t comm = rank_wanted_comm(line, w);
	int64_t first = ORDER_NEVER;
	unsigned before = 0;

	for (const struct rank_wanted *k = line->wanted; k < w; k++)
		before += memcmp(k, w, sizeof *k) == 0;
	if (w->peer >= 0)
		return under_way(sight, w->send, w->peer, u, comm, w->tag, before);
	for (int q = 0; q < sight->n; q++) {
		const int64_t at = under_way(sight, false, q, u, comm, w->tag, 0);
		first = at < first ? at : first;
	}
	return first;
}

static void several(const struct rank_sight *sight, struct rank_look *l, int u,
		    struct order_rank *r)
{
	const struct rank_line *line = &l->line;
	int64_t first = ORDER_NEVER, last = 0;

	l->open = 0;
	for (unsigned i = 0; i < line->n; i++) {
		const struct rank_wanted *w = &line->wanted[i];
		const int64_t at = wanted(sight, line, w, u);
		l->open |= at == ORDER_NEVER ? 1u << i : 0;
		first = at < first ? at : first;
		last = at != ORDER_NEVER && at > last ? at : last;
	}
	if (line->state == RANK_FIRST) {
		r->ready = first;
		return;
	}
	r->state = l->open ? ORDER_EVERY : ORDER_FIRST;
	r->bound = order_later(r->bound, last);
	r->ready = l->open ? ORDER_NEVER : r->bound;
}

/* How many of a rank's messages are for other receives than the one that is waited for. */
static unsigned taken(const struct rank_line *line, int q)
{
	unsigned n = 0;

	for (int i = 0; i < RANK_TAKEN; i++)
		n += line->taken[i] == 1 + q;
	return n;
}

/* Of a rank in a call that may wait. */
static void waiting(const struct rank_sight *sight, struct rank_look *l, int u,
		    struct order_rank *r)
{
	const struct rank_line *line = &l->line;

	switch (line->state) {
	case RANK_RECEIVE:
		r->ready = under_way(sight, false, line->peer, u, line->comm, line->tag, 0);
		break;
	case RANK_SENDS:
		r->ready = under_way(sight, true, line->peer, u, line->comm, line->tag, 0);
		break;
	case RANK_ANY:
		for (int q = 0; q < sight->n; q++)
			if (rank_is_member(line, (unsigned)q)) {
				const int64_t at = under_way(sight, false, q, u, line->comm,
							     line->tag, taken(line, q));
				r->ready = at < r->ready ? at : r->ready;
			}
		break;
	case RANK_MEETS: meets(sight, line, u, r); break;
	case RANK_ALL:
	case RANK_FIRST: several(sight, l, u, r); break;
	default: break;
	}
}

/* The virtual time of a rank outside of MPI, if its clock went on since `now`. */
static int64_t runs_at(const struct rank_line *line, uint64_t now)
{
	const int64_t slack = (GUARD + TV_VIRTUAL_UNTOLD) * (int64_t)tv.microsecond;
	const int64_t at = (int64_t)now - line->intrusion - slack;

	return at > line->moved ? at : line->moved;
}

struct order_rank rank_look_rate(const struct rank_sight *sight, int u, uint64_t now)
{
	struct rank_look *l = &sight->look[u];
	struct order_rank r = { .state = ORDER_FIRST,
				.bound = l->line.moved,
				.ready = ORDER_NEVER };

	switch (l->line.state) {
	case RANK_DONE: r.state = ORDER_DONE; break;
	case RANK_RUNS:
		r.state = ORDER_RUNS;
		r.bound = runs_at(&l->line, now);
		break;
	case RANK_PAUSES: r.state = ORDER_RUNS; break; /* it ends by itself, however late */
	case RANK_POLLS: r.ready = runs_at(&l->line, now); break;
	case RANK_CALLS:
		if (!l->stays || sight->strict)
			r.state = ORDER_RUNS;
		break;
	default:
		waiting(sight, l, u, &r);
		/* What it waits for is not what is under way. */
		if (l->stays && !l->line.held && !sight->strict) {
			r.ready = ORDER_NEVER;
			if (r.state == ORDER_RUNS)
				r.state = ORDER_FIRST;
		}
		break;
	}
	return r;
}

bool rank_look_waits(const struct rank_sight *sight, int number, int other)
{
	const struct rank_look *l = &sight->look[number];
	const struct rank_line *line = &l->line;
	struct carry_meeting meeting;

	switch (line->state) {
	case RANK_RECEIVE:
	case RANK_SENDS: return line->peer == other;
	case RANK_ANY: return rank_is_member(line, (unsigned)other);
	case RANK_MEETS:
		if (line->rule == VIRTUAL_FROM_ROOT)
			return line->peer == other;
		return rank_is_member(line, (unsigned)other) &&
		       !(sight->meeting(sight->of, number, line->ticket, &meeting) &&
			 is_here(sight, &meeting, line, other));
	case RANK_ALL:
	case RANK_FIRST:
		for (unsigned i = 0; i < line->n; i++)
			if ((line->wanted[i].peer == other || line->wanted[i].peer < 0) &&
			    (line->state == RANK_FIRST || l->open >> i & 1))
				return true;
		return false;
	default: return true;
	}
}
