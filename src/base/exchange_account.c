#include "base/exchange_account.h"

#include "base/clock.h"
#include "base/mem.h"

struct exchange_account {
	struct exchange exchange;
	struct exchange *inner;
	struct account_figures figures;
	enum account_phase phase;
	int64_t cpu_since;  /* where the work or the exchange began that goes on */
	int64_t idle_since; /* where a process began to wait for records; 0: it does not */
};

static struct exchange_account *own(struct exchange *x)
{
	return (struct exchange_account *)(void *)x;
}

/* Processor time since the last call: of work, or of an exchange. */
static void charge(struct exchange_account *a, int64_t *to)
{
	const int64_t now = clock_read(CLOCK_PROCESS_CPUTIME_ID);

	*to += now - a->cpu_since;
	a->cpu_since = now;
}

/* From here on it is not work. */
static void leave_work(struct exchange_account *a)
{
	int64_t polling = 0;

	if (!a->idle_since) {
		charge(a, &a->figures.work_ns[a->phase]);
		return;
	}
	a->figures.waiting_ns += clock_ns() - a->idle_since;
	a->idle_since = 0;
	charge(a, &polling);
}

/* What a process does here until the last one comes is waiting. */
static void meet(struct exchange_account *a)
{
	const int64_t begin = clock_ns();
	int64_t polling = 0;
	int128 nothing = 0;

	leave_work(a);
	a->inner->sum(a->inner, &nothing, 1);
	a->figures.waiting_ns += clock_ns() - begin;
	a->figures.meetings++;
	charge(a, &polling);
}

static void sum(struct exchange *x, int128 *values, size_t n)
{
	struct exchange_account *a = own(x);

	meet(a);
	a->inner->sum(a->inner, values, n);
	a->figures.to_all += n * sizeof *values;
	charge(a, &a->figures.exchange_ns);
}

static void gather(struct exchange *x, const void *mine, size_t bytes, struct exchange_parts *all)
{
	struct exchange_account *a = own(x);

	meet(a);
	a->inner->gather(a->inner, mine, bytes, all);
	a->figures.to_all += bytes;
	charge(a, &a->figures.exchange_ns);
}

static void count_sent(struct exchange_account *a, const struct exchange_parts *mine)
{
	const struct exchange *x = &a->exchange;

	for (uint32_t p = 0; p < x->processes; p++) {
		const size_t bytes = mine->first[p + 1] - mine->first[p];
		a->figures.sent += p == x->process ? 0 : bytes;
		a->figures.records += p != x->process && bytes;
	}
}

static void swap(struct exchange *x, const struct exchange_parts *mine,
		 struct exchange_parts *theirs)
{
	struct exchange_account *a = own(x);

	meet(a);
	a->inner->swap(a->inner, mine, theirs);
	count_sent(a, mine);
	charge(a, &a->figures.exchange_ns);
}

static void trade(struct exchange *x, const struct exchange_parts *mine,
		  struct exchange_parts *theirs, struct exchange_parts *all)
{
	struct exchange_account *a = own(x);

	meet(a);
	a->inner->trade(a->inner, mine, theirs, all);
	if (mine)
		count_sent(a, mine);
	if (all)
		a->figures.to_all += all->first[x->process + 1] - all->first[x->process];
	charge(a, &a->figures.exchange_ns);
}

static void post(struct exchange *x, uint32_t to, void *data, size_t bytes)
{
	struct exchange_account *a = own(x);

	leave_work(a);
	a->inner->post(a->inner, to, data, bytes);
	a->figures.sent += bytes;
	a->figures.records++;
	charge(a, &a->figures.exchange_ns);
}

static void *arrived(struct exchange *x, size_t *bytes, uint32_t *from)
{
	struct exchange_account *a = own(x);
	void *data;

	if (!a->idle_since)
		charge(a, &a->figures.work_ns[a->phase]);
	data = a->inner->arrived(a->inner, bytes, from);
	if (!a->idle_since)
		charge(a, &a->figures.exchange_ns);
	else if (data)
		leave_work(a);
	return data;
}

/* Only a process that has nothing to do votes. */
static void become_idle(struct exchange_account *a)
{
	if (a->idle_since)
		return;
	charge(a, &a->figures.work_ns[a->phase]);
	a->idle_since = clock_ns();
}

static void vote(struct exchange *x, const int128 *values, size_t n)
{
	struct exchange_account *a = own(x);

	become_idle(a);
	a->figures.to_all += n * sizeof *values;
	a->inner->vote(a->inner, values, n);
}

static bool voted(struct exchange *x, int128 *values, size_t n)
{
	struct exchange_account *a = own(x);

	become_idle(a);
	return a->inner->voted(a->inner, values, n);
}

struct exchange_account *exchange_account_new(struct exchange *x)
{
	struct exchange_account *a = xcalloc(1, sizeof *a);

	a->inner = x;
	a->exchange = (struct exchange){ .processes = exchange_processes(x),
					 .process = exchange_process(x),
					 .sum = sum,
					 .gather = gather,
					 .swap = swap,
					 .trade = trade,
					 .post = post,
					 .arrived = arrived,
					 .vote = vote,
					 .voted = voted };
	a->cpu_since = clock_read(CLOCK_PROCESS_CPUTIME_ID);
	return a;
}

void exchange_account_free(struct exchange_account *account)
{
	free(account);
}

struct exchange *exchange_counted(struct exchange_account *account)
{
	return account->inner ? &account->exchange : NULL;
}

void exchange_account_phase(struct exchange_account *account, enum account_phase phase)
{
	leave_work(account);
	account->phase = phase;
}

struct account_figures exchange_account_figures(struct exchange_account *account)
{
	leave_work(account);
	return account->figures;
}
