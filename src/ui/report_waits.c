/* report_waits: the section of a report that says what waits, on what, and why. */
#include "ui/report_parts.h"
#include "ui/theme.h"
#include "ui/view_common.h"

/* ---- waiting ---- */

static void write_wait(const struct report_writer *w, const struct waiting *wait, const char *what,
		       const char *view)
{
	struct str s = STR_INIT;

	if (wait->sum <= 0)
		return;
	str_add_fmt(&s, "%s: ", what);
	report_add_time(w, &s, wait->sum);
	str_add(&s, ", ");
	report_add_share(w, &s, wait->sum);
	str_add(&s, " of all time");
	if (wait->region != UINT32_MAX) {
		str_add(&s, ", most in ");
		report_add_region(w, &s, wait->region);
	}
	if (wait->location != UINT32_MAX && w->facts->locations > 1) {
		str_add(&s, " and on ");
		report_add_location(w, &s, wait->location);
		str_add(&s, " (");
		report_add_time(w, &s, wait->most);
		str_add_char(&s, ')');
	}
	str_add_char(&s, '.');
	report_line(w->section, report_share_of(w, wait->sum) >= 0.05 ? ROLE_WAIT : ROLE_DEFAULT,
		    view, s.text);
	str_fini(&s);
}

void report_waits(struct report_writer *w)
{
	w->section = report_section(w->report, "waits", "What waits, and why");
	write_wait(w, &w->facts->late_sender, "Receives wait for late senders", "messages");
	write_wait(w, &w->facts->collective, "Collectives wait for their last member",
		   "collectives");
}
