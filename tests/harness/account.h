/* account: all that a trace says, as text, whatever file it was read from: no number that a reader
 * is free to choose (of strings, sites, call paths, messages, details) stands in it unless it is
 * asked for, only those that definitions bear. For tests of round trips: two traces say the same when their accounts are
 * equal. */
#pragma once

#include "base/str.h"
#include "model/trace/trace.h"

enum account_part {
	ACCOUNT_EVENT_TYPES = 1 << 0, /* PICL's numbers of regions and sites */
	ACCOUNT_TEXTS = 1 << 1,       /* texts of the source that events keep */
	ACCOUNT_ALL = 3,
	/* Further the store's own numbers, findings, sums of classes, messages in order. */
	ACCOUNT_STORE = 7,
};

void trace_account(const struct trace *trace, enum account_part parts, struct str *out);

/* The first line in which two accounts differ, as "was ...\nis ...", in `out`; false where they are
 * equal. */
bool account_differs(const struct str *was, const struct str *is, struct str *out);
