/* filter_count: counts the events that match a filter, in slices, while it is typed. */
#pragma once

#include "model/filter/filter.h"

struct filter_count;

/* Compiles the text against the trace; NULL with err if the text is not a valid expression. */
struct filter_count *filter_count_new(const struct trace *trace, enum time_base base,
				      const char *text, struct err *err);
void filter_count_free(struct filter_count *count);
/* Counts for about 10 ms; true while there is more. */
bool filter_count_work(struct filter_count *count);
/* "1,234 of 3,412,201 events", "1,234+ events, 37 %". */
void filter_count_text(const struct filter_count *count, struct str *out);
