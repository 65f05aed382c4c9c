/* What tview adds to a PICL file: written, read back, written the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/picl_aid.h"
#include "harness/test.h"

struct maker {
	struct builder *b;
	uint32_t file;
	uint32_t at[3]; /* locations */
	uint32_t half;  /* a communicator of ranks 0 and 2 */
};

static uint32_t site(struct maker *m, const char *name, enum region_class cls, int32_t type,
		     uint32_t line)
{
	return builder_site(m->b, builder_region(m->b, name, cls, type), line ? m->file : 0, line,
			    type);
}

static void make_definitions(struct maker *m)
{
	static const int32_t world[] = { 0, 1, 2 }, half[] = { 0, 2 }, size[] = { 3, 1 },
			     coords[] = { 0, 0, 1, 0, 2, 0 };
	static const uint8_t periodic[] = { 1, 0 };
	struct topology topology = { .dims = 2, .size = size, .periodic = periodic };

	builder_world(m->b, world, 3);
	m->half = builder_comm(m->b, "half", half, 2, 0);
	m->file = builder_string(m->b, "a file.c", 8);
	builder_property(m->b, "command", "./a.out 3");
	for (int i = 0; i < 3; i++) {
		m->at[i] =
			builder_location(m->b, &(struct location){ .rank = i, .process = 50 + i });
		builder_location_node(m->b, m->at[i], builder_string(m->b, "n0", 2));
	}
	topology.name = builder_string(m->b, "ring", 4);
	topology.coords = coords;
	builder_topology(m->b, &topology, 3);
	builder_offset(m->b, &(struct offset){ m->at[1], 5, -1234, 500 });
	builder_offset(m->b, &(struct offset){ m->at[1], 9000, -1300, -1 });
}

static struct message_end end_of(int32_t rank, int32_t tag, uint64_t bytes, uint32_t comm)
{
	return (struct message_end){
		.rank = rank, .process = -1, .tag = tag, .bytes = bytes, .comm = comm
	};
}

/* Rank 0 sends to 1 (blocking) and 2 (non-blocking, in `half`), and to nobody. */
static void make_messages(struct maker *m)
{
	const uint32_t send = site(m, "MPI_Send", CLASS_P2P, -21, 10);
	const uint32_t recv = site(m, "MPI_Recv", CLASS_P2P, -51, 11);
	const uint32_t isend = site(m, "MPI_Isend", CLASS_P2P, -27, 12);
	const uint32_t waitall = site(m, "MPI_Waitall", CLASS_P2P, 1, 13);
	const uint32_t irecv = site(m, "MPI_Irecv", CLASS_P2P, -57, 14);
	const uint32_t wait = site(m, "MPI_Wait", CLASS_P2P, -60, 15);
	struct message_end end = end_of(1, 5, 8, 0);

	builder_enter(m->b, m->at[0], 20, send);
	builder_send(m->b, m->at[0], 20, &end);
	builder_leave(m->b, m->at[0], 30, send);
	end = end_of(2, 6, 80, m->half);
	end.has_request = true;
	end.request = 77;
	builder_enter(m->b, m->at[0], 40, isend);
	builder_send(m->b, m->at[0], 40, &end);
	builder_leave(m->b, m->at[0], 41, isend);
	builder_enter(m->b, m->at[0], 50, waitall);
	builder_send_complete(m->b, m->at[0], 55, 77, 0);
	builder_leave(m->b, m->at[0], 55, waitall);
	builder_enter(m->b, m->at[0], 60, send);
	builder_leave(m->b, m->at[0], 61, send);

	end = end_of(0, 5, 8, 0);
	builder_enter(m->b, m->at[1], 15, recv);
	builder_recv(m->b, m->at[1], 35, &end);
	builder_leave(m->b, m->at[1], 35, recv);

	end = end_of(RANK_UNKNOWN, 6, 0, m->half);
	end.flags = MSG_NO_BYTES;
	end.has_request = true;
	end.request = 4;
	builder_enter(m->b, m->at[2], 10, irecv);
	builder_recv_request(m->b, m->at[2], 10, &end);
	builder_leave(m->b, m->at[2], 11, irecv);
	end = end_of(0, 6, 80, m->half);
	end.has_request = true;
	end.request = 4;
	builder_enter(m->b, m->at[2], 45, wait);
	builder_recv(m->b, m->at[2], 58, &end);
	builder_leave(m->b, m->at[2], 58, wait);
}

