/* Two functions of one name in different files: in every view each row opens its own numbers.
 *
 * One rank, microseconds; solve() of a.c and solve() of b.c:
 *
 *	main [0, 100]	a.c's [10, 50]	b.c's [50, 60]
 *
 * and an older run, in which b.c's comes first:
 *
 *	main [0, 80]	b.c's [10, 20]	a.c's [20, 40]
 */
#include <string.h>

#include "harness/notation.h"
#include "harness/open_panel.h"
#include "harness/test.h"
#include "ui/panels/panels.h"
#include "views/query/analyses.h"
#include "views/query/second_trace.h"

#define REGIONS                            \
	"region main file main.c line 1\n" \
	"region first = solve file a.c line 10; region second = solve file b.c line 20\n"

static struct trace *new_run(void)
{
	return notation_trace(REGIONS
			      "rank 0: main@0 { first@10000-50000 second@50000-60000 } @100000");
}

static struct trace *old_run(void)
{
	return notation_trace(REGIONS
			      "rank 0: main@0 { second@10000-20000 first@20000-40000 } @80000");
}

/* The line of the row under the cursor. */
static void assert_source(const struct open *o, const char *file, uint32_t line)
{
	struct source_place place;

	struct selection chosen = SELECTION_NONE;
	uint32_t caller;

	o->panel->ops->chosen(o->panel, &chosen);
	assert_true(selection_source(&chosen, o->session.trace, &place, &caller));
	assert_string_equal(trace_string(o->session.trace, place.file), file);
	assert_int_equal(place.line, line);
}

TEST(test_profile)
{
	ENDED_BY(close_panel) struct open o;

	open_init(&o, &profile_panel_ops, new_run(), 120, 20);
	requery(&o);
	/* By time: main, a.c's, b.c's. */
	press(&o, ACTION_DOWN);
	assert_source(&o, "a.c", 10);
	press(&o, ACTION_ENTER);
	sees(&o, "call paths of solve");
	sees(&o, "main > solve 40.0 % 1 40.00 us 40.00 us");
	sees_not(&o, "10.00 us");
	assert_source(&o, "a.c", 10);
	press(&o, ACTION_BACK);
	press(&o, ACTION_DOWN);
	assert_source(&o, "b.c", 20);
	press(&o, ACTION_ENTER);
	sees(&o, "main > solve 10.0 % 1 10.00 us 10.00 us");
	sees_not(&o, "40.00 us");
	assert_source(&o, "b.c", 20);
	press(&o, ACTION_ENTER);
	assert_int_equal(o.session.asked.source.line, 20);
}

TEST(test_graph)
{
	ENDED_BY(close_panel) struct open o;

	open_init(&o, &graph_panel_ops, new_run(), 120, 20);
	requery(&o);
	/* The calls in main, most time first. */
	sees(&o, "of solve a.c:10: 100.0 % of all its calls each 40.00 us");
	press(&o, ACTION_DOWN);
	sees(&o, "of solve b.c:20: 100.0 % of all its calls each 10.00 us");
}

TEST(test_patterns)
{
	ENDED_BY(close_panel) struct open o;
	struct err err = ERR_INIT;

	open_init(&o, &patterns_panel_ops, new_run(), 120, 20);
	assert_non_null(analyses_get(o.session.analyses, BASE_MEASURED, NULL, &err));
	requery(&o);
	press(&o, ACTION_NEXT_PANE);
	press(&o, ACTION_FIRST);
	press(&o, ACTION_OPEN_ALL);
	press(&o, ACTION_DOWN);
	assert_source(&o, "a.c", 10);
	sees(&o, "40.0 us rank 0");
	press(&o, ACTION_DOWN);
	assert_source(&o, "b.c", 20);
	sees(&o, "10.0 us rank 0");
}

TEST(test_difference)
{
	ENDED_BY(close_panel) struct open o;

	open_init(&o, &difference_panel_ops, new_run(), 120, 20);
	o.session.other = other_new(old_run(), NULL, BASE_MEASURED);
	requery(&o);
	/* The call paths of time: a.c's took 20 us more; main itself had 50 us and has 50 us
	 * now. */
	press(&o, ACTION_ENTER);
	sees(&o, "20.0 us 40.0 us +20.0 us");
	sees(&o, "10.0 us 10.0 us");
	sees_not(&o, "20.0 us 10.0 us");
	press(&o, ACTION_FIRST);
	press(&o, ACTION_ENTER);
	assert_int_equal(o.session.cursor.time - o.session.run.t0, 10000);
}

/* Its rows have an order of their own until a column gives one. */
TEST(difference_reversed)
{
	ENDED_BY(close_panel) struct open o;

	open_init(&o, &difference_panel_ops, new_run(), 120, 20);
	o.session.other = other_new(old_run(), NULL, BASE_MEASURED);
	requery(&o);
	press(&o, ACTION_ENTER);
	press(&o, ACTION_REVERSE);
	assert_true(strstr(screen(&o), "10.0 us") < strstr(screen(&o), "40.0 us"));
	press(&o, ACTION_REVERSE);
	assert_true(strstr(screen(&o), "10.0 us") > strstr(screen(&o), "40.0 us"));
}
