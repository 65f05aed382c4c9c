#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/lib/measure.h"

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

enum { REPEATS = 41, LENGTH = 1000, FE = 0, FL, ME, ML };

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The median, the first repetition (cold) left out. */
static uint64_t median(uint64_t *values)
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

static void stream(void)
{
	for (int i = 0; i < LENGTH / 2; i++) {
		__cyg_profile_func_enter((void *)(uintptr_t)stream, NULL);
		__cyg_profile_func_exit((void *)(uintptr_t)stream, NULL);
	}
}

static void nest(void)
{
	for (int i = 0; i < LENGTH / 2; i++)
		__cyg_profile_func_enter((void *)(uintptr_t)nest, NULL);
	for (int i = 0; i < LENGTH / 2; i++)
		__cyg_profile_func_exit((void *)(uintptr_t)nest, NULL);
}

static void calls(void)
{
	for (int i = 0; i < LENGTH / 2; i++)
		empty_call();
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
static void evaluate(const struct tv_chunk *chunk, uint64_t (*out)[4])
{
	uint64_t sum[4][4] = { { 0 } }, count[4][4] = { { 0 } };
	const struct tv_head *before = NULL;

	for (size_t at = sizeof *chunk; at < chunk->used;) {
		const struct tv_head *head = (const void *)((const char *)chunk + at);
		if (before && kind_of(before) >= 0 && kind_of(head) >= 0) {
			sum[kind_of(before)][kind_of(head)] += head->time - before->time;
			count[kind_of(before)][kind_of(head)]++;
		}
		before = head;
		at += tv_record_size(head);
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
	uint64_t took[REPEATS], values[REPEATS];

	if (!runs)
		return;
	for (int r = 0; r < REPEATS; r++) {
		t->chunk->used = sizeof *t->chunk;
		took[r] = tv_now();
		pattern();
		took[r] = (tv_now() - took[r]) * 1000 / (LENGTH / 2);
		evaluate(t->chunk, runs[r]);
	}
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 4; j++) {
			for (int r = 0; r < REPEATS; r++)
				values[r] = runs[r][i][j];
			if (median(values) && !pair[i][j])
				pair[i][j] = values[1 + (REPEATS - 1) / 2];
		}
	}
	if (whole)
		*whole = median(took);
	free(runs);
}

/* Two functions, one with hooks, whose results wait for each other. */
static __attribute__((noinline)) double plain_link(double x)
{
	return x * 0.5 + 1;
}

static __attribute__((noinline)) double hooked_link(double x)
{
	__cyg_profile_func_enter((void *)(uintptr_t)hooked_link, NULL);
	x = x * 0.5 + 1;
	__cyg_profile_func_exit((void *)(uintptr_t)hooked_link, NULL);
	return x;
}

/* A hook that returns at once, where the program waits for each result: what stays of call hooks in
 * segments that are not recorded. */
static uint64_t measure_chain(void)
{
	uint64_t plain[REPEATS], hooked[REPEATS], without, with;
	double x = 1;

	for (int r = 0; r < REPEATS; r++) {
		plain[r] = tv_now();
		for (int i = 0; i < LENGTH; i++)
			x = plain_link(x);
		hooked[r] = tv_now();
		plain[r] = (hooked[r] - plain[r]) * 1000 / LENGTH;
		for (int i = 0; i < LENGTH; i++)
			x = hooked_link(x);
		hooked[r] = (tv_now() - hooked[r]) * 1000 / LENGTH;
		__asm__ volatile("" : : "r"(&x) : "memory");
	}
	without = median(plain);
	with = median(hooked);
	return with > without ? (with - without) / 2 : 0;
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
	return median(values);
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

static void measure_records(struct tv_thread *t, struct tv_def_cost *cost)
{
	const bool insitu = tv.insitu;

	t->nested = 0;
	t->mode = t->mode == TV_SLOW ? TV_SLOW : TV_ON;
	measure(t, stream, cost->pair, &cost->hook);
	measure(t, nest, cost->pair, NULL);
	tv.insitu = false; /* the draw costs little, but what it may decide here would not */
	measure(t, calls, cost->pair, NULL);
	tv.insitu = insitu;
	t->mode = TV_SKIP;
	cost->chain = measure_chain();
}

void tv_measure_costs(struct tv_thread *t)
{
	const struct tv_thread real = *t;
	struct tv_chunk *records, *rows;
	struct tv_def_cost cost;

	if (!t->keep)
		return;
	memset(&cost, 0, sizeof cost);
	records = scratch_chunk();
	rows = scratch_chunk();
	if (rows)
		rows->used = TV_STATISTIC_SIZE;
	/* All that is recorded meanwhile goes there. */
	if (records && rows && tv_rows_init(&t->rows, rows)) {
		t->rows.low = real.rows.low;
		t->rows.high = real.rows.high;
		t->chunk = records;
		measure_records(t, &cost);
		tv_rows_fini(&t->rows);
	}
	*t = real;
	if (records)
		munmap(records, TV_CHUNK_SIZE);
	if (rows)
		munmap(rows, TV_CHUNK_SIZE);
	cost.clock = measure_clock();
	measure_copies(cost.copy);
	fill_mixed(cost.pair);
	tv_define(t, TV_DEF_COST, 0, &cost, sizeof cost, NULL, 0);
}
