/* filter: the expression language of --filter and the key f, one for all views; doc/filter.md is
 * its manual.
 *
 *	region =~ /^MPI_(Send|Recv)/ && rank in 0..3 && dur > 10us
 *
 * Grammar: `||`, `&&`, `!`, parentheses, comparisons (== != < <= > >= in !in =~ !~) between a field
 * and constants. Fields: rank, thread, node, kind, region, class, callpath, depth, file, line,
 * time, dur (of the visit, message or collective), peer, src, dst, tag, bytes, comm, op, root.
 * Constants: numbers, times with a unit, sizes with a unit (64k), "strings", bare words, sets
 * `0..3,8` (both ends of a range belong to it), PCRE2 patterns between slashes (JIT, match and heap
 * limits: no pattern can hang the program).
 *
 * A field that the row does not have makes its comparison false, whatever the operator: neither
 * `tag == 7` nor `tag != 7` holds for an enter. `!` turns that round: `!(tag == 7)` holds for it. A
 * row can have several values of a field (a message has the ranks, regions and call paths of both
 * its ends, a collective those of all its members): == < <= > >= in =~ ask for one that matches,
 * != !in !~ that there is one and none matches.
 *
 * Compiled once against a trace: everything that depends on definitions alone (region, class, rank,
 * ...) is decided per definition, so that a row costs a few loads and no pattern runs per event.
 * The duration of a visit costs O(64 log events). A filter is read-only: any number of threads may
 * ask it. It borrows the trace. */
#pragma once

#include "model/trace/message.h"
#include "model/trace/trace.h"

struct filter;

/* NULL with err (a sentence with the column, and a caret below the place) when the text is not an
 * expression. An empty text matches all. Costs one pass over the definitions, and one over the
 * events where `dur` is asked for. Of processes that share the trace all compile the same text. */
struct filter *filter_compile(const char *text, const struct trace *trace, struct err *err);
void filter_free(struct filter *filter);
const char *filter_text(const struct filter *filter);

/* True if a row matches. A NULL filter matches everything. The base must be made. */
bool filter_event(const struct filter *filter, enum time_base base, uint32_t event);
/* An enter with what is right inside its visit: fields of messages and collectives are theirs. */
bool filter_call(const struct filter *filter, enum time_base base, uint32_t enter);
bool filter_message(const struct filter *filter, enum time_base base, uint32_t message);
bool filter_collective(const struct filter *filter, enum time_base base, uint32_t collective);

/* A collective whose members are in several processes (base/exchange.h): each says what its own
 * say, verdicts[filter_tests()] that begin as 0; of all these the largest count. */
struct filter_whole {
	struct collective collective; /* communicator, operation, root */
	int64_t begin, end;           /* ticks: of all members */
	uint64_t sent, received;      /* by all; UINT64_MAX: no member knows */
	const uint8_t *members;       /* the largest verdicts */
};
size_t filter_tests(const struct filter *filter);
void filter_members(const struct filter *filter, enum time_base base, uint32_t collective,
		    uint8_t *verdicts);
bool filter_collective_whole(const struct filter *filter, const struct filter_whole *whole);

/* True if a visit of this call path on this location could match. Comparisons that definitions do
 * not decide (time, dur, kind, all of messages and collectives) are unknown, and unknown counts as
 * true: both `dur > 1ms` and `!(dur > 1ms)` could match. For shadings and profiles. */
bool filter_callpath(const struct filter *filter, uint32_t location, uint32_t callpath);
/* True if one on any location could. Costs a try for each kind of location that the filter tells
 * apart, most often two. */
bool filter_callpath_anywhere(const struct filter *filter, uint32_t callpath);
/* True if the filter has comparisons that filter_callpath() cannot decide, so that visits of a call
 * path must be tested one by one (filter_event() on their enters). */
bool filter_by_visit(const struct filter *filter);
/* As filter_callpath(), for a location: comparisons on its events are unknown. */
bool filter_location(const struct filter *filter, uint32_t location);
