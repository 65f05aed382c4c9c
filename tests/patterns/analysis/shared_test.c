/* A trace that several processes share says of every event of every location what it says where one
 * has all: the other end of its message, the call around that, its collective; and the wait states
 * found in it are the same to the last bit. */
#include "base/mem.h"
#include "harness/files.h"
#include "harness/load_trace.h"
#include "harness/notation.h"
#include "harness/one_sided.h"
#include "harness/owners.h"
#include "harness/processes.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/trace/detail.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "patterns/analysis/calls.h"
#include "patterns/causes/causes.h"
#include "patterns/causes/ideal.h"
#include "patterns/kinds/waiting_run.h"
#include "patterns/patterns.h"

enum { MOST = 8, SEEDS = 10, STEPS = 400 };

FREES(calls_free, struct calls)

/* What each process has. */
struct seen {
	struct trace *trace;
	bool *own; /* [locations] it has their events */
	struct analysis *analysis;
	struct cube *cube, *middle; /* of the run, and of a part of it */
	struct causes_account account;
	int64_t ideal; /* ticks */
	struct err err;
};

struct sharing {
	const char *path;
	struct seen seen[MOST];
};

static void look(struct seen *s, const char *path, struct exchange *x)
{
	const struct load_options options = { .jobs = 1, .no_cache = true, .exchange = x };
	const struct analysis_options analysing = { .jobs = 1 };
	int64_t begin, end;

	s->trace = trace_load(path, &options, NULL, &s->err);
	if (!s->trace)
		return;
	s->analysis = analysis_new(patterns, s->trace, BASE_MEASURED, &analysing, NULL, &s->err);
	if (!s->analysis)
		return;
	trace_span(s->trace, BASE_MEASURED, &begin, &end);
	causes_account(causes_of(s->analysis, NULL, &s->err), &s->account);
	s->ideal = ideal_run_time(s->trace, BASE_MEASURED, NULL, &s->err);
	s->middle = analysis_cube(s->analysis, begin + (end - begin) / 4,
				  begin + (end - begin) / 4 * 3, CUBE_ALL, NULL, &s->err);
	s->cube = analysis_cube(s->analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, &s->err);
}

static void look_at_share(struct exchange *x, void *context)
{
	struct sharing *sharing = context;

	struct seen *seen = &sharing->seen[x->process];

	look(seen, sharing->path, x);
	if (!seen->trace)
		return;
	seen->own = xcalloc(trace_location_count(seen->trace) + 1u, sizeof *seen->own);
	for (uint32_t l = 0; l < trace_location_count(seen->trace); l++)
		seen->own[l] = trace_has_location(seen->trace, l);
}

static void forget(struct seen *s)
{
	cube_free(s->cube);
	cube_free(s->middle);
	analysis_free(s->analysis);
	trace_free(s->trace);
	free(s->own);
}

/* ---- what they say of an event ---- */

static void assert_same_end(const struct seen *one, const struct seen *whole, uint32_t mine,
			    uint32_t theirs)
{
	const struct trace *a = one->trace, *b = whole->trace;
	const struct call_span x = calls_meeting(analysis_calls(one->analysis), mine);
	const struct call_span y = calls_meeting(analysis_calls(whole->analysis), theirs);

	assert_int_equal(trace_event_location(a, mine), trace_event_location(b, theirs));
	assert_int_equal(trace_event_time(a, BASE_MEASURED, mine),
			 trace_event_time(b, BASE_MEASURED, theirs));
	assert_int_equal(what_kind(trace_event_what(a, mine)),
			 what_kind(trace_event_what(b, theirs)));
	assert_int_equal(x.path, y.path);
	assert_int_equal(x.en, y.en);
	assert_int_equal(x.lv, y.lv);
}

static void assert_same_message(const struct seen *one, const struct seen *whole, uint32_t mine,
				uint32_t theirs)
{
	const struct message *m = trace_message(one->trace, mine);
	const struct message *n = trace_message(whole->trace, theirs);
	uint32_t x, y;

	assert_int_equal(m->flags, n->flags);
	assert_int_equal(m->comm, n->comm);
	assert_int_equal(m->tag, n->tag);
	assert_int_equal(message_bytes(m), message_bytes(n));
	assert_int_equal(message_source(one->trace, m), message_source(whole->trace, n));
	assert_int_equal(message_destination(one->trace, m), message_destination(whole->trace, n));
	if (!(m->flags & MSG_NO_SEND))
		assert_same_end(one, whole, m->send, n->send);
	if (m->flags & MSG_NO_RECV)
		return;
	assert_same_end(one, whole, m->recv, n->recv);
	if (m->flags & MSG_NO_SEND)
		return;
	x = calls_post(analysis_calls(one->analysis), mine);
	y = calls_post(analysis_calls(whole->analysis), theirs);
	assert_int_equal(x == EVENT_NONE, y == EVENT_NONE);
	if (x != EVENT_NONE)
		assert_same_end(one, whole, x, y);
	assert_int_equal(calls_persistent(analysis_calls(one->analysis), mine),
			 calls_persistent(analysis_calls(whole->analysis), theirs));
}

