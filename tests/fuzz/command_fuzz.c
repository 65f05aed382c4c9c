/* libFuzzer target: what is typed: a command line of tview, a command after ':', and the texts that
 * these have in them. The first byte says which, a letter. What is refused is refused with a
 * sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rule_lines.h"
#include "base/units.h"
#include "harness/fuzz.h"
#include "harness/mutate.h"
#include "patterns/topology/topology_option.h"
#include "ui/app/views.h"
#include "ui/options/bindings.h"
#include "ui/options/choose_ranks.h"
#include "ui/options/command.h"
#include "ui/options/option.h"

/* Words between line feeds. */
static bool command_line(char *text, struct err *err)
{
	static char tview[] = "tview";
	char *argv[32] = { tview }, *rest;
	int argc = 1;
	struct options options;

	for (char *word = strtok_r(text, "\n", &rest); word && argc < 31;
	     word = strtok_r(NULL, "\n", &rest))
		argv[argc++] = word;
	return options_parse(&options, &all_views, (enum verb)(strlen(text) % VERB_HELP), argc,
			     argv, err);
}

static bool key(const char *text, struct err *err)
{
	struct bindings *bindings = bindings_new(&all_views);
	const bool ok = bindings_bind(bindings, text, err);

	must(*bindings_keys(bindings, ACTION_COMMAND), "':' keeps a key");
	bindings_free(bindings);
	return ok;
}

/* What is read is written as it was read. */
static bool a_time(const char *text, struct err *err)
{
	static const struct timescale scales[] = { { 1000000000, 9 },
						   { 1, 0 },
						   { 2399997000, 10 } };
	const struct timescale *scale = &scales[strlen(text) % 3];
	struct str again = STR_INIT;
	int64_t t, same;

	if (!units_parse_time(text, NULL, scale, &t, err))
		return false;
	if (scale->digits == 9) {
		units_seconds(&again, t, scale, 9);
		must(units_parse_time(again.text, NULL, scale, &same, err) && same == t,
		     "a time is read as it is written");
	}
	str_fini(&again);
	return true;
}

static bool ranks(const char *text, struct err *err)
{
	struct load_part part = { .n_ranks = 0 };
	const bool ok = choose_list(text, &part, err);

	for (size_t i = 0; ok && i < part.n_ranks; i++)
		must(part.ranks[i].first <= part.ranks[i].last, "a range has a first rank");
	free((void *)(uintptr_t)part.ranks);
	return ok;
}

static bool take_rule(void *context, enum rule_kind kind, const char *pattern, const char *place,
		      struct err *err)
{
	(void)context;
	(void)err;
	must(kind < RULE_KINDS && place, "a rule has a kind and a place");
	must(pattern || kind == RULE_NO_LOOPS || kind == RULE_ITERATIONS, "and a pattern");
	return true;
}

static bool rules(const char *text, size_t n, struct err *err)
{
	const int fd = fuzz_file(text, n);
	char path[64];
	bool ok;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ok = rule_lines_read(path, take_rule, NULL, err);
	close(fd);
	return ok;
}

static bool grid(const char *text, struct err *err)
{
	struct wish wish;
	const bool ok = wish_parse(text, &wish, err);

	must(!ok || wish.guess || (wish.dims > 0 && wish.dims <= GRID_DIMS), "a grid has sizes");
	return ok;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_lines(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	uint64_t bytes;
	char *text;
	bool ok = true;

	if (size == 0)
		return 0;
	text = xstrndup((const char *)data + 1, size - 1);
	switch (data[0]) {
	case 'o': ok = command_line(text, &err); break;
	case 'k': ok = key(text, &err); break;
	case 't': ok = a_time(text, &err); break;
	case 'r': ok = ranks(text, &err); break;
	case 'f': ok = rules((const char *)data + 1, size - 1, &err); break;
	case 'g': ok = grid(text, &err); break;
	case 'b': ok = units_parse_bytes(text, &bytes, &err); break;
	case 'c': must(command_find(text, strlen(text)) <= COMMAND_COUNT, "a command"); break;
	default: break;
	}
	must(ok || (err_is_set(&err) && err.text[0]), "what is refused is refused with a sentence");
	free(text);
	return 0;
}
