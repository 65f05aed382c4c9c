/* What a trace of any source says comes back from an OTF2 archive: definitions, events, texts,
 * ticks; also what only PICL has a word for. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/account.h"
#include "harness/built.h"
#include "harness/files.h"
#include "harness/invariants.h"
#include "harness/picl_aid.h"
#include "harness/random.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"

static void comes_back(struct trace *trace, const char *name)
{
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT, was = STR_INIT, is = STR_INIT, differs = STR_INIT;
	struct err err = ERR_INIT;
	OWNED_TRACE *again;
	const char *broken;

	folder_make(folder, "otf2");
	str_add_fmt(&path, "%s/run.otf2", folder);
	if (!trace_save(trace, SAVE_OTF2, path.text, NULL, NULL, NULL, &err))
		fail_msg("%s: %s", name, err.text);
	again = trace_load(path.text, NULL, NULL, &err);
	folder_remove(folder);
	if (!again)
		fail_msg("%s: %s", name, err.text);
	broken = trace_broken(again);
	if (broken)
		fail_msg("%s: %s", name, broken);
	trace_account(trace, ACCOUNT_ALL, &was);
	trace_account(again, ACCOUNT_ALL, &is);
	if (account_differs(&was, &is, &differs))
		fail_msg("%s: %s", name, differs.text);
	assert_int_equal(trace_finding_sum(again, FINDING_DAMAGE), 0);
}

/* ---- random traces: what PICL, captures and OTF2 give the builder, in any order ---- */

enum { PLACES = 5, REGIONS = 6 };

struct maker {
	struct rng random;
	struct builder *b;
	uint32_t locations[PLACES], regions[REGIONS], sites[2 * REGIONS], comms[3];
	uint32_t attribute, window, set;
	uint32_t open[PLACES]; /* enters without leave */
	int64_t now;
};

static uint32_t below(struct maker *m, uint32_t n)
{
	return rng_below(&m->random, n);
}

static void define(struct maker *m)
{
	static const char *const names[REGIONS] = { "main",     "MPI_Send",     "MPI_Bcast",
						    "MPI_Wait", "odd \"name\"", "" };
	static const int32_t pair[] = { 2, 0 }, strangers[] = { 0, 77 };
	const struct metric metric = { .name = builder_string(m->b, "m", 1),
				       .mode = METRIC_ABSOLUTE_NEXT,
				       .value = FIELD_INT,
				       .base = 10 };
	uint32_t metrics[2];

	for (int i = 0; i < PLACES; i++)
		m->locations[i] =
			builder_location(m->b, &(struct location){ .rank = i < 4 ? 2 * i : 2,
								   .process = below(m, 2) ? -1 : i,
								   .thread = i / 4 });
	for (int i = 0; i < REGIONS; i++) {
		const int32_t type = (int32_t)below(m, 2000) - 1000;
		m->regions[i] = builder_region(m->b, names[i], (enum region_class)i, type);
		m->sites[2 * i] = builder_site(m->b, m->regions[i], 0, 0, type);
		m->sites[2 * i + 1] =
			builder_site(m->b, m->regions[i], metric.name, below(m, 3), type - 1);
	}
	m->comms[1] = builder_comm(m->b, "pair", pair, 2, -7);
	m->comms[2] = builder_comm(m->b, "with strangers", strangers, 2, 0);
	m->attribute = builder_object(m->b, OBJECT_ATTRIBUTE, metric.name, (uint64_t[]){ 0, 4 }, 2);
	m->window = builder_object(m->b, OBJECT_RMA_WINDOW, 0, (uint64_t[]){ m->comms[1], 0 }, 2);
	metrics[0] = metrics[1] = builder_metric(m->b, &metric);
	m->set = builder_metric_set(m->b, &(struct metric_set){ .n = 2,
								.metrics = metrics,
								.recorder = UINT32_MAX });
	builder_property(m->b, "key", "one\ttwo");
	builder_property(m->b, "key", "");
	builder_property(m->b, "key (2)", "\xff");
	builder_offset(m->b, &(struct offset){ m->locations[1], -5, 1000, 0 });
	builder_offset(m->b, &(struct offset){ m->locations[1], 99, -1000, 3 });
	builder_offset(m->b, &(struct offset){ m->locations[2], 7, INT64_C(1) << 45, -1 });
	builder_marker(m->b, &(struct marker){ .time = 5,
					       .duration = 7,
					       .category = builder_string(m->b, "a: b", 4),
					       .text = metric.name,
					       .severity = 2 });
	builder_loose(m->b, -3, 0, "-7 -1 0.1 -1 -1 2 \"%c\" ho", 23);
}

static struct message_end any_end(struct maker *m)
{
	struct message_end end = { .rank = 2 * (int32_t)below(m, 4),
				   .process = -1,
				   .tag = (int32_t)below(m, 4) - 1,
				   .comm = m->comms[below(m, 3)],
				   .bytes = below(m, 100000),
				   .request = below(m, 3) };

	if (below(m, 6) == 0)
		end.rank = below(m, 2) ? RANK_UNKNOWN : (int32_t)below(m, 100);
	if (below(m, 6) == 0)
		end.flags |= MSG_NO_BYTES;
	return end;
}

