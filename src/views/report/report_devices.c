/* What the devices of ranks did. */
#include "views/report/report_parts.h"

/* A rank is named whose devices are idle so many times as long as the average. */
#define NOTABLE 1.25

static double of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* "rank 3", "4 ranks", without MPI "4 processes". */
static const char *whose(const struct report_writer *w, const struct device_facts *f)
{
	const bool ranks = trace_location(w->query->trace, f->idlest)->rank >= 0;

	return f->programs == 1 ? phrase_location(w->p, f->idlest)
	       : ranks          ? phrase_count(w->p, f->programs, "rank", "ranks")
				: phrase_count(w->p, f->programs, "process", "processes");
}

void report_devices(struct report_writer *w)
{
	const struct device_facts *f = &w->facts->devices;
	const uint64_t idle = f->time - f->busy - f->communicating;
	OWNED_STR s = STR_INIT;
	struct report_line *line;

	if (!f->time)
		return;
	report_put_real(w->section, "devices_busy", REPORT_SHARE, of(f->busy, f->time));
	report_put_real(w->section, "devices_communicating", REPORT_SHARE,
			of(f->communicating, f->time));
	report_put_real(w->section, "devices_idle", REPORT_SHARE, of(idle, f->time));
	str_add_fmt(&s, "The devices of %s are idle%s %s of the time", whose(w, f),
		    f->lost ? " or not recorded" : "", phrase_share(w->p, of(idle, f->time)));
	if (f->idlest_time > NOTABLE * (double)idle / f->programs)
		str_add_fmt(&s, " (%s's %s)", phrase_location(w->p, f->idlest),
			    phrase_share(w->p, of(f->idlest_time, f->time / f->programs)));
	if (f->communicating)
		str_add_fmt(&s, ", only communicate %s",
			    phrase_share(w->p, of(f->communicating, f->time)));
	str_add_fmt(&s, ", are busy %s.", phrase_share(w->p, of(f->busy, f->time)));
	if (f->top != UINT32_MAX)
		str_add_fmt(&s, " Most on streams: %s, %s of their time.",
			    phrase_region(w->p, f->top),
			    phrase_share(w->p, of(f->top_time, f->stream_time)));
	line = report_line(w->section, TEXT_PLAIN, "timeline", s.text);
	line->severity = of(idle + f->communicating, f->time);
	report_about(line, CUBE_NONE, UINT32_MAX, UINT32_MAX, f->idlest);
}