static void assert_same_member(const struct seen *one, const struct seen *whole, uint32_t mine,
			       uint32_t theirs)
{
	const uint32_t a = trace_member_collective(one->trace, mine);
	const struct collective *c = trace_collective(one->trace, a);
	const struct collective *d =
		trace_collective(whole->trace, trace_member_collective(whole->trace, theirs));
	const uint32_t members =
		a >= trace_first_turn(one->trace) ? trace_turn(one->trace, a)->members : c->members;

	assert_int_equal(c->comm, d->comm);
	assert_int_equal(c->region, d->region);
	assert_int_equal(c->root, d->root);
	assert_int_equal(c->flags, d->flags);
	assert_int_equal(members, d->members);
}

static void assert_same_event(const struct seen *one, const struct seen *whole, uint32_t mine,
			      uint32_t theirs)
{
	const enum event_kind kind = what_kind(mine);

	assert_int_equal(kind, what_kind(theirs));
	switch (kind) {
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED:
		assert_int_equal(what_id(mine) == ID_NONE, what_id(theirs) == ID_NONE);
		if (what_id(mine) != ID_NONE)
			assert_same_message(one, whole, what_id(mine), what_id(theirs));
		break;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END:
		assert_int_equal(what_id(mine) == ID_NONE, what_id(theirs) == ID_NONE);
		if (what_id(mine) != ID_NONE)
			assert_same_member(one, whole, what_id(mine), what_id(theirs));
		break;
	case EV_ENTER:
	case EV_LEAVE: assert_int_equal(mine, theirs); break;
	default: break;
	}
}

static void assert_same_location(const struct seen *one, const struct seen *whole,
				 uint32_t location)
{
	struct cursor a, b;
	bool more = cursor_first(&a, one->trace, BASE_MEASURED, location);
	bool others = cursor_first(&b, whole->trace, BASE_MEASURED, location);

	for (; more && others; more = cursor_next(&a), others = cursor_next(&b)) {
		assert_int_equal(cursor_time(&a), cursor_time(&b));
		assert_same_event(one, whole, cursor_what(&a), cursor_what(&b));
	}
	assert_int_equal(more, others);
}

/* ---- what they find ---- */

/* A process has the cells of its own locations, and what is so of those of all. */
static void assert_same_cube(const struct seen *one, const struct cube *a, const struct cube *b)
{
	for (int m = 0; m < CUBE_METRICS; m++) {
		size_t n, others, at = 0;
		const struct cube_cell *x = cube_cells(a, (enum cube_metric)m, &n);
		const struct cube_cell *y = cube_cells(b, (enum cube_metric)m, &others);
		for (size_t i = 0; i < others; i++) {
			if (!one->own[y[i].location])
				continue;
			assert_true(at < n);
			assert_int_equal(x[at].path, y[i].path);
			assert_int_equal(x[at].location, y[i].location);
			assert_memory_equal(&x[at].value, &y[i].value, sizeof x[at].value);
			at++;
		}
		assert_int_equal(at, n);
		assert_true(cube_has(a, (enum cube_metric)m) == cube_has(b, (enum cube_metric)m));
		assert_true(cube_total(a, (enum cube_metric)m, NULL) ==
			    cube_total(b, (enum cube_metric)m, NULL));
	}
}

static void assert_same_counts(const struct analysis *a, const struct analysis *b)
{
	assert_memory_equal(analysis_counts(a), analysis_counts(b), sizeof(struct analysis_counts));
}

static void assert_same_account(const struct causes_account *a, const struct causes_account *b)
{
	assert_memory_equal(&a->waited, &b->waited, sizeof a->waited);
	assert_memory_equal(&a->charged, &b->charged, sizeof a->charged);
	assert_memory_equal(&a->unexplained, &b->unexplained, sizeof a->unexplained);
	assert_int_equal(a->cut, b->cut);
}

static void assert_same_findings(const struct trace *a, const struct trace *b)
{
	assert_int_equal(trace_finding_count(a), trace_finding_count(b));
	for (size_t i = 0; i < trace_finding_count(a); i++) {
		assert_string_equal(trace_finding(a, i)->text, trace_finding(b, i)->text);
		assert_int_equal(trace_finding(a, i)->count, trace_finding(b, i)->count);
	}
}

