/* Reading OTF2: an archive with every sort of definition and record, written by libotf2. What is
 * expected was written down from OTF2's documentation. */
#include <string.h>

#include "harness/built.h"
#include "harness/files.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/otf2/otf2_full_aid.h"
#include "model/otf2/otf2_names.h"

/* ---- definitions ---- */

static void expect_location(const struct trace *trace, uint64_t id, const char *name, int rank,
			    int thread, const char *node)
{
	const struct location *l = trace_location(trace, otf2_full_location(trace, id));

	assert_string_equal(trace_string(trace, l->name), name);
	assert_int_equal(l->rank, rank);
	assert_int_equal(l->thread, thread);
	assert_string_equal(trace_string(trace, l->node), node);
}

TEST(places)
{
	ARCHIVE aid = otf2_full_begin(1000000000);
	OWNED_TRACE *trace = otf2_full_load(&aid, 1);

	assert_int_equal(trace_location_count(trace), 5);
	expect_location(trace, LOCATION_0, "rank 0", 0, 0, "alpha");
	expect_location(trace, LOCATION_1, "rank 1", 1, 0, "beta");
	expect_location(trace, LOCATION_2, "rank 2", 2, 0, "beta");
	expect_location(trace, THREAD, "rank 1 thread 1", 1, 1, "beta");
	expect_location(trace, STREAM, "rank 0 GPU 0", 0, 1, "alpha");
	assert_int_equal(trace_location_of_rank(trace, 2), otf2_full_location(trace, LOCATION_2));
	assert_int_equal(trace_tree_node_count(trace), 3);
	assert_int_equal(trace_tree_node(trace, 0)->parent, UINT32_MAX);
	assert_int_equal(trace_tree_node(trace, 1)->parent, 0);
	assert_int_equal(trace_process_count(trace), 4);
	assert_int_equal(trace_process(trace, 3)->creator, 0);
}

static const struct comm *comm_of(const struct trace *trace, const char *name, uint32_t nth)
{
	for (uint32_t i = 0; i < trace_comm_count(trace); i++)
		if (strcmp(trace_string(trace, trace_comm(trace, i)->name), name) == 0 &&
		    nth-- == 0)
			return trace_comm(trace, i);
	fail_msg("no communicator %s", name);
	return NULL;
}

/* Its members, and after a bar those of the other group. */
static void expect_comm(const struct trace *trace, const char *name, uint32_t nth,
			enum comm_kind kind, const char *members)
{
	const struct comm *c = comm_of(trace, name, nth);
	OWNED_STR text = STR_INIT;

	for (uint32_t i = 0; i < c->size; i++)
		str_add_fmt(&text, "%s%d", i ? " " : "", c->ranks[i]);
	for (uint32_t i = 0; i < c->remote_size; i++)
		str_add_fmt(&text, "%s%d", i ? " " : " | ", c->remote[i]);
	assert_string_equal(text.text, members);
	assert_int_equal(c->kind, kind);
}

TEST(communicators)
{
	const struct topology *grid;
	OWNED_STR team = STR_INIT;
	ARCHIVE aid = otf2_full_begin(1000000000);
	OWNED_TRACE *trace = otf2_full_load(&aid, 1);

	assert_int_equal(trace_comm(trace, 0)->size, 3);
	expect_comm(trace, "part", 0, COMM_PROCESSES, "2 0");
	assert_int_equal(comm_of(trace, "part", 0)->parent, 0);
	expect_comm(trace, "self", 0, COMM_SELF, "0");
	expect_comm(trace, "self", 1, COMM_SELF, "1");
	expect_comm(trace, "self", 2, COMM_SELF, "2");
	expect_comm(trace, "inter", 0, COMM_INTER, "0 | 2 1");
	str_add_fmt(&team, "%u %u", otf2_full_location(trace, LOCATION_1),
		    otf2_full_location(trace, THREAD));
	expect_comm(trace, "team", 0, COMM_THREADS, team.text);
	assert_int_equal(trace_topology_count(trace), 1);
	grid = trace_topology(trace, 0);
	assert_int_equal(grid->size[0], 3);
	assert_true(grid->periodic[0] && !grid->periodic[1]);
	assert_int_equal(grid->coords[0], 1);
	assert_int_equal(grid->coords[2], NONE);
	assert_int_equal(grid->coords[5], 1);
}

