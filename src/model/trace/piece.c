#include "model/trace/piece.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/keep.h"
#include "model/trace/store.h"

enum { ALIGN = 16, FREE_BYTES = 1 << 18, LOCATION_BYTES = 1 << 10 };

/* Before each array. */
struct array_head {
	uint64_t n, element;
};

static size_t padded(size_t bytes)
{
	return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void add_bytes(struct piece *p, const void *data, size_t bytes)
{
	const size_t at = p->bytes.n, end = at + padded(bytes);

	vec_reserve(&p->bytes, end);
	memset(p->bytes.data + at, 0, end - at);
	if (bytes)
		memcpy(p->bytes.data + at, data, bytes);
	p->bytes.n = end;
}

void piece_add(struct piece *p, const void *data, size_t n, size_t element)
{
	const struct array_head head = { n, element };

	add_bytes(p, &head, sizeof head);
	add_bytes(p, data, n * element);
}

enum { WORD = sizeof(uint64_t), WORDS = 64 };

void piece_add_sparse(struct piece *p, const void *data, size_t n, size_t element)
{
	const size_t words = element / WORD;
	OWNED uint64_t *masks = xcalloc(n + 1, sizeof *masks);
	OWNED uint64_t *some = xmalloc(n * element + 1);
	size_t found = 0;

	assert(words * WORD == element && words > 0 && words <= WORDS);
	for (size_t i = 0; i < n * words; i++) {
		memcpy(some + found, (const char *)data + i * WORD, WORD);
		if (some[found]) {
			masks[i / words] |= UINT64_C(1) << i % words;
			found++;
		}
	}
	piece_add(p, masks, n, sizeof *masks);
	piece_add(p, some, found, sizeof *some);
}

/* Whether the trace has room for one that is called so. */
static bool has_room(const struct trace *trace, const char *name, uint32_t base, size_t bytes)
{
	uint64_t all = bytes;
	const struct kept *k;

	vec_each (k, &trace->kept)
		if (k->piece && !(k->number == base && strncmp(k->name, name, sizeof k->name) == 0))
			all += k->bytes;
	return all <=
	       trace->events + (uint64_t)trace_location_count(trace) * LOCATION_BYTES + FREE_BYTES;
}

void piece_keep(struct piece *p, const struct trace *trace, const char *name, enum time_base base)
{
	if (!trace_exchange(trace) && has_room(trace, name, base, p->bytes.n))
		keep_give_piece(trace, name, base, p->bytes.data, p->bytes.n);
	else
		vec_fini(&p->bytes);
	*p = (struct piece){ .bytes = VEC_INIT };
}

/* ---- reading ---- */

bool piece_find(struct piece_reader *r, const struct trace *trace, const char *name,
		enum time_base base)
{
	*r = (struct piece_reader){ .bad = false };
	if (!trace_exchange(trace))
		r->at = keep_lent(trace, name, base, &r->left);
	return r->at != NULL;
}

const void *piece_next(struct piece_reader *r, size_t element, size_t *n)
{
	static const char nothing[ALIGN] __attribute__((aligned(ALIGN)));
	struct array_head head = { 0 };
	const char *data;

	assert(element);
	*n = 0;
	if (!r->bad && r->left >= sizeof head)
		memcpy(&head, r->at, sizeof head);
	if (head.element != element || head.n > (r->left - sizeof head) / element ||
	    padded(head.n * element) > r->left - sizeof head) {
		r->bad = true;
		return nothing;
	}
	*n = (size_t)head.n;
	data = r->at + sizeof head;
	r->at = data + padded(*n * element);
	r->left -= (size_t)(r->at - data) + sizeof head;
	return data;
}

void *piece_next_sparse(struct piece_reader *r, size_t element, size_t *n)
{
	const size_t words = element / WORD;
	size_t found, at = 0;
	const uint64_t *masks = piece_next(r, sizeof *masks, n);
	const uint64_t *some = piece_next(r, sizeof *some, &found);
	char *data = xcalloc(*n + 1, element);

	for (size_t i = 0; i < *n && !r->bad; i++)
		for (uint64_t mask = masks[i]; mask && !r->bad; mask &= mask - 1) {
			const size_t word = (size_t)__builtin_ctzll(mask);

			r->bad = word >= words || at == found;
			if (!r->bad)
				memcpy(data + i * element + word * WORD, some + at++, WORD);
		}
	r->bad = r->bad || at != found;
	*n = r->bad ? 0 : *n;
	return data;
}

bool piece_value(struct piece_reader *r, void *value, size_t bytes)
{
	size_t n;
	const void *data = piece_next(r, bytes, &n);

	r->bad = r->bad || n != 1;
	if (!r->bad)
		memcpy(value, data, bytes);
	return !r->bad;
}

bool piece_ends(const struct piece_reader *r)
{
	return !r->bad && r->left == 0;
}
