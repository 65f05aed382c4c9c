/* Simulates a message-passing program and writes two traces of it: NAME as a capture would have
 * written it, with errors of clocks and the cost of measuring, and NAME-true with the times that
 * were so. Both have the same events in the same order. `simulate --help` lists the options.
 *
 *	simulate --program stencil --ranks 64 --clock-offset 1e-3 --clock-drift 2e-5 -o run.trc
 *
 * With --overhead the truth is another run, without measurement, in which every receive gets the
 * message that it got in the measured one; with --control it gets what comes first, which is then the
 * same, and virtual times are compared with it. Prints what happened, as `key value`. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "clock.h"
#include "model/formats/save.h"
#include "write.h"

/* One option: a number, a pair of them, a word. */
struct choice {
	const char *name, *help;
	enum { NUMBER, COUNT, PAIR, TRIPLE, WORD, FLAG } kind;
	size_t at, second, third; /* in struct settings; the third number has any sign */
};

#define AT(field) offsetof(struct settings, field)
static const struct choice choices[] = {
	{ "program", "NAME  ring, halo, stencil, sweep, collectives, pi, farm, chain", WORD,
	  AT(program), 0, 0 },
	{ "ranks", "N", COUNT, AT(ranks), 0, 0 },
	{ "steps", "N", COUNT, AT(steps), 0, 0 },
	{ "every", "N  steps from one exchange to the next", COUNT, AT(every), 0, 0 },
	{ "islands", "N  groups of ranks that exchange nothing (halo)", COUNT, AT(islands), 0, 0 },
	{ "calls", "N  calls of a tiny function in a step", COUNT, AT(calls), 0, 0 },
	{ "seed", "N", COUNT, AT(seed), 0, 0 },
	{ "ranks-per-node", "N", COUNT, AT(node_ranks), 0, 0 },
	{ "latency", "S  between nodes", NUMBER, AT(latency), 0, 0 },
	{ "latency-intra", "S  inside a node", NUMBER, AT(latency_intra), 0, 0 },
	{ "latency-spread", "SHARE  by which links are slower at most", NUMBER, AT(latency_spread),
	  0, 0 },
	{ "latency-down", "S  of a message to a lower rank", NUMBER, AT(latency_down), 0, 0 },
	{ "late", "RANK:S  messages to it take so much longer", PAIR, AT(late_rank), AT(late), 0 },
	{ "tail", "S  scale of a Pareto addition (exponent 1.1) to each message", NUMBER, AT(tail),
	  0, 0 },
	{ "jitter", "S  mean of an exponential addition to each", NUMBER, AT(jitter), 0, 0 },
	{ "bandwidth", "B/S", NUMBER, AT(bandwidth), 0, 0 },
	{ "copy", "S  a byte", NUMBER, AT(copy), 0, 0 },
	{ "call", "S  an MPI call's own time", NUMBER, AT(call), 0, 0 },
	{ "work", "S  computation of a step", NUMBER, AT(work), 0, 0 },
	{ "tiny", "S  a call of a tiny function", NUMBER, AT(tiny), 0, 0 },
	{ "slow", "RANK:TIMES  one that computes so many times as long", PAIR, AT(slow_rank),
	  AT(slow), 0 },
	{ "noise", "SHARE  mean of an exponential addition to both", NUMBER, AT(noise), 0, 0 },
	{ "sleep", "S:S  before and behind the program, between the offset measurements", PAIR,
	  AT(sleep_before), AT(sleep_after), 0 },
	{ "clock-offset", "S  largest of a rank; rank 0 is the reference", NUMBER, AT(clock_offset),
	  0, 0 },
	{ "clock-drift", "S/S", NUMBER, AT(clock_drift), 0, 0 },
	{ "clock-sine", "S:S  amplitude and period", PAIR, AT(sine), AT(sine_period), 0 },
	{ "clock-slew", "S/S:S  changes of the rate, and how often", PAIR, AT(slew),
	  AT(slew_interval), 0 },
	{ "clock-walk", "S/S:S  rms change of the rate, from where it was, and how often", PAIR,
	  AT(walk), AT(walk_interval), 0 },
	{ "clock-jump", "S:S  of odd ranks, and how long after the start", PAIR, AT(jump),
	  AT(jump_at), 0 },
	{ "clock-step", "RANK:S:S  its clock is set, so long after the start, by so much", TRIPLE,
	  AT(step_rank), AT(step_at), AT(step) },
	{ "clock-step-node", "  the step is of all ranks of its node", FLAG, AT(step_node), 0, 0 },
	{ "clock-jitter", "S  of a reading", NUMBER, AT(clock_jitter), 0, 0 },
	{ "clock-of-node", "  one clock a node", FLAG, AT(clock_of_node), 0, 0 },
	{ "resolution", "S  of a clock", NUMBER, AT(resolution), 0, 0 },
	{ "offset-noise", "S  rms error of an offset measurement", NUMBER, AT(offset_noise), 0, 0 },
	{ "offset-rtt", "S  round trip that is written", NUMBER, AT(offset_rtt), 0, 0 },
	{ "offset-links", "  offsets are measured over the links of messages", FLAG,
	  AT(offset_links), 0, 0 },
	{ "offset-count", "0|1|2  offset measurements that are written", COUNT, AT(offset_count), 0,
	  0 },
	{ "overhead", "S  of a record in a loop", NUMBER, AT(overhead), 0, 0 },
	{ "overhead-spread", "SHARE  of it that functions hide", NUMBER, AT(spread), 0, 0 },
	{ "guard", "S  of a probe that is left out", NUMBER, AT(guard), 0, 0 },
	{ "insitu", "SHARE  of segments between MPI calls without probes", NUMBER, AT(insitu), 0,
	  0 },
	{ "gap-note", "S  these are gaps with notes, which cost that, and blank ones", NUMBER,
	  AT(gap_note), 0, 0 },
	{ "control", "  holds receives from any source: the order of the run without records", FLAG,
	  AT(control), 0, 0 },
	{ "flush", "N:S  every N records, for so long", PAIR, AT(flush_every), AT(flush), 0 },
	{ "ticks", "N  a second, in the traces", COUNT, AT(ticks), 0, 0 },
};
enum { CHOICES = sizeof choices / sizeof *choices };