TEST(metrics)
{
	const struct metric_set *instance;
	ARCHIVE aid = otf2_full_begin(1000000000);
	OWNED_TRACE *trace = otf2_full_load(&aid, 1);

	assert_int_equal(trace_metric_count(trace), 2);
	assert_string_equal(trace_string(trace, trace_metric(trace, 0)->name), "flops");
	assert_int_equal(trace_metric(trace, 0)->mode, METRIC_ACCUMULATED_START);
	assert_int_equal(trace_metric(trace, 0)->exponent, 3);
	assert_int_equal(trace_metric(trace, 1)->mode, METRIC_ABSOLUTE_NEXT);
	assert_int_equal(trace_metric(trace, 1)->value, FIELD_FLOAT);
	assert_int_equal(trace_metric(trace, 1)->base, 2);
	assert_int_equal(trace_metric_set_count(trace), 2);
	instance = trace_metric_set(trace, 1);
	assert_int_equal(instance->recorder, otf2_full_location(trace, LOCATION_0));
	assert_int_equal(instance->scope_kind, 1);
	assert_int_equal(instance->scope, otf2_full_location(trace, LOCATION_2));
}

/* "domain : node 0, domain machine" of what no definition and no event names, a line each. */
static void unnamed_objects(const struct trace *trace, struct str *out)
{
	str_clear(out);
	for (uint32_t i = 0; i < trace_object_count(trace); i++) {
		const struct object *o = trace_object(trace, i);
		const struct detail_info *info = detail_info((enum detail_type)o->detail.type);
		if (o->detail.type < OBJECT_DOMAIN)
			continue;
		str_add_fmt(out, "%s %s: ", info->name, trace_string(trace, o->name));
		trace_object_text(trace, i, out);
		str_add(out, "\n");
	}
}

/* They are kept, and a copy of the archive, and its copy as PICL, have them, too. */
TEST(definitions_that_nothing_names)
{
	static const char *const copies[] = { "copy.otf2", "copy.trc", "copy of it.otf2" };
	static const enum save_format formats[] = { SAVE_OTF2, SAVE_PICL, SAVE_OTF2 };
	char folder[FOLDER_NAME];
	OWNED_STR is = STR_INIT;
	ARCHIVE aid = otf2_full_begin(1000000000);
	struct trace *trace = otf2_full_load(&aid, 1);

	folder_make(folder, "otf2");
	for (size_t i = 0;; i++) {
		OWNED_STR path = STR_INIT;
		struct err err = ERR_INIT;
		unnamed_objects(trace, &is);
		assert_string_equal(is.text, "io-property 2.1: property 0, type 11\n"
					     "domain : node 0, domain machine\n"
					     "domain : node 2, domain shared-memory\n"
					     "paradigm MPI: paradigm mpi, class 0\n"
					     "paradigm-property Comm ${id}: paradigm mpi, "
					     "property 0, type 11\n"
					     "dimension column: topology 0, dimension 0\n"
					     "dimension row: topology 0, dimension 1\n"
					     "metric-recorder : set 0, location rank 1\n"
					     "call-site main.c: line 21, entered MPI_Barrier, "
					     "left main\n"
					     "callpath : parent none, region main\n"
					     "callpath : parent , region MPI_Barrier\n"
					     "callpath-parameter -5: callpath , parameter size, "
					     "type 8\n");
		if (i == sizeof copies / sizeof *copies)
			break;
		str_add_fmt(&path, "%s/%s", folder, copies[i]);
		assert_true(trace_save(trace, formats[i], path.text, NULL, NULL, NULL, &err));
		trace_free(trace);
		trace = trace_load(path.text, NULL, NULL, &err);
		assert_non_null(trace);
	}
	trace_free(trace);
	folder_remove(folder);
}

/* ---- times ---- */

