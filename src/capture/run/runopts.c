#include "capture/run/runopts.h"

#include <regex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_page.h"
#include "base/rule_lines.h"
#include "base/units.h"
#include "model/filter/filter_alone.h"

enum option_type {
	OPTION_FLAG,
	OPTION_OFF,
	OPTION_TEXT,
	OPTION_BYTES,
	OPTION_NUMBER,
	OPTION_PERIOD,
	OPTION_SPAN,
	OPTION_DELAY,
	OPTION_CHOICE,
	OPTION_RULE,
	OPTION_RULE_FILE,
	OPTION_FILTER
};

/* One option. Choices: words separated by '|', in the order of the enum they set. */
struct option {
	const char *name;
	char letter; /* 0 none */
	enum option_type type;
	const char *argument; /* shown in help; the choices of OPTION_CHOICE */
	size_t offset;
	const char *help;
};

/* Linux allows 128 KiB of text in a variable of the environment. */
enum { RULES_MOST = 120 << 10 };

#define AT(field) offsetof(struct run_options, field)

static const struct option options_table[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", AT(output),
	  "write the trace to FILE: PICL (.zst: compressed), or OTF2 if it ends in .otf2; "
	  "%p: process, %h: host, %r: rank, %j: job [run.trc]" },
	{ "compact-from", 0, OPTION_NUMBER, "N", AT(compact_from),
	  "without -o, compress a trace of N events or more, as run.trc.zst; 0: never [4000000]" },
	{ "buffer-size", 0, OPTION_BYTES, "SIZE", AT(buffer_size),
	  "memory per rank for buffers and statistics, e.g. 64M: 0.5M or more per thread [64M]" },
	{ "max-size", 0, OPTION_BYTES, "SIZE", AT(max_size),
	  "disk per rank for records; recording of events stops when it is full [4G]" },
	{ "max-mem", 0, OPTION_BYTES, "SIZE", AT(max_mem),
	  "memory for the events while their trace is made, then a file beside it is used "
	  "[half of RAM]" },
	{ "last", 0, OPTION_SPAN, "TIME", AT(last),
	  "keep only the events of each rank's last TIME (1s or more, e.g. 30s): older ones are "
	  "overwritten, so that a run of days has its last half minute when it ends or dies; "
	  "statistics are of the whole run (implies --no-insitu, --no-threads and --limit 0)" },
	{ "trigger", 0, OPTION_FILTER, "EXPR", AT(trigger),
	  "while the program runs, make a trace of the run so far (with --last of the last TIME), "
	  "run.1.trc, run.2.trc, ..., when a visit matches, e.g. 'region =~ /step/ && dur > 2s': "
	  "at its end, or once it goes on for so long; region, rank, thread and dur are known "
	  "(implies --no-insitu). tview_trigger() does it without this" },
	{ "trigger-pause", 0, OPTION_SPAN, "TIME", AT(trigger_pause),
	  "make at most one such trace in TIME [10s]" },
	{ "trigger-most", 0, OPTION_NUMBER, "N", AT(trigger_most),
	  "make at most N such traces [10]" },
	{ "buffer-dir", 0, OPTION_TEXT, "DIR", AT(buffer_dir),
	  "folder for the buffers; all nodes must see it [beside the trace, else /dev/shm]" },
	{ "clock", 0, OPTION_CHOICE, "auto|tsc|monotonic", AT(clock),
	  "clock of the records: the processor's counter if it is invariant, or clock_gettime" },
	{ "clock-domain", 0, OPTION_CHOICE, "auto|node|rank", AT(domain),
	  "ranks that share a clock: those of one node whose measured offset may be zero, all of "
	  "one node, or none" },
	{ "off", 0, OPTION_FLAG, NULL, AT(off),
	  "start with recording switched off, until the program calls tview_on() or "
	  "MPI_Pcontrol(1)" },
	{ "on", 0, OPTION_OFF, NULL, AT(off),
	  "start with recording switched on (the default); tview_off() and MPI_Pcontrol(0) switch "
	  "it off" },
	{ "no-functions", 0, OPTION_FLAG, NULL, AT(no_functions),
	  "do not record functions compiled with -finstrument-functions" },
	{ "only", 0, OPTION_RULE, "PATTERN", AT(rules),
	  "record only functions whose names match; repeatable" },
	{ "exclude", 0, OPTION_RULE, "PATTERN", AT(rules),
	  "do not record functions whose names match; repeatable, the last matching rule wins" },
	{ "filter-file", 0, OPTION_RULE_FILE, "FILE", AT(rules),
	  "read such rules from FILE, as tview export filter writes it, one per line: only "
	  "PATTERN, exclude PATTERN, no-loops [PATTERN]" },
	{ "no-threads", 0, OPTION_FLAG, NULL, AT(no_threads),
	  "do not record when threads begin, nor OpenMP's parallel regions, barriers, critical "
	  "sections, locks and tasks" },
	{ "callstack", 0, OPTION_NUMBER, "N", AT(callstack),
	  "record the N functions (at most 64) around each MPI call, also of a program that was "
	  "not compiled for it" },
	{ "sample", 0, OPTION_PERIOD, "TIME", AT(sample),
	  "record where each thread is outside of MPI, once in TIME of its own time (100us to 1s, "
	  "e.g. 1ms): functions and lines of a program that was not compiled for it" },
	{ "counters", 0, OPTION_TEXT, "LIST", AT(counters),
	  "count for each visit of a function and each MPI call, e.g. "
	  "cycles,instructions,cache-misses or task-clock,page-faults (see --list-counters)" },
	{ "python", 0, OPTION_FLAG, NULL, AT(python),
	  "record the functions of Python around each MPI call; without it the line alone" },
	{ "no-python", 0, OPTION_FLAG, NULL, AT(no_python),
	  "do not look at Python, not even for the line of each MPI call" },
	{ "insitu", 0, OPTION_FLAG, NULL, AT(insitu),
	  "estimate the times of functions in a few segments between MPI calls to measure overhead "
	  "(the default); in some of them visits, too" },
	{ "no-insitu", 0, OPTION_OFF, NULL, AT(insitu), "measure the times of all functions" },
	{ "statistics", 0, OPTION_FLAG, NULL, AT(statistics),
	  "record statistics per statement, no events; size does not grow with run time (implies "
	  "--no-insitu)" },
	{ "fore-monitor", 0, OPTION_FLAG, NULL, AT(fore_monitor),
	  "with --statistics: measure waiting between nodes, too; blocking receives and "
	  "collectives start when all partners are ready (adds a barrier per call)" },
	{ "limit", 0, OPTION_NUMBER, "N", AT(limit),
	  "stop recording events of functions under 1 us after N calls per thread; calls and times "
	  "are still counted; 0: never stop [1000000]" },
	{ "virtual-time", 0, OPTION_FLAG, NULL, AT(virtual_time),
	  "keep the time that it would be without recording, of ranks on one node: tview -b "
	  "virtual (implies --no-insitu); receives from any source take the sender that is first "
	  "in that time" },
	{ "no-order-control", 0, OPTION_OFF, NULL, AT(order_control),
	  "with --virtual-time: let receives from any source take what comes first" },
	{ "order-tolerance", 0, OPTION_DELAY, "TIME", AT(order_tolerance),
	  "with --virtual-time: let such a receive go on when no other message can be earlier by "
	  "more than TIME, e.g. 20us; without a unit: nanoseconds [twice what latencies differ by, "
	  "at most 1 ms]" },
	{ "order", 0, OPTION_TEXT, "FILE", AT(order),
	  "write to FILE, as text, what depended on time: from which sender each receive or probe "
	  "from any source took its message, which requests MPI_Waitany and its like completed, "
	  "how often MPI_Test and MPI_Iprobe said no; a trace with events has it, too" },
	{ "replay-order", 0, OPTION_TEXT, "FILE", AT(replay),
	  "make these choices again as FILE says, a trace or text of --order; where a rank cannot, "
	  "that is said, and it goes on freely" },
	{ "replay-wait", 0, OPTION_DELAY, "TIME", AT(replay_wait),
	  "with --replay-order and several nodes: wait for a recorded message while other ranks of "
	  "the node do something and then for TIME, e.g. 600s; without a unit: nanoseconds [60s]" },
	{ "probe-delay", 0, OPTION_DELAY, "TIME", AT(probe_delay),
	  "make every function record slower by TIME, e.g. 20us; without a unit: nanoseconds. For "
	  "experiments with overhead" },
	{ "anonymous", 0, OPTION_FLAG, NULL, AT(anonymous),
	  "write no names, paths or hosts to the trace" },
	{ "yield", 0, OPTION_FLAG, NULL, AT(yield),
	  "sleep while waiting: for more ranks than cores (MPI on UCX); waits get coarser" },
	{ "live", 0, OPTION_FLAG, NULL, AT(live),
	  "show the views of tview live while the program runs, which reads nothing and writes to "
	  "FILE.out; q leaves them, and the program goes on" },
	{ "merge", 0, OPTION_TEXT, "DIR", AT(merge),
	  "run nothing, but make the trace of a run of which the folder with the buffers was left; "
	  "without -o where the run was to write it" },
	{ "keep", 0, OPTION_FLAG, NULL, AT(keep), "keep the folder with the buffers" },
	{ "quiet", 'q', OPTION_FLAG, NULL, AT(quiet), "print only warnings and errors" },
	{ "list-calls", 0, OPTION_FLAG, NULL, AT(list_calls),
	  "list the functions of MPI, which of them are recorded, and exit" },
	{ "list-counters", 0, OPTION_FLAG, NULL, AT(list_counters),
	  "list the names for --counters, which of them this machine counts, and exit" },
	{ "help", 'h', OPTION_FLAG, NULL, AT(help), "print this help and exit" },
	{ "version", 'V', OPTION_FLAG, NULL, AT(version), "print the version and exit" },
};

