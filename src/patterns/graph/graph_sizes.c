/* The size of a trace's events, and of its own statement records, as records of capture. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/store.h"
#include "patterns/graph/graph_state.h"

/* Bytes of a record (capture/lib/record.h, tv_record_size()): the enter of an MPI call has its
 * place, too. */
enum { SMALL_RECORD = 16, LARGE_RECORD = 32 };

static uint32_t count_large(const struct block *block, const bool *large_enters)
{
	const uint32_t kinds = 1u << EV_SEND | 1u << EV_RECV | 1u << EV_RECV_REQUEST |
			       1u << EV_COLLECTIVE_BEGIN | 1u << EV_IO;
	uint32_t n = 0;

	for (uint32_t slot = 0; slot < block->n; slot++) {
		const enum event_kind kind = what_kind(block->what[slot]);
		n += kind == EV_ENTER ? large_enters[what_id(block->what[slot])]
				      : kinds >> kind & 1;
	}
	return n;
}

static void add_events(const struct trace *trace, uint32_t location, const bool *large_enters,
		       struct graph_sizes *sizes)
{
	const struct block_ids *list = &trace->lists.data[location];

	for (size_t i = 0; i < list->n; i++) {
		const struct block *block = store_block(trace, list->data[i]);
		sizes->events += block->n;
		sizes->event_bytes +=
			(uint64_t)block->n * SMALL_RECORD +
			(uint64_t)count_large(block, large_enters) * (LARGE_RECORD - SMALL_RECORD);
	}
}

void graph_sizes_of_trace(const struct trace *trace, const bool *chosen, struct graph_sizes *sizes)
{
	const uint32_t locations = trace_location_count(trace), paths = trace_callpath_count(trace);
	OWNED bool *large_enters = xcalloc((size_t)paths + 1, sizeof *large_enters);

	*sizes = (struct graph_sizes){ 0 };
	for (uint32_t p = 1; p < paths; p++)
		large_enters[p] = trace_callpath_class(trace, p) != CLASS_USER;
	for (uint32_t l = 0; l < locations; l++)
		if (!chosen || chosen[l])
			add_events(trace, l, large_enters, sizes);
	/* All processes have all statement records. */
	sizes->events = exchange_count(trace->exchange, sizes->events);
	sizes->event_bytes = exchange_count(trace->exchange, sizes->event_bytes);
	for (size_t i = 0; i < trace_statement_record_count(trace); i++) {
		const uint32_t location = trace_statement_record(trace, i)->location;
		sizes->records += location < locations && (!chosen || chosen[location]);
	}
	sizes->record_bytes = sizes->records * GRAPH_RECORD_BYTES;
}