TEST(ticks)
{
	static const struct {
		uint64_t resolution;
		int64_t per_second, first, offset;
	} cases[] = { { 1000000000, 1000000000, 234, 50 },
		      { 1000000, 1000000000, 234000, 50000 },
		      { 2596125382, 2596125382, 234, 50 },
		      { 3000000000, 3000000000, 234, 50 } };
	static const int64_t offsets[][2] = { { 1100, 50 }, { 2100, 60 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cursor c;
		OTF2_EvtWriter *w;

		ARCHIVE aid = otf2_full_begin(cases[i].resolution);
		w = otf2_aid_events(&aid, LOCATION_1);
		EVENT(Enter, 1234, R_MAIN);
		otf2_aid_events_end(&aid, w);
		otf2_aid_local(&aid, LOCATION_1, offsets, 2, NULL);
		OWNED_TRACE *trace = otf2_full_load(&aid, 1);
		assert_int_equal(trace_scale(trace)->per_second, cases[i].per_second);
		assert_true(cursor_first(&c, trace, BASE_MEASURED,
					 otf2_full_location(trace, LOCATION_1)));
		assert_int_equal(cursor_time(&c), cases[i].first);
		assert_int_equal(trace_offset_count(trace), 2);
		assert_int_equal(trace_offset(trace, 0)->offset, cases[i].offset);
		assert_true(trace_has_base(trace, BASE_LINEAR));
	}
}

/* ---- what is odd ---- */

/* Local ids of regions go through the location's map; what nothing defines is not lost. */
TEST(maps_and_gaps)
{
	const uint64_t map[] = { R_BARRIER, R_MAIN };
	struct cursor c;
	OTF2_EvtWriter *w;
	OTF2_IdMap *ids = OTF2_IdMap_CreateFromUint64Array(2, map, false);

	ARCHIVE aid = otf2_full_begin(1000000000);
	w = otf2_aid_events(&aid, LOCATION_0);
	EVENT(Enter, 1001, 0);
	EVENT(Leave, 1002, 0);
	otf2_aid_events_end(&aid, w);
	otf2_aid_local(&aid, LOCATION_0, NULL, 0, ids);
	OTF2_IdMap_Free(ids);
	w = otf2_aid_events(&aid, LOCATION_1);
	EVENT(Enter, 1001, 4000);
	EVENT(MpiSend, 1002, 2, 4000, 5, 100);
	EVENT(MpiSend, 1003, 50, C_WORLD, 5, 100);
	EVENT(Leave, 1004, 4000);
	otf2_aid_events_end(&aid, w);
	OWNED_TRACE *trace = otf2_full_load(&aid, 2);
	assert_true(cursor_first(&c, trace, BASE_MEASURED, otf2_full_location(trace, LOCATION_0)));
	assert_string_equal(trace_region_name(trace, trace_callpath_region(trace, cursor_path(&c))),
			    "MPI_Barrier");
	assert_int_equal(trace_location(trace, otf2_full_location(trace, LOCATION_1))->events, 4);
	assert_int_equal(found(trace, "region-undefined"), 1);
	assert_int_equal(found(trace, "communicator-undefined"), 1);
	assert_int_equal(found(trace, "partner-unknown"), 1);
	/* It was read twice, and has no markers. */
	assert_int_equal(found(trace, "markers-cut"), 0);
	assert_int_equal(found(trace, "local-definitions"), 0);
}

/* ---- stopping ---- */

struct watcher {
	unsigned steps, most;
	uint64_t done, all;
	bool dropped, backwards;
};

static bool watch(void *context, const char *what, uint64_t done, uint64_t all)
{
	struct watcher *w = context;

	if (strcmp(what, "reading") != 0)
		return true;
	w->backwards |= done < w->done || done > all;
	w->done = done;
	w->all = all;
	return ++w->steps <= w->most;
}

static bool is_dropped(void *context)
{
	return ((const struct watcher *)context)->dropped;
}

static struct trace *load_watched(struct watcher *w, int jobs, struct err *err)
{
	const struct load_options options = { .no_cache = true, .jobs = jobs };
	const struct progress progress = { .step = watch, .context = w, .dropped = is_dropped };

	return trace_load("traces/otf2/mg.S-4", &options, &progress, err);
}

TEST(stopping)
{
	struct watcher all = { .most = UINT32_MAX }, few = { .most = 4 }, none = { .most = 4 };
	struct err err = ERR_INIT;
	struct trace *trace = load_watched(&all, 1, &err);

	assert_non_null(trace);
	assert_int_equal(trace_event_count(trace), 32580);
	assert_false(trace_partial(trace)->is);
	assert_false(all.backwards);
	assert_int_equal(all.done, all.all);
	trace_free(trace);
	trace = load_watched(&few, 1, &err);
	assert_non_null(trace);
	assert_true(trace_partial(trace)->is);
	assert_memory_equal(trace_partial(trace)->text, "stopped at ", 11);
	assert_in_range(trace_event_count(trace), 1, 32579);
	assert_int_equal(few.steps, 5);
	assert_sound(trace);
	trace_free(trace);
	none.dropped = true;
	assert_null(load_watched(&none, 2, &err));
	assert_int_equal(err.status, 0);
}

/* An archive of tview's with four processes, each with a location; the first and the third were
 * made up for it, the second made the fourth. */
static void write_made_up(struct otf2_aid *aid)
{
	const uint32_t name = otf2_aid_string(aid, "it"),
		       made = otf2_aid_string(aid, "tview:made up"),
		       types = otf2_aid_string(aid, "tview:.event types");
	OTF2_AttributeValue value = { .uint64 = 0 };

	DEFINE(SystemTreeNode, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t i = 0; i < 4; i++)
		DEFINE(LocationGroup, i, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
		       i == 3 ? 1 : OTF2_UNDEFINED_LOCATION_GROUP);
	for (uint32_t i = 0; i < 4; i++)
		DEFINE(Location, i, name, OTF2_LOCATION_TYPE_CPU_THREAD, 1, i);
	for (uint32_t i = 0; i < 4; i += 2)
		DEFINE(LocationGroupProperty, i, made, OTF2_TYPE_UINT32, value);
	value.stringRef = types;
	DEFINE(SystemTreeNodeProperty, 0, types, OTF2_TYPE_STRING, value);
	for (uint32_t i = 0; i < 4; i++) {
		OTF2_EvtWriter *w = otf2_aid_events(aid, i);
		EVENT(MeasurementOnOff, 2000, OTF2_MEASUREMENT_ON);
		otf2_aid_events_end(aid, w);
	}
}

/* They are left out, and the others are who they are. */
TEST(made_up_processes)
{
	ARCHIVE aid;
	OWNED_TRACE *trace;

	otf2_aid_begin(&aid, 1000000000);
	write_made_up(&aid);
	trace = otf2_full_load(&aid, 1);
	assert_int_equal(trace_process_count(trace), 2);
	assert_int_equal(trace_process(trace, 1)->creator, 0);
	assert_int_equal(trace_location(trace, 0)->owner, UINT32_MAX);
	assert_int_equal(trace_location(trace, 1)->owner, 0);
	assert_int_equal(trace_location(trace, 2)->owner, UINT32_MAX);
	assert_int_equal(trace_location(trace, 3)->owner, 1);
}

/* A trace without events is one; it is what such a trace is converted to. */
TEST(archives_without_locations)
{
	ARCHIVE aid;
	OWNED_TRACE *trace = NULL;

	otf2_aid_begin(&aid, 1000000000);
	trace = otf2_full_load(&aid, 1);
	assert_int_equal(trace_location_count(trace), 0);
	assert_int_equal(trace_event_count(trace), 0);
}

TEST(modes_of_sends)
{
	assert_int_equal(otf2_send_mode("mpi_issend_"), 2);
	assert_int_equal(otf2_send_mode("MPI_Rsend"), 3);
	assert_int_equal(otf2_send_mode("MPI_Bsend_init"), 1);
	assert_int_equal(otf2_send_mode("MPI_Isend"), 0);
	assert_int_equal(otf2_send_mode("MPI_Recv"), 0);
}
