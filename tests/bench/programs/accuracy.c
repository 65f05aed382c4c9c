/* How far the times of a trace are from the truth, in each base that there is:
 *
 *	accuracy NAME.trc NAME-true.trc		the truth is a trace of the same events (build/release/simulate)
 *	accuracy NAME.trc --skew PREFIX		the truth is what skew.c did to the ranks' clocks
 *
 * `--offsets` before them: clocks are not fitted (presync offsets), `--paper`: overhead as in the
 * paper.
 *
 * Prints `key value`: base.what.figure in microseconds. `abs` is over all events between MPI_Init
 * and MPI_Finalize but those of the measurement itself, without the mean error of all of them (a
 * common shift against the reference tells nothing); `msg` over the transfer times of messages,
 * `ivl` over the visits of regions (enter to leave), both without that shift for it cancels.
 * Figures: `rms`, `mean` and `p95` of the size, `max`. `base.reversed` counts messages that arrive
 * before they were sent, `base.logical` the same of all logical messages, collectives included,
 * where the corrections checked it. `base.inside` is the share of events (as for `abs`, of other
 * clocks than the reference) whose true time is within the stated bounds, `base.half` the median of
 * half their width, `base.unknown` the share of events without bounds. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "bench/programs/cost.h"
#include "bench/skew.h"
#include "correct/correct.h"
#include "model/formats/load.h"
#include "model/trace/message.h"

struct subject {
	struct trace *trace;
	double tick;     /* nanoseconds */
	double *truth;   /* [event] nanoseconds */
	uint8_t *counts; /* [event] 1: between MPI_Init and MPI_Finalize */
	uint32_t events; /* ids below this */
};

struct errors {
	VEC(float) of; /* nanoseconds, signed */
};

_Noreturn static void fail(const char *what)
{
	fprintf(stderr, "accuracy: %s\n", what);
	exit(1);
}

static struct trace *load(const char *path)
{
	const struct load_options options = { .no_cache = true };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(path, &options, NULL, &err);

	if (!trace)
		fail(err.text);
	return trace;
}

static double tick_of(const struct trace *trace)
{
	return 1e9 / (double)trace_scale(trace)->per_second;
}

/* ---- the truth ---- */

static bool is_named(const struct trace *trace, uint32_t path, const char *name)
{
	return strcmp(trace_region_name(trace, trace_callpath_region(trace, path)), name) == 0;
}

/* True for what the measurement itself did. */
static bool is_overhead(const struct trace *trace, enum event_kind kind, uint32_t id)
{
	return (kind == EV_ENTER || kind == EV_LEAVE) &&
	       trace_callpath_class(trace, id) == CLASS_OVERHEAD;
}

/* What counts of a location: behind MPI_Init, before MPI_Finalize. Without them all of it. */
static void mark_location(struct subject *s, uint32_t location)
{
	struct cursor c;
	bool inside = false, any = false;

	for (bool ok = cursor_first(&c, s->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c)) {
		const enum event_kind kind = what_kind(cursor_what(&c));
		const uint32_t id = what_id(cursor_what(&c));
		if (kind == EV_ENTER && is_named(s->trace, id, "MPI_Finalize"))
			inside = false;
		s->counts[c.id] = inside && !is_overhead(s->trace, kind, id);
		if (kind == EV_LEAVE && is_named(s->trace, id, "MPI_Init"))
			inside = any = true;
	}
	for (bool ok = !any && cursor_first(&c, s->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c))
		s->counts[c.id] = 1;
}

static void subject_init(struct subject *s, const char *path)
{
	struct cursor c;

	memset(s, 0, sizeof *s);
	s->trace = load(path);
	s->tick = tick_of(s->trace);
	for (uint32_t l = 0; l < trace_location_count(s->trace); l++)
		if (cursor_last(&c, s->trace, BASE_MEASURED, l) && c.id >= s->events)
			s->events = c.id + 1;
	s->truth = xcalloc((size_t)s->events + 1, sizeof *s->truth);
	s->counts = xcalloc((size_t)s->events + 1, 1);
	for (uint32_t l = 0; l < trace_location_count(s->trace); l++)
		mark_location(s, l);
}

