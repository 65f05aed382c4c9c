/* builder: the only way into the store. Readers of formats call it, in the order of their source;
 * no code after it knows the format of a trace.
 *
 * Events may come location by location or mixed; within a location the order of calls is the order
 * of the file, and times that run backwards there are sorted (stably) and counted. builder_finish()
 * sorts, matches, nests, and hands out the trace.
 *
 *	struct builder *b = builder_new("run.trc", &scale);
 *	uint32_t loc = builder_location(b, &(struct location){ .rank = 0, .process = -1 });
 *	uint32_t site = builder_site(b, builder_region(b, "solve", CLASS_USER, 17), 0, 0, 17);
 *	builder_enter(b, loc, 100, site);
 *	builder_leave(b, loc, 200, site);
 *	struct trace *trace = builder_finish(b, &opts, NULL, &err);	// b is gone, also on
 * failure
 *
 * Errors: limits (2^32 events, 2^27 messages or call paths, address space) are sticky; the calls
 * below then do nothing, builder_failed() is true, and builder_finish() reports the sentence.
 * Threads: one for each builder; builder_fork() makes children for more threads. */
#pragma once

#include "model/trace/detail.h"
#include "model/trace/message.h"
#include "model/trace/program.h"
#include "model/trace/trace.h"

struct builder;

struct builder *builder_new(const char *path, const struct timescale *scale, struct err *err);
/* Bounds the memory of all that is built; called first, NULL: no bound. The builder and its trace
 * become owners of the pool. */
struct slab_pool;
void builder_use_pool(struct builder *b, struct slab_pool *pool);
/* About so many events will be appended: memory for them is prepared. Called before the first one;
 * what is wrong costs time alone. */
void builder_expect(struct builder *b, uint64_t events);
void builder_abandon(struct builder *b);
bool builder_failed(const struct builder *b);

/* ---- definitions: the same content gives the same id ---- */

uint32_t builder_string(struct builder *b, const char *text, size_t length);
/* Its text; not of a child. */
const char *builder_text(const struct builder *b, uint32_t string);
/* Regions are one per name and class; picl is the event type it is written as (the first one given
 * stays). */
uint32_t builder_region(struct builder *b, const char *name, enum region_class cls, int32_t picl);
void builder_region_source(struct builder *b, uint32_t region, const char *file, uint32_t line);
/* A region with more properties: one per (name, class, file, line, event type). */
uint32_t builder_region_define(struct builder *b, const struct region *region);
uint32_t builder_site(struct builder *b, uint32_t region, uint32_t file, uint32_t line,
		      int32_t picl);
uint32_t builder_region_count(const struct builder *b);
uint32_t builder_site_count(const struct builder *b);
uint32_t builder_site_region(const struct builder *b, uint32_t site);
/* Its region; good until the next one is defined. */
const struct region *builder_region_of(const struct builder *b, uint32_t site);
/* One per (rank, process, thread); without a rank (RANK_UNKNOWN) one per (process, thread,
 * source_id). A node may be given
 * later with builder_location_node(); without a name it gets one at the end. */
uint32_t builder_location(struct builder *b, const struct location *location);
uint32_t builder_location_count(const struct builder *b);
int32_t builder_location_rank(const struct builder *b, uint32_t location);
/* [locations] The program (location_program()) with a device's stream that a location serves, or is
 * one of; UINT32_MAX: none. Hosts wait for their program's streams: one process must have both. */
void builder_programs_with_streams(const struct builder *b, uint32_t *program);
void builder_location_node(struct builder *b, uint32_t location, uint32_t node);
/* Communicators beside the world. `ranks` is copied. */
uint32_t builder_comm(struct builder *b, const char *name, const int32_t *ranks, uint32_t size,
		      int32_t picl_subset);
/* Members of the world; without it the world is every rank that has a location, the host
 * excepted. */
void builder_world(struct builder *b, const int32_t *ranks, uint32_t size);
/* Arrays are copied; coordinates are given for the first `rows` members of its communicator, which
 * may be the world before it is known. Those of members beyond them are -1. */
void builder_topology(struct builder *b, const struct topology *topology, uint32_t rows);
/* A communicator with more properties; arrays are copied. */
uint32_t builder_comm_define(struct builder *b, const struct comm *comm);
uint32_t builder_tree_node(struct builder *b, const struct tree_node *node);
uint32_t builder_process(struct builder *b, const struct process *process);
void builder_location_owner(struct builder *b, uint32_t location, uint32_t process, uint8_t type,
			    uint64_t source_id);
uint32_t builder_object(struct builder *b, enum detail_type type, uint32_t name,
			const uint64_t *values, uint32_t n);
