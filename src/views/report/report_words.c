/* report_words: parts of report sentences, in addition to phrases. */

#include <math.h>

#include "views/facts/place_words.h"
#include "views/report/report_parts.h"

/* The share of a rank's excess with these waits from which on they are said. */
#define CORE_SAID 0.05

double report_share_of(const struct report_writer *w, double ticks)
{
	return w->facts->whole > 0 ? ticks / (double)w->facts->whole : 0;
}

const char *report_share(const struct report_writer *w, double ticks)
{
	return phrase_share(w->p, report_share_of(w, ticks));
}

const char *report_source(const struct report_writer *w, uint32_t id)
{
	const struct region *region = trace_region(w->query->trace, id);
	OWNED_STR s = STR_INIT;
	const char *source = "";

	if (region->line && words_source(w->query->trace, region->file, region->line, &s))
		source = phrase(w->p, " (%s)", s.text);
	return source;
}

void report_crowd(const struct report_writer *w)
{
	const char *sentence = phrase_crowd(w->p, CROWD_TIMES);

	if (*sentence)
		report_line(w->section, TEXT_WARNING, NULL, sentence);
}

double report_seconds(const struct report_writer *w, double ticks)
{
	return ticks / (double)trace_scale(w->query->trace)->per_second;
}

double report_part(const struct report_writer *w, struct time_parts parts)
{
	return time_share(parts, w->whole);
}

const char *report_core_text(struct phrases *p, const struct imbalance *of)
{
	if (of->core <= 0 || of->core < CORE_SAID * (of->core + of->more))
		return "";
	return phrase(p, ", without %s for which it waited for a core", phrase_time(p, of->core));
}

void report_cell_path(const struct report_writer *w, uint32_t path)
{
	OWNED_STR s = STR_INIT;

	if (path != UINT32_MAX && path)
		trace_callpath_text(w->query->trace, path, &s);
	report_cell_text(w->section, s.text);
}

/* A device has no rank of its own. */
void report_cell_rank(const struct report_writer *w, uint32_t location)
{
	const struct location *l =
		location == UINT32_MAX ? NULL : trace_location(w->query->trace, location);
	const bool known = l && l->type != LOCATION_ACCELERATOR && l->rank >= 0;

	report_cell_real(w->section, known ? l->rank : (double)NAN);
}

void report_cell_seconds(const struct report_writer *w, bool known, double ticks)
{
	report_cell_real(w->section, known ? report_seconds(w, ticks) : (double)NAN);
}