/* The same events in the same order, or it is no truth of this trace. */
static void truth_of_location(struct subject *s, const struct trace *other, uint32_t location)
{
	const int32_t rank = trace_location(s->trace, location)->rank;
	const uint32_t there = trace_location_of_rank(other, rank);
	const double tick = tick_of(other);
	struct cursor c, d;
	bool mine, theirs;

	if (there == UINT32_MAX)
		fail("the truth lacks a rank");
	mine = cursor_first(&c, s->trace, BASE_MEASURED, location);
	theirs = cursor_first(&d, other, BASE_MEASURED, there);
	while (mine && theirs) {
		if (what_kind(cursor_what(&c)) != what_kind(cursor_what(&d)))
			fail("the truth has other events");
		s->truth[c.id] = (double)cursor_time(&d) * tick;
		mine = cursor_next(&c);
		theirs = cursor_next(&d);
	}
	if (mine || theirs)
		fail("the truth has another number of events");
}

static void truth_of_trace(struct subject *s, const char *path)
{
	struct trace *other = load(path);

	for (uint32_t l = 0; l < trace_location_count(s->trace); l++)
		truth_of_location(s, other, l);
	trace_free(other);
}

static void truth_of_skew(struct subject *s, const char *prefix)
{
	const char *text = trace_property_value(s->trace, "zero-ns");
	const double zero = text ? strtod(text, NULL) : NAN;

	if (!text)
		fail("the trace does not say where its zero is (zero-ns)");
	for (uint32_t l = 0; l < trace_location_count(s->trace); l++) {
		struct skew skew;
		struct cursor c;
		char path[4096];
		FILE *f;
		snprintf(path, sizeof path, "%s.%d", prefix, trace_location(s->trace, l)->rank);
		f = fopen(path, "r");
		if (!f || !skew_read(&skew, f))
			fail("no truth of a rank");
		fclose(f);
		for (bool ok = cursor_first(&c, s->trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c))
			s->truth[c.id] =
				skew_invert(&skew, (double)cursor_time(&c) * s->tick + zero) - zero;
	}
}

/* ---- errors ---- */

static double time_of(const struct subject *s, enum time_base base, uint32_t event)
{
	return (double)trace_event_time(s->trace, base, event) * s->tick;
}

static void add(struct errors *errors, double ns)
{
	vec_push(&errors->of, (float)ns);
}

static void take_events(const struct subject *s, enum time_base base, struct errors *errors)
{
	double sum = 0, n = 0;

	for (int pass = 0; pass < 2; pass++) {
		const double shift = n > 0 ? sum / n : 0;
		for (uint32_t l = 0; l < trace_location_count(s->trace); l++) {
			struct cursor c;
			for (bool ok = cursor_first(&c, s->trace, base, l); ok;
			     ok = cursor_next(&c)) {
				const double error =
					(double)cursor_time(&c) * s->tick - s->truth[c.id];
				if (!s->counts[c.id])
					continue;
				if (pass)
					add(errors, error - shift);
				else
					sum += error, n++;
			}
		}
	}
}

static uint64_t take_messages(const struct subject *s, enum time_base base, struct errors *errors)
{
	uint64_t reversed = 0;

	for (uint32_t i = 0; i < trace_message_count(s->trace); i++) {
		const struct message *m = trace_message(s->trace, i);
		double took;
		if (m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_RECV_PENDING))
			continue;
		took = time_of(s, base, m->recv) - time_of(s, base, m->send);
		reversed += took < 0;
		add(errors, took - (s->truth[m->recv] - s->truth[m->send]));
	}
	return reversed;
}

