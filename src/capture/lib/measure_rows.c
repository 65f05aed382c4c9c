#include <stdlib.h>

#include "capture/lib/measure_parts.h"

/* What is measured. */
struct sample {
	const struct tv_probes *probes; /* NULL: hooks */
	const struct tv_site *procedure, *loop;
};

/* ---- empty visits ---- */

static void hooks_sample(const struct sample *s)
{
	(void)s;
	tv_measure_stream();
}

static void procedure_sample(const struct sample *s)
{
	const struct tv_site *at = NULL;

	for (int i = 0; i < LENGTH / 2; i++)
		s->probes->leave(s->procedure,
				 s->probes->enter(s->procedure, &at, __builtin_frame_address(0)));
}

static void loop_sample(const struct sample *s)
{
	for (int i = 0; i < LENGTH / 2; i++)
		s->probes->leave_loop(s->loop,
				      s->probes->enter_loop(s->loop, __builtin_frame_address(0)),
				      1);
}

static void iteration_sample(const struct sample *s)
{
	const unsigned token = s->probes->enter_loop(s->loop, __builtin_frame_address(0));

	for (int i = 0; i < LENGTH / 2; i++)
		s->probes->iterate(s->loop, token);
	s->probes->leave_loop(s->loop, token, LENGTH / 2);
}

static void count_sample(const struct sample *s)
{
	for (int i = 0; i < LENGTH / 2; i++)
		s->probes->count(s->loop, 1, 1);
}

static void calls_sample(const struct sample *s)
{
	(void)s;
	tv_measure_calls();
}

/* ---- functions of usual size ----
 *
 * The processor is ahead: it reads the clock before the work in front of it is done. How much a
 * probe adds, and how much of its own time a function loses to its caller, depends on the work:
 * here some of as much as procedures with probes usually have. */

static double table[64], results[64];
static uint64_t mixed;

static inline double divide(double x)
{
	return 1 / (x + 1) + 1 / (x + 2);
}

/* A chain of operations, each of which waits for the one before. */
static inline double divide_on(double x)
{
	for (int i = 0; i < 4; i++)
		x = divide(x);
	return x;
}

/* Independent operations on values from memory. */
static inline double gather(double x)
{
	for (int i = 0; i < 24; i++)
		results[i] = table[i * 7 % 64] * x + results[i * 5 % 64];
	return x;
}

static inline double combine(double x)
{
	double v[8];

	for (int i = 0; i < 8; i++)
		v[i] = table[i] * x + table[i + 8];
	for (int i = 0; i < 8; i++)
		results[i] = v[i] * v[(i + 3) % 8] - v[(i + 5) % 8] * x;
	return x;
}

static inline double stir(double x)
{
	uint64_t v = (uint64_t)x;

	for (int i = 0; i < 8; i++)
		v = (v ^ v >> 29) * UINT64_C(6364136223846793005) + 1;
	mixed += v;
	return x;
}

static inline double modulo(double x)
{
	mixed = (mixed * 16807 + 1) % 2147483647;
	return x;
}

