/* The sums of several processes, each of which has some of the locations (base/exchange.h). */
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/sums/profile.h"

enum { SHARED_SUMS = 7 };

static void share_sums(struct profile *profile, struct exchange *x)
{
	const size_t n = profile->n;
	OWNED int64_t *sums = xcalloc(SHARED_SUMS * n + 1, sizeof *sums);

	for (size_t i = 0; i < n; i++) {
		const struct profile_row *row = &profile->rows[i];
		const int64_t of[SHARED_SUMS] = {
			(int64_t)row->count,  row->inclusive,           row->exclusive,
			row->visit_sum,       row->estimated.inclusive, row->estimated.exclusive,
			row->estimated.visits
		};
		memcpy(sums + i * SHARED_SUMS, of, sizeof of);
	}
	exchange_ticks(x, sums, SHARED_SUMS * n);
	for (size_t i = 0; i < n; i++) {
		struct profile_row *row = &profile->rows[i];
		const int64_t *of = sums + i * SHARED_SUMS;
		row->count = (uint64_t)of[0];
		row->inclusive = of[1];
		row->exclusive = of[2];
		row->visit_sum = of[3];
		row->estimated = (struct profile_estimated){ of[4], of[5], of[6] };
	}
}

struct shared_visits {
	uint64_t row;
	int64_t min, max;
};

static void share_visits(struct profile *profile, struct exchange *x)
{
	OWNED_VEC(struct shared_visits) visits = VEC_INIT;
	OWNED bool *seen = xcalloc(profile->n + 1u, sizeof *seen);
	const struct shared_visits *v;

	for (uint32_t i = 0; i < profile->n; i++)
		if (profile->rows[i].count > 0)
			vec_push(&visits, ((struct shared_visits){ i, profile->rows[i].min,
								   profile->rows[i].max }));
	exchange_rows(x, &visits);
	vec_each (v, &visits) {
		struct profile_row *row = &profile->rows[v->row];
		row->min = !seen[v->row] || v->min < row->min ? v->min : row->min;
		row->max = !seen[v->row] || v->max > row->max ? v->max : row->max;
		seen[v->row] = true;
	}
}

void profile_share(struct profile *profile, struct exchange *x)
{
	if (!x)
		return;
	share_visits(profile, x);
	share_sums(profile, x);
}
