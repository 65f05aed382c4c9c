/* A key stops the making of a new table, and the old one is shown once more: what it was made of
 * must still be there (sanitizers look). */
#include "harness/load_trace.h"
#include "harness/open_panel.h"
#include "harness/test.h"
#include "ui/panels/panels.h"

static bool stop(void *context, const char *what, uint64_t done, uint64_t all)
{
	(void)context, (void)what, (void)done, (void)all;
	return false;
}

/* Another filter, whose table is not made yet. */
TEST(events_of_the_filter_before)
{
	struct err err = ERR_INIT;
	struct open o;

	open_init(&o, &events_panel_ops, load_trace("traces/chain.trc"), 100, 20);
	assert_true(session_set_filter(&o.session, "region == MPI_Send", &err));
	requery(&o);
	sees(&o, "MPI_Send");
	assert_true(session_set_filter(&o.session, "region == MPI_Recv", &err));
	sees(&o, "MPI_Send");
	requery(&o);
	sees(&o, "MPI_Recv");
	sees_not(&o, "MPI_Send");
	close_panel(&o);
}

/* Another window, in which the two runs are not compared yet. */
TEST(differences_of_the_window_before)
{
	const struct progress stopping = { .step = stop };
	struct open o;

	open_init(&o, &difference_panel_ops, load_trace("traces/chain.trc"), 100, 20);
	o.session.other = other_new(load_trace("traces/chain.trc"), NULL, BASE_MEASURED);
	requery(&o);
	sees(&o, "Computation");
	session_zoom(&o.session, o.session.run.t0, o.session.run.t1 - 10000);
	o.session.progress = &stopping;
	requery(&o);
	sees(&o, "Computation");
	o.session.progress = NULL;
	requery(&o);
	sees(&o, "Computation");
	close_panel(&o);
}
