/* picl_dealt: records packed for another process: some 10 bytes each, in the order of the file.
 *
 *	struct picl_deal deal = { .bytes = STR_INIT };
 *	picl_deal_put(&deal, &record);
 *	...
 *	struct picl_dealt dealt = { .p = bytes, .end = bytes + n, .line = lines_before };
 *	while (picl_dealt_next(&dealt, &record)) ... */
#pragma once

#include "base/str.h"
#include "model/picl/read/picl_scan.h"

struct picl_deal {
	struct str bytes;
	int64_t time; /* of the last record, */
	uint64_t line;
};

struct picl_dealt {
	const char *p, *end;
	int64_t time;
	uint64_t line;
};

void picl_deal_put(struct picl_deal *deal, const struct picl_record *record);
/* The next record; it points into the bytes. A plain one has no payload: picl_payload(). */
bool picl_dealt_next(struct picl_dealt *dealt, struct picl_record *record);
