#include "harness/processes.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "harness/random.h"

enum { MOST_DELAY_NS = 50000 };

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

/* What a process trades. */
struct trade {
	const struct exchange_parts *mine, *all;
};

struct team {
	pthread_barrier_t barrier;
	pthread_mutex_t lock;      /* of what follows */
	struct mailbox *mailboxes; /* [n] */
	struct ballot ballots[2];  /* by the vote's number */
	uint32_t n;
	const void **data;    /* [n] what each process shows the others */
	size_t *bytes;        /* [n] */
	const size_t **first; /* [n] */
	struct trade *trades; /* [n] */
};

struct process {
	struct exchange exchange; /* first */
	struct team *team;
	uint64_t random;
	pthread_t thread;
	void (*body)(struct exchange *x, void *context);
	void *context;
};

/* All can see what all show, after delays that differ, until each has passed the barrier once more. */
static struct team *show(struct exchange *x, const void *data, size_t bytes)
{
	struct process *process = (struct process *)(void *)x;
	struct team *team = process->team;
	const struct timespec t = { 0, draw(&process->random, MOST_DELAY_NS) };

	if (draw(&process->random, 2))
		nanosleep(&t, NULL);
	team->data[x->process] = data;
	team->bytes[x->process] = bytes;
	pthread_barrier_wait(&team->barrier);
	return team;
}

static void sum(struct exchange *x, int128 *values, size_t n)
{
	struct team *team = show(x, values, n * sizeof *values);
	OWNED int128 *sums = xcalloc(n + 1, sizeof *sums);

	for (uint32_t p = 0; p < team->n; p++)
		for (size_t i = 0; i < n; i++)
			sums[i] += ((const int128 *)team->data[p])[i];
	pthread_barrier_wait(&team->barrier);
	memcpy(values, sums, n * sizeof *sums);
}

static void gather(struct exchange *x, const void *mine, size_t bytes, struct exchange_parts *all)
{
	struct team *team = show(x, mine, bytes);

	all->first = xcalloc(team->n + 1u, sizeof *all->first);
	for (uint32_t p = 0; p < team->n; p++)
		all->first[p + 1] = all->first[p] + team->bytes[p];
	all->data = xmalloc(all->first[team->n] + 1);
	for (uint32_t p = 0; p < team->n; p++)
		if (team->bytes[p])
			memcpy(all->data + all->first[p], team->data[p], team->bytes[p]);
	pthread_barrier_wait(&team->barrier);
}

static void swap(struct exchange *x, const struct exchange_parts *mine,
		 struct exchange_parts *theirs)
{
	struct team *team;

	((struct process *)(void *)x)->team->first[x->process] = mine->first;
	team = show(x, mine->data, mine->first[x->processes]);
	theirs->first = xcalloc(team->n + 1u, sizeof *theirs->first);
	for (uint32_t p = 0; p < team->n; p++) {
		const size_t *first = team->first[p] + x->process;
		theirs->first[p + 1] = theirs->first[p] + first[1] - first[0];
	}
	theirs->data = xmalloc(theirs->first[team->n] + 1);
	for (uint32_t p = 0; p < team->n; p++)
		memcpy(theirs->data + theirs->first[p],
		       (const char *)team->data[p] + team->first[p][x->process],
		       theirs->first[p + 1] - theirs->first[p]);
	pthread_barrier_wait(&team->barrier);
}

/* Without delays: of these there are many. */
static void trade(struct exchange *x, const struct exchange_parts *mine,
		  struct exchange_parts *theirs, struct exchange_parts *all)
{
	struct team *team = ((struct process *)(void *)x)->team;

	team->trades[x->process].mine = mine;
	team->trades[x->process].all = all;
	pthread_barrier_wait(&team->barrier);
	for (uint32_t p = 0; p < team->n; p++) {
		const struct exchange_parts *from = team->trades[p].mine;
		const struct exchange_parts *shown = team->trades[p].all;
		if (p != x->process && mine)
			memcpy(theirs->data + theirs->first[p],
			       from->data + from->first[x->process],
			       from->first[x->process + 1] - from->first[x->process]);
		if (p != x->process && all)
			memcpy(all->data + all->first[p], shown->data + shown->first[p],
			       shown->first[p + 1] - shown->first[p]);
	}
	pthread_barrier_wait(&team->barrier);
}

