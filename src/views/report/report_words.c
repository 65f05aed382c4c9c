/* report_words: numbers, times and names in the sentences of reports. */
#include <string.h>

#include "views/facts/place_words.h"
#include "views/report/report_parts.h"

void report_add_count(struct str *s, uint64_t n, const char *one, const char *many)
{
	units_count(s, n);
	str_add_fmt(s, " %s", n == 1 ? one : many);
}

void report_add_time(const struct report_writer *w, struct str *s, int64_t ticks)
{
	units_human_time(s, ticks, trace_scale(w->query->trace), 3);
}

double report_share_of(const struct report_writer *w, __int128 ticks)
{
	return w->facts->whole > 0 ? (double)ticks / (double)w->facts->whole : 0;
}

void report_add_share(const struct report_writer *w, struct str *s, __int128 ticks)
{
	str_add_fmt(s, "%.1f %%", 100 * report_share_of(w, ticks));
}

void report_add_region(const struct report_writer *w, struct str *s, uint32_t region)
{
	words_region(w->query->trace, region, s);
}

void report_add_location(const struct report_writer *w, struct str *s, uint32_t location)
{
	str_add(s, trace_string(w->query->trace, trace_location(w->query->trace, location)->name));
}

void report_add_source(const struct report_writer *w, struct str *s, uint32_t id)
{
	const struct region *region = trace_region(w->query->trace, id);
	const char *file = trace_string(w->query->trace, region->file);
	const char *slash = strrchr(file, '/');

	if (region->file && region->line) /* "MPI" alone is where Score-P has it from */
		str_add_fmt(s, " (%s:%u)", slash && slash[1] ? slash + 1 : file, region->line);
}

double report_seconds(const struct report_writer *w, double ticks)
{
	return ticks / (double)trace_scale(w->query->trace)->per_second;
}
