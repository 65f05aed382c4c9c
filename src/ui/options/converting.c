#include "ui/options/converting.h"

#include <string.h>

#include "base/mem.h"
#include "model/trace/program.h"
#include "views/export/database.h"
#include "views/query/view_common.h"

bool converting_to_database(const struct options *options)
{
	return options->to ? strcmp(options->to, "sqlite") == 0
			   : database_is_named(options->args[1]);
}

enum save_format converting_format(const struct options *options)
{
	return options->to ? save_format_find(options->to) : save_format_of_file(options->args[1]);
}

/* Raw times with the offsets beside them say more than times that only had the offsets added, where
 * the format can say it. A window was given in the times that are shown. */
static enum time_base base_to_write(const struct query *query, const struct options *options,
				    enum save_format format)
{
	return !options->base && !options->time && query->base == BASE_LINEAR &&
			       format != SAVE_CHROME
		       ? BASE_MEASURED
		       : query->base;
}

static bool write_trace(const struct opened *opened, const struct options *options, struct err *err)
{
	const struct query *query = &opened->choice.query;
	const uint32_t n = trace_location_count(opened->trace);
	const enum save_format format = converting_format(options);
	struct save_options how = { .base = base_to_write(query, options, format),
				    .t0 = query->t0,
				    .t1 = query->t1 };
	OWNED bool *chosen = query->locations ? query_chosen(query) : NULL;
	OWNED uint8_t *written = chosen ? xcalloc(n + 1u, 1) : NULL;

	for (uint32_t i = 0; chosen && i < n; i++)
		written[i] = chosen[i];
	how.locations = written;
	return trace_save(opened->trace, format, options->args[1], options->args[0], &how, NULL,
			  err);
}

bool converting_write(const struct opened *opened, const struct options *options, struct err *err)
{
	return converting_to_database(options)
		       ? database_write(options->views, &opened->choice.query, options->args[1],
					options->args[0], err)
		       : write_trace(opened, options, err);
}

/* Statement records cover the whole run, so a part has none. */
bool converting_left_out(const struct opened *opened, const struct options *options,
			 struct str *out)
{
	const struct query *query = &opened->choice.query;

	if (converting_to_database(options) || (query->t0 == INT64_MIN && query->t1 == INT64_MAX) ||
	    trace_statement_count(opened->trace) == 0)
		return false;
	str_add_fmt(out,
		    "warning: %s has no statement records: they cover the whole run, and this is a "
		    "part of it",
		    options->args[1]);
	return true;
}
