/* The records of a rank, handed to the builder. */
#include <string.h>

#include "capture/run/feed_calling.h"
#include "capture/run/feed_collectives.h"
#include "capture/run/feed_core.h"
#include "capture/run/feed_counted.h"
#include "capture/run/feed_rma.h"
#include "capture/run/feed_said.h"
#include "capture/run/feed_stack.h"
#include "capture/run/feed_teams.h"
#include "capture/run/feed_virtual.h"
#include "capture/run/merge_job.h"
#include "capture/run/rank_cut.h"
#include "model/trace/record_type.h"

enum { PICL_TRACE = -901, PICL_TRACE_FULL = -913 };
/* Of a sample: how much of the call path left since the one before (OTF2_UNDEFINED_UINT32). */
#define UNWOUND_UNKNOWN UINT32_MAX

/* The site of a function that was looked up lately; address 0: none. */
enum { FUNCTIONS_SEEN = 64 };
struct function_seen {
	uint64_t address;
	uint32_t site;
};

/* One thread's stream under way. */
struct feed {
	struct job *job;
	struct rank *rank;
	struct builder *b;
	uint32_t thread, location;
	/* Sites of the MPI calls that are open: inside a call are the library's own, and those of
	 * functions that MPI calls back. */
	VEC(uint32_t) open;
	/* A pair 'tview_buffer' is at the start of a chunk, but its time may be after that of
	 * the record that wanted the room: it is held back until records reach it. */
	struct {
		bool is;
		uint16_t call;
		uint64_t from, to;
	} held;
	uint64_t across;              /* what of TV_SITE_FROM, for the site that follows */
	const struct tv_chunk *chunk; /* of the latest call of MPI, */
	uint64_t at;                  /* and where its TV_ENTER ends in it */
	uint32_t operands;            /* of a collective that began last (operands.h) */
	struct function_seen seen[FUNCTIONS_SEEN];
	struct rma_feed rma;
	struct stack_feed stack;
	struct team_feed teams;
	uint64_t latest;  /* tick of the latest record that has its place among the others */
	uint64_t stepped; /* records whose tick was earlier than that */
	bool stopped;     /* by a full buffer */
};

static struct message_end end_of(const struct feed *f, const struct tv_message *m)
{
	const uint32_t comm = tv_size_upper(m->size);
	struct message_end end = { .rank = rank_member(f->rank, comm, m->peer),
				   .process = -1,
				   .tag = m->tag,
				   .comm = rank_comm_id(f->rank, comm),
				   .bytes = tv_size_bytes(m->size),
				   .has_request = m->head.id != 0,
				   .request = m->head.id };

	end.flags = (uint16_t)((m->head.flags & TV_MODE_MASK) << MSG_MODE_SHIFT);
	return end;
}

static void feed_message(const struct feed *f, const struct tv_message *m, int64_t time)
{
	struct message_end end = end_of(f, m);

	if (!rank_has_member(f->rank, tv_size_upper(m->size), m->peer))
		return;
	switch (m->head.kind) {
	case TV_SEND:
		end.flags |= end.has_request ? MSG_SEND_REQUEST : 0;
		builder_send(f->b, f->location, time, &end);
		break;
	case TV_RECV_REQUEST:
		/* What was asked for: the buffer's size says nothing of the message's. */
		end.flags = MSG_RECV_REQUEST | MSG_NO_BYTES;
		if (m->head.flags & TV_ANY_TAG)
			end.flags |= MSG_NO_TAG;
		builder_recv_request(f->b, f->location, time, &end);
		break;
	default:
		end.flags = (end.has_request ? MSG_RECV_REQUEST : 0) |
			    (m->head.flags & TV_NO_BYTES ? MSG_NO_BYTES : 0);
		builder_recv(f->b, f->location, time, &end);
		break;
	}
}

static void feed_collective(struct feed *f, const struct tv_head *head, int64_t time)
{
	const void *record = head;

	if (head->kind == TV_COLL_COMPLETE)
		feed_collective_complete(f->job, f->rank, f->location, record, time);
	else
		f->operands = feed_collective_begin(f->job, f->rank, f->location, record, time);
}

