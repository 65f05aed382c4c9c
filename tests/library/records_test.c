/* Records of the library: one run by hand, random ones against the model, and what is refused. */
#include <stdio.h>
#include <string.h>
#include <tview/records.h>

#include "harness/files.h"
#include "harness/notation.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/trace/message.h"

/* A late sender: rank 1 waits from 5 to 40, in its barrier from 60 to 70 rank 0 waits from 60 to 65. */
#define RUN                                                                                \
	"ranks 2\n"                                                                        \
	"grid 2 1\n"                                                                       \
	"region MPI_Barrier class sync\n"                                                  \
	"region 'na\x1bme' class user\n"                                                   \
	"rank 0: main@0 { work@10 { inner@15-25 } @38 MPI_Send@40-50 ->1 tag 7 100B @41\n" \
	"  MPI_Barrier@60-70 all } @100\n"                                                 \
	"rank 1: main@2 { MPI_Recv@5-45 <-0 tag 7 @44 MPI_Barrier@65-70 all 'na\x1bme'@80-90 } @100\n"

static char folder[FOLDER_NAME], path[FOLDER_NAME + 16];

static void save(struct trace *trace, enum save_format format)
{
	struct err err = ERR_INIT;

	snprintf(path, sizeof path, "%s/run%s", folder, format == SAVE_OTF2 ? ".otf2" : ".trc");
	assert_true(trace_save(trace, format, path, NULL, NULL, NULL, &err));
	trace_free(trace);
}

static int before_all(void **state)
{
	(void)state;
	folder_make(folder, "records");
	setenv("XDG_CACHE_HOME", folder, 1);
	return 0;
}

static int after_all(void **state)
{
	(void)state;
	folder_remove(folder);
	return 0;
}
GROUP_FIXTURE(before_all, after_all)

static tview_trace *opened(void)
{
	static const char *const measured[] = { "base=measured", NULL };
	struct tview_error error = { 0 };
	tview_trace *trace = tview_open(path, measured, &error);

	if (!trace)
		fail_msg("%s", error.text);
	return trace;
}

static tview_trace *run_of_hand(void)
{
	save(notation_trace(RUN), SAVE_OTF2);
	return opened();
}

static tview_cursor *cursor(tview_trace *trace, enum tview_kind kind, uint32_t location,
			    const char *option)
{
	const char *const options[] = { option, NULL };
	struct tview_error error = { 0 };
	tview_cursor *c = tview_cursor_open(trace, kind, location, options, &error);

	if (!c)
		fail_msg("%s", error.text);
	return c;
}

static const char *region_of(const tview_trace *trace, uint32_t id)
{
	struct tview_region region;

	assert_true(tview_region(trace, id, &region));
	return region.name;
}

/* ---- by hand ---- */

TEST(events_come_in_the_order_of_time)
{
	static const int64_t of_rank_0[] = { 0, 10, 15, 25, 38, 40, 41, 50, 60, 60, 70, 70, 100 };
	tview_trace *trace = run_of_hand();
	tview_cursor *c = cursor(trace, TVIEW_EVENTS, 0, NULL);
	struct tview_event e, all[64];
	size_t n = 0;

	assert_int_equal(tview_ticks_per_second(trace), 1000000000);
	for (; tview_next_event(c, &e); n++) {
		assert_int_equal(e.time, of_rank_0[n]);
		assert_int_equal(e.location, 0);
		if (strcmp(tview_event_kind(e.kind), "send") == 0)
			assert_int_equal(e.of, 0);
		if (strcmp(tview_event_kind(e.kind), "enter") == 0)
			assert_int_equal(e.of, TVIEW_NONE);
	}
	assert_int_equal(n, sizeof of_rank_0 / sizeof *of_rank_0);
	assert_false(tview_next_event(c, &e));
	tview_cursor_close(c);

	c = cursor(trace, TVIEW_EVENTS, TVIEW_NONE, "time=0.000000010:0.000000041");
	n = tview_cursor_read(c, TVIEW_EVENTS, all, 64);
	assert_int_equal(n, 5); /* 10, 15, 25, 38, 40; of rank 1 none */
	assert_int_equal(tview_cursor_read(c, TVIEW_EVENTS, all, 64), 0);
	tview_cursor_close(c);
	tview_close(trace);
}