static void make_collective(struct maker *m, const char *name, enum region_class cls, int32_t type,
			    uint32_t line, int64_t time)
{
	const uint32_t where = site(m, name, cls, type, line);
	const uint32_t region = builder_region(m->b, name, cls, type);

	for (int i = 0; i < 3; i++) {
		builder_enter(m->b, m->at[i], time, where);
		builder_collective_begin(m->b, m->at[i], time, 0, region, type == -785 ? 1 : -1, 8,
					 UINT64_MAX);
		builder_collective_end(m->b, m->at[i], time + 10 + i, UINT64_MAX, 16);
		builder_leave(m->b, m->at[i], time + 10 + i, where);
	}
}

static struct trace *make_trace(void)
{
	const struct builder_options options = { .decide_blocked = true };
	struct err err = ERR_INIT;
	struct maker m = { .b = builder_new("made", &units_nanoseconds, &err) };
	struct trace *trace;
	uint32_t main_site;

	assert_non_null(m.b);
	make_definitions(&m);
	main_site = site(&m, "main", CLASS_USER, 0, 0);
	builder_region_source(m.b, builder_region(m.b, "main", CLASS_USER, 0), "a file.c", 3);
	for (int i = 0; i < 3; i++)
		builder_enter(m.b, m.at[i], 1 + i, main_site);
	make_messages(&m);
	make_collective(&m, "MPI_Allreduce", CLASS_COLLECTIVE, -782, 20, 100);
	make_collective(&m, "MPI_Bcast", CLASS_COLLECTIVE, -785, 21, 200);
	make_collective(&m, "MPI_Exscan", CLASS_COLLECTIVE, 2, 0, 300);
	for (int i = 0; i < 3; i++)
		builder_leave(m.b, m.at[i], 400, main_site);
	trace = builder_finish(m.b, &options, NULL, &err);
	assert_non_null(trace);
	return trace;
}

TEST(comes_back_as_it_was)
{
	OWNED_TRACE *trace = make_trace();
	OWNED char *once = aid_write(trace);
	OWNED char *twice = aid_again(once);

	assert_string_equal(once, twice);
}

TEST(nothing_is_lost)
{
	OWNED_TRACE *made = make_trace();
	OWNED char *text = aid_write(made);
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = aid_read(text, strlen(text), true, &err);
	OWNED char *before = aid_events(made), *after;

	if (!trace)
		fail_msg("%s", err.text);
	after = aid_events(trace);
	assert_string_equal(before, after);
	assert_string_equal(trace_property_value(trace, "command"), "./a.out 3");
	assert_int_equal(trace_message_count(trace), 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct message *a = trace_message(made, i), *b = trace_message(trace, i);
		assert_int_equal(a->flags, b->flags);
		assert_int_equal(a->tag, b->tag);
		assert_int_equal(message_bytes(a), message_bytes(b));
		assert_int_equal(trace_comm(trace, b->comm)->size, i ? 2 : 3);
	}
	/* Both receives waited: rank 1 entered at 15 for a send at 20; rank 2 did not. */
	assert_true(trace_message(trace, 0)->flags & MSG_RECV_BLOCKED);
	assert_false(trace_message(trace, 1)->flags & MSG_RECV_BLOCKED);
	assert_int_equal(trace_collective_count(trace), 3);
	assert_int_equal(trace_collective(trace, 1)->root, 1);
	assert_int_equal(trace_collective(trace, 2)->root, -1);
	assert_int_equal(trace_member(trace, trace_collective(trace, 2)->first)->sent, 8);
	assert_int_equal(trace_topology_count(trace), 1);
	assert_int_equal(trace_topology(trace, 0)->coords[4], 2);
	assert_int_equal(trace_offset_count(trace), 2);
	assert_int_equal(trace_offset(trace, 0)->offset, -1234);
	assert_int_equal(trace_offset(trace, 0)->rtt, 500);
	assert_int_equal(trace_offset(trace, 1)->rtt, -1);
	assert_string_equal(trace_string(trace, trace_location(trace, 2)->node), "n0");
	assert_int_equal(trace_location(trace, 2)->process, 52);
	assert_string_equal(trace_string(trace, trace_comm(trace, 1)->name), "half");
}

