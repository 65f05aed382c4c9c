/* record_type: PICL's numbers of the types of records, also of those that a trace keeps as text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum record_type {
	REC_MARK = -2,
	REC_ENTRY = -3,
	REC_EXIT = -4,
	REC_LABEL = -5,
	REC_ALIAS = -6,
	REC_MESSAGE = -7,
	REC_STAT_TIME = -101,
	REC_STAT_COUNT = -102,
	REC_STAT_VOLUME = -103,
	REC_STAT_RECEIVED = -104,
	REC_STAT_SIZE = -105,
	REC_STAT_LAST = -199,
	REC_SUBSET_PROCESSORS = -201,
	REC_SUBSET_PROCESSES = -202,
	REC_SUBSET_EVENTS = -203,
	/* tview's own (doc/format.md) */
	REC_DETAIL = -301,
	REC_ATTRIBUTE = -302,
	REC_MESSAGE_EVENT = -303,
	REC_METRIC = -304,
	REC_IO = -305,
	REC_COLLECTIVE_BEGIN = -306,
	REC_COLLECTIVE_END = -307,
	REC_CALL_SITE = -308,
	REC_COLLECTIVE_REQUEST = -309,
	REC_COLLECTIVE_COMPLETE = -310,
	REC_STATEMENT = -311,
	REC_GAP = -312,
	REC_OWN_LAST = -312,
};

static inline bool picl_is_statistics(int32_t rectype)
{
	return rectype <= REC_STAT_TIME && rectype >= REC_STAT_LAST;
}

static inline bool picl_is_definition(int32_t rectype)
{
	return rectype == REC_LABEL || rectype == REC_ALIAS ||
	       (rectype <= REC_SUBSET_PROCESSORS && rectype >= REC_SUBSET_EVENTS);
}
