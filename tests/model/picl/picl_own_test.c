/* What tview adds to a PICL file: written, read back, written the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/built.h"
#include "harness/notation.h"
#include "harness/picl_aid.h"
#include "harness/test.h"

/* Rank 0 sends to 1 (blocking) and 2 (non-blocking, in `half`), and to no one. */
static const char run[] =
	"file 'a file.c'; comm half 0 2; property command './a.out 3'; node n0 0 1 2\n"
	"offset 1 5 -1234 500; offset 1 9000 -1300\n"
	"region main class user picl 0 file 'a file.c' line 3\n"
	"region MPI_Send class p2p picl -21; region MPI_Recv class p2p picl -51\n"
	"region MPI_Isend class p2p picl -27; region MPI_Irecv class p2p picl -57\n"
	"region MPI_Waitall class p2p picl 1; region MPI_Wait class p2p picl -60\n"
	"region MPI_Allreduce class collective picl -782\n"
	"region MPI_Bcast class collective picl -785; region MPI_Exscan class collective picl 2\n"
	"rank 0: main@1 {\n"
	"	MPI_Send:10@20-30 ->1 tag 5 8B\n"
	"	MPI_Isend:12@40-41 ->2 tag 6 80B comm half req 77\n"
	"	MPI_Waitall:13@50-55 sent 77\n"
	"	MPI_Send:10@60-61\n"
	"	MPI_Allreduce:20@100-110 all 8B/16B, MPI_Bcast:21@200-210 all root 1 8B/16B\n"
	"	MPI_Exscan@300-310 all 8B/16B } @400\n"
	"rank 1: main@2 { MPI_Recv:11@15-35 <-0 tag 5 8B\n"
	"	MPI_Allreduce:20@100-111 all 8B/16B, MPI_Bcast:21@200-211 all root 1 8B/16B\n"
	"	MPI_Exscan@300-311 all 8B/16B } @400\n"
	"rank 2: main@3 {\n"
	"	MPI_Irecv:14@10-11 post <-? tag 6 ?B comm half req 4\n"
	"	MPI_Wait:15@45-58 <-0 tag 6 80B comm half req 4\n"
	"	MPI_Allreduce:20@100-112 all 8B/16B, MPI_Bcast:21@200-212 all root 1 8B/16B\n"
	"	MPI_Exscan@300-312 all 8B/16B } @400\n";

static struct trace *make_trace(void)
{
	static const int32_t world[] = { 0, 1, 2 }, size[] = { 3, 1 },
			     coords[] = { 0, 0, 1, 0, 2, 0 };
	static const uint8_t periodic[] = { 1, 0 };
	struct topology ring = { .dims = 2, .size = size, .periodic = periodic, .coords = coords };
	const struct builder_options options = { .decide_blocked = true };
	struct err err = ERR_INIT;
	struct notation n;
	struct trace *trace;

	notation_begin(&n, 1000000000);
	builder_world(n.b, world, 3);
	for (int i = 0; i < 3; i++) {
		const struct location location = { .rank = i, .process = 50 + i };
		vec_push(&n.places, ((struct notation_place){ builder_location(n.b, &location), i,
							      0, 0, 0, 0 }));
	}
	notation_write(&n, "%s", run);
	ring.name = built_string(n.b, "ring");
	builder_topology(n.b, &ring, 3);
	trace = builder_finish(n.b, &options, NULL, &err);
	n.b = NULL;
	notation_fini(&n);
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
	OWNED_TRACE *made = make_trace(), *trace;
	OWNED char *text = aid_write(made);
	const char *at = strstr(text, "-308 -21 0.000000060 0 50 1 2 ");
	const struct site *site;
	OWNED char *path;

	assert_non_null(at);
	assert_non_null(strstr(at, "\n-3 -21 0.000000060 0 50 0\n-4 -21 0.000000061 0 50 0\n"));
	assert_null(strstr(text, " 2 -1 -1 -1"));
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
		assert_int_equal(found(trace, "call-site"), 1);
	}
}

TEST(versions)
{
	OWNED_TRACE *later = aid_load("-7 -1 0.0 -1 -1 18 \"%c\" tview:format=1.999\n"
				      "-7 -1 0.0 -1 -1 14 \"%c\" tview:newkey=7\n-3 7 0.1 0 0 0\n");
	OWNED_TRACE *other = aid_load("-7 -1 0.0 -1 -1 17 \"%c\" tview:format=99.0\n"
				      "-7 -1 0.0 -1 -1 14 \"%c\" tview:newkey=7\n-3 7 0.1 0 0 0\n");

	assert_string_equal(trace_property_value(later, "newkey"), "7");
	assert_null(trace_property_value(other, "newkey"));
	assert_int_equal(found(other, "newer-format"), 1);
	assert_int_equal(trace_loose_count(other), 2);
}