static void any_message(struct maker *m, uint32_t l)
{
	struct message_end end = any_end(m);

	end.has_request = below(m, 2);
	switch (below(m, 7)) {
	case 0:
	case 1:
		/* Of a pair that was guessed the store keeps what one end knew. */
		if (end.rank == RANK_UNKNOWN)
			end.rank = 4;
		end.flags |= (uint16_t)(below(m, 4) << MSG_MODE_SHIFT);
		if (below(m, 8) == 0)
			end.rank = -1;
		builder_send(m->b, l, m->now, &end);
		break;
	case 2:
		builder_send_complete(m->b, l, m->now, end.request,
				      below(m, 2) ? MSG_SEND_BLOCKED : 0);
		break;
	case 3: /* nobody knows before the message is there */
		end.flags |= MSG_NO_BYTES;
		end.bytes = 0;
		builder_recv_request(m->b, l, m->now, &end);
		break;
	case 4:
	case 5:
		end.flags |= below(m, 2) ? MSG_RECV_BLOCKED : 0;
		builder_recv(m->b, l, m->now, &end);
		break;
	default:
		if (below(m, 2))
			builder_request_test(m->b, l, m->now, end.request);
		else
			builder_request_cancelled(m->b, l, m->now, end.request);
	}
}

static void any_collective(struct maker *m, uint32_t l)
{
	if (below(m, 2))
		builder_collective_begin(m->b, l, m->now, m->comms[below(m, 3)],
					 m->regions[below(m, REGIONS)], 2 * (int32_t)below(m, 4),
					 below(m, 2) ? below(m, 100) : UINT64_MAX, UINT64_MAX);
	else
		builder_collective_end(m->b, l, m->now, UINT64_MAX, below(m, 100));
}

static void any_detail(struct maker *m, uint32_t l)
{
	switch (below(m, 4)) {
	case 0:
		builder_detail(m->b, l, m->now, DETAIL_METRIC,
			       (uint64_t[]){ m->set, below(m, 9), (uint64_t)-3 }, 3);
		break;
	case 1:
		builder_detail(m->b, l, m->now, DETAIL_RMA_PUT,
			       (uint64_t[]){ m->window, below(m, 2) ? 2 : 0, 4096, 1 }, 4);
		break;
	case 2: builder_detail(m->b, l, m->now, DETAIL_PROGRAM_END, (uint64_t[]){ 3 }, 1); break;
	default: builder_detail(m->b, l, m->now, DETAIL_UNKNOWN, NULL, 0);
	}
}

static void any_event(struct maker *m)
{
	const uint32_t place = below(m, PLACES), l = m->locations[place];
	const uint32_t site = m->sites[below(m, 2 * REGIONS)];
	const struct record record = { (int32_t)below(m, 99) - 50, site,
				       builder_string(m->b, "2 2 1 2", 7) };

	m->now += below(m, 3);
	switch (below(m, 9)) {
	case 0:
	case 1:
		builder_enter(m->b, l, m->now, site);
		m->open[place]++;
		break;
	case 2:
		if (m->open[place] == 0)
			return;
		m->open[place]--;
		builder_leave(m->b, l, m->now, site);
		break;
	case 3: builder_mark(m->b, l, m->now, site); break;
	case 4: any_message(m, l); break;
	case 5: any_collective(m, l); break;
	case 6: any_detail(m, l); break;
	case 7:
		builder_record(m->b, l, m->now, EV_DATA + (enum event_kind)below(m, 4), &record);
		break;
	default: builder_tracing(m->b, l, m->now, site, below(m, 2));
	}
	if (below(m, 9) == 0)
		builder_attribute(m->b, l, m->attribute, below(m, 9));
	if (below(m, 9) == 0)
		builder_extra(m->b, l, "1 2 7", 5);
	if (below(m, 9) == 0)
		builder_time_text(m->b, l, "0.10", 4);
}

TEST(random_traces_come_back)
{
	static const int64_t rates[] = { 1000000000, 2399997000, 1000000000000, 3 };

	for (uint32_t seed = 1; seed <= rounds(150); seed++) {
		const struct timescale scale = { rates[seed % 4], 9 };
		struct maker m = { .random = { seed * 77 }, .now = (int32_t)(seed % 3) * 40 - 40 };
		OWNED_TRACE *trace;
		char name[32];

		m.b = builder_new("random", &scale, NULL);
		define(&m);
		for (int i = 0; i < 200; i++)
			any_event(&m);
		trace = built_end(m.b);
		snprintf(name, sizeof name, "seed %u", seed);
		comes_back(trace, name);
	}
}

/* ---- files ---- */

static void file_comes_back(const char *path)
{
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = trace_load(path, NULL, NULL, &err);

	if (!trace)
		fail_msg("%s", err.text);
	comes_back(trace, path);
}

static void files_come_back(const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		skip();
	for (size_t i = 0; i < found.gl_pathc; i++)
		file_comes_back(found.gl_pathv[i]);
	globfree(&found);
}

TEST(picl_traces_come_back)
{
	files_come_back("traces/*.trc");
}

/* Those that this copy has. */
TEST(archives_come_back)
{
	files_come_back("traces/otf2/*/*.otf2");
}

/* With arguments: those files alone. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		file_comes_back(argv[i]);
	if (argc > 1)
		return 0;

	return tests_run();
}

/* A location in two files is read by one thread, whatever the others do. */
TEST(one_location_in_two_files)
{
	enum { SEED = 4, TIMES = 20 };
	OWNED_TRACE *trace = random_trace(SEED, 90, 1000000000);
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT;
	OWNED char *alone = NULL;
	struct err err = ERR_INIT;

	folder_make(folder, "otf2");
	str_add_fmt(&path, "%s/run.otf2", folder);
	assert_true(trace_save(trace, SAVE_OTF2, path.text, NULL, NULL, NULL, &err));
	for (int i = 0; i < TIMES; i++) {
		const struct load_options how = { .no_cache = true, .jobs = i % 8 + 1 };
		OWNED_TRACE *read = trace_load(path.text, &how, NULL, &err);
		assert_non_null(read);
		OWNED char *events = aid_events(read);
		if (!alone)
			alone = xstrdup(events);
		assert_string_equal(events, alone);
	}
	folder_remove(folder);
}
