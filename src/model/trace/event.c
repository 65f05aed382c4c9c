#include "model/trace/event.h"

#include <assert.h>

static const char *const kind_names[EV_KINDS] = {
	[EV_ENTER] = "enter",
	[EV_LEAVE] = "leave",
	[EV_STRAY_LEAVE] = "leave",
	[EV_MARK] = "mark",
	[EV_SEND] = "send",
	[EV_SEND_COMPLETE] = "send_complete",
	[EV_RECV_REQUEST] = "recv_request",
	[EV_RECV] = "recv",
	[EV_REQUEST_TEST] = "request_test",
	[EV_REQUEST_CANCELLED] = "request_cancelled",
	[EV_COLLECTIVE_BEGIN] = "collective_begin",
	[EV_COLLECTIVE_END] = "collective_end",
	[EV_DATA] = "data",
	[EV_MESSAGE_TEXT] = "message_text",
	[EV_STATISTICS] = "statistics",
	[EV_IO] = "io",
	[EV_THREAD_BEGIN] = "thread_begin",
	[EV_THREAD_END] = "thread_end",
	[EV_THREAD] = "thread",
	[EV_RMA] = "rma",
	[EV_METRIC] = "metric",
	[EV_PARAMETER] = "parameter",
	[EV_FILE] = "file",
	[EV_OTHER] = "other",
	[EV_TRACING_ON] = "tracing_on",
	[EV_TRACING_OFF] = "tracing_off",
};

static const char *const base_names[BASE_COUNT] = {
	[BASE_MEASURED] = "measured", [BASE_LINEAR] = "linear",           [BASE_FITTED] = "fitted",
	[BASE_CLC] = "clc",           [BASE_COMPENSATED] = "compensated", [BASE_LOWER] = "lower",
	[BASE_UPPER] = "upper",
};

const char *event_kind_name(enum event_kind kind)
{
	assert((unsigned)kind < EV_KINDS);
	return kind_names[kind];
}

const char *time_base_name(enum time_base base)
{
	assert((unsigned)base < BASE_COUNT);
	return base_names[base];
}