/* Before anything else is appended: did the collective that began last end at once? `next` may be
 * NULL. */
static void end_begun(struct feed *f, const struct tv_head *next)
{
	if (f->operands && (!next || next->kind != TV_COLL_END))
		feed_operands(f->job, f->location, f->operands);
	f->operands = 0;
}

static void feed_io(const struct feed *f, const struct tv_io *io, int64_t time)
{
	struct record record = { .rectype = REC_IO };
	OWNED_STR text = STR_INIT;

	/* Number of fields, descriptor (2: integers), data. */
	str_add_fmt(&text, "1 2 %llu", (unsigned long long)io->bytes);
	record.site = job_mpi_site(f->job, f->rank, io->head.call, 0);
	record.text = builder_string(f->b, text.text, text.n);
	builder_record(f->b, f->location, time, EV_IO, &record);
}

static void feed_user(const struct feed *f, const struct tv_head *head, int64_t time)
{
	const uint32_t site = job_user_site(f->job, f->rank, f->thread, head->id);

	if (head->kind == TV_USER_ENTER)
		builder_enter(f->b, f->location, time, site);
	else if (head->kind == TV_USER_LEAVE)
		builder_leave(f->b, f->location, time, site);
	else
		builder_mark(f->b, f->location, time, site);
}

static uint32_t function_site(struct feed *f, uint64_t address)
{
	struct function_seen *seen = &f->seen[(address ^ address >> 6) % FUNCTIONS_SEEN];

	if (seen->address != address || !address)
		*seen = (struct function_seen){ address,
						job_function_site(f->job, f->rank, address) };
	return seen->site;
}

static void feed_function(struct feed *f, const struct tv_function *record, int64_t time)
{
	const uint32_t site = function_site(f, tv_function_address(record->what));

	if (f->rank->stacks.n)
		feed_stack_hook(&f->stack, f->b, site, (record->what & 0xff) == TV_FUNCTION_ENTER);
	if ((record->what & 0xff) == TV_FUNCTION_ENTER)
		builder_enter(f->b, f->location, time, site);
	else
		builder_leave(f->b, f->location, time, site);
}

static void feed_site(struct feed *f, const struct tv_function *record, int64_t time)
{
	const uint32_t site = job_probe_site(f->job, f->rank, record->what >> 8, f->across);

	f->across = 0;
	if (f->rank->stacks.n)
		feed_stack_hook(&f->stack, f->b, site, (record->what & 0xff) == TV_SITE_ENTER);
	if ((record->what & 0xff) == TV_SITE_ENTER)
		builder_enter(f->b, f->location, time, site);
	else
		builder_leave(f->b, f->location, time, site);
}

/* Of so many periods, a sample each: all at one time, they are one draw. */
static void feed_sample(const struct feed *f, const struct tv_function *record, int64_t time)
{
	const uint64_t values[] = { job_sample_site(f->job, f->rank,
						    tv_sample_address(record->what)),
				    UNWOUND_UNKNOWN, job_sampler(f->job) };

	for (uint32_t i = tv_sample_periods(record->what); i-- > 0;)
		builder_detail(f->b, f->location, time, DETAIL_SAMPLE, values,
			       sizeof values / sizeof *values);
}

static void feed_enter(struct feed *f, const struct tv_enter *enter, int64_t time)
{
	const uint32_t site = job_mpi_site(f->job, f->rank, enter->head.call, enter->site);

	if (!f->open.n)
		feed_stack_enter(&f->stack, f->job, f->rank, f->location, time);
	vec_push(&f->open, site);
	builder_enter(f->b, f->location, time, site);
}

/* Only the enter of a call knows where it was made from. */
static void feed_leave(struct feed *f, const struct tv_head *leave, int64_t time)
{
	const uint32_t site =
		f->open.n ? vec_pop(&f->open) : job_mpi_site(f->job, f->rank, leave->call, 0);

	builder_leave(f->b, f->location, time, site);
	/* What it waited for says nothing of the call around it. */
	f->chunk = NULL;
	if (!f->open.n)
		feed_stack_leave(&f->stack, f->job, f->location, time);
}