static void take_visits(const struct subject *s, enum time_base base, struct errors *errors)
{
	VEC(uint32_t) open = VEC_INIT;

	for (uint32_t l = 0; l < trace_location_count(s->trace); l++) {
		struct cursor c;
		open.n = 0;
		for (bool ok = cursor_first(&c, s->trace, base, l); ok; ok = cursor_next(&c)) {
			const enum event_kind kind = what_kind(cursor_what(&c));
			uint32_t enter;
			if (kind == EV_ENTER)
				vec_push(&open, c.id);
			if (kind != EV_LEAVE || !open.n)
				continue;
			enter = vec_pop(&open);
			if (s->counts[enter] && s->counts[c.id])
				add(errors, (double)cursor_time(&c) * s->tick -
						    time_of(s, base, enter) -
						    (s->truth[c.id] - s->truth[enter]));
		}
	}
	vec_fini(&open);
}

/* ---- what is printed ---- */

static int by_size(const void *a, const void *b)
{
	const float x = fabsf(*(const float *)a), y = fabsf(*(const float *)b);

	return x < y ? -1 : x > y;
}

static void print_errors(const char *base, const char *what, struct errors *errors)
{
	const size_t n = errors->of.n;
	double squares = 0, sum = 0;

	if (n) {
		qsort(errors->of.data, n, sizeof *errors->of.data, by_size);
		for (size_t i = 0; i < n; i++) {
			const double x = (double)errors->of.data[i];
			squares += x * x;
			sum += fabs(x);
		}
		printf("%s.%s.rms %.5g\n%s.%s.mean %.5g\n%s.%s.p95 %.5g\n%s.%s.max %.5g\n", base,
		       what, 1e-3 * sqrt(squares / (double)n), base, what, 1e-3 * sum / (double)n,
		       base, what, 1e-3 * (double)fabsf(errors->of.data[(n - 1) * 95 / 100]), base,
		       what, 1e-3 * (double)fabsf(errors->of.data[n - 1]));
	}
	errors->of.n = 0;
}

static void print_base(const struct subject *s, const struct corrections *corrections,
		       enum time_base base)
{
	const char *name = time_base_name(base);
	struct errors errors = { VEC_INIT };
	uint64_t reversed;

	take_events(s, base, &errors);
	print_errors(name, "abs", &errors);
	reversed = take_messages(s, base, &errors);
	print_errors(name, "msg", &errors);
	take_visits(s, base, &errors);
	print_errors(name, "ivl", &errors);
	printf("%s.reversed %" PRIu64 "\n", name, reversed);
	if (corrections->checked[base])
		printf("%s.logical %" PRIu64 "\n", name, corrections->check[base].all.reversed);
	vec_fini(&errors.of);
}

/* The error of the clock of reference at a time, which errors of others are against: between its
 * events around it. */
struct reference {
	struct cursor c;
	double before[2], after[2]; /* time and error */
	bool any, more;
};

static void reference_read(const struct subject *s, struct reference *r, double out[2])
{
	out[0] = (double)cursor_time(&r->c) * s->tick;
	out[1] = s->truth[r->c.id] - out[0];
}

static void reference_begin(const struct subject *s, enum time_base base, uint32_t location,
			    struct reference *r)
{
	r->any = r->more = cursor_first(&r->c, s->trace, base, location);
	if (r->any)
		reference_read(s, r, r->before);
	memcpy(r->after, r->before, sizeof r->after);
}

static double reference_error(const struct subject *s, struct reference *r, double time)
{
	while (r->more && r->after[0] < time) {
		memcpy(r->before, r->after, sizeof r->before);
		r->more = cursor_next(&r->c);
		if (r->more)
			reference_read(s, r, r->after);
	}
	if (time <= r->before[0] || r->after[0] <= r->before[0])
		return r->before[1];
	if (time >= r->after[0])
		return r->after[1];
	return r->before[1] +
	       (r->after[1] - r->before[1]) * (time - r->before[0]) / (r->after[0] - r->before[0]);
}

/* How many true times are inside of what bounds their clocks. */
static void print_bounds(const struct subject *s, const struct corrections *corrections,
			 enum time_base base)
{
	const struct clock_room *room = &corrections->room;
	const uint32_t zero = trace_location_of_rank(s->trace, 0);
	uint64_t n = 0, inside = 0, unknown = 0;
	struct errors widths = { VEC_INIT };

