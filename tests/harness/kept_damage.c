#include "harness/kept_damage.h"

#include <string.h>

#include "base/mem.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/trace/keep.h"
#include "model/trace/store.h"

/* Numbers become others: a length, a place, a value; bytes of a text, too. */
static void scribble(char *bytes, size_t n, uint64_t *seed)
{
	static const uint32_t odd[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7ff80000 };

	for (uint32_t i = 0; i < 1 + draw(seed, 2); i++) {
		const uint32_t all = (uint32_t)(n / sizeof *odd);
		const uint32_t near = draw(seed, 2) && all > 40 ? 40 : all;
		const uint32_t value = draw(seed, 2) ? odd[draw(seed, 6)] : draw(seed, 100);

		memcpy(bytes + sizeof value * draw(seed, near), &value, sizeof value);
	}
}

/* Where lengths are not fixed it may have another one. */
static void change(const struct trace *trace, const struct kept *of, uint64_t *seed)
{
	const struct kept k = *of; /* it moves */
	const enum time_base base = (enum time_base)k.number;
	const size_t n = (size_t)k.bytes;
	char *bytes = memcpy(xmalloc(n), k.value, n);

	if (n >= sizeof(uint32_t))
		scribble(bytes, n, seed);
	if (k.piece)
		keep_give_piece(trace, k.name, base, bytes,
				draw(seed, 9) ? n : draw(seed, (uint32_t)n));
	else if (k.lent)
		keep_give(trace, k.name, base, bytes, draw(seed, 9) ? n : draw(seed, (uint32_t)n));
	else if (k.of_base)
		keep_of_base(trace, k.name, base, bytes, n);
	else
		keep_put(trace, k.name, k.number, bytes, n);
	if (!k.lent)
		free(bytes);
}

void kept_damage(const struct trace *trace, uint64_t *seed)
{
	assert_true(trace->kept.n > 5);
	change(trace, &trace->kept.data[draw(seed, (uint32_t)trace->kept.n)], seed);
}
