#include "model/cache/cache_shared.h"
#include "model/trace/halo.h"

void stretches_add(struct stretches *s, uint64_t from, uint64_t to, uint64_t n)
{
	struct stretch *last = s->list.n ? vec_last(&s->list) : NULL;

	if (n == 0)
		return;
	if (last && last->from + last->n == from && last->to + last->n == to)
		last->n += n;
	else
		vec_push(&s->list, ((struct stretch){ from, to, n }));
}

uint64_t shared_place(struct shared *s, enum counted kind, uint32_t location, uint64_t row,
		      uint64_t n)
{
	uint64_t *next = &s->next[kind][location];
	const uint64_t to = *next;

	*next += n;
	if (!s->counting && row != NO_ROW)
		stretches_add(&s->at[kind], row, to, n);
	return to;
}

uint64_t shared_event(const struct shared *s, uint32_t event)
{
	return trace_number_by(s->trace, s->first_event, event);
}
