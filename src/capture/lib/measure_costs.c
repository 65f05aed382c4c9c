#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "capture/lib/measure.h"
#include "capture/lib/measure_parts.h"
#include "capture/lib/virtual.h"

enum { VISITS = 200, FE = 0, FL, ME, ML };

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t tv_measure_median(uint64_t *values)
{
	qsort(values + 1, REPEATS - 1, sizeof *values, by_size);
	return values[1 + (REPEATS - 1) / 2];
}

/* What the wrapper of an MPI function does around it, with nothing in between. */
static __attribute__((noinline)) void empty_call(void)
{
	struct tv_thread *t = TV_BEGIN(Wait);

	if (t)
		tv_end(t, CALL_Wait);
}

void tv_measure_stream(void)
{
	for (int i = 0; i < LENGTH / 2; i++) {
		__cyg_profile_func_enter((void *)(uintptr_t)tv_measure_stream, NULL);
		__cyg_profile_func_exit((void *)(uintptr_t)tv_measure_stream, NULL);
	}
}

static void nest(void)
{
	for (int i = 0; i < LENGTH / 2; i++)
		__cyg_profile_func_enter((void *)(uintptr_t)nest, NULL);
	for (int i = 0; i < LENGTH / 2; i++)
		__cyg_profile_func_exit((void *)(uintptr_t)nest, NULL);
}

void tv_measure_calls(void)
{
	for (int i = 0; i < LENGTH / 2; i++)
		empty_call();
}

static void empty(struct tv_thread *t)
{
	t->chunk->used = sizeof *t->chunk;
	tv_words_forget(&t->wording, true);
}

/* Which of the four kinds a record is, -1 none. */
static int kind_of(const struct tv_head *head)
{
	switch (head->kind) {
	case TV_FUNCTION_ENTER: return FE;
	case TV_FUNCTION_LEAVE: return FL;
	case TV_ENTER: return ME;
	case TV_LEAVE: return ML;
	default: return -1;
	}
}

/* Mean distance of neighbouring stamps of each pair of kinds that occurs in the chunk, in
 * thousandths of a tick. */
static void evaluate(struct tv_words_reader *reader, const struct tv_chunk *chunk,
		     uint64_t (*out)[4])
{
	uint64_t sum[4][4] = { { 0 } }, count[4][4] = { { 0 } }, time = 0;
	const struct tv_head *head;
	int before = -1;

	tv_words_begin(reader, chunk);
	while ((head = tv_words_next(reader, chunk->used))) {
		const int kind = kind_of(head);
		if (head->kind == TV_COUNTED || head->kind == TV_VIRTUAL) /* part of another */
			continue;
		if (before >= 0 && kind >= 0) {
			sum[before][kind] += head->time - time;
			count[before][kind]++;
		}
		before = kind;
		time = head->time;
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			out[i][j] = count[i][j] ? sum[i][j] * 1000 / count[i][j] : 0;
}

/* Runs a pattern of records into the scratch chunk that t writes to, and keeps the medians of the
 * pairs in it. */
static void measure(struct tv_thread *t, void (*pattern)(void), uint64_t (*pair)[4],
		    uint64_t *whole)
{
	uint64_t(*runs)[4][4] = malloc(REPEATS * sizeof *runs);
	struct tv_words_reader reader = { .slots = mmap(NULL, TV_WORD_SLOTS * sizeof *reader.slots,
							PROT_READ | PROT_WRITE,
							MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) };
	uint64_t took[REPEATS], values[REPEATS];

	if (!runs || reader.slots == MAP_FAILED) {
		free(runs);
		return;
	}
	for (int r = 0; r < REPEATS; r++) {
		empty(t);
		took[r] = tv_now();
		pattern();
		took[r] = (tv_now() - took[r]) * 1000 / (LENGTH / 2);
		evaluate(&reader, t->chunk, runs[r]);
	}
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 4; j++) {
			for (int r = 0; r < REPEATS; r++)
				values[r] = runs[r][i][j];
			if (tv_measure_median(values) && !pair[i][j])
				pair[i][j] = values[1 + (REPEATS - 1) / 2];
		}
	}
	if (whole)
		*whole = tv_measure_median(took);
	munmap(reader.slots, TV_WORD_SLOTS * sizeof *reader.slots);
	free(runs);
}

/* ---- the cost of a record beside work, and of a note in a gap ---- */

/* Functions of several kinds, with hooks and without: they differ in how much of a hook the
 * processor executes at the same time. */
static uint64_t leaf_sum;

