/* The ranks' statistics (capture/lib/statistic.h) as records of the trace. */
#include "capture/run/rank_statements.h"
#include "capture/run/run_probed.h"

/* Rows whose process died while it changed them; what a look did not get. */
struct lost {
	uint64_t torn, missed;
};

/* What a row is of. */
struct subject {
	uint32_t statement, from;
};

struct records {
	struct finder find;           /* has the rank and the thread of the row */
	VEC(struct subject) subjects; /* of all rows */
	size_t row;                   /* the next one */
	struct lost lost;
	struct run_probed probed;
};

/* ---- records ---- */

/* At least half a year; sums of a hundred such rows still do not overflow. */
#define ROW_MOST (UINT64_C(1) << 56)

static bool is_row(const struct tv_statistic *row)
{
	return row->kind >= TV_STAT_PROCEDURE && row->kind <= TV_STAT_COMMUNICATION &&
	       row->count < ROW_MOST && row->time < ROW_MOST;
}

static int64_t nanoseconds(const struct records *records, uint64_t ticks)
{
	return ticks_duration(&records->find.rank->clock, ticks, TICKS_NEAREST);
}

static void fill_loop(const struct records *records, const struct tv_statistic *row,
		      struct statement_record *r)
{
	/* Sixteenths of ticks. */
	const double factor = ticks_length(&records->find.rank->clock) / 16;

	r->inner = row->loop.inner;
	r->iterations = row->loop.iterations;
	r->flags |= row->loop.iterated ? RECORD_ITERATED : 0;
	if (row->loop.iterations) {
		r->quickest = (double)row->loop.quickest * factor;
		r->slowest = (double)row->loop.slowest * factor;
	}
}

static void fill_communication(const struct records *records, const struct tv_statistic *row,
			       struct statement_record *r)
{
	const int32_t peer = row->communication.peer;
	const uint32_t comm = row->communication.comm;
	const bool defined =
		comm < records->find.rank->comms.n && records->find.rank->comms.data[comm].def;

	r->partner = peer == TV_PEER_NONE ? RANK_UNKNOWN
		     : peer < 0           ? PARTNER_MANY
					  : rank_member(records->find.rank, comm, peer);
	r->comm = defined && peer != TV_PEER_NONE ? rank_comm_id(records->find.rank, comm)
						  : UINT32_MAX;
	r->sync = nanoseconds(records, row->communication.sync);
	r->trans = nanoseconds(records, row->communication.trans);
	/* Both were rounded, but must remain parts of the time. */
	if (r->sync > r->time)
		r->sync = r->time;
	if (r->trans > r->time - r->sync)
		r->trans = r->time - r->sync;
	r->own = row->communication.own;
	r->carried = row->communication.carried;
	r->sent = row->communication.sent;
	r->received = row->communication.received;
}

static void add_record(const struct records *records, const struct tv_statistic *row,
		       const struct subject *subject)
{
	struct statement_record r = {
		.statement = subject->statement,
		.location = records->find.rank->locations.data[records->find.thread],
		.from = subject->from,
		.partner = RANK_UNKNOWN,
		.comm = UINT32_MAX,
		.count = row->count,
		.time = nanoseconds(records, row->time),
		.min = ticks_duration(&records->find.rank->clock, row->least, TICKS_DOWN),
		.max = ticks_duration(&records->find.rank->clock, row->most, TICKS_UP)
	};

	r.exclusive = r.time -
		      nanoseconds(records, row->children < row->time ? row->children : row->time);
	/* Where there are no events, none is missing. */
	r.flags = (row->flags & TV_STAT_LIMITED && !records->find.job->summary->statistics
			   ? RECORD_LIMITED
			   : 0) |
		  (row->flags & TV_STAT_LOST ? RECORD_LOST : 0) |
		  (row->flags & TV_STAT_SENT ? RECORD_SENT : 0) |
		  (row->flags & TV_STAT_RECEIVED ? RECORD_RECEIVED : 0) |
		  (row->flags & TV_STAT_DETECTED ? RECORD_DETECTED : 0) |
		  (row->seq & 1 ? RECORD_TORN : 0);
	/* Of a torn one only the shortest may be there. */
	if (r.max < r.min)
		r.max = r.min;
	if (row->kind == TV_STAT_COMMUNICATION)
		fill_communication(records, row, &r);
	else if (row->kind == TV_STAT_LOOP)
		fill_loop(records, row, &r);
	else
		r.inner = row->procedure.inner;
	if (r.inner > r.count)
		r.inner = r.count;
	builder_statement_record(records->find.job->builder, &r);
	records->find.job->summary->records++;
}

/* ---- all of them ---- */

/* Goes over the rows of all ranks, in the same order each time. */
static void each_row(struct records *records,
		     void (*use)(struct records *records, const struct tv_statistic *row))
{
	struct tv_statistic row;
	struct rank_rows rows;

	records->find.number = 0;
	records->lost = (struct lost){ 0 };
	vec_each (records->find.rank, &records->find.job->ranks) {
		rank_rows_begin(&rows, records->find.rank->file);
		while (rank_rows_next(&rows, &row, &records->find.thread)) {
			if (!is_row(&row))
				records->find.rank->wrong_rows = true;
			else if (row.count)
				use(records, &row);
		}
		records->lost.torn += rows.torn;
		records->lost.missed += records->find.rank->file->missed;
		records->find.number++;
	}
}

static void find(struct records *records, const struct tv_statistic *row)
{
	struct subject subject;

	subject.statement = finder_statement(&records->find, row);
	subject.from = finder_caller(&records->find, row, subject.statement);
	vec_push(&records->subjects, subject);
	records->find.job->summary->limited +=
		(row->flags & TV_STAT_LIMITED) && !records->find.job->summary->statistics;
}

static void add(struct records *records, const struct tv_statistic *row)
{
	add_record(records, row, &records->subjects.data[records->row++]);
	run_probed_add(&records->probed, records->find.rank, row);
}

static void tell_missed(const struct records *records)
{
	OWNED_STR text = STR_INIT;

	str_add_fmt(&text,
		    "the ranks changed or overwrote %llu part%s of their records throughout the "
		    "look: not in it",
		    (unsigned long long)records->lost.missed, records->lost.missed == 1 ? "" : "s");
	builder_finding(records->find.job->builder, FINDING_MISSING, "look-incomplete", 0,
			text.text);
}

static void tell_lost(const struct records *records)
{
	struct job *job = records->find.job;
	struct rank *rank;

	if (records->lost.missed)
		tell_missed(records);
	else if (records->lost.torn)
		builder_finding(job->builder, FINDING_INFO, "statistics-torn", 0,
				"a statement record was being changed when its process died: one "
				"execution may be in some of its figures alone");
	vec_each (rank, &job->ranks)
		if (rank->wrong_rows)
			job_damaged(job, rank, "statistics-damaged",
				    "has data that is not a statement record: it was skipped");
}

static void see(struct records *records, const struct tv_statistic *row)
{
	finder_see(&records->find, row);
}

void job_records(struct job *job)
{
	struct records records = { 0 };

	finder_init(&records.find, job);
	each_row(&records, see);
	each_row(&records, find);
	job->summary->statements = job_statement_count(job);
	for (uint32_t i = 0; i < job_statement_count(job); i++)
		builder_statement(job->builder, job_statement_at(job, i));
	each_row(&records, add);
	run_probed_say(&records.probed, job->builder);
	job->summary->torn = records.lost.torn;
	tell_lost(&records);
	finder_fini(&records.find);
	vec_fini(&records.subjects);
}
