#include "write.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/version.h"
#include "clock.h"
#include "model/build/builder.h"
#include "model/meaning/picl_types.h"
#include "model/picl/picl.h"
#include "model/trace/record_type.h"
#include "model/trace/virtual_metric.h"

static const char source[] = "src/simulated.c";
enum { PICL_TRACE = -901, KINDS = 4 };

struct writer {
	struct builder *b;
	const struct run *run;
	const struct settings *settings;
	bool truth;
	struct clock *clocks; /* [ranks] */
	int64_t tick;         /* picoseconds */
	uint32_t region[REGIONS], site[REGIONS], tracing;
	uint32_t *location;   /* [ranks] */
	uint32_t virtual_set; /* of metrics, if virtual time is kept */
};

/* ---- definitions ---- */

static void define_regions(struct writer *w)
{
	const uint32_t file = builder_string(w->b, source, strlen(source));
	int32_t user = 1;

	for (int r = 0; r < REGIONS; r++) {
		const struct region_info *info = &region_info[r];
		int32_t picl = info->cls == CLASS_USER ? 0 : picl_type_of_mpi(info->name);
		if (r == REGION_GAP && !(w->settings->gap_note > 0))
			continue;
		if (!picl)
			picl = user++;
		w->region[r] = builder_region(w->b, info->name, info->cls, picl);
		if (info->line)
			builder_region_source(w->b, w->region[r], source, info->line);
		w->site[r] =
			builder_site(w->b, w->region[r], info->line ? file : 0, info->line, picl);
	}
	w->tracing = builder_site(w->b,
				  builder_region(w->b, picl_type_name(PICL_TRACE), CLASS_OVERHEAD,
						 PICL_TRACE),
				  0, 0, PICL_TRACE);
}

static void define_locations(struct writer *w)
{
	const uint32_t n = w->run->ranks;
	int32_t *world = xcalloc(n, sizeof *world);

	w->location = xcalloc(n, sizeof *w->location);
	for (uint32_t r = 0; r < n; r++) {
		char name[32], node[32];
		const int length = snprintf(name, sizeof name, "rank %" PRIu32, r);
		const int node_length =
			snprintf(node, sizeof node, "node%" PRIu32, r / w->settings->node_ranks);
		w->location[r] =
			builder_location(w->b,
					 &(struct location){
						 .name = builder_string(w->b, name, (size_t)length),
						 .rank = (int32_t)r,
						 .process = (int32_t)(1000 + r),
						 .node = builder_string(w->b, node,
									(size_t)node_length) });
		world[r] = (int32_t)r;
	}
	builder_world(w->b, world, n);
	free(world);
}