enum { OPTIONS = sizeof options_table / sizeof options_table[0] };

static void *field(struct run_options *options, const struct option *option)
{
	return (char *)options + option->offset;
}

static bool set_choice(unsigned *out, const struct option *option, const char *text,
		       struct err *err)
{
	const char *choice = option->argument;

	for (unsigned i = 0;; i++) {
		const size_t n = strcspn(choice, "|");
		if (strlen(text) == n && !memcmp(choice, text, n)) {
			*out = i;
			return true;
		}
		if (!choice[n])
			break;
		choice += n + 1;
	}
	return err_set(err, STATUS_USAGE, "--%s %s: must be one of %s", option->name, text,
		       option->argument);
}

static bool set_bytes(uint64_t *out, const struct option *option, const char *text, struct err *err)
{
	const uint64_t least = UINT64_C(2) << 20;

	if (!units_parse_bytes(text, out, err))
		return false;
	return *out >= least ||
	       err_set(err, STATUS_USAGE, "--%s %s: must be 2M or more", option->name, text);
}

static bool set_number(uint64_t *out, const struct option *option, const char *text,
		       struct err *err)
{
	enum { LARGEST = 1000000000 };
	char *end;
	const unsigned long long value = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value > LARGEST)
		return err_set(err, STATUS_USAGE, "--%s %s: must be a number from 0 to %d",
			       option->name, text, LARGEST);
	*out = value;
	return true;
}

