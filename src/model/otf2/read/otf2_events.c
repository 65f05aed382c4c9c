/* Enters and leaves, messages, collectives. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/otf2/read/otf2_feed.h"

/* ---- windows ---- */

/* Before the window: an enter is held until its leave, or until the window begins. */
static void enter_site(struct otf2_feed *f, int64_t t, uint32_t site)
{
	if (f->windowed && t < f->from)
		vec_push(&f->held, ((struct otf2_held){ t, site }));
	else
		builder_enter(f->b, f->location, t, site);
}

static void leave_site(struct otf2_feed *f, int64_t t, uint32_t site)
{
	if (f->windowed && t < f->from) {
		/* All that is open was held, in the same order. */
		if (f->held.n > f->open.n)
			f->held.n = f->open.n;
		return;
	}
	if (f->windowed) /* a flush may begin before the window */
		otf2_feed_in_window(f, t);
	builder_leave(f->b, f->location, t, site);
}

/* ---- regions ---- */

static const struct otf2_region *innermost(const struct otf2_feed *f)
{
	const uint32_t row = f->open.n ? *vec_last(&f->open) : UINT32_MAX;

	return row == UINT32_MAX ? NULL : &f->a->regions.data[row];
}

/* The site of an enter or leave of a region; own archives may say more of it. */
static uint32_t site_of(const struct otf2_feed *f, uint32_t row)
{
	if (f->a->own && f->own.has && row != UINT32_MAX)
		return otf2_own_site(f->a, &f->own, row);
	return row == UINT32_MAX ? f->a->spare_site : f->a->regions.data[row].site;
}

static uint32_t *visits(struct otf2_feed *f, uint32_t row)
{
	return &f->visits[row == UINT32_MAX ? f->a->regions.n : row];
}

static void enter(struct otf2_feed *f, int64_t t, uint32_t row, uint32_t site)
{
	if (row == UINT32_MAX)
		builder_finding(f->b, FINDING_DAMAGE, "region-undefined", 0,
				"a region is entered or left that is not defined");
	vec_push(&f->open, row);
	++*visits(f, row);
	enter_site(f, t, site);
}

/* Leaves the innermost visit of a region, and what is open inside it; does nothing if the region
 * is not open. */
static void leave(struct otf2_feed *f, int64_t t, uint32_t row, uint32_t site)
{
	if (*visits(f, row) > 0) {
		uint32_t left;
		do {
			left = vec_pop(&f->open);
			--*visits(f, left);
		} while (left != row);
	}
	leave_site(f, t, site);
}

static OTF2_CallbackCode on_enter(OTF2_HEAD, OTF2_RegionRef region)
{
	OTF2_BEGIN;
	const uint32_t row = otf2_ids_get(&f->a->region_ids, region);

	if (row == UINT32_MAX && !f->a->wants_spare)
		return otf2_feed_spare(f);
	enter(f, t, row, site_of(f, row));
	OTF2_END_HELD;
}

static OTF2_CallbackCode on_leave(OTF2_HEAD, OTF2_RegionRef region)
{
	OTF2_BEGIN;
	const uint32_t row = otf2_ids_get(&f->a->region_ids, region);

	if (row == UINT32_MAX && !f->a->wants_spare)
		return otf2_feed_spare(f);
	leave(f, t, row, site_of(f, row));
	OTF2_END_HELD;
}

static OTF2_CallbackCode on_context_enter(OTF2_HEAD, OTF2_CallingContextRef context,
					  uint32_t unwind)
{
	OTF2_BEGIN;
	const struct otf2_context c = otf2_feed_context(f, context);

	(void)unwind;
	if (c.region == UINT32_MAX && !f->a->wants_spare)
		return otf2_feed_spare(f);
	enter(f, t, c.region, c.site);
	OTF2_END_HELD;
}

static OTF2_CallbackCode on_context_leave(OTF2_HEAD, OTF2_CallingContextRef context)
{
	OTF2_BEGIN;
	const struct otf2_context c = otf2_feed_context(f, context);

	if (c.region == UINT32_MAX && !f->a->wants_spare)
		return otf2_feed_spare(f);
	leave(f, t, c.region, c.site);
	OTF2_END_HELD;
}

static OTF2_CallbackCode on_flush(OTF2_HEAD, OTF2_TimeStamp stop)
{
	OTF2_BEGIN;

	if (f->a->flush_site == UINT32_MAX)
		return otf2_feed_spare(f);
	enter_site(f, t, f->a->flush_site);
	leave_site(f, otf2_feed_time(f, stop), f->a->flush_site);
	OTF2_END_HELD;
}