TEST(visits_have_their_own_time)
{
	static const struct {
		const char *region;
		int64_t begin, end, exclusive;
		uint32_t location;
	} all[] = {
		{ "main", 0, 100, 52, 0 },        { "main", 2, 100, 43, 1 },
		{ "MPI_Recv", 5, 45, 40, 1 },     { "work", 10, 38, 18, 0 },
		{ "inner", 15, 25, 10, 0 },       { "MPI_Send", 40, 50, 10, 0 },
		{ "MPI_Barrier", 60, 70, 10, 0 }, { "MPI_Barrier", 65, 70, 5, 1 },
		{ "na?me", 80, 90, 10, 1 },
	};
	tview_trace *trace = run_of_hand();
	tview_cursor *c = cursor(trace, TVIEW_VISITS, TVIEW_NONE, NULL);
	struct tview_visit v;
	char text[64];
	size_t n = 0;

	for (; tview_next_visit(c, &v); n++) {
		assert_string_equal(region_of(trace, v.region), all[n].region);
		assert_int_equal(v.begin, all[n].begin);
		assert_int_equal(v.end, all[n].end);
		assert_int_equal(v.exclusive, all[n].exclusive);
		assert_int_equal(v.location, all[n].location);
		assert_false(v.open);
		if (n == 4) {
			assert_int_equal(tview_callpath_text(trace, v.callpath, text, sizeof text),
					 strlen("main > work > inner"));
			assert_string_equal(text, "main > work > inner");
			assert_int_equal(tview_callpath_text(trace, v.callpath, text, 7), 19);
			assert_string_equal(text, "main >");
		}
	}
	assert_int_equal(n, 9);
	tview_cursor_close(c);

	c = cursor(trace, TVIEW_VISITS, TVIEW_NONE, "filter=region == MPI_Barrier && rank == 1");
	assert_true(tview_next_visit(c, &v) && v.begin == 65);
	assert_false(tview_next_visit(c, &v));
	tview_cursor_close(c);
	/* main, work and inner are open there. */
	c = cursor(trace, TVIEW_VISITS, 0, "time=0.000000020:0.000000030");
	assert_true(tview_next_visit(c, &v) && v.begin == 0);
	assert_true(tview_next_visit(c, &v) && v.begin == 10);
	assert_true(tview_next_visit(c, &v) && v.begin == 15);
	assert_false(tview_next_visit(c, &v));
	tview_cursor_close(c);
	tview_close(trace);
}

TEST(messages_and_collectives_have_both_ends)
{
	tview_trace *trace = run_of_hand();
	tview_cursor *c = cursor(trace, TVIEW_MESSAGES, TVIEW_NONE, NULL);
	struct tview_message m;
	struct tview_collective co;
	struct tview_member members[4];

	assert_true(tview_next_message(c, &m));
	assert_int_equal(m.sent, 41);
	assert_int_equal(m.received, 44);
	assert_int_equal(m.bytes, 100);
	assert_int_equal(m.tag, 7);
	assert_int_equal(m.source, 0);
	assert_int_equal(m.destination, 1);
	assert_int_equal(m.send_location, 0);
	assert_int_equal(m.receive_location, 1);
	assert_int_equal(m.flags, 0);
	assert_false(tview_next_message(c, &m));
	tview_cursor_close(c);
	c = cursor(trace, TVIEW_MESSAGES, TVIEW_NONE, "filter=bytes > 100");
	assert_false(tview_next_message(c, &m));
	tview_cursor_close(c);

	c = cursor(trace, TVIEW_COLLECTIVES, 1, NULL);
	assert_true(tview_next_collective(c, &co));
	assert_int_equal(co.begin, 60);
	assert_int_equal(co.end, 70);
	assert_int_equal(co.members, 2);
	assert_int_equal(co.root, TVIEW_NO_RANK);
	assert_false(co.incomplete);
	assert_string_equal(region_of(trace, co.region), "MPI_Barrier");
	assert_false(tview_next_collective(c, &co));
	tview_cursor_close(c);
	c = cursor(trace, TVIEW_MEMBERS, TVIEW_NONE, NULL);
	assert_int_equal(tview_cursor_read(c, TVIEW_MEMBERS, members, 4), 2);
	assert_int_equal(members[0].begin, 60);
	assert_int_equal(members[1].begin, 65);
	assert_int_equal(members[1].location, 1);
	tview_cursor_close(c);
	tview_close(trace);
}