	if (!room->done || base < room->base || zero == UINT32_MAX)
		return;
	for (uint32_t l = 0; l < trace_location_count(s->trace); l++) {
		struct reference r;
		struct cursor c;
		reference_begin(s, room->base, zero, &r);
		for (bool ok = cursor_first(&c, s->trace, base, l); ok && l != zero;
		     ok = cursor_next(&c)) {
			const struct clock_place place = clock_place_of(room, s->trace, base, c.id);
			const struct room_span span = clock_room_at(room, &place);
			const double time = (double)cursor_time(&c) * s->tick;
			const double error = s->truth[c.id] - time -
					     reference_error(s, &r, time_of(s, room->base, c.id));
			if (!s->counts[c.id])
				continue;
			n++;
			unknown += !room_span_known(span);
			inside += error >= (span.low - 1) * s->tick &&
				  error <= (span.high + 1) * s->tick;
			add(&widths, (span.high - span.low) * s->tick / 2);
		}
	}
	if (n == 0)
		return;
	qsort(widths.of.data, n, sizeof *widths.of.data, by_size);
	printf("%s.inside %.6f\n%s.half %.5g\n%s.unknown %.6f\n", time_base_name(base),
	       (double)inside / (double)n, time_base_name(base),
	       1e-3 * (double)widths.of.data[n / 2], time_base_name(base),
	       (double)unknown / (double)n);
	vec_fini(&widths.of);
}

/* First enter behind MPI_Init to last leave before MPI_Finalize, over all locations, in seconds. */
static double run_time(const struct subject *s, const enum time_base *base)
{
	double first = INFINITY, last = -INFINITY;

	for (uint32_t l = 0; l < trace_location_count(s->trace); l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, s->trace, base ? *base : BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			const double t = base ? (double)cursor_time(&c) * s->tick : s->truth[c.id];
			if (!s->counts[c.id])
				continue;
			first = t < first ? t : first;
			last = t > last ? t : last;
		}
	}
	return last > first ? 1e-9 * (last - first) : 0;
}

/* Wait in a barrier (until the last one enters) taken from the time in it: below 0 it cannot be. */
static void print_barriers(const struct subject *s, enum time_base base)
{
	uint64_t negative = 0;
	double worst = 0;

	for (uint32_t i = 0; i < trace_collective_count(s->trace); i++) {
		const struct collective *c = trace_collective(s->trace, i);
		double last = -INFINITY;
		if (strcmp(trace_region_name(s->trace, c->region), "MPI_Barrier") != 0)
			continue;
		for (uint32_t m = c->first; m < c->first + c->members; m++) {
			const uint32_t begin = trace_member(s->trace, m)->begin;
			if (begin != EVENT_NONE && time_of(s, base, begin) > last)
				last = time_of(s, base, begin);
		}
		for (uint32_t m = c->first; m < c->first + c->members; m++) {
			const uint32_t end = trace_member(s->trace, m)->end;
			const double rest = end == EVENT_NONE ? 0 : time_of(s, base, end) - last;
			negative += rest < 0;
			worst = rest < worst ? rest : worst;
		}
	}
	printf("%s.barrier.negative %" PRIu64 "\n%s.barrier.worst %.5g\n", time_base_name(base),
	       negative, time_base_name(base), 1e-3 * -worst);
}

