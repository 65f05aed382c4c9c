#include "views/facts/event_content.h"

#include "base/units.h"
#include "model/trace/copy.h"
#include "model/trace/detail.h"

bool event_content_any(const struct trace *trace)
{
	return trace_record_count(trace) > 0 || trace_detail_count(trace) > 0 ||
	       trace_attribute_count(trace) > 0;
}

static void add_record(const struct trace *trace, uint32_t what, struct str *out)
{
	const uint64_t bytes =
		what_kind(what) == EV_IO ? trace_io_bytes(trace, what_id(what)) : UINT64_MAX;
	const char *text = trace_string(trace, trace_record(trace, what_id(what))->text);

	if (bytes != UINT64_MAX)
		units_bytes(out, bytes);
	if (bytes != UINT64_MAX && *text)
		str_add(out, ", ");
	str_add_clean_text(out, text);
}

void event_content(const struct trace *trace, uint32_t event, struct str *out)
{
	const uint32_t what = trace_event_what(trace, event);
	const size_t begin = out->n;
	uint32_t attributes, copy;

	switch (what_kind(what)) {
	case EV_DATA:
	case EV_MESSAGE_TEXT:
	case EV_STATISTICS:
	case EV_IO: add_record(trace, what, out); break;
	default:
		if (what_kind(what) >= EV_THREAD_BEGIN && what_kind(what) <= EV_OTHER)
			trace_detail_text(trace, what_id(what), out);
	}
	copy = trace_copy_of(trace, event);
	if (copy != UINT32_MAX) {
		str_add(out, ": ");
		copy_text(trace, trace_copy(trace, copy), out);
	}
	trace_event_attributes(trace, event, &attributes);
	if (attributes && out->n > begin)
		str_add(out, "; ");
	if (attributes)
		trace_attributes_text(trace, event, out);
}
