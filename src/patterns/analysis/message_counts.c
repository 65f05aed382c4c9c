#include "patterns/analysis/message_counts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

/* Messages of one rank to or from another; `open`: there may be any number more. */
struct count {
	uint64_t n;
	bool open;
};

ORDERING(by_rank, struct rank_location, rank, location)

void message_counts_make(struct message_counts *counts, const struct trace *trace)
{
	const uint32_t n = trace_location_count(trace);
	const size_t records = trace_statement_record_count(trace);
	size_t at = 0;

	*counts = (struct message_counts){ .trace = trace };
	counts->first = xcalloc((size_t)n + 1, sizeof *counts->first);
	counts->ranks = xcalloc((size_t)n + 1, sizeof *counts->ranks);
	for (uint32_t l = 0; l < n; l++) {
		counts->ranks[l] = (struct rank_location){ trace_location(trace, l)->rank, l };
		counts->first[l] = at;
		while (at < records && trace_statement_record(trace, at)->location == l)
			at++;
	}
	counts->first[n] = at;
	SORT(counts->ranks, n, by_rank);
}

void message_counts_fini(struct message_counts *counts)
{
	free_all(counts->first, counts->ranks);
	*counts = (struct message_counts){ 0 };
}

static void add_location(struct count *count, const struct message_counts *counts,
			 uint32_t location, int32_t partner, uint32_t comm, uint32_t flag)
{
	for (size_t i = counts->first[location]; i < counts->first[location + 1]; i++) {
		const struct statement_record *r = trace_statement_record(counts->trace, i);

		if (!(r->flags & flag))
			continue;
		if (r->partner < 0 || (r->partner == partner && r->comm == UINT32_MAX))
			count->open = true;
		else if (r->partner == partner && r->comm == comm)
			count->n += r->count;
	}
}

static struct count count_of(const struct message_counts *counts, int32_t rank, int32_t partner,
			     uint32_t comm, uint32_t flag)
{
	struct count count = { .open = comm == UINT32_MAX };
	const uint32_t n = trace_location_count(counts->trace);
	uint32_t low = 0;

	for (uint32_t high = n; low < high;) {
		const uint32_t middle = low + (high - low) / 2;
		if (counts->ranks[middle].rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && counts->ranks[low].rank == rank; low++)
		add_location(&count, counts, counts->ranks[low].location, partner, comm, flag);
	return count;
}

/* The call under way is the next one of its side, or `started` the last one. */
static enum counts_verdict compare(struct count own, struct count other, bool started)
{
	const uint64_t nth = own.n + !started;

	if (other.n < nth && !other.open)
		return COUNTS_MISSING;
	return other.n >= nth && !own.open ? COUNTS_THERE : COUNTS_UNKNOWN;
}

enum counts_verdict message_counts_receive(const struct message_counts *counts, int32_t from,
					   int32_t to, uint32_t comm, bool started)
{
	return compare(count_of(counts, to, from, comm, RECORD_RECEIVED),
		       count_of(counts, from, to, comm, RECORD_SENT), started);
}

enum counts_verdict message_counts_send(const struct message_counts *counts, int32_t from,
					int32_t to, uint32_t comm, bool started)
{
	return compare(count_of(counts, from, to, comm, RECORD_SENT),
		       count_of(counts, to, from, comm, RECORD_RECEIVED), started);
}
