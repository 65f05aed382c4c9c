#define _GNU_SOURCE
#include "views/query/counter_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/trace/detail.h"

void counter_names_make(struct counter_names *names, const struct trace *trace)
{
	ENDED_BY(keymap_fini) struct keymap seen = { 0 };
	OWNED_STR name = STR_INIT;

	for (uint32_t m = 0; m < trace_metric_count(trace); m++) {
		const uint32_t string = trace_metric(trace, m)->name;
		uint32_t *first = keymap_add(&seen, (struct key){ { string } });

		str_clear(&name);
		str_add_clean_text(&name, trace_string(trace, string));
		if (name.n == 0 || *first != UINT32_MAX)
			str_add_fmt(&name, "%s%u", name.n ? " #" : "metric ", m);
		*first = m;
		vec_push(&names->list, xstrdup(name.text));
	}
}

void counter_names_fini(struct counter_names *names)
{
	for (size_t i = 0; i < names->list.n; i++)
		free(names->list.data[i]);
	vec_fini(&names->list);
}

/* "A, B and 7 more". */
static void add_some(const struct counter_names *names, struct str *out)
{
	enum { SOME = 4 };
	const size_t n = names->list.n, shown = n < SOME ? n : SOME;

	for (size_t m = 0; m < shown; m++)
		str_add_fmt(out, "%s%s", m ? ", " : "", names->list.data[m]);
	if (n > shown)
		str_add_fmt(out, " and %zu more", n - shown);
}

bool counter_names_find(const struct counter_names *names, const char *name, uint32_t *metric,
			struct err *err)
{
	OWNED_STR some = STR_INIT;
	size_t hits = 0;

	for (size_t m = 0; m < names->list.n; m++) {
		const bool exact = strcmp(names->list.data[m], name) == 0;

		if (!exact && !(*name && strcasestr(names->list.data[m], name)))
			continue;
		*metric = (uint32_t)m;
		if (exact)
			return true;
		hits++;
	}
	if (hits == 1)
		return true;
	if (hits)
		return err_set(err, STATUS_USAGE, "several counters have '%s' in their names",
			       name);
	if (!names->list.n)
		return err_set(err, STATUS_USAGE, "this trace has no counters");
	add_some(names, &some);
	return err_set(err, STATUS_USAGE, "there is no counter '%s' (it has %s)", name, some.text);
}
