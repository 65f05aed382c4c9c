/* report_words: parts of report sentences, in addition to phrases. */

#include "views/facts/place_words.h"
#include "views/report/report_parts.h"

double report_share_of(const struct report_writer *w, __int128 ticks)
{
	return w->facts->whole > 0 ? (double)ticks / (double)w->facts->whole : 0;
}

const char *report_share(const struct report_writer *w, __int128 ticks)
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
