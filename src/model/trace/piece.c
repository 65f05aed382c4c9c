#include "model/trace/piece.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/keep.h"
#include "model/trace/store.h"

enum { ALIGN = 16, FREE_BYTES = 1 << 18 };

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

/* Whether the trace has room for one that is called so. */
static bool has_room(const struct trace *trace, const char *name, uint32_t base, size_t bytes)
{
	uint64_t all = bytes;
	const struct kept *k;

	vec_each (k, &trace->kept)
		if (k->piece && !(k->number == base && strncmp(k->name, name, sizeof k->name) == 0))
			all += k->bytes;
	return all <= trace->events + FREE_BYTES;
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