static int usage(FILE *out, int status)
{
	fputs("usage: simulate [OPTION VALUE]... -o NAME.trc|NAME.otf2\n"
	      "times in seconds; writes NAME and NAME-true\n\n",
	      out);
	for (size_t i = 0; i < CHOICES; i++)
		fprintf(out, "  --%s %s\n", choices[i].name, choices[i].help);
	return status;
}

/* ---- reading the command line ---- */

/* A number, and behind ':' where `end` asks for it; false where there is none. */
static bool number(const char *text, char **end, double *out)
{
	*out = strtod(text, end);
	return *end != text && *out >= 0 && *out < 1e15;
}

static void put(struct settings *s, size_t at, const void *value, size_t size)
{
	memcpy((char *)s + at, value, size);
}

/* Counts have the width of their fields. */
static bool set_count(struct settings *s, size_t at, double x)
{
	if (x > (at == AT(seed) || at == AT(flush_every) || at == AT(ticks) ? 9e15 : 4e9))
		return false;
	const uint64_t wide = (uint64_t)x;
	const uint32_t narrow = (uint32_t)wide;
	if (at == AT(seed) || at == AT(flush_every) || at == AT(ticks))
		put(s, at, &wide, sizeof wide);
	else
		put(s, at, &narrow, sizeof narrow);
	return true;
}

static bool set(struct settings *s, const struct choice *choice, const char *text)
{
	char *end = NULL;
	double x, y;

	if (choice->kind == FLAG) {
		put(s, choice->at, &(bool){ true }, sizeof(bool));
		return true;
	}
	if (choice->kind == WORD) {
		s->program = text;
		return true;
	}
	if (!number(text, &end, &x))
		return false;
	if (choice->kind == PAIR || choice->kind == TRIPLE) {
		if (*end != ':' || !number(end + 1, &end, &y))
			return false;
		put(s, choice->second, &y, sizeof y);
	}
	if (choice->kind == TRIPLE) {
		if (*end != ':')
			return false;
		y = strtod(end + 1, &end);
		put(s, choice->third, &y, sizeof y);
	}
	if (*end)
		return false;
	if (choice->kind == COUNT || choice->at == AT(flush_every))
		return set_count(s, choice->at, x);
	put(s, choice->at, &x, sizeof x);
	return true;
}

static const char *wrong(const struct settings *s)
{
	if (s->ranks < 1 || s->ranks > 1000000 || s->node_ranks < 1)
		return "ranks and ranks of a node are 1 to 1,000,000";
	if (s->bandwidth <= 0 || s->sine_period <= 0 || s->slew_interval <= 0 ||
	    s->walk_interval < 1e-9)
		return "bandwidth, period and interval are above 0";
	if (s->insitu > 1 || s->spread > 1)
		return "shares are 0 to 1";
	if (s->ticks < 1 || PICO % s->ticks)
		return "ticks must divide 10^12";
	return NULL;
}

