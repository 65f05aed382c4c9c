/* event_content: what an event says beyond its kind, time and region: data of a user's record, the
 * text of PICL's messages (-7), a file operation, fields of a rare event, attributes of any. */
#pragma once

#include "base/str.h"
#include "model/trace/trace.h"

/* Appends it, cleaned, in one line; nothing for most events. */
void event_content(const struct trace *trace, uint32_t event, struct str *out);
/* Whether events of the trace may have any. */
bool event_content_any(const struct trace *trace);