/* What a metric has in all, and on location 1. */
static double severity(tview_trace *trace, const char *metric, double *on_1)
{
	char option[64];
	struct tview_severity s;
	tview_cursor *c;
	double sum = 0;

	snprintf(option, sizeof option, "metric=%s", metric);
	c = cursor(trace, TVIEW_SEVERITIES, TVIEW_NONE, option);
	*on_1 = 0;
	while (tview_next_severity(c, &s)) {
		struct tview_metric m;
		assert_true(tview_metric(s.metric, &m));
		assert_string_equal(m.name, metric);
		assert_string_equal(m.unit, "s");
		sum += s.value;
		*on_1 += s.location == 1 ? s.value : 0;
	}
	tview_cursor_close(c);
	return sum;
}

TEST(severities_are_seconds)
{
	tview_trace *trace = run_of_hand();
	double on_1;

	assert_float_equal(severity(trace, "mpi_latesender", &on_1), 35e-9, 1e-15);
	assert_float_equal(on_1, 35e-9, 1e-15);
	assert_float_equal(severity(trace, "mpi_barrier_wait", &on_1), 5e-9, 1e-15);
	assert_float_equal(on_1, 0, 1e-15);
	tview_close(trace);
}

TEST(nodes_are_the_program)
{
	tview_trace *trace = run_of_hand();
	tview_cursor *c = cursor(trace, TVIEW_NODES, TVIEW_NONE, NULL);
	struct tview_node node;
	unsigned found = 0;

	assert_true(tview_next_node(c, &node));
	assert_int_equal(node.kind, TVIEW_NODE_PROGRAM);
	assert_int_equal(node.parent, TVIEW_NONE);
	while (tview_next_node(c, &node)) {
		const char *name = tview_string(trace, node.name);
		if (node.kind != TVIEW_NODE_PROCEDURE)
			continue;
		if (strcmp(name, "work") == 0) {
			assert_int_equal(node.time, 28);
			assert_int_equal(node.exclusive, 18);
			assert_int_equal(node.count, 1);
			found++;
		}
		if (strcmp(name, "main") == 0) {
			assert_int_equal(node.time, 198);
			assert_int_equal(node.waiting, 40);
			found++;
		}
	}
	assert_int_equal(found, 2);
	tview_cursor_close(c);
	tview_close(trace);
}