static bool read_command(struct settings *s, const char **path, int argc, char **argv)
{
	struct option options[CHOICES + 1] = { { 0 } };
	int c, which = 0;

	for (int i = 0; i < CHOICES; i++)
		options[i] =
			(struct option){ choices[i].name, choices[i].kind != FLAG, NULL, 256 + i };
	while ((c = getopt_long(argc, argv, "o:", options, &which)) != -1) {
		if (c == 'o') {
			*path = optarg;
		} else if (c < 256) {
			return false;
		} else if (!set(s, &choices[c - 256], optarg)) {
			fprintf(stderr, "simulate: --%s %s: no such value\n", choices[c - 256].name,
				optarg);
			return false;
		}
	}
	return *path && optind == argc;
}

/* ---- the run ---- */

static bool save(const struct run *run, const struct settings *s, bool truth, const char *path,
		 struct err *err)
{
	struct trace *trace = write_trace(run, s, truth, path, err);
	bool fine;

	if (!trace)
		return false;
	fine = trace_save(trace, save_format_of_file(path), path, NULL, NULL, NULL, err);
	trace_free(trace);
	return fine;
}

/* NAME-true.trc for NAME.trc. */
static void true_path(struct str *out, const char *path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
	const size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);

	str_add_fmt(out, "%.*s-true%s", (int)n, path, path + n);
}

static void report(const struct run *measured, const struct run *real)
{
	printf("events %" PRIu64 "\nmessages %" PRIu64 "\nmeasured_s %.9f\ntrue_s %.9f\n"
	       "segments %" PRIu64 "\nleft_out %" PRIu64 "\n",
	       measured->events, measured->messages,
	       (double)(measured->end - SIMULATION_START) / (double)PICO,
	       (double)(real->end - SIMULATION_START) / (double)PICO, measured->segments,
	       measured->left_out);
}

/* How far virtual times are from the run without records, and in how many places that received from
 * another source. */
static void report_control(const struct run *measured, const struct run *real)
{
	uint64_t differ = 0;
	int64_t most = 0;

	for (uint32_t r = 0; r < real->ranks; r++) {
		const struct history *a = &measured->of[r], *b = &real->of[r];
		for (size_t i = 0; i < a->sources.n && i < b->sources.n; i++)
			differ += a->sources.data[i] != b->sources.data[i];
		for (size_t i = 0; i < a->ends.n && i < b->ends.n; i++) {
			const int64_t error = llabs(a->ends.data[i].moved - b->ends.data[i].real);
			most = error > most ? error : most;
		}
	}
	printf("from_any %" PRIu64 "\nheld %" PRIu64 "\nheld_s %.9f\norder_differs %" PRIu64
	       "\nvirtual_error_s %.9f\n",
	       measured->from_any, measured->held, (double)measured->held_for / (double)PICO,
	       differ, (double)most / (double)PICO);
}

static bool simulate(const struct settings *s, const char *path, struct err *err)
{
	const bool two = s->overhead > 0 || s->flush > 0;
	struct str other = STR_INIT;
	struct run measured, again;
	bool fine;

	memset(&again, 0, sizeof again);
	true_path(&other, path);
	fine = engine_run(&measured, s, true, NULL) &&
	       (!two || engine_run(&again, s, false, s->control ? NULL : &measured));
	if (!fine)
		err_set(err, STATUS_USAGE, "simulate: no program '%s' on %u ranks (there are %s)",
			s->program, s->ranks, program_names());
	fine = fine && save(&measured, s, false, path, err) &&
	       save(two ? &again : &measured, s, true, other.text, err);
	if (fine)
		report(&measured, two ? &again : &measured);
	if (fine && s->control && two)
		report_control(&measured, &again);
	run_fini(&measured);
	run_fini(&again);
	str_fini(&other);
	return fine;
}

int main(int argc, char **argv)
{
	struct settings settings = SETTINGS_DEFAULTS;
	struct err err = ERR_INIT;
	const char *path = NULL;

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return usage(stdout, 0);
	if (!read_command(&settings, &path, argc, argv))
		return usage(stderr, 2);
	if (wrong(&settings)) {
		fprintf(stderr, "simulate: %s\n", wrong(&settings));
		return 2;
	}
	if (!simulate(&settings, path, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return err.status;
	}
	return 0;
}