static void say(struct writer *w, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void say(struct writer *w, const char *key, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	builder_property(w->b, key, text);
}

/* What is between two records of functions (0, 1), or of an enter and a leave of calls (2, 3). Of a
 * kept run what is timed before a call is in no table, and a delay is before functions. */
static int64_t cost_between(const struct settings *s, int before, int kind)
{
	const int64_t cost = pico(s->overhead);
	const int64_t inside = pico(s->keep_between), after = cost / 2 + pico(s->keep_call);

	if (!s->keep)
		return cost;
	if (kind < 2)
		return pico(s->delay) + (before < 2 ? cost : (cost + (inside + after) / 2) / 2);
	if (before < 2)
		return (cost + (inside + after) / 2) / 2;
	return before == kind ? (inside + after) / 2 : before == 2 ? inside : after;
}

/* The same of a function's record beside work: functions hide up to `spread` of it. */
static void say_work(struct writer *w)
{
	const struct settings *s = w->settings;
	const int64_t delay = s->keep ? pico(s->delay) : 0;

	say(w, "cost-work-ps", "%" PRId64 " %" PRId64 " %" PRId64,
	    delay + pico(s->overhead * (1 - s->spread / 2)),
	    delay + pico(s->overhead * (1 - s->spread)), delay + pico(s->overhead));
}

/* What a capture says of its cost: the loop's figures, the same for all pairs of records. */
static void say_costs(struct writer *w)
{
	const struct settings *s = w->settings;
	const int64_t cost = pico(s->overhead);
	struct str text = STR_INIT;

	for (int i = 0; i < KINDS * KINDS; i++)
		str_add_fmt(&text, i ? " %" PRId64 : "%" PRId64,
			    cost_between(s, i / KINDS, i % KINDS));
	if (s->keep && s->delay > 0)
		say(w, "cost-delay-ps", "%" PRId64, pico(s->delay));
	say(w, "cost-pairs-ps", "%s", text.text);
	say_work(w);
	str_clear(&text);
	for (uint64_t bytes = 64; bytes <= 1 << 20; bytes *= 4)
		str_add_fmt(&text, bytes > 64 ? " %" PRIu64 ":%" PRId64 : "%" PRIu64 ":%" PRId64,
			    bytes, pico(s->copy * (double)bytes));
	say(w, "cost-clock-ps", "%" PRId64, cost - cost / 10);
	say(w, "cost-hooks-ps", "%" PRId64, 2 * cost);
	say(w, "cost-copy-ps", "%s", text.text);
	say(w, "cost-hook-chain-ps", "%" PRId64, 2 * pico(s->guard));
	say(w, "cost-guard", "inline");
	if (s->gap_note > 0)
		say(w, "cost-gap-ps", "%" PRId64 " %" PRId64 " %" PRId64, pico(s->gap_note),
		    pico(0.9 * s->gap_note), pico(1.1 * s->gap_note));
	if (s->gap_note > 0 && w->run->left_out)
		say(w, "gaps", "%" PRIu64, w->run->left_out);
	str_fini(&text);
}

static void define_properties(struct writer *w)
{
	const struct settings *s = w->settings;

	say(w, "creator", "tview simulate " TVIEW_VERSION);
	say(w, "program", "%s, %" PRIu32 " ranks, %" PRIu32 " steps, seed %" PRIu64, s->program,
	    s->ranks, s->steps, s->seed);
	if (w->truth) {
		say(w, "clock", "true");
		return;
	}
	say(w, "clock", "monotonic");
	if (s->overhead > 0) {
		say_costs(w);
		say(w, "insitu", s->insitu > 0 ? s->gap_note > 0 ? "clock" : "on" : "off");
	}
}

static void define_virtual(struct writer *w)
{
	uint32_t metrics[VIRTUAL_METRICS];

	for (int i = 0; i < VIRTUAL_METRICS; i++) {
		const char *name = virtual_metric_text[i][0];
		metrics[i] =
			builder_metric(w->b, &(struct metric){ .name = builder_string(w->b, name,
										      strlen(name)),
							       .mode = METRIC_ABSOLUTE_POINT,
							       .value = FIELD_INT,
							       .base = 10,
							       .exponent = -9 });
	}
	w->virtual_set = builder_metric_set(w->b, &(struct metric_set){ .n = VIRTUAL_METRICS,
									.metrics = metrics,
									.recorder = UINT32_MAX });
}

/* ---- events ---- */

static int64_t ticks(const struct writer *w, int64_t time)
{
	int64_t rest = time % w->tick;

	return time / w->tick - (rest < 0);
}

static struct message_end end_of(const struct happening *h)
{
	return (struct message_end){ .rank = h->peer,
				     .process = -1,
				     .tag = h->tag,
				     .bytes = h->bytes,
				     .has_request = h->request != 0,
				     .request = h->request,
				     .flags = 0 };
}

static void put_message(const struct writer *w, uint32_t location, int64_t time,
			const struct happening *h)
{
	struct message_end end = end_of(h);

	switch ((enum happening_kind)h->kind) {
	case HAPPEN_ISEND:
		end.flags = MSG_SEND_REQUEST;
		builder_send(w->b, location, time, &end);
		break;
	case HAPPEN_SEND: builder_send(w->b, location, time, &end); break;
	case HAPPEN_ISEND_DONE: builder_send_complete(w->b, location, time, h->request, 0); break;
	case HAPPEN_IRECV_REQUEST:
		end.flags = MSG_RECV_REQUEST | MSG_NO_BYTES;
		builder_recv_request(w->b, location, time, &end);
		break;
	default:
		end.flags = h->kind == HAPPEN_IRECV ? MSG_RECV_REQUEST : 0;
		builder_recv(w->b, location, time, &end);
		break;
	}
}

static void put_collective(const struct writer *w, uint32_t location, int64_t time,
			   const struct happening *h)
{
	const enum part part = region_info[h->region].part;
	const uint64_t bytes = h->bytes;

	if (h->kind == HAPPEN_END) {
		builder_collective_end(w->b, location, time, UINT64_MAX, UINT64_MAX);
		return;
	}
	builder_collective_begin(w->b, location, time, 0, w->region[h->region],
				 part == PART_FROM_ROOT || part == PART_TO_ROOT ? h->peer : -1,
				 bytes, bytes);
}

static void put_gap(const struct writer *w, uint32_t location, int64_t time,
		    const struct happening *h)
{
	struct record record = { .rectype = REC_GAP, .site = w->site[REGION_GAP] };
	char text[64];
	const int length = h->tag ? snprintf(text, sizeof text, "3 2 %" PRIu32 " 0 0", h->bytes)
				  : snprintf(text, sizeof text, "2 2 %" PRIu32 " %" PRIu32,
					     h->bytes, h->request);

	record.text = builder_string(w->b, text, (size_t)length);
	builder_record(w->b, location, time, EV_DATA, &record);
}

static void put_event(const struct writer *w, uint32_t location, int64_t time,
		      const struct happening *h)
{
	switch ((enum happening_kind)h->kind) {
	case HAPPEN_ENTER: builder_enter(w->b, location, time, w->site[h->region]); break;
	case HAPPEN_LEAVE: builder_leave(w->b, location, time, w->site[h->region]); break;
	case HAPPEN_BEGIN:
	case HAPPEN_END: put_collective(w, location, time, h); break;
	case HAPPEN_GAP: put_gap(w, location, time, h); break;
	default: put_message(w, location, time, h); break;
	}
}

static uint64_t nano(int64_t picoseconds)
{
	return (uint64_t)((picoseconds + (picoseconds < 0 ? -500 : 500)) / 1000);
}

/* Before the leave of a call. */
static void put_kept(const struct writer *w, uint32_t location, int64_t time,
		     const struct kept_call *k, int64_t left)
{
	uint64_t values[1 + VIRTUAL_METRICS] = { w->virtual_set }, *of = values + 1;

	of[VIRTUAL_SINCE] = nano(left - k->entered);
	of[VIRTUAL_BEFORE] = nano(k->before);
	of[VIRTUAL_LEFT] = nano(k->left);
	of[VIRTUAL_AFTER] = nano(k->after);
	of[VIRTUAL_ERROR] = k->error == INT64_MAX ? UINT64_MAX : nano(k->error);
	of[VIRTUAL_INSIDE] = nano(k->inside);
	of[VIRTUAL_UNSURE] = k->unsure == INT64_MAX ? UINT64_MAX : nano(k->unsure);
	of[VIRTUAL_TIMED] = nano(k->timed);
	builder_detail(w->b, location, time, DETAIL_METRIC, values, sizeof values / sizeof *values);
}

static bool is_leave_of_call(const struct happening *h)
{
	return h->kind == HAPPEN_LEAVE && region_info[h->region].cls != CLASS_USER &&
	       region_info[h->region].cls != CLASS_OVERHEAD;
}

/* Records of one time have one reading of the clock; a reading is never behind the one before. */
static void put_rank(const struct writer *w, uint32_t rank)
{
	const struct history *history = &w->run->of[rank];
	const uint32_t location = w->location[rank];
	const struct happening *h;
	int64_t shown = INT64_MIN, last = INT64_MIN;
	uint64_t nth = 0;
	size_t calls = 0;

	vec_each (h, &history->events) {
		if (w->truth) {
			shown = h->time;
		} else if (h->time != last) {
			const int64_t read = clock_read(&w->clocks[rank], h->time, nth++);
			shown = read > shown ? read : shown;
		}
		if (h == history->events.data)
			builder_tracing(w->b, location, ticks(w, shown), w->tracing, true);
		last = h->time;
		if (!w->truth && history->kept.n && is_leave_of_call(h))
			put_kept(w, location, ticks(w, shown), &history->kept.data[calls++],
				 h->time);
		put_event(w, location, ticks(w, shown), h);
	}
	if (history->events.n)
		builder_tracing(w->b, location, ticks(w, shown), w->tracing, false);
}

/* ---- offsets ---- */

/* Cristian's method, with clocks as they are: rank 0 reads its own before and behind. */
static void put_offset(const struct writer *w, const struct round_trip *trip)
{
	const uint64_t nth = UINT64_C(1) << 40 | (uint64_t)trip->rank << 1 | trip->at_end;
	const int64_t sent = ticks(w, clock_read(&w->clocks[0], trip->sent, nth));
	const int64_t came = ticks(w, clock_read(&w->clocks[0], trip->came, nth));
	const int64_t there = ticks(w, clock_read(&w->clocks[trip->rank], trip->there, nth));
	const int64_t said = ticks(w, pico(w->settings->offset_rtt));

	builder_offset(w->b, &(struct offset){ .location = w->location[trip->rank],
					       .time = there,
					       .offset = sent + (came - sent) / 2 - there,
					       .rtt = said ? said : came - sent });
}

static void put_offsets(const struct writer *w)
{
	const struct settings *s = w->settings;
	const struct round_trip *trip;

	if (!s->offset_count || w->run->ranks < 2)
		return;
	builder_offset(w->b, &(struct offset){ .location = w->location[0],
					       .time = ticks(w, clock_read(&w->clocks[0],
									   SIMULATION_START, 0)) });
	vec_each (trip, &w->run->round_trips) {
		if (!trip->at_end || s->offset_count > 1)
			put_offset(w, trip);
	}
}

struct trace *write_trace(const struct run *run, const struct settings *settings, bool truth,
			  const char *path, struct err *err)
{
	static const struct builder_options options = { .decide_blocked = true };
	const struct timescale scale = { settings->ticks, settings->ticks > 1000000000 ? 12 : 9 };
	struct writer w = {
		.run = run, .settings = settings, .truth = truth, .tick = PICO / settings->ticks
	};

	w.b = builder_new(path, &scale, err);
	if (!w.b)
		return NULL;
	w.clocks = xcalloc(run->ranks, sizeof *w.clocks);
	for (uint32_t r = 0; r < run->ranks; r++)
		clock_init(&w.clocks[r], settings,
			   settings->clock_of_node ? r / settings->node_ranks : r, run->end);
	define_regions(&w);
	define_locations(&w);
	define_properties(&w);
	if (settings->keep && !truth)
		define_virtual(&w);
	for (uint32_t r = 0; r < run->ranks; r++)
		put_rank(&w, r);
	if (!truth)
		put_offsets(&w);
	for (uint32_t r = 0; r < run->ranks; r++)
		clock_fini(&w.clocks[r]);
	free(w.clocks);
	free(w.location);
	return builder_finish(w.b, &options, NULL, err);
}