TEST(definitions_are_clean)
{
	tview_trace *trace = run_of_hand();
	struct tview_location location;
	struct tview_callpath root;
	struct tview_region region;
	struct tview_comm comm;
	struct tview_grid grid;
	struct tview_array places;
	int64_t begin, end;

	assert_int_equal(tview_location_count(trace), 2);
	assert_true(tview_location(trace, 1, &location));
	assert_string_equal(location.name, "rank 1");
	assert_int_equal(location.rank, 1);
	assert_int_equal(location.begin, 2);
	assert_false(tview_location(trace, 2, &location));
	for (uint32_t i = 0; tview_region(trace, i, &region); i++) {
		assert_null(strpbrk(region.name, "\x1b"));
		assert_ptr_equal(region.name, region_of(trace, i)); /* there is one copy */
	}
	assert_true(tview_callpath(trace, 0, &root));
	assert_int_equal(root.region, TVIEW_NONE);
	assert_false(tview_callpath(trace, tview_callpath_count(trace), &root));
	assert_null(tview_string(trace, UINT32_MAX));
	assert_true(tview_comm(trace, 0, &comm));
	assert_int_equal(comm.size, 2);
	assert_int_equal(comm.ranks[1], 1);
	tview_span(trace, &begin, &end);
	assert_int_equal(begin, 0);
	assert_int_equal(end, 100);
	assert_string_equal(tview_base(trace), "measured");
	assert_string_equal(tview_base_name(trace, 0), "measured");

	assert_true(tview_grid(trace, 0, &grid));
	assert_int_equal(grid.dims, 2);
	assert_int_equal(grid.size[0] * grid.size[1], 2);
	assert_false(grid.guessed);
	assert_true(tview_grid_places(trace, 0, &places));
	assert_int_equal(places.dims, 2);
	assert_int_equal(places.shape[0], 2);
	assert_int_equal(places.shape[1], 2);
	assert_false(tview_grid(trace, 99, &grid));
	tview_close(trace);
}

TEST(arrays_are_the_traces_own)
{
	tview_trace *trace = run_of_hand();
	struct tview_array tags;

	assert_true(tview_shared(trace, "messages.tag", &tags));
	assert_true(tags.shared);
	assert_int_equal(tags.format, 'i');
	assert_int_equal(tags.shape[0], 1);
	assert_int_equal(*(const int32_t *)tags.data, 7);
	assert_false(tview_shared(trace, "messages.colour", &tags));
	for (unsigned i = 0; tview_shared_name(i); i++)
		assert_true(tview_shared(trace, tview_shared_name(i), &tags));
	tview_close(trace);
}

/* ---- random traces against the model ---- */

static void assert_events(tview_trace *of, const struct trace *trace)
{
	tview_cursor *c = cursor(of, TVIEW_EVENTS, TVIEW_NONE, NULL);
	struct tview_event e;
	uint64_t n = 0;
	int64_t last = INT64_MIN;

	for (; tview_next_event(c, &e); n++) {
		const uint32_t id = (uint32_t)e.id;
		assert_int_equal(e.time, trace_event_time(trace, BASE_MEASURED, id));
		assert_int_equal(e.kind, what_kind(trace_event_what(trace, id)));
		assert_int_equal(e.location, trace_event_location(trace, id));
		assert_int_equal(e.callpath, trace_event_path(trace, id));
		assert_true(e.time >= last);
		last = e.time;
	}
	assert_int_equal(n, trace_event_count(trace));
	tview_cursor_close(c);
}

static void assert_visits(tview_trace *of, const struct trace *trace)
{
	uint64_t visits = 0, enters = 0;
	struct tview_visit v;
	struct cursor at;

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		tview_cursor *c = cursor(of, TVIEW_VISITS, l, NULL);
		for (; tview_next_visit(c, &v); visits++) {
			const uint32_t leave = trace_event_partner(trace, (uint32_t)v.event);
			assert_int_equal(v.location, l);
			assert_int_equal(v.open, leave == EVENT_NONE);
			if (!v.open)
				assert_int_equal(v.end,
						 trace_event_time(trace, BASE_MEASURED, leave));
		}
		tview_cursor_close(c);
		for (bool ok = cursor_first(&at, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&at))
			enters += what_kind(cursor_what(&at)) == EV_ENTER;
	}
	assert_int_equal(visits, enters);
}