static bool set_period(uint64_t *out, const struct option *option, const char *text,
		       struct err *err)
{
	int64_t ticks;

	if (!units_parse_time(text, NULL, &units_nanoseconds, &ticks, err))
		return false;
	*out = (uint64_t)ticks;
	return (ticks >= 100000 && ticks <= 1000000000) ||
	       err_set(err, STATUS_USAGE, "--%s %s: must be a time from 100us to 1s", option->name,
		       text);
}

static bool set_span(uint64_t *out, const struct option *option, const char *text, struct err *err)
{
	const int64_t second = 1000000000, day = 86400 * second;
	int64_t ticks;

	if (!units_parse_time(text, NULL, &units_nanoseconds, &ticks, err))
		return false;
	*out = (uint64_t)ticks;
	return (ticks >= second && ticks <= day) ||
	       err_set(err, STATUS_USAGE, "--%s %s: must be a time from 1s to a day (86400s)",
		       option->name, text);
}

/* A number alone is nanoseconds. */
static bool set_delay(uint64_t *out, const struct option *option, const char *text, struct err *err)
{
	int64_t ticks;

	if (*text && strspn(text, "0123456789") == strlen(text))
		return set_number(out, option, text, err);
	if (!units_parse_time(text, NULL, &units_nanoseconds, &ticks, err))
		return false;
	*out = (uint64_t)ticks;
	return (ticks >= 0 && ticks <= 1000000000) ||
	       err_set(err, STATUS_USAGE, "--%s %s: must be a time from 0 to 1s", option->name,
		       text);
}

