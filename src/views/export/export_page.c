#include "views/export/export_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "model/trace/message.h"
#include "views/query/table_chosen.h"

uint32_t export_digest(const struct trace *trace, const char *question)
{
	OWNED_STR text = STR_INIT;
	int64_t begin, end;

	trace_span(trace, BASE_MEASURED, &begin, &end);
	str_add_fmt(&text, "%" PRIu64 " %u %u %u %" PRId64 " %" PRId64 " ",
		    trace_event_count(trace), trace_message_count(trace),
		    trace_location_count(trace), trace_callpath_count(trace), begin, end);
	str_add(&text, question);
	return (uint32_t)XXH3_64bits(text.text, text.n);
}

static void add_page(const struct export_options *options, uint64_t from, struct str *out)
{
	str_add_fmt(out, "%" PRIu64 "-%08" PRIx32, from, options->digest);
}

bool export_page_begin(const struct export_options *options, uint64_t *from, struct err *err)
{
	OWNED_STR same = STR_INIT;
	const char *page = options->page;

	*from = 0;
	if (!page)
		return true;
	if (page[0] >= '0' && page[0] <= '9')
		*from = strtoull(page, NULL, 10);
	add_page(options, *from, &same);
	return strcmp(same.text, page) == 0 ||
	       err_set(err, STATUS_USAGE,
		       "'%s' is not a page of this export: it is good for the trace, view and "
		       "options that gave it",
		       page);
}

void export_left_find(struct export_left *left, struct table *table,
		      const struct export_options *options)
{
	if (!table_chosen_left(table, &left->before, &left->after) || !left->after)
		return;
	add_page(options, left->before + options->limit, &left->page);
	if (options->command)
		str_add_fmt(&left->command, "%s --page %s", options->command, left->page.text);
}

void export_left_fini(struct export_left *left)
{
	str_fini(&left->page);
	str_fini(&left->command);
}