static void assert_shared(const char *path, const struct seen *whole, uint32_t n)
{
	struct sharing sharing = { .path = path };

	processes_run(n, look_at_share, &sharing);
	for (uint32_t p = 0; p < n; p++) {
		const struct seen *one = &sharing.seen[p];
		if (!one->cube)
			fail_msg("%s", one->err.text);
		for (uint32_t l = 0; l < trace_location_count(one->trace); l++)
			if (one->own[l])
				assert_same_location(one, whole, l);
	}
	for (uint32_t p = 0; p < n; p++) {
		const struct seen *one = &sharing.seen[p];
		assert_same_cube(one, one->cube, whole->cube);
		assert_same_cube(one, one->middle, whole->middle);
		assert_same_counts(one->analysis, whole->analysis);
		assert_same_account(&one->account, &whole->account);
		assert_int_equal(one->ideal, whole->ideal);
		assert_same_findings(one->trace, whole->trace);
	}
	for (uint32_t p = 0; p < n; p++)
		forget(&sharing.seen[p]);
}

static void assert_all_shared(const char *path)
{
	struct seen whole = { 0 };

	look(&whole, path, NULL);
	if (!whole.cube)
		fail_msg("%s", whole.err.text);
	for (uint32_t n = 2; n <= MOST; n += n == 2 ? 1 : 5)
		assert_shared(path, &whole, n);
	forget(&whole);
}

/* The trace, saved and read by several; then it is gone. */
static void assert_saved(struct trace *owned, enum save_format format)
{
	FREED_BY(trace_free) struct trace *trace = owned;
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT;
	struct err err = ERR_INIT;

	folder_make(folder, "shared");
	str_add_fmt(&path, "%s/run.%s", folder, format == SAVE_OTF2 ? "otf2" : "trc");
	if (!trace_save(trace, format, path.text, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
	assert_all_shared(path.text);
	folder_remove(folder);
}

static void assert_trace(struct trace *owned)
{
	assert_saved(owned, SAVE_OTF2);
}

TEST(random_traces_are_the_same_in_shares)
{
	for (uint64_t seed = 1; seed <= rounds(SEEDS); seed++)
		assert_trace(random_trace_of_messages(seed, STEPS, 1000000000, false));
}

TEST(threads_that_send_at_once_are_the_same_in_shares)
{
	for (uint64_t seed = 1; seed <= rounds(SEEDS); seed++)
		assert_trace(random_trace_of_messages(seed, STEPS, 1000000000, true));
}

TEST(causes_of_waiting_are_the_same_in_shares)
{
	for (uint64_t seed = 1; seed <= rounds(SEEDS); seed++)
		assert_trace(waiting_random(seed, 3 + (uint32_t)(seed % 7), STEPS));
}

TEST(waits_for_each_other_are_cut_at_the_same_places_in_shares)
{
	assert_trace(waiting_impossible(100));
}

TEST(one_sided_communication_is_the_same_in_shares)
{
	for (uint64_t seed = 1; seed <= rounds(SEEDS); seed++)
		assert_trace(one_sided_random(seed));
}

/* A host waits for its program's stream, whose rank is another one's: ranks 0 and 1 are of one
 * program, and the stream of a context that this made. From 10 to the kernel's end at 60. */
static struct trace *stream_of_another_rank(void)
{
	struct notation n;
	uint32_t program, context, stream;

	notation_begin(&n, 1000000000);
	notation_write(&n, "ranks 3; region sync = cudaDeviceSynchronize role 1 paradigm 5\n"
			   "region kernel role 1 paradigm 5\n"
			   "rank 0: main@0 { sync@10-90 } @100\n"
			   "rank 1: main@0-100\n"
			   "rank 2: main@0-100");
	program = builder_process(n.b, &(struct process){ .node = UINT32_MAX,
							  .type = 1,
							  .creator = UINT32_MAX });
	context = builder_process(n.b, &(struct process){
					       .node = UINT32_MAX, .type = 2, .creator = program });
	builder_location_owner(n.b, n.places.data[0].location, program, LOCATION_CPU, 0);
	builder_location_owner(n.b, n.places.data[1].location, program, LOCATION_CPU, 1);
	notation_write(&n, "rank 2 thread 1: kernel@20-60");
	stream = vec_last(&n.places)->location;
	builder_location_owner(n.b, stream, context, LOCATION_ACCELERATOR, 2);
	return notation_finish(&n);
}

TEST(a_stream_of_another_rank_is_waited_for_in_shares)
{
	OWNED_TRACE *trace = stream_of_another_rank();
	struct err err = ERR_INIT;
	FREED_BY(analysis_free)
	struct analysis *analysis = analysis_new(patterns, trace, BASE_MEASURED, NULL, NULL, &err);
	size_t n;
	const struct wait *w = analysis_waits(analysis, 0, &n);

	assert_int_equal(n, 1);
	assert_int_equal(w->metric, CUBE_DEVICE_WAIT);
	assert_int_equal(w->length, 50);
	assert_saved(stream_of_another_rank(), SAVE_OTF2);
	assert_saved(stream_of_another_rank(), SAVE_PICL);
}
