#include "capture/run/runopts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum option_type {
	OPTION_FLAG,
	OPTION_OFF,
	OPTION_TEXT,
	OPTION_BYTES,
	OPTION_NUMBER,
	OPTION_CHOICE
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

#define AT(field) offsetof(struct run_options, field)

static const struct option options_table[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", AT(output),
	  "write the trace to FILE (run.trc): PICL, or OTF2 if it ends in .otf2" },
	{ "buffer-size", 0, OPTION_BYTES, "SIZE", AT(buffer_size),
	  "memory for the records of one rank, like 64M or 2G (256M); a rank that needs more stops recording" },
	{ "buffer-dir", 0, OPTION_TEXT, "DIR", AT(buffer_dir),
	  "where the ranks keep their records while they run (beside the trace, else /dev/shm); all ranks must "
	  "see it under this name" },
	{ "clock", 0, OPTION_CHOICE, "auto|tsc|monotonic", AT(clock),
	  "clock of the records: the processor's counter where it is invariant, or clock_gettime" },
	{ "clock-domain", 0, OPTION_CHOICE, "auto|node|rank", AT(domain),
	  "which ranks share a clock: those of one node whose measured offset may be zero, those of one node, "
	  "or none" },
	{ "no-functions", 0, OPTION_FLAG, NULL, AT(no_functions),
	  "leave out functions compiled with -finstrument-functions" },
	{ "insitu", 0, OPTION_FLAG, NULL, AT(insitu),
	  "leave functions out in a tenth of the segments between calls of MPI, drawn at random, which tells what "
	  "recording them costs where it happens (the default); such segments are regions tview_unrecorded" },
	{ "no-insitu", 0, OPTION_OFF, NULL, AT(insitu), "record functions everywhere" },
	{ "statistics", 0, OPTION_FLAG, NULL, AT(statistics),
	  "keep no events, only what each statement cost in sum, by caller and by partner: neither memory nor the trace "
	  "grow with the run (implies --no-insitu)" },
	{ "fore-monitor", 0, OPTION_FLAG, NULL, AT(fore_monitor),
	  "with --statistics and ranks on several nodes: tell waiting from the transfer there, too, by holding a blocking receive "
	  "until its message is there, and a collective that waits for all until all are there; costs a barrier each" },
	{ "limit", 0, OPTION_NUMBER, "N", AT(limit),
	  "after N calls (1000000) of a procedure that takes less than a microsecond keep no more events of it in this "
	  "thread; it is still counted and timed; 0: keep all" },
	{ "probe-delay", 0, OPTION_NUMBER, "NS", AT(probe_delay),
	  "let every function record take so many nanoseconds longer: for experiments with overhead" },
	{ "anonymous", 0, OPTION_FLAG, NULL, AT(anonymous),
	  "leave names, paths and hosts out of the trace" },
	{ "yield", 0, OPTION_FLAG, NULL, AT(yield),
	  "let ranks sleep while they wait, for more ranks than cores (MPICH with UCX); waits become coarse" },
	{ "keep", 0, OPTION_FLAG, NULL, AT(keep), "keep the folder with the ranks' records" },
	{ "quiet", 'q', OPTION_FLAG, NULL, AT(quiet), "say nothing when all went well" },
	{ "help", 'h', OPTION_FLAG, NULL, AT(help), "show this and end" },
	{ "version", 'V', OPTION_FLAG, NULL, AT(version), "show the version and end" },
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
	const uint64_t least = UINT64_C(2) * TV_CHUNK_SIZE;

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
	case OPTION_CHOICE: return set_choice(at, option, text, err);
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

bool run_options_parse(struct run_options *options, char **argv, struct err *err)
{
	char **at = argv + 1;

	*options = (struct run_options){ .output = "run.trc",
					 .buffer_size = UINT64_C(256) << 20,
					 .insitu = true,
					 .limit = 1000000 };
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
			return err_set(err, STATUS_USAGE,
				       "unknown option %s (tvrun --help lists them)", *at);
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
	/* What is left out of records is lost: there are no events to tell how much it was. */
	options->insitu &= !options->statistics;
	options->command = at;
	if (!*at && !options->help && !options->version)
		return err_set(
			err, STATUS_USAGE,
			"nothing to run: tvrun [-o run.trc] [options] mpiexec -n N ./app (see tvrun --help)");
	return true;
}

void run_options_help(struct str *out)
{
	enum { INDENT = 24, WIDTH = 78 };

	str_add(out,
		"usage: tvrun [-o run.trc] [options] mpiexec -n N ./app ...\n"
		"Runs an MPI program and records what its ranks do as a trace that tview opens.\n\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option *option = &options_table[i];
		struct str left = STR_INIT;
		str_add(&left, option->letter ? "  -" : "      --");
		if (option->letter)
			str_add_fmt(&left, "%c, --", option->letter);
		str_add(&left, option->name);
		if (option->argument)
			str_add_fmt(&left, " %s",
				    option->type == OPTION_CHOICE ? "WHICH" : option->argument);
		str_add_fmt(out, "%-*s", INDENT, left.text);
		if (left.n >= INDENT)
			str_add_fmt(out, "\n%*s", INDENT, "");
		if (option->type == OPTION_CHOICE) {
			struct str help = STR_INIT;
			str_add_fmt(&help, "%s: %s", option->argument, option->help);
			str_add_wrapped(out, help.text, INDENT, WIDTH);
			str_fini(&help);
		} else {
			str_add_wrapped(out, option->help, INDENT, WIDTH);
		}
		str_fini(&left);
	}
	str_add(out, "\nIt ends with the program's status; 125 to 127 are failures of its own.\n");
}

void run_options_man(struct str *out)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option *option = &options_table[i];
		str_add(out, ".TP\n");
		if (option->letter)
			str_add_fmt(out, "\\fB\\-%c\\fR, ", option->letter);
		str_add(out, "\\fB\\-\\-");
		for (const char *p = option->name; *p; p++)
			str_add_n(out, *p == '-' ? "\\-" : p, *p == '-' ? 2 : 1);
		str_add(out, "\\fR");
		if (option->argument)
			str_add_fmt(out, " \\fI%s\\fR", option->argument);
		str_add_fmt(out, "\n%s.\n", option->help);
	}
}
