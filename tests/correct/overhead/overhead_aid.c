#include "correct/overhead/overhead_aid.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "correct/overhead/overhead_aid_run.h"
#include "model/build/builder.h"
#include "model/trace/record_type.h"

enum { ANY_TAG = 7 };

static const struct timescale picoseconds = { 1000000000000, 12 };

static const struct {
	const char *name;
	enum region_class class;
} region_kinds[REGIONS] = {
	{ "f0", CLASS_USER },
	{ "f1", CLASS_USER },
	{ "f2", CLASS_USER },
	{ "f3", CLASS_USER },
	{ "MPI_Send", CLASS_P2P },
	{ "MPI_Recv", CLASS_P2P },
	{ "MPI_Irecv", CLASS_P2P },
	{ "MPI_Waitall", CLASS_P2P },
	{ "MPI_Sendrecv", CLASS_P2P },
	{ "MPI_Barrier", CLASS_SYNC },
	{ "MPI_Allreduce", CLASS_COLLECTIVE },
	{ "MPI_Bcast", CLASS_COLLECTIVE },
	{ "MPI_Reduce", CLASS_COLLECTIVE },
	{ "MPI_Scan", CLASS_COLLECTIVE },
	{ "flush", CLASS_OVERHEAD },
	{ "tview_unrecorded", CLASS_USER },
};

/* ---- programs ---- */

struct aid_program *aid_new(uint32_t ranks)
{
	struct aid_program *p = xcalloc(1, sizeof *p);

	p->ranks = ranks;
	p->steps = xcalloc(ranks, sizeof *p->steps);
	p->latency = 900000;
	p->receive = 120000;
	p->sync = 700000;
	p->seed = 1;
	return p;
}

void aid_free(struct aid_program *p)
{
	for (uint32_t r = 0; r < p->ranks; r++)
		vec_fini(&p->steps[r]);
	free_all(p->steps, p);
}

void aid_add(struct aid_program *p, uint32_t rank, struct aid_step step)
{
	vec_push(&p->steps[rank], step);
}

void aid_call(struct aid_program *p, uint32_t rank, int function, int64_t ticks, int n)
{
	for (int i = 0; i < n; i++)
		aid_add(p, rank, (struct aid_step){ AID_FUNCTION, function, 0, ticks, 0 });
}

void aid_one_cost(struct aid_program *p, int64_t cost)
{
	for (int i = 0; i < AID_FUNCTIONS; i++)
		p->function[i] = cost;
	p->loop = (cost - 400) / 4 * 5; /* 0.8 of it and 0.4 ns */
	p->call = 2 * cost;
}

/* ---- traces ---- */

static void header(struct builder *b, const struct aid_program *p)
{
	const int64_t function = p->loop, call = p->call, mixed = (p->loop + p->call) / 2;
	char text[512];
	int at = 0;

	if (p->cores) {
		snprintf(text, sizeof text, "%d", p->cores);
		builder_property(b, "cores", text);
	}
	if (p->slower) {
		snprintf(text, sizeof text, "1000 %d", 1000 * p->slower);
		builder_property(b, "cpu-ns", text);
	}
	if (!p->loop)
		return;
	for (int i = 0; i < 16; i++) {
		const bool first = i / 4 < 2, second = i % 4 < 2;
		at += snprintf(text + at, sizeof text - (size_t)at, "%s%" PRId64, i ? " " : "",
			       first && second   ? function
			       : first || second ? mixed
						 : call);
	}
	builder_property(b, "cost-pairs-ps", text);
	builder_property(b, "cost-guard", "inline");
	if (!p->note)
		return;
	snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " %" PRId64, p->note, p->note * 9 / 10,
		 p->note * 11 / 10);
	builder_property(b, "cost-gap-ps", text);
	builder_property(b, "gaps", "1");
}

static void feed_gap(struct builder *b, uint32_t location, const struct aid_note *n, uint32_t site)
{
	char text[64];
	const int length =
		snprintf(text, sizeof text, "2 2 %" PRId64 " %" PRIu64, n->request, n->bytes);
	const struct record record = { .rectype = REC_GAP,
				       .site = site,
				       .text = builder_string(b, text, (size_t)length) };

	builder_record(b, location, n->time, EV_DATA, &record);
}

