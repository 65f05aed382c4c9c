/* Which sentences of a report are findings of the page, and in which order; and that they fit. */
#include "views/report/highlights.h"

#include "base/text.h"
#include "harness/test.h"

#include <string.h>

static void says(struct report_section *s, enum text_role role, const char *text, double severity)
{
	report_line(s, role, "patterns", text)->severity = severity;
}

static const char *text_of(const struct report *report, struct highlight h)
{
	return report->sections.data[h.section]->lines.data[h.line].text;
}

static void expect(const struct report *report, const char *const *want, unsigned n)
{
	struct highlight list[HIGHLIGHTS];

	assert_int_equal(report_highlights(report, list), n);
	for (unsigned i = 0; i < n; i++)
		assert_string_equal(text_of(report, list[i]), want[i]);
}

/* Damage, then waits above 2 %, then what is doubtful, small waits, good news, remarks. */
TEST(the_most_severe_first)
{
	ENDED_BY(report_fini) struct report report;
	struct report_section *s;

	report_init(&report);
	s = report_section(&report, "time", "Time");
	report_bar(s, TEXT_CLASS, "profile", 0.9, "user code");
	says(s, TEXT_PLAIN, "most time", 0);
	s = report_section(&report, "waits", "Waits");
	says(s, TEXT_PLAIN, "small", 0.001);
	says(s, TEXT_WARNING, "large", 0.3);
	says(s, TEXT_PLAIN, "middle", 0.03);
	says(s, TEXT_MUTED, "searching", 0);
	report_line(s, TEXT_WARNING, NULL, "page only")->page_only = true;
	s = report_section(&report, "trust", "Reliability");
	says(s, TEXT_GOOD, "good", 0);
	says(s, TEXT_WARNING, "not recorded", 0);
	says(s, TEXT_ERROR, "damaged", 0);
	expect(&report,
	       (const char *const[]){ "damaged", "large", "middle", "not recorded", "small", "good",
				      "most time" },
	       7);
}

TEST(eight_at_most_and_of_equals_the_first)
{
	ENDED_BY(report_fini) struct report report;
	struct report_section *s;

	report_init(&report);
	s = report_section(&report, "waits", "Waits");
	for (int i = 0; i < 12; i++)
		says(s, TEXT_PLAIN, (const char[]){ (char)('a' + i), '\0' }, i == 11 ? 0.5 : 0.1);
	expect(&report, (const char *const[]){ "l", "a", "b", "c", "d", "e", "f", "g" }, 8);
}

static void fits(const char *sentence, int width, const char *expected)
{
	OWNED_STR s = STR_INIT;

	str_add(&s, sentence);
	highlight_fit(&s, width, "~");
	assert_string_equal(s.text, expected);
	assert_true(text_width(s.text) <= width || width < 3);
}

TEST(a_sentence_loses_its_last_clauses)
{
	fits("Late Sender: 5 s (7 %) in 3 waits; rank 1 waits most.", 60,
	     "Late Sender: 5 s (7 %) in 3 waits; rank 1 waits most");
	fits("Late Sender: 5 s (7 %) in 3 waits; rank 1 waits most.", 40,
	     "Late Sender: 5 s (7 %) in 3 waits~");
	/* "Late Sender: 5 s" would be 16 of 30: words are left out instead. */
	fits("Late Sender: 5 s (7 %) in 3 waits; rank 1 waits most.", 30,
	     "Late Sender: 5 s (7 %) in 3~");
	fits("", 10, "");
	fits("\u6f22\u5b57\u6f22\u5b57\u6f22", 7, "\u6f22\u5b57\u6f22~");
}