TEST(call_sites_and_classes_are_restored)
{
	OWNED_TRACE *made = make_trace();
	OWNED char *text = aid_write(made);
	OWNED_TRACE *trace = aid_load(text);
	unsigned found = 0;

	for (uint32_t s = 0; s < trace_site_count(trace); s++) {
		const struct site *at = trace_site(trace, s);
		const char *name = trace_region_name(trace, at->region);
		const struct region *region = trace_region(trace, at->region);
		if (strcmp(name, "MPI_Waitall") == 0 && at->line == 13) {
			assert_int_equal(region->cls, CLASS_P2P);
			assert_string_equal(trace_string(trace, at->file), "a file.c");
			found++;
		} else if (strcmp(name, "main") == 0) {
			assert_int_equal(region->line, 3);
			assert_string_equal(trace_string(trace, region->file), "a file.c");
			found++;
		}
	}
	assert_int_equal(found, 2);
}

/* A send to nobody has no field that could be a destination; its line stands in the record
 * before. */
TEST(calls_without_message_have_no_data)
{
	struct trace *trace = make_trace();
	OWNED char *text = aid_write(trace);
	const char *at = strstr(text, "-308 -21 0.000000060 0 50 1 2 ");
	const struct site *site;
	OWNED char *path;

	assert_non_null(at);
	assert_non_null(strstr(at, "\n-3 -21 0.000000060 0 50 0\n-4 -21 0.000000061 0 50 0\n"));
	assert_null(strstr(text, " 2 -1 -1 -1"));
	trace_free(trace);
	trace = aid_load(text);
	assert_int_equal(trace_message_count(trace), 2);
	site = trace_site(trace,
			  trace_callpath(trace, trace_path_at(trace, BASE_MEASURED, 0, 60))->site);
	assert_int_equal(site->line, 10);
	/* As it was written before there was such a record: read alike, and kept. */
	path = aid_again("-7 -1 0.0 -1 -1 16 \"%c\" tview:format=1.0\n"
			 "-7 -1 0.0 -1 -1 17 \"%c\" tview:site=1 5 a.c\n"
			 "-3 -27 0.1 0 9 6 2 -1 -1 -1 -1 -1 1\n-4 -27 0.2 0 9 0\n");
	assert_non_null(strstr(path, "-3 -27 0.1 0 9 6 2 -1 -1 -1 -1 -1 1\n"));
	assert_null(strstr(path, "-308"));
	trace_free(trace);
}

TEST(call_sites_that_are_no_calls_are_told)
{
	static const char *const ends[] = {
		"-308 -27 0.1 0 9 1 2 1\n-3 -21 0.1 0 9 0\n-4 -21 0.2 0 9 0\n",
		"-308 -27 0.1 0 9 1 2 1\n-308 -27 0.1 0 9 1 2 1\n-3 -27 0.1 0 9 0\n",
		"-308 -27 0.1 0 9 1 2 7\n-3 -27 0.1 0 9 0\n-4 -27 0.2 0 9 0\n",
		"-308 -27 0.1 0 9 1 2 -5\n-3 -27 0.1 0 9 0\n-4 -27 0.2 0 9 0\n",
		"-3 7 0.1 0 9 0\n-4 7 0.1 0 9 0\n-308 -27 0.1 0 9 1 2 1\n",
		"-308 -27 0.1 0 9 0\n-3 -27 0.1 0 9 0\n-4 -27 0.2 0 9 0\n",
	};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		char text[512];
		OWNED_TRACE *trace;
		snprintf(text, sizeof text,
			 "-7 -1 0.0 -1 -1 16 \"%%c\" tview:format=1.0\n"
			 "-7 -1 0.0 -1 -1 17 \"%%c\" tview:site=1 5 a.c\n%s",
			 ends[i]);
		trace = aid_load(text);
		assert_int_equal(aid_finding(trace, "call-site"), 1);
	}
}

TEST(versions)
{
	struct trace *trace =
		aid_load("-7 -1 0.0 -1 -1 18 \"%c\" tview:format=1.999\n"
			 "-7 -1 0.0 -1 -1 14 \"%c\" tview:newkey=7\n-3 7 0.1 0 0 0\n");

	assert_string_equal(trace_property_value(trace, "newkey"), "7");
	trace_free(trace);
	trace = aid_load("-7 -1 0.0 -1 -1 17 \"%c\" tview:format=99.0\n"
			 "-7 -1 0.0 -1 -1 14 \"%c\" tview:newkey=7\n-3 7 0.1 0 0 0\n");
	assert_null(trace_property_value(trace, "newkey"));
	assert_int_equal(aid_finding(trace, "newer-format"), 1);
	assert_int_equal(trace_loose_count(trace), 2);
	trace_free(trace);
}
