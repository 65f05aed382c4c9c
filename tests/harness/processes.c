#include "harness/processes.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "harness/fiber.h"
#include "harness/random.h"

/* Bytes that are under way to a process. */
struct letter {
	void *data;
	size_t bytes;
	uint32_t from;
};

/* What a process was sent, and the votes in which it took part. */
struct mailbox {
	VEC(struct letter) letters;
	uint64_t votes;
};

enum { VOTES = 4 };

/* One vote after the other: a process may be one ahead of another. */
struct ballot {
	uint32_t voices;
	int128 sums[VOTES];
};

/* An exchange for which a process waits until all have come to it. */
struct call {
	const void *data;
	size_t bytes; /* or values */
	int128 *values;
	const struct exchange_parts *mine;
	struct exchange_parts *theirs, *all;
};

enum state { READY, WAITS, ENDED };

struct process {
	struct exchange exchange; /* first */
	struct team *team;
	struct fiber fiber;
	enum state state;
	struct call call;
	struct mailbox mailbox;
	void (*body)(struct exchange *x, void *context);
	void *context;
};

/* Makes an exchange of which all processes have made their calls. */
typedef void exchange_all(struct team *team);

struct team {
	struct process *processes; /* [n] */
	uint32_t n, came;          /* of them have come to the exchange */
	exchange_all *exchange;
	struct ballot ballots[2]; /* by the vote's number */
	uint64_t random;
	struct fiber main;
};

static struct process *process_of(struct exchange *x)
{
	return (struct process *)(void *)x;
}

/* ---- whose turn it is ---- */

static void fail(const char *what)
{
	fprintf(stderr, "processes: %s\n", what);
	abort(); /* no process may return from what it waits for */
}

static uint32_t count(const struct team *team, enum state state)
{
	uint32_t n = 0;

	for (uint32_t p = 0; p < team->n; p++)
		n += team->processes[p].state == state;
	return n;
}

/* Chance chooses the next one to run; the main fiber once all have ended. */
static struct fiber *next_fiber(struct team *team)
{
	const uint32_t ready = count(team, READY);
	uint32_t chosen, p = 0;

	if (ready == 0 && count(team, ENDED) < team->n)
		fail("one has ended, and others wait for it");
	if (ready == 0)
		return &team->main;
	for (chosen = draw(&team->random, ready);; p++)
		if (team->processes[p].state == READY && chosen-- == 0)
			return &team->processes[p].fiber;
}

static void give_way(struct process *process)
{
	struct fiber *next = next_fiber(process->team);

	if (next != &process->fiber)
		fiber_switch(&process->fiber, next);
}

/* The last one to come makes the exchange. */
static void meet(struct exchange *x, exchange_all *exchange, const struct call *call)
{
	struct process *process = process_of(x);
	struct team *team = process->team;

	if (team->came && team->exchange != exchange)
		fail("they make different exchanges");
	team->exchange = exchange;
	process->call = *call;
	process->state = WAITS;
	if (++team->came == team->n) {
		exchange(team);
		team->came = 0;
		for (uint32_t p = 0; p < team->n; p++)
			team->processes[p].state = READY;
	}
	give_way(process);
}

/* ---- exchanges of all ---- */

static void sum_all(struct team *team)
{
	const size_t n = team->processes[0].call.bytes;
	OWNED int128 *sums = xcalloc(n + 1, sizeof *sums);

	for (uint32_t p = 0; p < team->n; p++) {
		if (team->processes[p].call.bytes != n)
			fail("they sum arrays of different lengths");
		for (size_t i = 0; i < n; i++)
			sums[i] += team->processes[p].call.values[i];
	}
	for (uint32_t p = 0; p < team->n; p++)
		memcpy(team->processes[p].call.values, sums, n * sizeof *sums);
}

static void sum(struct exchange *x, int128 *values, size_t n)
{
	meet(x, sum_all, &(struct call){ .values = values, .bytes = n });
}

static void gather_all(struct team *team)
{
	for (uint32_t to = 0; to < team->n; to++) {
		struct exchange_parts *all = team->processes[to].call.all;

		all->first = xcalloc(team->n + 1u, sizeof *all->first);
		for (uint32_t p = 0; p < team->n; p++)
			all->first[p + 1] = all->first[p] + team->processes[p].call.bytes;
		all->data = xmalloc(all->first[team->n] + 1);
		for (uint32_t p = 0; p < team->n; p++)
			if (team->processes[p].call.bytes)
				memcpy(all->data + all->first[p], team->processes[p].call.data,
				       team->processes[p].call.bytes);
	}
}

static void gather(struct exchange *x, const void *mine, size_t bytes, struct exchange_parts *all)
{
	meet(x, gather_all, &(struct call){ .data = mine, .bytes = bytes, .all = all });
}