/* Only tvcc knows the files of procedures. */
static bool is_of_files(const char *pattern)
{
	return pattern && !strncmp(pattern, "file:", 5);
}

/* The library in the ranks compiles it again. `place`: before messages. */
static bool add_rule(struct str *rules, enum rule_kind kind, const char *text, const char *place,
		     struct err *err)
{
	regex_t expression;
	char why[160];
	int code;

	if (!*text || strchr(text, '\n'))
		return err_set(err, STATUS_USAGE,
			       "%s: must be a regular expression for names of functions", place);
	code = regcomp(&expression, text, REG_EXTENDED | REG_NOSUB);
	if (code) {
		regerror(code, &expression, why, sizeof why);
		return err_set(err, STATUS_USAGE, "%s: invalid pattern: %s", place, why);
	}
	regfree(&expression);
	str_add_fmt(rules, "%s %s\n", rule_kind_name(kind), text);
	return rules->n < RULES_MOST ||
	       err_set(err, STATUS_USAGE, "%s: too many rules (more than %d KiB)", place,
		       RULES_MOST >> 10);
}

static bool add_rule_option(struct str *rules, const struct option *option, const char *text,
			    struct err *err)
{
	OWNED_STR place = STR_INIT;

	str_add_fmt(&place, "--%s %s", option->name, text);
	if (is_of_files(text))
		return err_set(err, STATUS_USAGE,
			       "%s: must be a regular expression for names of functions",
			       place.text);
	return add_rule(rules, strcmp(option->name, "only") ? RULE_EXCLUDE : RULE_ONLY, text,
			place.text, err);
}

/* What only a compiler can do is left out, and said. */
static bool take_rule(void *context, enum rule_kind kind, const char *pattern, const char *place,
		      struct err *err)
{
	struct run_options *options = context;

	if (kind == RULE_ITERATIONS || is_of_files(pattern)) {
		options->rules_for_tvcc++;
		return true;
	}
	return add_rule(&options->rules, kind, pattern ? pattern : ".*", place, err);
}

static bool set_filter(const char **out, const char *text, struct err *err)
{
	struct filter_alone *filter = filter_alone_new(text, &units_nanoseconds, err);

	*out = text;
	filter_alone_free(filter);
	return filter != NULL;
}

static bool set(struct run_options *options, const struct option *option, const char *text,
		struct err *err)
{
	void *at = field(options, option);

	switch (option->type) {
	case OPTION_FLAG:
	case OPTION_OFF: *(bool *)at = option->type == OPTION_FLAG; return true;
	case OPTION_TEXT:
		if (!*text)
			return err_set(err, STATUS_USAGE, "--%s needs %s", option->name,
				       option->argument);
		*(const char **)at = text;
		return true;
	case OPTION_BYTES: return set_bytes(at, option, text, err);
	case OPTION_NUMBER: return set_number(at, option, text, err);
	case OPTION_PERIOD: return set_period(at, option, text, err);
	case OPTION_SPAN: return set_span(at, option, text, err);
	case OPTION_DELAY: return set_delay(at, option, text, err);
	case OPTION_CHOICE: return set_choice(at, option, text, err);
	case OPTION_RULE: return add_rule_option(at, option, text, err);
	case OPTION_RULE_FILE: return rule_lines_read(text, take_rule, options, err);
	case OPTION_FILTER: return set_filter(at, text, err);
	}
	return true;
}

/* The option that a word names, and its value where it is in the same word. */
static const struct option *find(const char *word, const char **value)
{
	*value = NULL;
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option *option = &options_table[i];
		const size_t n = strlen(option->name);
		if (word[0] == '-' && word[1] == '-' && !strncmp(word + 2, option->name, n) &&
		    (!word[2 + n] || word[2 + n] == '=')) {
			*value = word[2 + n] ? word + 3 + n : NULL;
			return option;
		}
		if (option->letter && word[0] == '-' && word[1] == option->letter) {
			*value = word[2] ? word + 2 : NULL;
			return option;
		}
	}
	return NULL;
}

/* Estimates of a gap, teams of threads and limits would need records that are overwritten. */
static void keep_last(struct run_options *options)
{
	options->insitu = false;
	options->no_threads = true;
	options->limit = 0;
}

