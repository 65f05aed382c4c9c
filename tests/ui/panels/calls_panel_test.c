/* The view of calls: the list, the choice of durations, the calls of one function. Nanoseconds:
 *
 *	rank 0: main [0, 10000], work [100, 1100], [2000, 2010], MPI_Send [3000, 3050]
 *	rank 1: main [0, 9000], MPI_Recv [10, 3060] */
#include "harness/notation.h"
#include "harness/open_panel.h"
#include "harness/test.h"
#include "ui/panels/panels.h"

static int setup(void **state)
{
	static struct open opened;
	struct open *o = *state = &opened;

	open_init(o, &calls_panel_ops,
		  notation_trace("rank 0: main@0 { work@100-1100 work@2000-2010\n"
				 "  MPI_Send@3000-3050 ->1 tag 1 100B } @10000\n"
				 "rank 1: main@0 { MPI_Recv@10-3060 <-0 tag 1 @3059 } @9000"),
		  100, 20);
	requery(o);
	return 0;
}

FIXTURE(setup, close_opened)

TEST_WITH(test_longest_first, struct open *o)
{
	sees(o, "Calls 6 Functions");
	sees(o, "10.00 us 0.000000000 0 main 8.940 us");
	sees(o, "9.000 us 0.000000000 1 main 5.950 us");
	sees(o, "3.050 us 0.000000010 1 MPI_Recv 3.050 us 100 B 0");
	press(o, ACTION_LAST);
	press(o, ACTION_ENTER);
	assert_int_equal(o->session.cursor.time, 2000);
	assert_string_equal(o->session.asked.goto_view, "timeline");
}

TEST_WITH(test_functions, struct open *o)
{
	press(o, ACTION_NEXT_PANE);
	press(o, ACTION_DOWN);
	press(o, ACTION_DOWN);
	sees(o, "work");
	press(o, ACTION_ENTER);
	sees(o, "Calls of work: 2 Functions");
	sees(o, "1.000 us 0.000000100 0 work");
	sees(o, "10 ns 0.000002000 0 work");
	sees_not(o, "9.000 us");
	press(o, ACTION_BACK);
	sees(o, "Calls 6 Functions");
}

/* From the bin of MPI_Recv, 2 us to 5 us, to the one before it, of work. */
TEST_WITH(test_durations, struct open *o)
{
	press(o, ACTION_DOWN);
	press(o, ACTION_DOWN);
	press(o, ACTION_SELECT);
	sees(o, "h, l: durations; v shows them");
	press(o, ACTION_LEFT);
	press(o, ACTION_SELECT);
	sees(o, "Calls 2 Functions");
	sees(o, "3.050 us 0.000000010 1 MPI_Recv");
	sees(o, "1.000 us 0.000000100 0 work");
	sees_not(o, "MPI_Send");
	press(o, ACTION_BACK);
	sees(o, "Calls 6 Functions");
}

/* Of the function under the cursor, those as long or longer; the fourth call is work of 1 us. */
TEST_WITH(test_narrow, struct open *o)
{
	press(o, ACTION_DOWN);
	press(o, ACTION_DOWN);
	press(o, ACTION_DOWN);
	press(o, ACTION_ZOOM_ITEM);
	sees(o, "Calls of work: 1 Functions");
	sees(o, "1.000 us 0.000000100 0 work");
	press(o, ACTION_BACK);
	sees(o, "Calls of work: 2 Functions");
	press(o, ACTION_LAST);
	press(o, ACTION_ZOOM_ITEM);
	sees(o, "Calls of work: 2 Functions");
}

/* Six calls in bins from 10 ns to 10 us: two columns a bin at most, one bar each. */
TEST_WITH(test_click_on_a_bar, struct open *o)
{
	const struct rect area = o->panel->area;

	sees(o, "10 ns");
	o->panel->ops->click(o->panel, area.x + 1, area.y + 2, area);
	sees(o, "Calls 1 Functions");
	sees(o, "10 ns 0.000002000 0 work");
	o->panel->ops->click(o->panel, area.x + 1, area.y + 2, area);
	sees(o, "Calls 6 Functions");
}

TEST_WITH(test_escape_ends_the_choice, struct open *o)
{
	press(o, ACTION_SELECT);
	press(o, ACTION_CANCEL);
	sees_not(o, "Left, Right");
	sees(o, "Calls 6 Functions");
	assert_int_equal(press(o, ACTION_CANCEL), REACT_IGNORED);
	assert_int_equal(press(o, ACTION_BACK), REACT_IGNORED);
}

/* From the profile: the calls of the function; from an event: the call around it. */
TEST_WITH(test_lands, struct open *o)
{
	struct selection selection = SELECTION_NONE;
	const struct query query = session_query(&o->session);
	struct cursor c;

	selection.region =
		trace_callpath_region(o->session.trace,
				      trace_path_at(o->session.trace, BASE_MEASURED, 0, 500));
	assert_true(o->panel->ops->land(o->panel, &selection));
	sees(o, "Calls of work: 2 Functions");
	press(o, ACTION_BACK);
	assert_true(cursor_seek(&c, o->session.trace, BASE_MEASURED, 1, 3059));
	selection = SELECTION_NONE;
	selection.event = c.id;
	selection_complete(&selection, &query);
	assert_true(o->panel->ops->land(o->panel, &selection));
	press(o, ACTION_ENTER);
	assert_int_equal(o->session.cursor.time, 10);
	assert_int_equal(o->session.cursor.location, 1);
}