uint32_t builder_metric(struct builder *b, const struct metric *metric);
uint32_t builder_metric_set(struct builder *b, const struct metric_set *set); /* copied */
void builder_marker(struct builder *b, const struct marker *marker);
/* Notes that not all of the source was loaded; `text` goes to trace_partial(). */
void builder_partial(struct builder *b, const char *text);
/* A reader's progress_step(), between two events of its source; progress->look() is shown the
 * builder. `what` is "reading", done and all are bytes of the source, `all` 0 if unknown. For a
 * child: called by its own thread. Fails where --max-mem leaves too little. */
bool builder_step(struct builder *b, const struct progress *progress, const char *what,
		  uint64_t done, uint64_t all);
/* After builder_step() returned false. True: finish the builder; the trace is partial, "stopped at
 * 41 %". False: the trace is not needed, abandon the builder. */
bool builder_keep(struct builder *b, const struct progress *progress, uint64_t done, uint64_t all);
void builder_offset(struct builder *b, const struct offset *offset);
void builder_property(struct builder *b, const char *key, const char *value);
void builder_property_define(struct builder *b, const struct property *property);
/* Its last records, or all of them, are damaged or missing. */
void builder_end_lost(struct builder *b, uint32_t location);
void builder_loose(struct builder *b, int64_t time, uint64_t line, const char *text, size_t length);
/* Counts a finding of the sort `code`; the `text` of the first one is kept. line 0: no place. */
void builder_finding(struct builder *b, enum finding_kind kind, const char *code, uint64_t line,
		     const char *text);

/* ---- events ---- */

void builder_enter(struct builder *b, uint32_t location, int64_t time, uint32_t site);
void builder_leave(struct builder *b, uint32_t location, int64_t time, uint32_t site);
void builder_mark(struct builder *b, uint32_t location, int64_t time, uint32_t site);
void builder_tracing(struct builder *b, uint32_t location, int64_t time, uint32_t site, bool on);
/* Leaves all open regions: recording stops before the program does. O(events of the location). */
void builder_leave_all(struct builder *b, uint32_t location, int64_t time);
void builder_record(struct builder *b, uint32_t location, int64_t time, enum event_kind kind,
		    const struct record *record);

/* An event with a detail: n values, at least as many as the type has fields (FIELD_VALUES counts as
 * none or more). */
void builder_detail(struct builder *b, uint32_t location, int64_t time, enum detail_type type,
		    const uint64_t *values, uint32_t n);
/* An attribute of the event appended last on the location. */
void builder_attribute(struct builder *b, uint32_t location, uint32_t object, uint64_t value);

/* One end of a message as its record has it. */
struct message_end {
	int32_t rank; /* of the partner: RANK_UNKNOWN if the record does not have it; -1 in a send:
			 to all */
	int32_t process; /* of the partner, -1 unknown */
	int32_t tag;     /* MSG_NO_TAG in flags where unknown */
	uint32_t comm;   /* 0 world */
	uint64_t bytes;  /* MSG_NO_BYTES in flags where unknown */
	uint16_t flags;  /* MSG_SEND_REQUEST or MSG_RECV_REQUEST, MSG_*_BLOCKED, mode, MSG_NO_* */
	bool has_request;
	int64_t request; /* id as in the file; need not be unique: FIFO among the outstanding ones
			    of that id */
};

/* A send: blocking (complete by itself) or, with has_request, one that builder_send_complete() may
 * end. */
void builder_send(struct builder *b, uint32_t location, int64_t time,
		  const struct message_end *end);
void builder_send_complete(struct builder *b, uint32_t location, int64_t time, int64_t request,
			   uint16_t flags);
/* A posted receive; `end` has what was asked for (may be all unknown). */
void builder_recv_request(struct builder *b, uint32_t location, int64_t time,
			  const struct message_end *end);
/* The completion of a receive: of a posted one (has_request), or of a blocking one. */
void builder_recv(struct builder *b, uint32_t location, int64_t time,
		  const struct message_end *end);
void builder_request_test(struct builder *b, uint32_t location, int64_t time, int64_t request);
void builder_request_cancelled(struct builder *b, uint32_t location, int64_t time, int64_t request);

/* One rank's part of a collective; at most one is open per location. root: world rank, -1 none,
 * RANK_UNKNOWN. Bytes: UINT64_MAX unknown (the end's value wins where both know). */
void builder_collective_begin(struct builder *b, uint32_t location, int64_t time, uint32_t comm,
			      uint32_t region, int32_t root, uint64_t sent, uint64_t received);
/* The same for sources that name the operation only at its end: builder_collective_is() is called
 * just before that end. Without it the collective is left out, and counted. */
void builder_collective_begin_unknown(struct builder *b, uint32_t location, int64_t time);
void builder_collective_is(struct builder *b, uint32_t location, uint32_t comm, uint32_t region,
			   int32_t root);
void builder_collective_end(struct builder *b, uint32_t location, int64_t time, uint64_t sent,
			    uint64_t received);

