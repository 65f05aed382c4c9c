/* report_parts: the sections of a trace's report, and what they share. */
#pragma once

#include "views/facts/diagnosis.h"
#include "views/facts/overview_facts.h"
#include "views/facts/phrases.h"
#include "views/report/report.h"

struct report_writer {
	struct report *report;
	struct report_section *section; /* being written */
	const struct query *query;
	struct phrases *p; /* texts of its sentences */
	const struct overview_facts *facts;
	struct time_parts whole;           /* 100 % of shares */
	const struct diagnosis *diagnosis; /* valid if `found` is DIAGNOSIS_THERE */
	enum diagnosis_state found;
	bool wait;       /* for slow results, instead of leaving them out */
	bool rollcalled; /* the ranks' last calls are listed */
	bool hung;       /* ranks waited for ever: waits and efficiencies up to then are
			    meaningless */
};

/* ---- words (report_words.c) ---- */

/* Shares of total time, for ranks alone; and by where the time is spent (query/time_share.h). */
double report_share_of(const struct report_writer *w, double ticks);
const char *report_share(const struct report_writer *w, double ticks);
double report_part(const struct report_writer *w, struct time_parts parts);
/* Of devices' streams: their use of the window. Nothing without streams. */
void report_devices(struct report_writer *w);
/* Did ranks share cores? */
void report_crowd(const struct report_writer *w);
/* " (x.c:31)": where a region is defined; "" unknown. */
const char *report_source(const struct report_writer *w, uint32_t region);
double report_seconds(const struct report_writer *w, double ticks);
/* Cells of a table; of a path or location that is UINT32_MAX, or not known: empty. A device has no
 * rank of its own. */
void report_cell_path(const struct report_writer *w, uint32_t path);
void report_cell_rank(const struct report_writer *w, uint32_t location);
void report_cell_seconds(const struct report_writer *w, bool known, double ticks);
/* ", without 12.0 ms for which it waited for a core": the location; "" where that is little. */
const char *report_core_text(struct phrases *p, const struct imbalance *of);

/* ---- sections, in their order ---- */

void report_run(struct report_writer *w);      /* what the run is */
void report_rollcall(struct report_writer *w); /* where ranks were when it did not end well */
void report_recent(struct report_writer *w);   /* the last seconds of a job that runs */
void report_time(struct report_writer *w);     /* where the time went */
void report_waits(struct report_writer *w);    /* wait states */
void report_causes(struct report_writer *w);   /* what made ranks wait */
void report_why(struct report_writer *w);      /* the chain of causes of the longest wait */
/* Makes what it needs of a whole run, and keeps it with the trace. */
void report_why_prepare(const struct query *query, const struct diagnosis *diagnosis);
void report_efficiency(struct report_writer *w);
void report_imbalance(struct report_writer *w);
void report_ranks(struct report_writer *w); /* waits, and waits caused, by rank */
void report_data(struct report_writer *w);  /* communication */
void report_sizes(struct report_writer *w); /* sizes of events and records, values alone */
void report_trust(struct report_writer *w); /* reliability */

/* The whole report of a run with statement records and without events. False with err, or with err
 * untouched if stopped. */
bool report_records(struct report_writer *w, struct err *err);