static struct mailbox *lock_mailbox(struct exchange *x, uint32_t process)
{
	struct team *team = ((struct process *)(void *)x)->team;

	pthread_mutex_lock(&team->lock);
	return &team->mailboxes[process];
}

static void unlock(struct exchange *x)
{
	pthread_mutex_unlock(&((struct process *)(void *)x)->team->lock);
}

static void post(struct exchange *x, uint32_t to, void *data, size_t bytes)
{
	struct mailbox *box = lock_mailbox(x, to);

	vec_push(&box->letters, ((struct letter){ data, bytes, x->process }));
	unlock(x);
}

/* The first letter of a sender that chance chooses: it may be seen late, and others overtake it. */
static void *arrived(struct exchange *x, size_t *bytes, uint32_t *from)
{
	struct process *process = (struct process *)(void *)x;
	struct mailbox *box = lock_mailbox(x, x->process);
	void *data = NULL;

	if (box->letters.n && draw(&process->random, 2)) {
		const size_t chosen = draw(&process->random, (uint32_t)box->letters.n);
		size_t at = 0;
		while (box->letters.data[at].from != box->letters.data[chosen].from)
			at++;
		data = box->letters.data[at].data;
		*bytes = box->letters.data[at].bytes;
		*from = box->letters.data[at].from;
		box->letters.n--;
		memmove(&box->letters.data[at], &box->letters.data[at + 1],
			(box->letters.n - at) * sizeof *box->letters.data);
	}
	unlock(x);
	return data;
}

static void vote(struct exchange *x, const int128 *values, size_t n)
{
	struct mailbox *box = lock_mailbox(x, x->process);
	struct team *team = ((struct process *)(void *)x)->team;
	struct ballot *ballot = &team->ballots[box->votes % 2];

	if (ballot->voices == 0 || ballot->voices == team->n)
		*ballot = (struct ballot){ 0 };
	ballot->voices++;
	for (size_t i = 0; i < n; i++)
		ballot->sums[i] += values[i];
	unlock(x);
}

static bool voted(struct exchange *x, int128 *values, size_t n)
{
	struct mailbox *box = lock_mailbox(x, x->process);
	const struct team *team = ((struct process *)(void *)x)->team;
	const struct ballot *ballot = &team->ballots[box->votes % 2];
	const bool done = ballot->voices == team->n;

	if (done) {
		memcpy(values, ballot->sums, n * sizeof *values);
		box->votes++;
	}
	unlock(x);
	return done;
}

static void *run(void *data)
{
	struct process *p = data;

	p->body(&p->exchange, p->context);
	return NULL;
}

static void run_team(struct team *team, void (*body)(struct exchange *x, void *context),
		     void *context)
{
	OWNED struct process *processes = xcalloc(team->n, sizeof *processes);

	for (uint32_t p = 0; p < team->n; p++) {
		processes[p] = (struct process){ .exchange = { team->n, p, sum, gather, swap, trade,
							       post, arrived, vote, voted },
						 .team = team,
						 .random = team->n * 1000u + p,
						 .body = body,
						 .context = context };
		if (pthread_create(&processes[p].thread, NULL, run, &processes[p]) != 0)
			abort(); /* the others would wait for it */
	}
	for (uint32_t p = 0; p < team->n; p++)
		pthread_join(processes[p].thread, NULL);
}

void processes_run(uint32_t n, void (*body)(struct exchange *x, void *context), void *context)
{
	struct team team = { .n = n };

	if (n == 1) {
		body(NULL, context);
		return;
	}
	pthread_barrier_init(&team.barrier, NULL, n);
	pthread_mutex_init(&team.lock, NULL);
	team.mailboxes = xcalloc(n, sizeof *team.mailboxes);
	team.data = xcalloc(n, sizeof *team.data);
	team.bytes = xcalloc(n, sizeof *team.bytes);
	team.first = xcalloc(n, sizeof *team.first);
	team.trades = xcalloc(n, sizeof *team.trades);
	run_team(&team, body, context);
	pthread_barrier_destroy(&team.barrier);
	pthread_mutex_destroy(&team.lock);
	for (uint32_t p = 0; p < n; p++)
		vec_fini(&team.mailboxes[p].letters);
	free_all(team.mailboxes, team.data, team.bytes, team.first, team.trades);
}
