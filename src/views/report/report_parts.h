/* report_parts: what the sections of a trace's report are written with, and the sections. */
#ifndef TVIEW_VIEWS_REPORT_REPORT_PARTS_H
#define TVIEW_VIEWS_REPORT_REPORT_PARTS_H

#include "views/facts/diagnosis.h"
#include "views/facts/overview_facts.h"
#include "views/report/report.h"

struct report_writer {
	struct report *report;
	struct report_section *section; /* the one that is written */
	const struct query *query;
	const struct overview_facts *facts;
	const struct diagnosis *diagnosis; /* where it was found */
	enum diagnosis_state found;
	bool wait;       /* for what takes long */
	bool rollcalled; /* it was said who was where at the end */
};

/* ---- words (report_words.c): appended ---- */

void report_add_count(struct str *s, uint64_t n, const char *one, const char *many);
void report_add_time(const struct report_writer *w, struct str *s, int64_t ticks);
double report_share_of(const struct report_writer *w, __int128 ticks); /* of all time */
void report_add_share(const struct report_writer *w, struct str *s, __int128 ticks);
void report_add_region(const struct report_writer *w, struct str *s, uint32_t region);
void report_add_source(const struct report_writer *w, struct str *s, uint32_t region);
void report_add_location(const struct report_writer *w, struct str *s, uint32_t location);
double report_seconds(const struct report_writer *w, double ticks);

/* ---- sections, in their order ---- */

void report_run(struct report_writer *w); /* what the run is */
void report_rollcall(
	struct report_writer *w); /* who was where when it ended, where it did not end well */
void report_time(struct report_writer *w);  /* where the time went */
void report_waits(struct report_writer *w); /* what waits, and why */
void report_why(struct report_writer *w);   /* the chain of causes of the longest wait */
void report_efficiency(struct report_writer *w);
void report_imbalance(struct report_writer *w);
void report_ranks(struct report_writer *w); /* who waits, who makes others wait */
void report_data(struct report_writer *w);  /* what was exchanged */
void report_sizes(
	struct report_writer *w); /* what is said of it: how large events and records are */
void report_trust(struct report_writer *w); /* how far the numbers can be trusted */

/* All of a run without events, but with records by statement. False with err, or where it was stopped. */
bool report_records(struct report_writer *w, struct err *err);

#endif
