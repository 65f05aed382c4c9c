/* The homes of collectives: every process gets its share of them. */
#include "model/trace/halo.h"

#include "base/exchange.h"
#include "harness/test.h"
#include "model/trace/store.h"

enum { TURNS = 3000, COMMS = 3, MOST = 8 };

/* Of 9000 turns each of n processes has 9000 / n, give or take a tenth of that: 3 standard
 * deviations of a fair lot are 3 to 9 % here. */
TEST(homes_are_shared)
{
	for (uint32_t n = 1; n <= MOST; n++) {
		struct exchange x = { .processes = n };
		const struct trace trace = { .exchange = &x };
		uint32_t homes[MOST] = { 0 };

		for (uint32_t comm = 0; comm < COMMS; comm++)
			for (uint32_t turn = 0; turn < TURNS; turn++) {
				const uint32_t home = trace_home(&trace, comm, turn);
				assert_true(home < n);
				homes[home]++;
			}
		for (uint32_t p = 0; p < n; p++)
			assert_in_range(homes[p], COMMS * TURNS * 9 / 10 / n,
					COMMS * TURNS * 11 / 10 / n);
	}
}
