#include "ui/options/choose_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "views/facts/timeline_shade.h"
#include "views/query/counter_names.h"

/* Lines of a picture that are not rows: strip and ruler. */
enum { LINES_ABOVE = 2 };

/* ---- hidden ranks ---- */

static bool hide(struct choice *choice, const char *list, struct err *err)
{
	const struct trace *trace = choice->query.trace;
	const uint32_t all = trace_location_count(trace);
	OWNED bool *hidden = xcalloc((size_t)all + 1, sizeof *hidden);
	size_t left = 0;

	if (!choose_locations(trace, list, hidden, err))
		return false;
	for (uint32_t l = 0; !choice->query.locations && l < all; l++)
		vec_push(&choice->locations, l);
	for (size_t i = 0; i < choice->locations.n; i++)
		if (!hidden[choice->locations.data[i]])
			choice->locations.data[left++] = choice->locations.data[i];
	choice->locations.n = left;
	choice->query.locations = choice->locations.data;
	choice->query.n_locations = (uint32_t)left;
	return left || err_set(err, STATUS_USAGE, "--hide %s hides all ranks", list);
}

/* ---- groups, pins ---- */

static void pin(struct arrangement *a, uint32_t location, bool group)
{
	if (!arrangement_toggle_pin(a, location, group))
		arrangement_toggle_pin(a, location, group); /* it was pinned */
}

/* The rows of "3", "2.1", "0-3" or, of a group, "8+". */
static bool pin_named(struct arrangement *a, const struct trace *trace, char *name, struct err *err)
{
	const uint32_t all = trace_location_count(trace);
	const size_t n = strlen(name);
	const bool group = n && name[n - 1] == '+';
	OWNED bool *chosen = NULL;
	uint32_t location;

	if (group)
		name[n - 1] = '\0';
	if (group || !strchr(name, '-')) {
		if (!choose_location(trace, name, &location, err))
			return false;
		pin(a, location, group);
		return true;
	}
	chosen = xcalloc((size_t)all + 1, sizeof *chosen);
	if (!choose_locations(trace, name, chosen, err))
		return false;
	for (uint32_t l = 0; l < all; l++)
		if (chosen[l])
			pin(a, l, false);
	return true;
}

bool choose_pins(struct arrangement *a, const struct trace *trace, const char *list,
		 struct err *err)
{
	OWNED char *text = xstrdup(list);
	char *rest = text;

	for (char *name; (name = strsep(&rest, ","));)
		if (!pin_named(a, trace, name, err))
			return false;
	return true;
}

bool choose_opened(struct arrangement *a, const struct trace *trace, const char *list,
		   struct err *err)
{
	OWNED char *text = xstrdup(list);
	char *rest = text;

	for (char *name; (name = strsep(&rest, ","));) {
		uint32_t location;

		if (!choose_location(trace, name, &location, err))
			return false;
		if (!arrangement_is_open(a, location))
			arrangement_toggle_open(a, location);
	}
	return true;
}

void choose_add_opened(const struct trace *trace, const struct arrangement *a, struct str *out)
{
	for (size_t i = 0; i < a->opened.n; i++) {
		str_add(out, i ? "," : "");
		choose_add_location(trace, a->opened.data[i], out);
	}
}

void choose_add_pins(const struct trace *trace, const struct arrangement *a, struct str *out)
{
	for (size_t i = 0; i < a->pins.n; i++) {
		str_add(out, i ? "," : "");
		choose_add_location(trace, a->pins.data[i].location, out);
		str_add(out, a->pins.data[i].group ? "+" : "");
	}
}

/* ---- counters ---- */

/* The next name of a list, in place; NULL after the last one. */
static char *next_name(char **rest)
{
	char *const name = *rest, *to = name, *from = name;

	if (!name)
		return NULL;
	for (; *from && *from != ','; from++) {
		from += from[0] == '\\' && from[1] == ',';
		*to++ = *from;
	}
	*rest = *from ? from + 1 : NULL;
	*to = '\0';
	return name;
}

