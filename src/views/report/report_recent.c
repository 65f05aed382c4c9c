/* report_recent: the section of a report on the last seconds of a job that runs. */
#include <math.h>

#include "views/facts/recent_facts.h"
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

static void put(const struct report_writer *w, const struct recent_facts *facts,
		const struct recent_rates *r)
{
	report_put_real(w->section, "seconds", REPORT_SECONDS, r->seconds);
	report_put_real(w->section, "messages_per_second", REPORT_REAL,
			facts->alone ? NAN : r->units);
	report_put_real(w->section, "calls_per_second", REPORT_REAL, facts->alone ? r->units : NAN);
	report_put_real(w->section, "bytes_per_second", REPORT_REAL, r->bytes);
	report_put_real(w->section, "waiting", REPORT_SHARE, facts->waiting ? r->recent : NAN);
	report_put_real(w->section, "waiting_whole", REPORT_SHARE, facts->waiting ? r->all : NAN);
	report_put_text(w->section, "whole", r->span);
}

void report_recent(struct report_writer *w)
{
	const int64_t second = trace_scale(w->query->trace)->per_second;
	struct recent_facts facts;
	struct recent_rates r;

	if (!trace_live(w->query->trace) || !query_is_all(w->query))
		return;
	recent_facts_make(&facts, w->query, RECENT_SECONDS);
	recent_facts_add_waits(&facts, w->query);
	if (!recent_facts_rates(&facts, w->query->earlier, second, &r))
		return;
	w->section = report_section(w->report, "recent",
				    phrase(w->p, "The last %s",
					   phrase_time(w->p, r.seconds * (double)second)));
	put(w, &facts, &r);
	report_say(w->section, TEXT_PLAIN, "timeline",
		   "The ranks %s %s of the time (%s %s); %s/s, %s/s.",
		   facts.waiting ? "wait" : "communicate", phrase_share(w->p, r.recent),
		   phrase_share(w->p, r.all),
		   facts.cut ? "in all that this look has" : "in the whole run so far",
		   phrase_count(w->p, (uint64_t)r.units, facts.alone ? "call" : "message",
				facts.alone ? "calls" : "messages"),
		   phrase_bytes(w->p, (uint64_t)r.bytes));
}