/* A nonblocking collective: begins with its request, which does not name the operation, and ends
 * with the completion, which does; its turn on the communicator is that of the request. Any number
 * may be open. */
void builder_collective_request(struct builder *b, uint32_t location, int64_t time,
				int64_t request);
void builder_collective_complete(struct builder *b, uint32_t location, int64_t time,
				 int64_t request, uint32_t comm, uint32_t region, int32_t root,
				 uint64_t sent, uint64_t received);

/* Prefetches the memory that the next event of a location will touch, in three steps (0 to 2) with
 * other work between them: each step needs the memory of the one before. Worth it where the events
 * of many locations alternate. */
void builder_ask(const struct builder *b, uint32_t location, int step);

/* Attaches the source's text (see trace_event_extra, trace_event_time_text) to the event appended
 * last on the location. */
void builder_extra(struct builder *b, uint32_t location, const char *text, size_t length);
void builder_time_text(struct builder *b, uint32_t location, const char *text, size_t length);

/* ---- statements and their records (program.h) ---- */

/* A statement's id counts from 0; its parent is defined before it, its callee may come later.
 * builder_finish() removes references that cannot be right: a parent that is neither a procedure
 * nor a loop, a callee that is not a procedure. */
uint32_t builder_statement(struct builder *b, const struct statement *statement);
/* The kind of a statement that is defined already. */
enum statement_kind builder_statement_kind(const struct builder *b, uint32_t id);
uint32_t builder_statement_count(const struct builder *b);
/* Several of one key (statement, location, from, partner, comm) are summed up. The statement is
 * defined before; fields that do not belong to its kind are not looked at; times below 0 or above
 * 2^56, whose sums could overflow, are set to these limits. */
void builder_statement_record(struct builder *b, const struct statement_record *record);

/* ---- several processes ---- */

/* The events are read by several processes, process[location] those of a location (copied). Called
 * when all is defined, before the first event; x NULL: this process reads all. */
struct exchange;
void builder_use_exchange(struct builder *b, struct exchange *x, const uint32_t *process);
/* The same where locations become known with their events: builder_leave_out() comes before the
 * first event of a location of another process, if these events are read here, too, and
 * builder_left_out() after the last event. What was found until then is this process' own. */
void builder_leave_out(struct builder *b, uint32_t location);
void builder_left_out(struct builder *b, struct exchange *x, const uint32_t *process);
/* The statement records of all become known to all; they are those of different locations. */
void builder_share_records(struct builder *b, struct exchange *x);
/* After the last event: what was found in the events of each becomes known to all. */
void builder_share_findings(struct builder *b);

/* ---- several threads ----
 *
 *	struct builder *child[2] = { builder_fork(b), builder_fork(b) };
 *	... each thread feeds its child with events of whole locations ...
 *	builder_join(b, child, 2);
 */

/* A child that one thread feeds with the events of locations that neither the parent nor another
 * child feeds (builder_enter() to builder_time_text(), builder_string(), builder_finding(),
 * builder_failed()). While a child is alive only builder_fork() may be called on the parent. NULL
 * if address space is limited: feed the parent itself. */
struct builder *builder_fork(struct builder *b);
/* Lets a child feed the locations that were defined since. Where there is one child, of the
 * parent's own thread, definitions may be made on the parent while it is fed. */
void builder_fork_locations(struct builder *child);
/* Ids from the first ones on stand for definitions that the parent gets before the join: they are
 * the feeder's own, counted from there, and replaced then. */
struct builder_stand_ins {
	uint32_t first_site, first_region;
	const uint32_t *sites, *regions; /* [own ids] id in the parent; borrowed until the join */
};
void builder_stand_in(struct builder *child, const struct builder_stand_ins *ids);
/* The number of texts that only the child has, and the i-th of them (from 0). */
size_t builder_fork_texts(const struct builder *child);
const char *builder_fork_text(const struct builder *child, size_t i);
/* Joins the children's events to the parent and frees the children; false if one has failed, and
 * then the parent has failed, too. The result does not depend on which child fed which location:
 * rows are in the order of the locations, then of the calls. The locations get no more events. Uses
 * as many threads as there are children. builder_abandon() frees a child that is not needed. */
bool builder_join(struct builder *b, struct builder **children, size_t n);

/* ---- the end ---- */

struct builder_options {
	bool decide_blocked; /* when the matched send came later than the enter of a receive, set
				MSG_RECV_BLOCKED and give its enter and leave the event type of a
				receive that waited (-52, -61 for -51, -60); for captured runs */
	int jobs;            /* threads, 0: as many as cores */
	bool only_written;   /* no view will ask: sums by class, gaps and the order of messages are
				not made */
};

/* NULL with err if a limit was met, NULL with err untouched if progress dropped it. Frees b. */
struct trace *builder_finish(struct builder *b, const struct builder_options *options,
			     const struct progress *progress, struct err *err);