/* The clock condition as the corrections checked it, and what the logical clock did. */
static void print_corrections(const struct subject *s, const struct corrections *corrections)
{
	const struct clc_report *clc = &corrections->clc;
	const struct overhead_report *overhead = &corrections->overhead;

	for (enum time_base base = BASE_MEASURED; base < BASE_COUNT; base++) {
		const struct check_sum *sum = &corrections->check[base].all;
		const char *name = time_base_name(base);
		const struct check_sum *p2p = &corrections->check[base].by_class[LOGICAL_P2P];
		if (!corrections->checked[base])
			continue;
		printf("%s.p2p.messages %" PRIu64 "\n%s.p2p.reversed %" PRIu64
		       "\n%s.p2p.violating %" PRIu64 "\n%s.p2p.worst %.5g\n%s.p2p.mean %.5g\n",
		       name, p2p->messages, name, p2p->reversed, name, p2p->violating, name,
		       1e-3 * (double)p2p->worst * s->tick, name,
		       1e-3 * check_sum_mean(p2p) * s->tick);
		printf("%s.check.messages %" PRIu64 "\n%s.check.reversed %" PRIu64
		       "\n%s.check.violating %" PRIu64 "\n",
		       name, sum->messages, name, sum->reversed, name, sum->violating);
	}
	if (clc->done)
		printf("clc.did.p2p %" PRIu64 "\nclc.did.violated %" PRIu64
		       "\nclc.did.modified %" PRIu64 "\nclc.did.passes %d\nclc.did.slope %.5g\n",
		       clc->violated[LOGICAL_P2P], clc->violated_all, clc->corrected_final,
		       clc->passes, clc->max_slope);
	if (overhead->done)
		printf("overhead.is.event %.5g\noverhead.is.loop %.5g\noverhead.is.carried "
		       "%.5g\noverhead.is.ratio %.5g\noverhead.is.sampled %.5g\n",
		       overhead->event * 1e9, overhead->loop * 1e9, overhead->carried_share,
		       overhead->ratio, overhead->sampled_share);
	printf("fit.is.done %d\n", corrections->fit.done);
}

static struct corrections *correct(struct subject *s, const struct correct_options *options)
{
	const double before = cpu_ms();
	struct err err = ERR_INIT;
	struct corrections *corrections = correct_run(s->trace, options, NULL, &err);

	if (!corrections)
		fail(err.text);
	printf("\ncpu.correct.s %.3f\n", 1e-3 * (cpu_ms() - before));
	return corrections;
}

static void print_all(const struct subject *s, const struct corrections *corrections)
{
	struct err err = ERR_INIT;

	printf("trace.has.events %" PRIu64 "\ntrace.has.messages %" PRIu32 "\ntrue.run_s %.9f\n",
	       trace_event_count(s->trace), trace_message_count(s->trace), run_time(s, NULL));
	for (enum time_base base = BASE_MEASURED; base < BASE_COUNT; base++) {
		if (!trace_has_base(s->trace, base))
			continue;
		if (!trace_base_make(s->trace, base, NULL, &err))
			fail(err.text);
		print_base(s, corrections, base);
		print_barriers(s, base);
		if (base <= BASE_CLC)
			print_bounds(s, corrections, base);
		printf("%s.run_s %.9f\n", time_base_name(base), run_time(s, &base));
	}
	print_corrections(s, corrections);
}

static const char usage[] =
	"usage: accuracy [--offsets] [--paper] NAME.trc NAME-true.trc | NAME.trc --skew PREFIX\n";

int main(int argc, char **argv)
{
	struct correct_options options = CORRECT_DEFAULTS;
	struct corrections *corrections;
	double before = cpu_ms();
	struct subject s;
	bool skewed;
	int at = 1;

	for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
		if (strcmp(argv[at], "--offsets") == 0)
			options.presync = PRESYNC_OFFSETS;
		else if (strcmp(argv[at], "--paper") == 0)
			options.overhead.model = OVERHEAD_PAPER;
	}
	skewed = argc - at == 3 && strcmp(argv[at + 1], "--skew") == 0;
	if (argc - at != 2 && !skewed) {
		fputs(usage, stderr);
		return 2;
	}
	subject_init(&s, argv[at]);
	before = 1e-3 * (cpu_ms() - before);
	if (skewed)
		truth_of_skew(&s, argv[at + 2]);
	else
		truth_of_trace(&s, argv[at + 1]);
	corrections = correct(&s, &options);
	printf("cpu.load.s %.3f\n", before);
	print_all(&s, corrections);
	corrections_free(corrections);
	trace_free(s.trace);
	free(s.truth);
	free(s.counts);
	return 0;
}
