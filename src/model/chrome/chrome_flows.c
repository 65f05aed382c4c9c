/* Flow events of one category, name and id are a chain of arrows, by time. */
#include "base/order.h"
#include "model/chrome/chrome_state.h"

static int by_arrow(const void *a, const void *b)
{
	const struct chrome_flow *x = a, *y = b;

	ORDER_BY(x->id, y->id);
	ORDER_BY(x->cat, y->cat);
	ORDER_BY(x->name, y->name);
	ORDER_BY(x->time, y->time);
	return ORDER(x->nth, y->nth);
}

static bool same_chain(const struct chrome_flow *x, const struct chrome_flow *y)
{
	return x->id == y->id && x->cat == y->cat && x->name == y->name;
}

static void add_end(struct chrome_reading *c, const struct chrome_flow *of,
		    const struct chrome_flow *other, enum chrome_row_kind kind, uint32_t tag,
		    uint64_t bytes)
{
	vec_push(&c->rows, ((struct chrome_row){ .time = of->time,
						 .value = bytes,
						 .place = of->place,
						 .what = other->place,
						 .tag = tag,
						 .nth = of->nth,
						 .kind = (uint8_t)kind }));
}

static void join(struct chrome_reading *c, const struct chrome_flow *from,
		 const struct chrome_flow *to, uint32_t *next)
{
	const uint64_t bytes = from->bytes != UINT64_MAX ? from->bytes : to->bytes;
	uint32_t tag;

	if (c->places.data[from->place].process == c->places.data[to->place].process) {
		c->counts.local_flows++;
		return;
	}
	/* Without tags of its own each arrow gets one, so that no two are mistaken. */
	tag = from->tag >= 0 ? (uint32_t)from->tag : (*next)++ & INT32_MAX;
	add_end(c, from, to, ROW_SEND, tag, bytes);
	add_end(c, to, from, ROW_RECV, tag, bytes);
}

/* An end in the past, which is sorted before its begin: messages of unlike clocks are so. */
static const struct chrome_flow *next_end(const struct chrome_reading *c, size_t i)
{
	const struct chrome_flow *flow = &c->flows.data[i];

	return i + 1 < c->flows.n && same_chain(flow, flow + 1) ? flow + 1 : NULL;
}

void chrome_join_flows(struct chrome_reading *c)
{
	uint32_t next = 0;

	vec_sort(&c->flows, by_arrow);
	for (size_t i = 0; i < c->flows.n; i++) {
		const struct chrome_flow *flow = &c->flows.data[i], *after = next_end(c, i);
		if (flow->begins && after && after->ends) {
			join(c, flow, after, &next);
			i += !after->begins;
		} else if (!flow->begins && after && !after->ends) {
			join(c, after, flow, &next);
			i++;
		} else {
			c->counts.lone_flows += !(flow->ends && flow->begins);
		}
	}
}
