/* Texts of several processes: those of the definitions have the same numbers in all, those that
 * events brought have not. */
#include <string.h>

#include "base/exchange.h"
#include "base/order.h"
#include "model/cache/cache_shared.h"

/* Whether the first n texts are the same in all processes. */
static bool same_texts(const struct shared *s, size_t n)
{
	const struct strings *own = &s->trace->strings;
	const size_t bytes = n < own->start.n ? (size_t)own->start.data[n] : own->text.size;
	const uint64_t sum = guard_sum(own->text.data, bytes);
	uint64_t least[2] = { sum, ~sum };

	exchange_least(s->x, least, 2);
	return !exchange_any(s->x, least[0] != sum || least[1] != ~sum);
}

/* How many texts are the same in all. */
static size_t count_same(const struct shared *s)
{
	uint64_t fewest = s->trace->strings.start.n;
	size_t low = 0, high;

	exchange_least(s->x, &fewest, 1);
	high = (size_t)fewest;
	BISECT(low, high, n, same_texts(s, n + 1));
	return low;
}

static bool add_text(struct strings *all, const char *text, struct err *err)
{
	return strings_add(all, text, strlen(text), err) != UINT32_MAX;
}

bool shared_texts(struct shared *s, struct err *err)
{
	struct strings *own = &s->trace->strings, all;
	const size_t same = count_same(s), n = own->start.n;
	const size_t from = same < n ? (size_t)own->start.data[same] : own->text.size;
	struct exchange_parts others;
	bool ok = strings_init(&all, err);

	s->x->gather(s->x, own->text.data + from, own->text.size - from, &others);
	for (uint32_t i = 0; i < same && ok; i++)
		ok = add_text(&all, strings_get(own, i), err);
	/* Those of the first process come first, so that its definitions stay as they are. */
	for (const char *text = others.data;
	     ok && text < others.data + others.first[s->x->processes]; text += strlen(text) + 1)
		ok = add_text(&all, text, err);
	s->text = xmalloc((n + 1) * sizeof *s->text);
	for (uint32_t i = 0; i < n && ok; i++)
		s->text[i] = strings_find(&all, strings_get(own, i), strings_length(own, i));
	exchange_parts_fini(&others);
	strings_fini(ok && exchange_process(s->x) == 0 ? own : &all);
	if (ok && exchange_process(s->x) == 0)
		*own = all;
	return !exchange_any(s->x, !ok);
}