static void swap_all(struct team *team)
{
	for (uint32_t to = 0; to < team->n; to++) {
		struct exchange_parts *theirs = team->processes[to].call.theirs;

		theirs->first = xcalloc(team->n + 1u, sizeof *theirs->first);
		for (uint32_t p = 0; p < team->n; p++) {
			const size_t *first = team->processes[p].call.mine->first + to;
			theirs->first[p + 1] = theirs->first[p] + first[1] - first[0];
		}
		theirs->data = xmalloc(theirs->first[team->n] + 1);
		for (uint32_t p = 0; p < team->n; p++) {
			const struct exchange_parts *from = team->processes[p].call.mine;
			if (from->first[to + 1] > from->first[to])
				memcpy(theirs->data + theirs->first[p],
				       from->data + from->first[to],
				       from->first[to + 1] - from->first[to]);
		}
	}
}

static void swap(struct exchange *x, const struct exchange_parts *mine,
		 struct exchange_parts *theirs)
{
	meet(x, swap_all, &(struct call){ .mine = mine, .theirs = theirs });
}

static void trade_between(const struct team *team, uint32_t from, uint32_t to)
{
	const struct call *gives = &team->processes[from].call;
	const struct call *gets = &team->processes[to].call;

	if (gets->mine)
		memcpy(gets->theirs->data + gets->theirs->first[from],
		       gives->mine->data + gives->mine->first[to],
		       gives->mine->first[to + 1] - gives->mine->first[to]);
	if (gets->all)
		memcpy(gets->all->data + gets->all->first[from],
		       gives->all->data + gives->all->first[from],
		       gives->all->first[from + 1] - gives->all->first[from]);
}

static void trade_all(struct team *team)
{
	for (uint32_t from = 0; from < team->n; from++)
		for (uint32_t to = 0; to < team->n; to++)
			if (to != from)
				trade_between(team, from, to);
}

static void trade(struct exchange *x, const struct exchange_parts *mine,
		  struct exchange_parts *theirs, struct exchange_parts *all)
{
	meet(x, trade_all, &(struct call){ .mine = mine, .theirs = theirs, .all = all });
}

/* ---- without waiting ---- */

static void post(struct exchange *x, uint32_t to, void *data, size_t bytes)
{
	struct mailbox *box = &process_of(x)->team->processes[to].mailbox;

	vec_push(&box->letters, ((struct letter){ data, bytes, x->process }));
}

/* The first letter of a sender that chance chooses: it may be seen late, and others overtake it. */
static void *arrived(struct exchange *x, size_t *bytes, uint32_t *from)
{
	struct process *process = process_of(x);
	struct mailbox *box = &process->mailbox;
	uint64_t *random = &process->team->random;
	struct letter letter;
	size_t at = 0;

	if (!box->letters.n || draw(random, 2)) {
		give_way(process);
		return NULL;
	}
	letter = box->letters.data[draw(random, (uint32_t)box->letters.n)];
	while (box->letters.data[at].from != letter.from)
		at++;
	letter = box->letters.data[at];
	box->letters.n--;
	memmove(&box->letters.data[at], &box->letters.data[at + 1],
		(box->letters.n - at) * sizeof *box->letters.data);
	*bytes = letter.bytes;
	*from = letter.from;
	return letter.data;
}

static void vote(struct exchange *x, const int128 *values, size_t n)
{
	const struct process *process = process_of(x);
	struct team *team = process->team;
	struct ballot *ballot = &team->ballots[process->mailbox.votes % 2];

	if (ballot->voices == 0 || ballot->voices == team->n)
		*ballot = (struct ballot){ 0 };
	ballot->voices++;
	for (size_t i = 0; i < n; i++)
		ballot->sums[i] += values[i];
}

static bool voted(struct exchange *x, int128 *values, size_t n)
{
	struct process *process = process_of(x);
	const struct ballot *ballot = &process->team->ballots[process->mailbox.votes % 2];

	if (ballot->voices < process->team->n) {
		give_way(process);
		return false;
	}
	memcpy(values, ballot->sums, n * sizeof *values);
	process->mailbox.votes++;
	return true;
}

/* ---- all of it ---- */

static void run(void *data)
{
	struct process *process = data;

	process->body(&process->exchange, process->context);
	process->state = ENDED;
	give_way(process);
}

void processes_run(uint32_t n, void (*body)(struct exchange *x, void *context), void *context)
{
	struct team team = { .n = n, .random = n };

	if (n == 1) {
		body(NULL, context);
		return;
	}
	team.processes = xcalloc(n, sizeof *team.processes);
	for (uint32_t p = 0; p < n; p++) {
		struct process *process = &team.processes[p];

		*process = (struct process){ .exchange = { n, p, sum, gather, swap, trade, post,
							   arrived, vote, voted },
					     .team = &team,
					     .body = body,
					     .context = context };
		fiber_init(&process->fiber, run, process);
	}
	fiber_switch(&team.main, next_fiber(&team));
	for (uint32_t p = 0; p < n; p++) {
		fiber_fini(&team.processes[p].fiber);
		vec_fini(&team.processes[p].mailbox.letters);
	}
	free(team.processes);
}
