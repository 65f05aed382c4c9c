#include "model/trace/virtual_metric.h"

const char *const virtual_metric_text[VIRTUAL_METRICS][2] = {
	[VIRTUAL_SINCE] = { "virtual: call", "duration of the call of MPI, as measured" },
	[VIRTUAL_BEFORE] = { "virtual: intrusion before", "intrusion where the call was entered" },
	[VIRTUAL_LEFT] = { "virtual: intrusion", "intrusion where the call was left" },
	[VIRTUAL_AFTER] = { "virtual: recording", "time to record the call, after it" },
	[VIRTUAL_ERROR] = { "virtual: error", "bound of the error of the intrusion" },
	[VIRTUAL_INSIDE] = { "virtual: entry", "time from its entry until MPI was called" },
	[VIRTUAL_UNSURE] = { "virtual: error before",
			     "bound of the error of the intrusion before" },
	[VIRTUAL_TIMED] = { "virtual: timed", "intrusion since the call before that was timed" },
};
