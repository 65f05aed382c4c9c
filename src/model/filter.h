/* filter: the expression language of --filter and the key f, one for all views.
 *
 *	region =~ /^MPI_(Send|Recv)/ && rank in 0..3 && dur > 10us
 *
 * Grammar: `||`, `&&`, `!`, parentheses, comparisons (== != < <= > >= in !in =~ !~) between a field
 *and a constant. Fields: rank, thread, node, kind, region, class, callpath, depth, file, line,
 *time, dur (of the visit, message or collective), peer, src, dst, tag, bytes, comm, op, root.
 *Constants: numbers, times with a unit, sizes with a unit (64k), "strings", bare words, sets
 *`0..3,8`, PCRE2 patterns between slashes (JIT, match and heap limits: no pattern can hang the
 *program). A field that the row does not have makes its comparison false.
 *
 * Compiled once against a trace: everything that depends on definitions alone (region, class, rank,
 *...) is decided per definition, so that a row costs a few loads. */
#ifndef TVIEW_MODEL_FILTER_H
#define TVIEW_MODEL_FILTER_H

#include "model/message.h"
#include "model/trace.h"

struct filter;

/* NULL with err (a sentence with the column and a caret) when the text is no expression. An empty
 * text matches all. */
struct filter *filter_compile(const char *text, const struct trace *trace, struct err *err);
void filter_free(struct filter *filter);
const char *filter_text(const struct filter *filter);

/* Does a row match? A NULL filter matches everything. */
bool filter_event(const struct filter *filter, enum time_base base, uint32_t event);
bool filter_message(const struct filter *filter, enum time_base base, uint32_t message);
bool filter_collective(const struct filter *filter, enum time_base base, uint32_t collective);
/* Could a visit of this call path on this location match (fields of definitions alone; unknown
 * parts count as true)? For shadings and profiles. */
bool filter_callpath(const struct filter *filter, uint32_t location, uint32_t callpath);
bool filter_location(const struct filter *filter, uint32_t location);

#endif