static void assert_messages(tview_trace *of, const struct trace *trace)
{
	tview_cursor *c = cursor(of, TVIEW_MESSAGES, TVIEW_NONE, NULL);
	struct tview_message m;
	uint64_t n = 0;

	for (; tview_next_message(c, &m); n++) {
		const struct message *is = trace_message(trace, m.id);
		assert_int_equal(m.source, message_source(trace, is));
		assert_int_equal(!(m.flags & TVIEW_MESSAGE_NO_SEND), m.sent != TVIEW_NO_TIME);
		assert_int_equal(!(m.flags & TVIEW_MESSAGE_NO_RECEIVE),
				 m.received != TVIEW_NO_TIME);
		if (!(m.flags & TVIEW_MESSAGE_NO_BYTES))
			assert_int_equal(m.bytes, message_bytes(is));
	}
	assert_int_equal(n, trace_message_count(trace));
	tview_cursor_close(c);
}

static void assert_members(tview_trace *of, const struct trace *trace)
{
	tview_cursor *c = cursor(of, TVIEW_MEMBERS, TVIEW_NONE, NULL);
	struct tview_member m;
	uint64_t n = 0, all = 0;

	for (; tview_next_member(c, &m); n++)
		assert_true(m.collective < trace_collective_count(trace));
	for (uint32_t i = 0; i < trace_collective_count(trace); i++)
		all += trace_collective(trace, i)->members;
	assert_int_equal(n, all);
	tview_cursor_close(c);
}

TEST(records_are_those_of_the_model)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct err err = ERR_INIT;
		tview_trace *of;
		struct trace *trace;
		save(random_trace(seed, 300, 1000000000), seed % 2 ? SAVE_OTF2 : SAVE_PICL);
		of = opened();
		trace = trace_load(path, NULL, NULL, &err);
		assert_non_null(trace);
		assert_events(of, trace);
		assert_visits(of, trace);
		assert_messages(of, trace);
		assert_members(of, trace);
		trace_free(trace);
		tview_close(of);
	}
}

/* ---- what is refused ---- */

TEST(wrong_questions_get_sentences)
{
	tview_trace *trace = run_of_hand();
	const char *const sorted[] = { "sort=time", NULL }, *const metric[] = { "metric=time",
										NULL };
	const char *const filter[] = { "filter=bytes >", NULL };
	struct tview_error error = { 0 };
	struct tview_message m;
	tview_cursor *c;

	assert_null(tview_cursor_open(trace, TVIEW_EVENTS, TVIEW_NONE, sorted, &error));
	assert_string_equal(error.text, "events have no option 'sort'");
	assert_int_equal(error.status, 2);
	assert_null(tview_cursor_open(trace, TVIEW_MESSAGES, TVIEW_NONE, metric, &error));
	assert_null(tview_cursor_open(trace, TVIEW_MESSAGES, TVIEW_NONE, filter, &error));
	assert_non_null(strstr(error.text, "column 8"));
	assert_null(tview_cursor_open(trace, TVIEW_VISITS, 2, NULL, &error));
	assert_string_equal(error.text, "the trace has no location 2 (it has 2)");
	assert_null(tview_cursor_open(trace, (enum tview_kind)99, TVIEW_NONE, NULL, &error));
	assert_null(tview_cursor_open(trace, TVIEW_VISITS, 2, NULL, NULL));
	c = cursor(trace, TVIEW_EVENTS, TVIEW_NONE, NULL);
	assert_false(tview_next_message(c, &m));
	tview_cursor_close(c);
	tview_cursor_close(NULL);
	tview_close(trace);
}

TEST(fields_tile_their_structs)
{
	for (enum tview_kind kind = TVIEW_EVENTS; tview_kind_name(kind); kind++) {
		uint32_t at = 0;
		for (const struct tview_field *f = tview_record_fields(kind); f->name; f++) {
			assert_int_equal(f->offset, at);
			at += strchr("iI", f->format) ? 4 : 8;
		}
		assert_true(at == tview_record_size(kind) || at + 4 == tview_record_size(kind));
	}
}