static bool go_together(const struct run_options *options, struct err *err)
{
	if (options->last && options->statistics)
		return err_set(err, STATUS_USAGE,
			       "--last keeps the last events, but --statistics keeps none (--last "
			       "has the statistics of the whole run, too)");
	if (options->trigger && options->statistics)
		return err_set(err, STATUS_USAGE,
			       "--trigger looks at events, but --statistics keeps none (use one of "
			       "them; tview_trigger() works with both)");
	if (options->sample && options->statistics)
		return err_set(err, STATUS_USAGE,
			       "--sample records events, but --statistics keeps none (use one of "
			       "them)");
	if (options->counters && options->statistics)
		return err_set(err, STATUS_USAGE,
			       "--counters records values at events, but --statistics keeps none "
			       "(use one of them)");
	if (options->counters && options->virtual_time)
		return err_set(err, STATUS_USAGE,
			       "--virtual-time does not know what reading counters costs (use one "
			       "of --counters and --virtual-time)");
	if (options->merge && *options->command)
		return err_set(err, STATUS_USAGE, "--merge runs no command (%s)",
			       *options->command);
	if (options->merge && options->live)
		return err_set(err, STATUS_USAGE, "--merge runs nothing that --live could show");
	return true;
}

bool run_options_parse(struct run_options *options, char **argv, struct err *err)
{
	char **at = argv + 1;

	*options = (struct run_options){ .buffer_size = UINT64_C(64) << 20,
					 .max_size = UINT64_C(4) << 30,
					 .insitu = true,
					 .order_control = true,
					 .order_tolerance = UINT64_MAX,
					 .replay_wait = UINT64_C(60000000000),
					 .limit = 1000000,
					 .trigger_pause = UINT64_C(10000000000),
					 .trigger_most = 10,
					 .compact_from = COMPACT_FROM };
	for (; *at && (*at)[0] == '-'; at++) {
		const char *value;
		const struct option *option;
		bool flag;
		if (!strcmp(*at, "--")) {
			at++;
			break;
		}
		option = find(*at, &value);
		if (!option)
			return err_set(err, STATUS_USAGE, "unknown option %s (see tvrun --help)",
				       *at);
		flag = option->type == OPTION_FLAG || option->type == OPTION_OFF;
		if (flag && value)
			return err_set(err, STATUS_USAGE, "%s: --%s takes no value", *at,
				       option->name);
		if (!flag && !value) {
			value = *++at;
			if (!value)
				return err_set(err, STATUS_USAGE, "--%s needs %s", option->name,
					       option->argument);
		}
		if (!set(options, option, value, err))
			return false;
	}
	/* Skipped functions would be lost: there are no events to estimate them from. */
	options->insitu &= !options->statistics && !options->rules.n && !options->callstack &&
			   !options->python && !options->sample && !options->trigger &&
			   !options->counters;
	options->command = at;
	if (options->last)
		keep_last(options);
	if (!go_together(options, err))
		return false;
	options->unnamed = !options->output;
	if (!options->merge && options->unnamed)
		options->output = "run.trc";
	if (!*at && !options->help && !options->version && !options->list_calls &&
	    !options->list_counters && !options->merge)
		return err_set(
			err, STATUS_USAGE,
			"no command given; usage: tvrun [-o run.trc] [options] mpiexec -n N ./app "
			"(see tvrun --help)");
	return true;
}

uint64_t run_options_compact_from(const struct run_options *options)
{
	if (!options->unnamed)
		return 0;
	return options->compact_from ? options->compact_from : UINT64_MAX;
}

static struct option_page page_of(const struct option *option)
{
	return (struct option_page){ .name = option->name,
				     .letter = option->letter,
				     .letters = true,
				     .argument = option->argument,
				     .help = option->help };
}

void run_options_help(struct str *out)
{
	str_add(out, "usage: tvrun [-o run.trc] [options] mpiexec -n N ./app ...\n"
		     "Runs an MPI program and records what its ranks do as a trace that tview "
		     "opens.\n\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option *option = &options_table[i];
		struct option_page page = page_of(option);
		OWNED_STR help = STR_INIT;
		if (option->type == OPTION_CHOICE) {
			str_add_fmt(&help, "%s: %s", option->argument, option->help);
			page.argument = "WHICH";
			page.help = help.text;
		}
		option_page_help(out, &page);
	}
	str_add(out, "\nExit status: that of the program; 125 to 127 if it was not run.\n");
}

void run_options_man(struct str *out)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_page page = page_of(&options_table[i]);
		option_page_manual(out, &page);
	}
}