/* Recording stops: when open regions end is not known. */
static void feed_full(struct feed *f, int64_t time)
{
	f->open.n = 0;
	f->stack.entered.n = 0;
	feed_teams_stop(&f->teams);
	f->stopped = true;
	builder_leave_all(f->b, f->location, time);
	builder_mark(f->b, f->location, time, job_tracing_site(f->job, PICL_TRACE_FULL));
	builder_tracing(f->b, f->location, time, job_tracing_site(f->job, PICL_TRACE), false);
}

static void feed_resumed(struct feed *f, int64_t time)
{
	f->stopped = false;
	builder_tracing(f->b, f->location, time, job_tracing_site(f->job, PICL_TRACE), true);
}

/* Recording is switched off or on: what is open stays open, but nothing is known of that time. */
static void feed_pause(const struct feed *f, const struct tv_head *head)
{
	builder_tracing(f->b, f->location, job_time(f->job, f->rank, head->time),
			job_tracing_site(f->job, PICL_TRACE), !head->id);
}

/* The times of this many function records before it were divided between two readings of the
 * clock. A third number: of how many of them there was a note. */
static void feed_gap(const struct feed *f, const struct tv_head *gap, int64_t time)
{
	struct record record = { .rectype = REC_GAP, .site = job_gap_site(f->job) };
	OWNED_STR text = STR_INIT;

	if (gap->flags & TV_SEGMENT_BLANK)
		str_add_fmt(&text, "3 2 %u 0 0", gap->id);
	else
		str_add_fmt(&text, "2 2 %u %u", gap->id, gap->call);
	record.text = builder_string(f->b, text.text, text.n);
	builder_record(f->b, f->location, time, EV_DATA, &record);
}

static void feed_define(struct feed *f, const struct tv_head *head, int64_t time)
{
	if (rank_is_pause(head))
		feed_pause(f, head);
	else
		feed_said(f->job, f->rank, f->thread, f->location, head, time);
}

static void feed_record(struct feed *f, const struct tv_head *head, int64_t time)
{
	if (f->rank->outside.any && rank_is_outside(f->rank, head))
		return;
	switch ((enum tv_kind)head->kind) {
	case TV_FUNCTION_ENTER:
	case TV_FUNCTION_LEAVE: feed_function(f, (const void *)head, time); break;
	case TV_SITE_FROM:
		f->across = ((const struct tv_function *)(const void *)head)->what;
		break;
	case TV_SITE_ENTER:
	case TV_SITE_LEAVE: feed_site(f, (const void *)head, time); break;
	case TV_USER_ENTER:
	case TV_USER_LEAVE:
	case TV_USER_MARK: feed_user(f, head, time); break;
	case TV_ENTER: feed_enter(f, (const void *)head, time); break;
	case TV_LEAVE: feed_leave(f, head, time); break;
	case TV_SEND:
	case TV_RECV_REQUEST:
	case TV_RECV: feed_message(f, (const void *)head, time); break;
	case TV_SEND_COMPLETE: builder_send_complete(f->b, f->location, time, head->id, 0); break;
	case TV_REQUEST_TEST: builder_request_test(f->b, f->location, time, head->id); break;
	case TV_REQUEST_CANCELLED:
		builder_request_cancelled(f->b, f->location, time, head->id);
		break;
	case TV_COLL_BEGIN:
	case TV_COLL_COMPLETE: feed_collective(f, head, time); break;
	case TV_COLL_END:
		builder_collective_end(f->b, f->location, time, UINT64_MAX, UINT64_MAX);
		break;
	case TV_COLL_REQUEST: builder_collective_request(f->b, f->location, time, head->id); break;
	case TV_FILE_IO: feed_io(f, (const void *)head, time); break;
	case TV_RMA_BEGIN:
	case TV_RMA:
	case TV_RMA_COMPLETE: feed_rma(&f->rma, f->job, f->rank, f->location, head, time); break;
	case TV_BORN:
	case TV_FORK:
	case TV_JOIN:
	case TV_TEAM_BEGIN:
	case TV_TEAM_PART:
	case TV_TEAM_END:
	case TV_OMP_ENTER:
	case TV_OMP_LEAVE:
	case TV_LOCKED:
	case TV_UNLOCKED: feed_teams(&f->teams, head, time); break;
	case TV_BUFFER_FULL: feed_full(f, time); break;
	case TV_RESUMED: feed_resumed(f, time); break;
	case TV_SEGMENT: feed_gap(f, head, time); break;
	case TV_STACK: f->stack.next = head->id; break;
	case TV_SAMPLE: feed_sample(f, (const void *)head, time); break;
	case TV_COUNTED: feed_counted(f->job, f->rank, f->location, head, time); break;
	case TV_VIRTUAL: feed_virtual(f->job, f->rank, f->location, head, time); break;
	case TV_CORE_WAIT:
		feed_core_wait(f->job, f->location,
			       ((const struct tv_function *)(const void *)head)->what >> 8, time);
		break;
	case TV_DEFINE: feed_define(f, head, time); break;
	case TV_NONE:
	case TV_REQUEST_FREED: /* its message simply has no completion */
	case TV_REFUSED:       /* rank_stream_next() knows it */
	case TV_THREAD_END: break;
	}
}