#define FUNCTION(work)                                                                             \
	static __attribute__((noinline)) double work##_plain(double x)                             \
	{                                                                                          \
		return work(x);                                                                    \
	}                                                                                          \
	static __attribute__((noinline)) double work##_hooked(double x)                            \
	{                                                                                          \
		__cyg_profile_func_enter((void *)(uintptr_t)work##_hooked, NULL);                  \
		x = work(x);                                                                       \
		__cyg_profile_func_exit((void *)(uintptr_t)work##_hooked, NULL);                   \
		return x;                                                                          \
	}                                                                                          \
	static __attribute__((noinline)) double work##_probed(const struct sample *s,              \
							      const struct tv_site **at, double x) \
	{                                                                                          \
		const unsigned token =                                                             \
			s->probes->enter(s->procedure, at, __builtin_frame_address(0));            \
		x = work(x);                                                                       \
		s->probes->leave(s->procedure, token);                                             \
		return x;                                                                          \
	}                                                                                          \
	static void work##_bare(const struct sample *s)                                            \
	{                                                                                          \
		double x = 1;                                                                      \
		(void)s;                                                                           \
		for (int i = 0; i < LENGTH / 2; i++)                                               \
			x = work##_plain(x);                                                       \
		__asm__ volatile("" : : "r"(&x) : "memory");                                       \
	}                                                                                          \
	static void work##_visits(const struct sample *s)                                          \
	{                                                                                          \
		const struct tv_site *at = NULL;                                                   \
		double x = 1;                                                                      \
		for (int i = 0; i < LENGTH / 2; i++)                                               \
			x = s->probes ? work##_probed(s, &at, x) : work##_hooked(x);               \
		__asm__ volatile("" : : "r"(&x) : "memory");                                       \
	}

FUNCTION(divide)
FUNCTION(divide_on)
FUNCTION(gather)
FUNCTION(combine)
FUNCTION(stir)
FUNCTION(modulo)

enum { FUNCTIONS = 6 };

static const struct {
	void (*bare)(const struct sample *s);
	void (*visits)(const struct sample *s);
} functions[FUNCTIONS] = {
	{ divide_bare, divide_visits }, { divide_on_bare, divide_on_visits },
	{ gather_bare, gather_visits }, { combine_bare, combine_visits },
	{ stir_bare, stir_visits },     { modulo_bare, modulo_visits },
};

/* ---- measurement ---- */

/* Time that the rows have, of all kinds. */
static uint64_t time_in_rows(const struct tv_rows *rows)
{
	uint64_t sum = 0;

	for (uint64_t at = TV_STATISTIC_SIZE; at < rows->chunk->used; at += TV_STATISTIC_SIZE)
		sum += ((const struct tv_statistic *)(const void *)((const char *)rows->chunk + at))
			       ->time;
	return sum;
}

/* Thousandths of a tick that a visit takes: in total, and within its own time. */
static void measure_visit(const struct tv_rows *rows, void (*pattern)(const struct sample *s),
			  const struct sample *s, uint64_t *out)
{
	uint64_t all[REPEATS], inside[REPEATS];

	for (int r = 0; r < REPEATS; r++) {
		const uint64_t before = time_in_rows(rows), from = tv_now();
		pattern(s);
		all[r] = (tv_now() - from) * 1000 / (LENGTH / 2);
		inside[r] = (time_in_rows(rows) - before) * 1000 / (LENGTH / 2);
	}
	out[0] = tv_measure_median(all);
	out[1] = tv_measure_median(inside);
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Usual, least but one, largest: beside one chain of operations a probe costs next to nothing. */
static void summarise(int64_t *values, int64_t *out)
{
	qsort(values, FUNCTIONS, sizeof *values, by_size);
	out[0] = (values[(FUNCTIONS - 1) / 2] + values[FUNCTIONS / 2]) / 2;
	out[1] = values[1];
	out[2] = values[FUNCTIONS - 1];
}

static void measure_functions(const struct tv_rows *rows, const struct sample *s,
			      struct tv_def_cost *cost)
{
	int64_t inside[FUNCTIONS], around[FUNCTIONS];

	for (int i = 0; i < FUNCTIONS; i++) {
		uint64_t plain[2], visit[2];
		measure_visit(rows, functions[i].bare, s, plain);
		measure_visit(rows, functions[i].visits, s, visit);
		inside[i] = (int64_t)visit[1] - (int64_t)plain[0];
		around[i] = (int64_t)visit[0] - (int64_t)visit[1];
	}
	summarise(inside, cost->inside);
	summarise(around, cost->around);
}

/* Those that were timed meanwhile. */
static uint64_t mean_timed(const struct tv_rows *rows)
{
	const char *chunk = (const void *)rows->chunk;
	uint64_t number = 0, time = 0;

	for (uint64_t at = TV_STATISTIC_SIZE; at < rows->chunk->used; at += TV_STATISTIC_SIZE) {
		const struct tv_statistic *row = (const void *)(chunk + at);
		if (row->kind == TV_STAT_PROCEDURE) {
			number += row->procedure.probed.number;
			time += row->procedure.probed.inside + row->procedure.probed.around;
		}
	}
	return number ? time * 1000 / number : 0;
}

/* Of tvcc's probes where there are any, else of hooks. */
void tv_measure_rows(struct tv_thread *t, struct tv_def_cost *cost)
{
	const bool choose = tv.choose;
	uint64_t once[2];
	struct sample s;

	tv.choose = false;
	t->nested = 0;
	t->mode = TV_ON;
	s.probes = tv_sites_sample(&s.procedure, &s.loop);
	if (!s.procedure)
		s.probes = NULL;
	measure_visit(&t->rows, s.probes ? procedure_sample : hooks_sample, &s, cost->rows[0]);
	measure_functions(&t->rows, &s, cost);
	cost->timed = mean_timed(&t->rows);
	if (s.probes && s.loop) {
		measure_visit(&t->rows, loop_sample, &s, cost->rows[1]);
		measure_visit(&t->rows, iteration_sample, &s, once);
		cost->iteration = once[0];
		measure_visit(&t->rows, count_sample, &s, once);
		cost->count = once[0];
	}
	measure_visit(&t->rows, calls_sample, &s, cost->rows[2]);
	tv.choose = choose;
}