static void feed(struct builder *b, uint32_t location, const struct aid_note *n,
		 const uint32_t *sites, const uint32_t *regions)
{
	const struct message_end end = { .rank = n->peer,
					 .process = -1,
					 .tag = ANY_TAG,
					 .bytes = n->bytes,
					 .has_request = n->request != 0,
					 .request = n->request };
	int32_t root = -1;

	switch (n->kind) {
	case EV_ENTER: builder_enter(b, location, n->time, sites[n->region]); break;
	case EV_LEAVE: builder_leave(b, location, n->time, sites[n->region]); break;
	case EV_DATA: feed_gap(b, location, n, sites[R_FLUSH]); break;
	case EV_SEND: builder_send(b, location, n->time, &end); break;
	case EV_RECV: builder_recv(b, location, n->time, &end); break;
	case EV_RECV_REQUEST: builder_recv_request(b, location, n->time, &end); break;
	case EV_COLLECTIVE_BEGIN:
		if (n->region == R_BCAST || n->region == R_REDUCE)
			root = n->peer;
		builder_collective_begin(b, location, n->time, 0, regions[n->region], root,
					 n->bytes, n->bytes);
		break;
	default: builder_collective_end(b, location, n->time, n->bytes, n->bytes);
	}
}

static struct trace *build(const struct aid_pass *r)
{
	struct err err = ERR_INIT;
	struct builder *b = builder_new("overhead.trc", &picoseconds, &err);
	uint32_t sites[REGIONS], regions[REGIONS];
	struct trace *trace;

	header(b, r->p);
	for (uint32_t i = 0; i < REGIONS; i++) {
		regions[i] = builder_region(b, region_kinds[i].name, region_kinds[i].class,
					    (int32_t)i + 1);
		sites[i] = builder_site(b, regions[i], 0, i, (int32_t)i + 1);
	}
	for (uint32_t l = 0; l < r->p->ranks; l++)
		builder_location(b, &(struct location){ .rank = (int32_t)l, .process = -1 });
	for (uint32_t l = 0; l < r->p->ranks; l++)
		for (size_t i = 0; i < aid_pass_notes(r, l)->n; i++)
			feed(b, l, &aid_pass_notes(r, l)->data[i], sites, regions);
	trace = builder_finish(b, NULL, NULL, &err);
	if (!trace)
		fprintf(stderr, "%s\n", err.text);
	assert(trace);
	return trace;
}

struct aid_trace aid_run(const struct aid_program *p)
{
	struct aid_pass truth, measured;
	struct aid_trace t = { .truth = xcalloc(p->ranks, sizeof *t.truth) };

	aid_pass_begin(&truth, p, false);
	aid_pass_begin(&measured, p, true);
	t.trace = build(&measured);
	t.true_wait = truth.wait;
	for (uint32_t l = 0; l < p->ranks; l++) {
		const aid_notes *all = aid_pass_notes(&truth, l);
		const size_t n = all->n;
		assert(n == aid_pass_notes(&measured, l)->n);
		t.truth[l] = xmalloc((n + 1) * sizeof **t.truth);
		for (size_t i = 0; i < n; i++)
			t.truth[l][i] = all->data[i].time;
		if (n && t.truth[l][n - 1] > t.true_span)
			t.true_span = t.truth[l][n - 1];
	}
	aid_pass_end(&truth);
	aid_pass_end(&measured);
	return t;
}

void aid_trace_fini(struct aid_trace *t)
{
	for (uint32_t l = 0; l < trace_location_count(t->trace); l++)
		free(t->truth[l]);
	free(t->truth);
	trace_free(t->trace);
}

int64_t aid_error(const struct aid_trace *t, enum time_base base)
{
	struct cursor c;
	int64_t worst = 0, zero;

	cursor_first(&c, t->trace, base, 0);
	zero = cursor_time(&c) - t->truth[0][0];
	for (uint32_t l = 0; l < trace_location_count(t->trace); l++) {
		size_t i = 0;
		for (bool ok = cursor_first(&c, t->trace, base, l); ok; ok = cursor_next(&c), i++) {
			const int64_t off = cursor_time(&c) - zero - t->truth[l][i];
			worst = llabs(off) > worst ? llabs(off) : worst;
		}
	}
	return worst;
}

struct overhead_report aid_compensate(const struct aid_trace *t,
				      const struct overhead_options *options)
{
	static const struct overhead_options defaults = OVERHEAD_DEFAULTS;
	struct err err = ERR_INIT;
	struct overhead_report report;
	struct logical *logical = logical_new(t->trace, NULL, &err);

	assert(logical);
	if (!overhead_run(&report, t->trace, logical, BASE_MEASURED, options ? options : &defaults,
			  NULL, &err))
		assert(!"compensated");
	logical_free(logical);
	return report;
}