/* Kinds whose order in the stream is what happened. The others are of a moment (samples, marks of
 * gaps), or have a time of their own. */
#define KINDS_IN_ORDER                                                                  \
	(TV_KIND(TV_ENTER) | TV_KIND(TV_LEAVE) | TV_KIND(TV_FUNCTION_ENTER) |           \
	 TV_KIND(TV_FUNCTION_LEAVE) | TV_KIND(TV_SITE_ENTER) | TV_KIND(TV_SITE_LEAVE) | \
	 TV_KIND(TV_USER_ENTER) | TV_KIND(TV_USER_LEAVE) | TV_KIND(TV_USER_MARK) |      \
	 TV_KIND(TV_SEND) | TV_KIND(TV_RECV) | TV_KIND(TV_RECV_REQUEST) |               \
	 TV_KIND(TV_SEND_COMPLETE) | TV_KIND(TV_COLL_BEGIN) | TV_KIND(TV_COLL_END) |    \
	 TV_KIND(TV_COLL_REQUEST) | TV_KIND(TV_COLL_COMPLETE))

/* The record's tick; the latest one's where the clock stepped back between two cores: a sort by
 * time would lose the order. */
static uint64_t in_order(struct feed *f, const struct tv_head *head)
{
	if (!(KINDS_IN_ORDER >> head->kind & 1))
		return head->time;
	if (head->time >= f->latest)
		return f->latest = head->time;
	f->stepped++;
	return f->latest;
}

static void report_steps(const struct feed *f)
{
	OWNED_STR text = STR_INIT;

	if (!f->stepped)
		return;
	str_add_fmt(&text,
		    "the clock of a thread stepped back before %llu records: they got the time of "
		    "the record before them",
		    (unsigned long long)f->stepped);
	builder_finding(f->b, FINDING_GUESS, "clock-stepped-back", 0, text.text);
}

static void release(struct feed *f)
{
	const uint32_t site = job_mpi_site(f->job, f->rank, f->held.call, 0);

	f->held.is = false;
	f->latest = f->held.to > f->latest ? f->held.to : f->latest;
	builder_enter(f->b, f->location, job_time(f->job, f->rank, f->held.from), site);
	builder_leave(f->b, f->location, job_time(f->job, f->rank, f->held.to), site);
}