#define FUNCTION(name, type, x, value)                                            \
	static __attribute__((noinline)) type name##_plain(type x)                \
	{                                                                         \
		return value;                                                     \
	}                                                                         \
	static __attribute__((noinline)) type name##_hooked(type x)               \
	{                                                                         \
		__cyg_profile_func_enter((void *)(uintptr_t)name##_hooked, NULL); \
		x = value;                                                        \
		__cyg_profile_func_exit((void *)(uintptr_t)name##_hooked, NULL);  \
		return x;                                                         \
	}                                                                         \
	static void name##_calls(bool hooked)                                     \
	{                                                                         \
		type y = (type)1;                                                 \
		for (int i = 0; i < VISITS; i++)                                  \
			y = hooked ? name##_hooked(y) : name##_plain(y);          \
		__asm__ volatile("" : : "r"(&y) : "memory");                      \
	}

FUNCTION(root, double, x, 1 / (x + 1) + 1 / (x + 2))
FUNCTION(chain, double, x, x * 0.5 + 1)
FUNCTION(stir, uint64_t, x, (x ^ x >> 29) * UINT64_C(6364136223846793005) + 1)
FUNCTION(modulo, uint64_t, x, (x * 16807 + 1) % 2147483647)
FUNCTION(leaf, uint64_t, x, leaf_sum += x)

static uint64_t time_of(void (*function)(bool), bool hooked)
{
	const uint64_t from = tv_now();

	function(hooked);
	return tv_now() - from;
}

/* Thousandths of a tick that each record costs in one of the functions; TV_ON: as usual. */
static uint64_t cost_in(struct tv_thread *t, void (*function)(bool), enum tv_mode how)
{
	uint64_t plain[REPEATS], hooked[REPEATS], without, with;

	for (int r = 0; r < REPEATS; r++) {
		if (t->keep)
			empty(t);
		plain[r] = time_of(function, false);
		if (how == TV_GAP && !tv_gap_try(t, r == 0))
			return 0;
		if (how == TV_BLANK)
			t->mode = TV_BLANK;
		hooked[r] = time_of(function, true);
	}
	without = tv_measure_median(plain);
	with = tv_measure_median(hooked);
	return with > without ? (with - without) * 1000 / (2 * VISITS) : 0;
}

enum { FUNCTIONS = 5 };

/* The same of all functions, by size. */
static void costs_in(struct tv_thread *t, enum tv_mode how, uint64_t in[FUNCTIONS])
{
	static void (*const functions[FUNCTIONS])(bool) = { root_calls, chain_calls, stir_calls,
							    modulo_calls, leaf_calls };

	for (int i = 0; i < FUNCTIONS; i++)
		in[i] = cost_in(t, functions[i], how);
	qsort(in, FUNCTIONS, sizeof *in, by_size);
}

static void measure_work(struct tv_thread *t, struct tv_def_cost *cost)
{
	uint64_t in[FUNCTIONS];

	costs_in(t, TV_ON, in);
	cost->work = in[FUNCTIONS / 2];
	cost->work_least = in[0];
	cost->work_most = in[FUNCTIONS - 1];
}

static void measure_gap(struct tv_thread *t, struct tv_def_cost *cost)
{
	uint64_t in[FUNCTIONS];

	costs_in(t, TV_GAP, in);
	cost->gap = in[FUNCTIONS / 2];
	cost->gap_least = in[0] * 9 / 10;
	cost->gap_most = in[FUNCTIONS - 1] * 11 / 10;
}

/* What the wrapper of a call with a message does around it, and what begins and ends segments. */
static __attribute__((noinline)) void message_call(void)
{
	struct tv_thread *t = TV_BEGIN(Send);

	if (!t)
		return;
	tv_with_sent(t, 0, 0, sizeof(double));
	tv_write_message(t, t->now, TV_SEND, 0, 0, 0, 1, sizeof(double), 0);
	tv_end(t, CALL_Send);
}

static void measure_message(struct tv_thread *t, struct tv_def_cost *cost)
{
	const uint64_t empty_call = cost->pair[ME][ML] + cost->pair[ML][ME];
	uint64_t values[REPEATS];

	for (int r = 0; r < REPEATS; r++) {
		empty(t);
		t->gaps.idle = 0;
		const uint64_t from = tv_now();
		for (int i = 0; i < VISITS; i++)
			message_call();
		values[r] = (tv_now() - from) * 1000 / VISITS;
	}
	tv_measure_median(values);
	const uint64_t call = values[1 + (REPEATS - 1) / 2];
	cost->message = call > empty_call ? call - empty_call : 0;
}

static void measure_blank(struct tv_thread *t, struct tv_def_cost *cost)
{
	uint64_t in[FUNCTIONS];

	costs_in(t, TV_BLANK, in);
	cost->blank = in[FUNCTIONS / 2];
	cost->blank_least = in[0] * 9 / 10;
	cost->blank_most = in[FUNCTIONS - 1] * 11 / 10;
}

/* memcpy of each size, shortest of some: about 10 MiB in all. */
static void measure_copies(uint64_t *out)
{
	enum { LARGEST = TV_COPY_FIRST << (TV_COPIES - 1), BYTES = 256 << 10, ROUNDS = 3 };
	char *from = mmap(NULL, 2 * (size_t)LARGEST, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (from == MAP_FAILED)
		return;
	for (int i = 0; i < TV_COPIES; i++) {
		const size_t size = (size_t)TV_COPY_FIRST << i;
		const uint64_t times = size < BYTES ? BYTES / size : 1;
		out[i] = UINT64_MAX;
		for (int r = 0; r < ROUNDS; r++) {
			const uint64_t begin = tv_now();
			for (uint64_t k = 0; k < times; k++) {
				memcpy(from + LARGEST, from, size);
				__asm__ volatile("" : : "r"(from) : "memory");
			}
			const uint64_t took = (tv_now() - begin) * 1000 / times;
			out[i] = took < out[i] ? took : out[i];
		}
	}
	munmap(from, 2 * (size_t)LARGEST);
}

static uint64_t measure_clock(void)
{
	uint64_t values[REPEATS];

	for (int r = 0; r < REPEATS; r++) {
		const uint64_t from = tv_now();
		for (int i = 0; i < LENGTH - 1; i++)
			(void)tv_now();
		values[r] = (tv_now() - from) * 1000 / LENGTH;
	}
	return tv_measure_median(values);
}

/* A function's record beside an MPI call's: the mean of each one's cost beside its own kind. */
static void fill_mixed(uint64_t (*pair)[4])
{
	const uint64_t function = (pair[FE][FL] + pair[FL][FE]) / 2,
		       call = (pair[ME][ML] + pair[ML][ME]) / 2;

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			if (!pair[i][j])
				pair[i][j] = (i < ME) == (j < ME) ? (i < ME ? function : call)
								  : (function + call) / 2;
}

/* Anonymous memory of a chunk's size. */
static struct tv_chunk *scratch_chunk(void)
{
	struct tv_chunk *chunk = mmap(NULL, TV_CHUNK_SIZE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return chunk == MAP_FAILED ? NULL : chunk;
}

/* A long delay, which would make this last, is added to what records cost without it; it is before
 * a function's time stamp. */
static void add_delay(struct tv_def_cost *cost, uint64_t delay)
{
	cost->hook += 2 * 1000 * delay;
	cost->work += 1000 * delay;
	cost->work_least += 1000 * delay;
	cost->work_most += 1000 * delay;
	for (int before = 0; before < 4; before++)
		for (int kind = FE; kind < ME; kind++)
			cost->pair[before][kind] += 1000 * delay;
}

static uint64_t long_delay(void)
{
	return tv.delay > tv.microsecond ? tv.delay : 0;
}

static void measure_records(struct tv_thread *t, struct tv_def_cost *cost)
{
	const bool insitu = tv.insitu, choose = tv.choose;
	const uint64_t delay = tv.delay;

	tv.choose = false;
	t->nested = 0;
	t->mode = t->mode == TV_SLOW || t->mode == TV_COUNTING ? t->mode : TV_ON;
	tv.delay -= long_delay();
	measure(t, tv_measure_stream, cost->pair, &cost->hook);
	measure(t, nest, cost->pair, NULL);
	measure_work(t, cost);
	tv.insitu = false; /* the draw costs little, but what it may decide here would not */
	measure(t, tv_measure_calls, cost->pair, NULL);
	tv.insitu = insitu;
	measure_message(t, cost);
	measure_gap(t, cost);
	measure_blank(t, cost);
	tv.delay = delay;
	tv.choose = choose;
}

/* Thousandths of a tick that each probe, or call, of a pattern costs beside what is bracketed. */
static uint64_t beside_brackets(struct tv_thread *t, void (*pattern)(void), uint64_t number)
{
	uint64_t values[REPEATS];

	for (int r = 0; r < REPEATS; r++) {
		const int64_t before = tv_virtual_bracketed();
		const uint64_t from = tv_now();
		int64_t took;
		if (t->keep)
			empty(t);
		pattern();
		took = (int64_t)(tv_now() - from) - (tv_virtual_bracketed() - before);
		values[r] = took > 0 ? (uint64_t)took * 1000 / number : 0;
	}
	return tv_measure_median(values);
}

static void measure_virtual(struct tv_thread *t, uint64_t between)
{
	struct virtual_costs costs = { .between = between };
	const bool choose = tv.choose;
	const uint64_t delay = tv.delay;
	uint64_t in[FUNCTIONS];

	tv.choose = false;
	tv.delay = 0; /* it is bracketed */
	t->nested = 0;
	if (tv.functions)
		t->mode = TV_SLOW;
	else if (t->keep)
		t->mode = TV_ON; /* not that of the last gap, which has no notes any more */
	tv_virtual_costs(costs);
	if (tv.functions) {
		/* Functions hide some of the loop's cost, each another part of it. */
		const uint64_t loop = beside_brackets(t, tv_measure_stream, LENGTH);
		costs_in(t, TV_ON, in);
		const uint64_t most = in[FUNCTIONS - 1] > loop ? in[FUNCTIONS - 1] : loop;
		costs.probe = in[FUNCTIONS / 2];
		costs.probe_error = costs.probe - in[0];
		if (most - costs.probe > costs.probe_error)
			costs.probe_error = most - costs.probe;
	}
	costs.call = beside_brackets(t, tv_measure_calls, LENGTH / 2);
	costs.call = costs.call > between ? costs.call - between : 0;
	costs.call_error = costs.call / 2 + between;
	tv_virtual_costs(costs);
	tv.choose = choose;
	tv.delay = delay;
}

static void measure_in_scratch(struct tv_thread *t, struct tv_def_cost *cost)
{
	const struct tv_thread real = *t;
	struct tv_chunk *records, *rows;

	records = scratch_chunk();
	rows = scratch_chunk();
	if (rows)
		rows->used = TV_STATISTIC_SIZE;
	/* Before costs are known each probe tells the others where its rank is. */
	if (tv.virtual_time)
		tv_virtual_costs((struct virtual_costs){ 0 });
	/* All that is recorded meanwhile goes there. */
	if (records && rows && tv_rows_init(&t->rows, rows)) {
		t->rows.low = real.rows.low;
		t->rows.high = real.rows.high;
		t->chunk = records;
		t->gaps = (struct tv_gaps){ 0 };
		if (t->keep)
			measure_records(t, cost);
		else
			tv_measure_rows(t, cost);
		if (tv.virtual_time)
			measure_virtual(t, cost->pair[ME][ML]);
		tv_gaps_fini(&t->gaps);
		tv_rows_fini(&t->rows);
	}
	*t = real;
	tv_words_forget(&t->wording, false);
	if (records)
		munmap(records, TV_CHUNK_SIZE);
	if (rows)
		munmap(rows, TV_CHUNK_SIZE);
}

static uint64_t cpu_time(void)
{
	struct timespec at;

	return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at) == 0
		       ? (uint64_t)at.tv_sec * UINT64_C(1000000000) + (uint64_t)at.tv_nsec
		       : 0;
}

void tv_measure_spent(struct tv_thread *t)
{
	const uint64_t spent[] = { tv_now() - t->since, cpu_time() - t->cpu };

	if (t->since && t->cpu)
		tv_define(t, TV_DEF_SPENT, 0, spent, sizeof spent, NULL, 0);
}

/* All but copies. */
static void measure_costs(struct tv_thread *t, struct tv_def_cost *cost)
{
	sigset_t all, before;

	memset(cost, 0, sizeof *cost);
	/* What a signal handler records meanwhile would be lost with the scratch memory. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	measure_in_scratch(t, cost);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	cost->clock = measure_clock();
	if (t->keep) {
		fill_mixed(cost->pair);
		add_delay(cost, long_delay());
	}
}

void tv_measure_costs(struct tv_thread *t)
{
	struct tv_def_cost cost;

	measure_costs(t, &cost);
	measure_copies(cost.copy);
	tv_define(t, TV_DEF_COST, 0, &cost, sizeof cost, NULL, 0);
	t->since = tv_now();
	t->cpu = cpu_time();
}

void tv_measure_costs_again(struct tv_thread *t)
{
	struct tv_def_cost cost;

	if (!t->keep || tv.virtual_time || __atomic_load_n(&tv.file->threads, __ATOMIC_RELAXED) > 1)
		return;
	measure_costs(t, &cost);
	tv_define(t, TV_DEF_COST, 0, &cost, sizeof cost, NULL, 0);
}