static OTF2_CallbackCode on_measurement(OTF2_HEAD, OTF2_MeasurementMode mode)
{
	OTF2_BEGIN;
	uint32_t site = f->a->tracing_site;

	if (otf2_own_has(&f->own, OTF2_OWN_REGION))
		site = otf2_own_site(f->a, &f->own, UINT32_MAX);
	if (site == UINT32_MAX)
		return otf2_feed_spare(f);
	builder_tracing(f->b, f->location, t, site, mode == OTF2_MEASUREMENT_ON);
	OTF2_END;
}

/* ---- messages ---- */

static uint32_t message_comm(struct otf2_feed *f, uint32_t id)
{
	const struct otf2_comm *comm = otf2_comm(f->a, id);

	if (!comm || comm->kind != COMM_PROCESSES)
		return otf2_feed_comm(f, id);
	if (comm->messages != comm->id)
		builder_finding(
			f->b, FINDING_GUESS, "eztrace-world", 0,
			"EZTrace records all receives on the world's communicator: messages are "
			"matched on it");
	return comm->messages;
}

static struct message_end end_of(struct otf2_feed *f, uint32_t partner, uint32_t comm, uint32_t tag,
				 uint64_t bytes)
{
	return (struct message_end){ .rank = otf2_feed_rank(f, comm, partner),
				     .process = -1,
				     .tag = (int32_t)tag,
				     .comm = message_comm(f, comm),
				     .bytes = bytes };
}

static struct message_end with_request(struct message_end end, uint64_t request)
{
	end.has_request = true;
	end.request = (int64_t)request;
	return end;
}

static void send(struct otf2_feed *f, int64_t t, struct message_end end)
{
	const struct otf2_region *region = innermost(f);

	if (region)
		end.flags = (uint16_t)(region->mode << MSG_MODE_SHIFT);
	if (f->a->own)
		otf2_own_end(&f->own, true, &end);
	builder_send(f->b, f->location, t, &end);
}

static void receive(struct otf2_feed *f, int64_t t, struct message_end end)
{
	if (f->own.has)
		otf2_own_end(&f->own, false, &end);
	builder_recv(f->b, f->location, t, &end);
}

static OTF2_CallbackCode on_send(OTF2_HEAD, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
				 uint64_t bytes)
{
	OTF2_BEGIN;

	send(f, t, end_of(f, receiver, comm, tag, bytes));
	OTF2_END;
}

static OTF2_CallbackCode on_isend(OTF2_HEAD, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
				  uint64_t bytes, uint64_t request)
{
	OTF2_BEGIN;

	send(f, t, with_request(end_of(f, receiver, comm, tag, bytes), request));
	OTF2_END;
}

static OTF2_CallbackCode on_isend_complete(OTF2_HEAD, uint64_t request)
{
	OTF2_BEGIN;

	builder_send_complete(f->b, f->location, t, (int64_t)request,
			      otf2_own_waited(&f->own) ? MSG_SEND_BLOCKED : 0);
	OTF2_END;
}

static OTF2_CallbackCode on_recv_request(OTF2_HEAD, uint64_t request)
{
	OTF2_BEGIN;
	struct message_end end = { .rank = RANK_UNKNOWN,
				   .process = -1,
				   .flags = MSG_NO_TAG | MSG_NO_BYTES | MSG_NO_COMM,
				   .has_request = true,
				   .request = (int64_t)request };

	if (f->own.has)
		otf2_own_asked(f, &f->own, &end);
	builder_recv_request(f->b, f->location, t, &end);
	OTF2_END;
}

static OTF2_CallbackCode on_recv(OTF2_HEAD, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
				 uint64_t bytes)
{
	OTF2_BEGIN;

	receive(f, t, end_of(f, sender, comm, tag, bytes));
	OTF2_END;
}

static OTF2_CallbackCode on_irecv(OTF2_HEAD, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
				  uint64_t bytes, uint64_t request)
{
	OTF2_BEGIN;

	receive(f, t, with_request(end_of(f, sender, comm, tag, bytes), request));
	OTF2_END;
}

static OTF2_CallbackCode on_request_test(OTF2_HEAD, uint64_t request)
{
	OTF2_BEGIN;

	builder_request_test(f->b, f->location, t, (int64_t)request);
	OTF2_END;
}

static OTF2_CallbackCode on_request_cancelled(OTF2_HEAD, uint64_t request)
{
	OTF2_BEGIN;

	builder_request_cancelled(f->b, f->location, t, (int64_t)request);
	OTF2_END;
}

/* ---- collectives ---- */

/* A region of MPI that is a collective itself, or makes a communicator or a window. */
static bool is_collective(const struct otf2_region *region)
{
	return region && (region->cls == CLASS_COLLECTIVE || region->cls == CLASS_SYNC ||
			  region->cls == CLASS_START_END || region->cls == CLASS_MPI_OTHER);
}

/* The region that represents an operation: the one it happens in, where that is MPI's; else one of
 * that name; else the one it happens in. UINT32_MAX without any. */
