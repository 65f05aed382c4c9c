/* Flow events of one category, name and id are a chain of arrows, by time: first those of one file,
 * then what is alone in its file. */
#include "base/order.h"
#include "model/chrome/chrome_state.h"

static int by_arrow(const void *a, const void *b)
{
	const struct chrome_flow *x = a, *y = b;

	ORDER_BY(x->id, y->id);
	ORDER_BY(x->cat, y->cat);
	ORDER_BY(x->name, y->name);
	ORDER_BY(x->file, y->file);
	ORDER_BY(x->time, y->time);
	return ORDER(x->nth, y->nth);
}

static bool same_chain(const struct chrome_flow *x, const struct chrome_flow *y)
{
	return x->id == y->id && x->cat == y->cat && x->name == y->name && x->file == y->file;
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

static uint32_t host_of(const struct chrome_reading *c, const struct chrome_flow *flow)
{
	return c->processes.data[c->places.data[flow->place].process].host;
}

static void join(struct chrome_reading *c, const struct chrome_flow *from,
		 const struct chrome_flow *to, uint32_t *next)
{
	const uint64_t bytes = from->bytes != UINT64_MAX ? from->bytes : to->bytes;
	uint32_t tag;

	if (host_of(c, from) == host_of(c, to)) {
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

/* Ends without another one in their file go to the front of the list; how many. */
static size_t join_chains(struct chrome_reading *c, size_t n, uint32_t *next)
{
	size_t alone = 0;

	c->flows.n = n;
	vec_sort(&c->flows, by_arrow);
	for (size_t i = 0; i < n; i++) {
		const struct chrome_flow *flow = &c->flows.data[i], *after = next_end(c, i);
		if (flow->begins && after && after->ends) {
			join(c, flow, after, next);
			i += !after->begins;
		} else if (!flow->begins && after && !after->ends) {
			join(c, after, flow, next);
			i++;
		} else if (!(flow->ends && flow->begins)) {
			c->flows.data[alone++] = *flow;
		}
	}
	return alone;
}

void chrome_join_flows(struct chrome_reading *c)
{
	uint32_t next = 0;
	size_t alone = join_chains(c, c->flows.n, &next), elsewhere = 0;

	for (size_t i = 0; i < alone; i++) {
		struct chrome_flow *flow = &c->flows.data[i];
		if (c->files.data[flow->file].profiler) { /* several ends of one arrow */
			c->counts.local_flows++;
			continue;
		}
		if (c->files.n > 1)
			flow->file = UINT32_MAX;
		c->flows.data[elsewhere++] = *flow;
	}
	c->counts.lone_flows += c->files.n > 1 ? join_chains(c, elsewhere, &next) : elsewhere;
}
