/* libFuzzer target: the filter language on any text, one filter or two on two lines. What compiles
 * must answer for every event, message and collective of a trace; of two, both at once are the same
 * in either order, and what either says, and `!` of one is what it does not say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/fuzz.h"
#include "harness/mutate.h"
#include "model/filter/filter.h"
#include "model/formats/load.h"

/* The trace is loaded once; the fuzzer never ends this process in an orderly way. */
static struct trace *some_trace(void)
{
	static struct trace *trace;
	struct err err = ERR_INIT;

	if (!trace)
		trace = trace_load("tests/fuzz/picl/sample.trc",
				   &(struct load_options){ .jobs = 1 }, NULL, &err);
	if (!trace) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	return trace;
}

/* ---- all that can be asked ---- */

/* filters[0 .. n-1] about one row; whatever they say of it. */
typedef void answer_check(const bool *answers, size_t n);

enum { FILTERS_MOST = 5 };

static void ask(struct filter *const *filters, size_t n, answer_check *check)
{
	struct trace *trace = some_trace();
	bool say[FILTERS_MOST];

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			for (size_t i = 0; i < n; i++)
				say[i] = filter_event(filters[i], BASE_MEASURED, c.id);
			check(say, n);
		}
		for (uint32_t p = 0; p < trace_callpath_count(trace); p++)
			for (size_t i = 0; i < n; i++)
				filter_callpath(filters[i], l, p);
		for (size_t i = 0; i < n; i++)
			filter_location(filters[i], l);
	}
	for (uint32_t m = 0; m < trace_message_count(trace); m++) {
		for (size_t i = 0; i < n; i++)
			say[i] = filter_message(filters[i], BASE_MEASURED, m);
		check(say, n);
	}
	for (uint32_t m = 0; m < trace_collective_count(trace); m++) {
		for (size_t i = 0; i < n; i++)
			say[i] = filter_collective(filters[i], BASE_MEASURED, m);
		check(say, n);
	}
}

/* Of sound filters, both at once; of one alone, what it does not say. */
static struct filter *combined(const char *a, const char *b)
{
	struct str text = STR_INIT;
	struct err err = ERR_INIT;
	struct filter *filter;

	if (b)
		str_add_fmt(&text, "(%s) && (%s)", a, b);
	else
		str_add_fmt(&text, "!(%s)", a);
	filter = filter_compile(text.text, some_trace(), &err);
	must(filter, "filters that are sound can be combined");
	str_fini(&text);
	return filter;
}

static void nothing(const bool *say, size_t n)
{
	(void)say;
	(void)n;
}

/* a, b, a && b, b && a, !a */
static void logic(const bool *say, size_t n)
{
	must(n == FILTERS_MOST, "all of them were asked");
	must(say[2] == (say[0] && say[1]), "&& is what both say");
	must(say[2] == say[3], "filters commute");
	must(say[4] == !say[0], "! is what one does not say");
}

/* NULL: refused, with a sentence. */
static struct filter *compile(const char *text)
{
	struct err err = ERR_INIT;
	struct filter *filter = filter_compile(text, some_trace(), &err);

	must(filter || (err_is_set(&err) && err.text[0]),
	     "what is refused is refused with a sentence");
	return filter;
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_lines(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size), *second = strchr(text, '\n');
	struct filter *filters[FILTERS_MOST] = { NULL };

	if (second)
		*second++ = '\0';
	filters[0] = compile(text);
	filters[1] = filters[0] && second ? compile(second) : NULL;
	if (filters[1] && !is_blank(text) && !is_blank(second)) {
		filters[2] = combined(text, second);
		filters[3] = combined(second, text);
		filters[4] = combined(text, NULL);
		ask(filters, FILTERS_MOST, logic);
	} else if (filters[0]) {
		ask(filters, 1, nothing);
	}
	for (size_t i = 0; i < FILTERS_MOST; i++)
		filter_free(filters[i]);
	free(text);
	return 0;
}
