#include "harness/shifted.h"

#include "harness/test.h"
#include "model/trace/base_write.h"

void shifted_base(struct trace *trace, enum time_base base, enum time_base from, shifted_time *time,
		  void *context)
{
	struct err err = ERR_INIT;
	int64_t t[BLOCK_EVENTS];

	assert_true(base_begin(trace, base, &err));
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;
		uint64_t nth = 0;

		for (bool ok = cursor_first(&c, trace, from, l); ok; ok = cursor_next(&c)) {
			t[c.slot] = time(context, l, nth, cursor_time(&c));
			assert_true(c.slot == 0 || t[c.slot] >= t[c.slot - 1]);
			nth++;
			if (c.slot + 1u == c.block->n)
				assert_true(base_put(trace, base, c.id / BLOCK_EVENTS, t, &err));
		}
	}
	base_commit(trace, base);
}