static uint32_t operation_region(const struct otf2_feed *f, uint8_t operation)
{
	const struct otf2_region *region = innermost(f);

	if (f->a->own && otf2_own_region_of(f, &region))
		return region->region;
	if (is_collective(region))
		return region->region;
	if (operation < 32 && f->a->operations[operation] != UINT32_MAX)
		return f->a->operations[operation];
	if (region)
		return region->region;
	return f->a->wants_spare ? f->a->spare_collective : UINT32_MAX;
}

static OTF2_CallbackCode on_collective_begin(OTF2_HEAD)
{
	OTF2_BEGIN;

	if (!otf2_own_collective(f, t, &f->own))
		builder_collective_begin_unknown(f->b, f->location, t);
	OTF2_END;
}

static OTF2_CallbackCode on_collective_end(OTF2_HEAD, OTF2_CollectiveOp operation,
					   OTF2_CommRef comm, uint32_t root, uint64_t sent,
					   uint64_t received)
{
	OTF2_BEGIN;
	const uint32_t region = operation_region(f, operation);

	if (region == UINT32_MAX)
		return otf2_feed_spare(f);
	builder_collective_is(f->b, f->location, otf2_feed_comm(f, comm), region,
			      otf2_own_root(&f->own, otf2_feed_root(f, comm, root)));
	builder_collective_end(f->b, f->location, t, sent, received);
	OTF2_END;
}

static struct key request_key(uint64_t request)
{
	return KEY_OF((uint32_t)request, (uint32_t)(request >> 32));
}

static OTF2_CallbackCode on_collective_request(OTF2_HEAD, uint64_t request)
{
	OTF2_BEGIN;
	const struct otf2_region *region = innermost(f);

	*keymap_add(&f->requests, request_key(request)) =
		is_collective(region) ? region->region : UINT32_MAX;
	builder_collective_request(f->b, f->location, t, (int64_t)request);
	OTF2_END;
}

static OTF2_CallbackCode on_collective_complete(OTF2_HEAD, OTF2_CollectiveOp operation,
						OTF2_CommRef comm, uint32_t root, uint64_t sent,
						uint64_t received, uint64_t request)
{
	OTF2_BEGIN;
	const uint32_t *begun = keymap_find(&f->requests, request_key(request));
	const struct otf2_region *said = NULL;
	uint32_t region = begun ? *begun : UINT32_MAX;

	if (f->a->own && otf2_own_region_of(f, &said))
		region = said->region;
	if (region == UINT32_MAX)
		region = operation < 32 ? f->a->operations[operation] : UINT32_MAX;
	if (region == UINT32_MAX && !f->a->wants_spare)
		return otf2_feed_spare(f);
	builder_collective_complete(f->b, f->location, t, (int64_t)request, otf2_feed_comm(f, comm),
				    region == UINT32_MAX ? f->a->spare_collective : region,
				    otf2_own_root(&f->own, otf2_feed_root(f, comm, root)), sent,
				    received);
	OTF2_END;
}

/* ---- all ---- */

#define SET(name, function) OTF2_EvtReaderCallbacks_Set##name##Callback(c, function)

OTF2_EvtReaderCallbacks *otf2_feed_callbacks(void)
{
	OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();

	SET(Enter, on_enter);
	SET(Leave, on_leave);
	SET(CallingContextEnter, on_context_enter);
	SET(CallingContextLeave, on_context_leave);
	SET(BufferFlush, on_flush);
	SET(MeasurementOnOff, on_measurement);
	SET(MpiSend, on_send);
	SET(MpiIsend, on_isend);
	SET(MpiIsendComplete, on_isend_complete);
	SET(MpiIrecvRequest, on_recv_request);
	SET(MpiRecv, on_recv);
	SET(MpiIrecv, on_irecv);
	SET(MpiRequestTest, on_request_test);
	SET(MpiRequestCancelled, on_request_cancelled);
	SET(MpiCollectiveBegin, on_collective_begin);
	SET(MpiCollectiveEnd, on_collective_end);
	SET(NonBlockingCollectiveRequest, on_collective_request);
	SET(NonBlockingCollectiveComplete, on_collective_complete);
	otf2_details_callbacks(c);
	return c;
}

void otf2_feed_begin(struct otf2_feed *f, const struct otf2_archive *a, struct builder *b,
		     const struct otf2_place *place)
{
	*f = (struct otf2_feed){
		.a = a, .b = b, .place = place, .location = place->location, .rank = place->rank
	};
	f->visits = xcalloc(a->regions.n + 1, sizeof *f->visits);
}

void otf2_feed_end(struct otf2_feed *f)
{
	vec_fini(&f->open);
	free(f->visits);
	vec_fini(&f->held);
	keymap_fini(&f->requests);
}
