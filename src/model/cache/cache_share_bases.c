/* The rows of time bases, and of the sums that were made in them. */
#include "base/exchange.h"
#include "model/cache/cache_shared.h"
#include "model/sums/profile_sums.h"
#include "model/sums/shade.h"

void shared_bases_drop(struct trace *trace)
{
	for (int base = 0; base < BASE_COUNT; base++) {
		const struct profile_sums *p = trace->profile_sums[base];
		bool unfinished = !p;
		for (uint32_t l = 0; l < trace->locations.n && !unfinished; l++)
			unfinished = p->super_of[l] == UINT64_MAX;
		if (!exchange_any(trace->exchange, unfinished))
			continue;
		profile_sums_free(trace->profile_sums[base]);
		trace->profile_sums[base] = NULL;
	}
}

static void go_over_wide(struct shared *s, int base)
{
	for (uint32_t l = 0; l < s->trace->locations.n; l++) {
		const struct block_ids *list = &s->trace->lists.data[l];
		for (size_t i = 0; i < list->n; i++) {
			struct times *times =
				store_times(s->trace, (enum time_base)base, list->data[i]);
			uint64_t to;
			if (!times->wide)
				continue;
			to = shared_place(s, (enum counted)(COUNT_WIDE + base), l, times->wide - 1u,
					  1);
			if (!s->counting)
				times->wide = (uint32_t)to + 1;
		}
	}
}

static uint64_t supers_of(const struct trace *trace, uint32_t location)
{
	return (trace->lists.data[location].n + SUPER_BLOCKS - 1) / SUPER_BLOCKS;
}

static void go_over_shading(struct shared *s, int base)
{
	const struct shading *shading = s->trace->class_shading[base];
	const enum counted kind = (enum counted)(COUNT_SHADED + base);
	const enum counted wide = (enum counted)(COUNT_SHADED_WIDE + base);
	uint32_t first = 0;

	for (uint32_t l = 0; l < s->trace->locations.n; l++) {
		const uint32_t n = (uint32_t)supers_of(s->trace, l);
		const uint64_t to = shared_place(s, kind, l, first, n);
		if (!s->counting)
			shading->super_of[l] = (uint32_t)to;
		for (uint32_t i = first; i < first + n; i++) {
			uint64_t row;
			if (!shading->wide_row[i])
				continue;
			row = shared_place(s, wide, l, shading->wide_row[i] - 1u, 1);
			if (!s->counting)
				shading->wide_row[i] = (uint32_t)row + 1;
		}
		first += n;
	}
	if (!s->counting)
		shading->super_of[s->trace->locations.n] = (uint32_t)s->all[kind];
}

/* A location's superblocks, and where their sums and ends are. */
static void go_over_profile(struct shared *s, int base)
{
	const struct profile_sums *p = s->trace->profile_sums[base];
	const enum counted kind = (enum counted)(COUNT_PROFILED + base);

	for (uint32_t l = 0; l < s->trace->locations.n; l++) {
		const uint64_t n = supers_of(s->trace, l);
		struct super *first = p->supers.data + p->super_of[l];
		const uint64_t rows = n ? n + 1 : 0;
		const uint64_t to = shared_place(s, kind, l, p->super_of[l], rows);
		uint64_t sum, end;
		if (!s->counting)
			p->super_of[l] = to;
		if (n == 0)
			continue;
		sum = shared_place(s, (enum counted)(COUNT_SUM + base), l, first->first_sum,
				   first[n].first_sum - first->first_sum) -
		      first->first_sum;
		end = shared_place(s, (enum counted)(COUNT_END + base), l, first->first_end,
				   first[n].first_end - first->first_end) -
		      first->first_end;
		for (uint64_t i = 0; i <= n && !s->counting; i++) {
			first[i].first_sum += sum;
			first[i].first_end += end;
		}
	}
}

void shared_bases_go_over(struct shared *s)
{
	for (int base = 0; base < BASE_COUNT; base++) {
		if (s->trace->columns[base].made)
			go_over_wide(s, base);
		if (s->trace->class_shading[base])
			go_over_shading(s, base);
		if (s->trace->profile_sums[base])
			go_over_profile(s, base);
	}
}