/* Holds back the pair at a chunk's start; false where *head is not its first record. */
static bool hold(struct feed *f, struct rank_stream *s, const struct tv_head **head)
{
	const size_t chunk = s->chunk;
	const struct tv_head enter = **head, *leave;

	if (enter.kind != TV_ENTER || !s->first)
		return false;
	leave = rank_stream_next(s);
	if (!leave || leave->kind != TV_LEAVE || leave->call != enter.call ||
	    enter.call >= TV_CALLS_MAX ||
	    f->rank->file->head->call[enter.call].cls != TV_OVERHEAD) {
		/* The look ahead may have gone to another chunk. */
		rank_stream_again(s, chunk);
		*head = rank_stream_next(s);
		return false;
	}
	f->held.is = true;
	f->held.call = enter.call;
	f->held.from = enter.time;
	f->held.to = leave->time;
	return true;
}

static uint32_t locate(const struct job *job, const struct rank *rank, uint32_t thread)
{
	const struct tv_file *head = rank->file->head;
	OWNED_STR name = STR_INIT;
	uint32_t location;

	str_add_fmt(&name, thread ? "rank %d thread %u" : "rank %d", rank->number, thread);
	location = builder_location(
		job->builder,
		&(struct location){
			.name = builder_string(job->builder, name.text, name.n),
			.rank = rank->number,
			.process = head->pid,
			.thread = (int32_t)thread,
			.node = job->options->anonymous
					? 0
					: builder_string(job->builder, head->node,
							 strnlen(head->node, sizeof head->node)) });
	return location;
}

/* Notes where a call was entered. */
static void note_call(struct feed *f, const struct rank_stream *s, const struct tv_head *head)
{
	if (head->kind != TV_ENTER)
		return;
	f->chunk = s->file->chunks.data[s->chunk];
	f->at = s->words.at;
}

/* What a call that never returned waits for, as a request that is never completed. */
static void feed_awaited(const struct feed *f, int64_t time)
{
	/* Requests of the rank count from 1. */
	struct tv_message wanted = { .head = { .kind = TV_RECV_REQUEST, .id = UINT32_MAX } };
	const uint32_t comm = f->chunk ? (uint32_t)(f->chunk->awaited >> 32) & 0xffffffu : 0;

	if (!f->open.n || !f->chunk || (uint32_t)f->chunk->awaited != f->at)
		return;
	wanted.head.flags = (uint8_t)(f->chunk->awaited >> 56);
	wanted.peer = f->chunk->awaited_peer;
	wanted.tag = f->chunk->awaited_tag;
	wanted.size = tv_size_make(0, comm);
	if (((wanted.peer >= 0 && !rank_is_outside(f->rank, &wanted.head)) ||
	     wanted.head.flags & TV_ANY_SOURCE) &&
	    job_cut_awaits(f->job, f->rank, &wanted))
		feed_message(f, &wanted, time);
}

/* Feeds what is open in a thread without events. */
static void feed_open(void *context, const struct tv_head *head, uint64_t before)
{
	struct feed *f = context;

	feed_record(f, head, job_time(f->job, f->rank, head->time));
	if (head->kind == TV_COLL_BEGIN)
		builder_attribute(f->b, f->location, job_attribute(f->job, JOB_CALLS_BEFORE),
				  before);
	end_begun(f, NULL);
}

/* Without events a thread was there as long as its process; what is open at the end is told. */
static void feed_lifetime(struct feed *f, struct rank_stream *s)
{
	const uint32_t tracing = job_tracing_site(f->job, PICL_TRACE);
	const uint64_t now = f->rank->file->now;
	const struct tv_head *head;
	bool open;

	builder_tracing(f->b, f->location, job_time(f->job, f->rank, f->rank->first), tracing,
			true);
	while ((head = rank_stream_next(s)))
		if (rank_is_pause(head))
			feed_pause(f, head);
	open = calling_records(f->rank->file, f->thread, feed_open, f);
	if (!open)
		builder_tracing(f->b, f->location, job_time(f->job, f->rank, f->rank->last),
				tracing, false);
	else if (now != UINT64_MAX)
		builder_mark(f->b, f->location, job_time(f->job, f->rank, now),
			     job_now_site(f->job));
}

/* What is open at the cut begins there. */
static void feed_cut(void *context, const struct tv_head *head)
{
	struct feed *f = context;

	if (rank_cut_takes(f->rank, head))
		feed_record(f, head, job_time(f->job, f->rank, f->rank->file->since));
	end_begun(f, NULL);
}