void choose_add_name(const char *name, struct str *out)
{
	str_add(out, out->n ? "," : "");
	for (; *name; name++)
		str_add_fmt(out, *name == ',' ? "\\%c" : "%c", *name);
}

static bool choose_counters(struct choice *choice, const char *list, struct err *err)
{
	const struct trace *trace = choice->query.trace;
	ENDED_BY(counter_names_fini) struct counter_names names = { .list = VEC_INIT };
	OWNED char *text = xstrdup(list);
	char *rest = text;

	if (exchange_processes(trace_exchange(trace)) > 1)
		return err_set(err, STATUS_USAGE,
			       "several processes do not draw counters: no --counter");
	counter_names_make(&names, trace);
	for (char *name; (name = next_name(&rest));) {
		uint32_t metric;

		if (!counter_names_find(&names, name, &metric, err))
			return false;
		arrangement_toggle_counter(&choice->arrangement, metric);
	}
	return true;
}

static bool choose_critical_path(struct choice *choice, bool on, struct err *err)
{
	choice->query.critical_path = on;
	return !on || exchange_processes(trace_exchange(choice->query.trace)) == 1 ||
	       err_set(err, STATUS_USAGE,
		       "several processes do not draw the critical path: no --critical-path");
}

bool choose_rows(struct choice *choice, const struct options *options, struct err *err)
{
	const struct trace *trace = choice->query.trace;
	struct arrangement *a = &choice->arrangement;

	a->fit = options->height > LINES_ABOVE + 2 ? (uint32_t)(options->height - LINES_ABOVE) : 0;
	if (options->group)
		arrangement_group(a, options->group);
	if (options->group || options->open || options->pin || options->counter)
		choice->query.arrangement = a;
	return (!options->hide || hide(choice, options->hide, err)) &&
	       (!options->open || choose_opened(a, trace, options->open, err)) &&
	       (!options->pin || choose_pins(a, trace, options->pin, err)) &&
	       (!options->counter || choose_counters(choice, options->counter, err)) &&
	       choose_critical_path(choice, options->critical_path, err);
}

/* ---- colours ---- */

static bool is_state(const struct query *query, unsigned state)
{
	const struct colouring *c = query->colouring;

	return state < STATE_FUNCTION || state == STATE_OTHERS || state - STATE_FUNCTION < c->n;
}

bool choose_state(const struct query *query, const char *name, unsigned *state, struct err *err)
{
	for (*state = 0; *state < STATE_COUNT; ++*state) {
		OWNED_STR text = STR_INIT;

		if (!is_state(query, *state))
			continue;
		timeline_state_text(query, *state, &text);
		if (strcmp(text.text, name) == 0)
			return true;
	}
	return err_set(err, STATUS_USAGE, "there is no colour '%s' (the legend names them)", name);
}

static bool hide_colours(struct choice *choice, const char *list, struct err *err)
{
	OWNED char *text = xstrdup(list);
	char *rest = text;
	unsigned state;

	for (char *name; (name = next_name(&rest));) {
		if (!choose_state(&choice->query, name, &state, err))
			return false;
		choice->colouring.hidden |= UINT32_C(1) << state;
	}
	return true;
}

bool choose_colours(struct choice *choice, const struct options *options, struct err *err)
{
	struct colouring *c = &choice->colouring;

	c->by_function = options->colour && strcmp(options->colour, "function") == 0;
	if (c->by_function || options->hide_colour)
		choice->query.colouring = c;
	return (!c->by_function ||
		colouring_choose(c, choice->query.trace, choice->query.base, NULL, err)) &&
	       (!options->hide_colour || hide_colours(choice, options->hide_colour, err));
}

void choose_add_hidden_colours(const struct query *query, struct str *out)
{
	for (unsigned state = 0; state < STATE_COUNT; state++) {
		OWNED_STR text = STR_INIT;

		if (!(query->colouring->hidden >> state & 1))
			continue;
		timeline_state_text(query, state, &text);
		choose_add_name(text.text, out);
	}
}
