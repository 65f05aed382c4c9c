/* lateness: how long one end of a message waited for the other (late_sender.c, late_receiver.c have
 * the formulas). At most 0: it did not, or that is unknown. `en` and `lv` are of the call that
 * completes the receive, or the send, in ticks of the base of `calls`. Threads: any number may
 * ask. */
#pragma once

#include "patterns/analysis/pattern.h"

int64_t late_sender_length(const struct calls *calls, const struct trace *trace, uint32_t row,
			   int64_t en, int64_t lv);
int64_t late_receiver_length(const struct calls *calls, const struct trace *trace, uint32_t row,
			     int64_t en, int64_t lv);

/* Adds and publishes the wait of a call for the other end of a message that it completed: a
 * SUBJECT_LATE_SENDER, or a SUBJECT_LATE_RECEIVER. */
void late_found(struct analysis *analysis, enum subject subject, const struct walk_call *call,
		const struct completion *end, int64_t length);