/* A thread that was there at the cut; false: it begins later. */
static bool begin_cut(struct feed *f)
{
	const struct cut_thread *cut = rank_cut_thread(f->rank, f->thread);
	const uint32_t tracing = job_tracing_site(f->job, PICL_TRACE);
	const int64_t time = job_time(f->job, f->rank, f->rank->file->since);

	if (!cut)
		return false;
	f->chunk = cut->chunk;
	f->at = cut->at;
	builder_tracing(f->b, f->location, time, tracing, true);
	rank_cut_open(cut->ledger, feed_cut, f);
	if (cut->ledger->levels)
		feed_levels(f->job, f->location, cut->ledger->level, time);
	if (cut->ledger->paused)
		builder_tracing(f->b, f->location, time, tracing, false);
	return true;
}

static void feed_thread(struct job *job, struct rank *rank, uint32_t thread)
{
	struct feed f = { .job = job,
			  .rank = rank,
			  .b = job->builder,
			  .thread = thread,
			  .teams = { .job = job, .rank = rank, .thread = thread } };
	const uint32_t tracing = job_tracing_site(job, PICL_TRACE);
	const struct tv_head *head;
	struct rank_stream s;
	uint64_t last = 0;
	bool ended = false, first = true;

	f.location = rank->locations.data[thread];
	f.teams.location = f.location;
	rank_stream_begin(&s, rank->file, thread);
	if (rank->file->head->state & TV_STATISTICS) {
		feed_lifetime(&f, &s);
		vec_fini(&f.open);
		return;
	}
	first = !begin_cut(&f);
	while ((head = rank_stream_next(&s)) && !builder_failed(f.b)) {
		const bool of_run = rank_is_of_run(head);
		if (first && of_run) {
			builder_tracing(f.b, f.location, job_time(job, rank, head->time), tracing,
					true);
			first = false;
		}
		end_begun(&f, head);
		if (hold(&f, &s, &head))
			continue;
		note_call(&f, &s, head);
		if (of_run)
			last = head->time > last ? head->time : last;
		if (f.held.is && of_run && head->time >= f.held.from)
			release(&f);
		ended |= head->kind == TV_THREAD_END;
		feed_teams_until(&f.teams, head);
		if (!job->cut || rank_cut_takes(rank, head))
			feed_record(&f, head, job_time(job, rank, in_order(&f, head)));
	}
	report_steps(&f);
	end_begun(&f, NULL);
	if (f.held.is)
		release(&f);
	feed_teams_end(&f.teams, ended, job_time(job, rank, last));
	/* A thread that was cut off has no end: its open regions stay open. */
	if (ended && !f.stopped)
		builder_tracing(f.b, f.location, job_time(job, rank, last), tracing, false);
	else if (!f.stopped && !builder_failed(f.b))
		feed_awaited(&f, job_time(job, rank, last));
	/* Open regions last up to the moment of the look. */
	if (rank->file->now != UINT64_MAX && last && !ended && !f.stopped)
		builder_mark(f.b, f.location, job_time(job, rank, rank->file->now),
			     job_now_site(job));
	vec_fini(&f.open);
	rma_feed_fini(&f.rma);
	feed_stack_fini(&f.stack);
	if (s.damaged)
		job_damaged(job, rank, "buffer-damaged",
			    "has an invalid record of thread %u: those after it are lost", thread);
}

void job_events(struct job *job, struct rank *rank)
{
	for (uint32_t thread = 0; thread < rank->file->threads; thread++)
		vec_push(&rank->locations, rankfile_has_thread(rank->file, thread)
						   ? locate(job, rank, thread)
						   : UINT32_MAX);
	rank->location = rank->locations.data[0];
	for (uint32_t thread = 0; thread < rank->file->threads; thread++)
		if (rank->locations.data[thread] != UINT32_MAX)
			feed_thread(job, rank, thread);
	job_file_damaged(job, rank);
}
