#include "model/build/dealing.h"

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"

uint64_t dealing_deal(const struct dealing *d, uint32_t processes, uint32_t *process)
{
	uint64_t all = 0, done = 0, mine = 0, most = 0;
	uint32_t at = 0;

	for (size_t i = 0; i < d->n; i++)
		all += d->weight[i];
	for (size_t i = 0; i < d->n; i++) {
		uint64_t next;
		if (process)
			process[i] = at;
		done += d->weight[i];
		mine += d->weight[i];
		most = mine > most ? mine : most;
		next = all ? (uint64_t)((unsigned __int128)done * processes / all) : processes;
		next = next < processes ? next : processes - 1;
		if (next > at)
			mine = 0;
		at = (uint32_t)next;
	}
	return most;
}

/* What a process needs: beside the definitions, for its part. */
static uint64_t memory_for(uint64_t weight, uint64_t bytes)
{
	enum { BYTES_ALONE = 32 << 20 };

	return BYTES_ALONE + weight * bytes;
}

/* A number of processes that do, few more than the least; 0: none, as units are not divided. */
static uint32_t processes_for(const struct dealing *d, uint64_t bytes, uint64_t limit)
{
	uint64_t heaviest = 0;

	for (size_t i = 0; i < d->n; i++)
		heaviest = d->weight[i] > heaviest ? d->weight[i] : heaviest;
	if (memory_for(heaviest, bytes) > limit)
		return 0;
	for (uint32_t n = 1; n < UINT32_MAX / 2; n += n / 16 + 1)
		if (memory_for(dealing_deal(d, n, NULL), bytes) <= limit)
			return n;
	return UINT32_MAX / 2;
}

bool dealing_has_room(const struct dealing *d, uint64_t most, uint64_t bytes, uint64_t limit,
		      const char *name, struct err *err)
{
	const uint64_t need = memory_for(most, bytes);
	OWNED_STR needed = STR_INIT, allowed = STR_INIT;
	uint32_t enough;

	if (!limit || need <= limit)
		return true;
	units_bytes(&needed, need);
	units_bytes(&allowed, limit);
	enough = processes_for(d, bytes, limit);
	if (!enough)
		return err_set(err, STATUS_IO,
			       "%s: one rank alone needs more than --max-mem allows a process "
			       "(%s); this one needs about %s",
			       name, allowed.text, needed.text);
	return err_set(err, STATUS_IO,
		       "%s: a process would need about %s, and --max-mem allows %s: %u processes "
		       "would do",
		       name, needed.text, allowed.text, enough);
}
