#include "correct/clocks/lmin.h"

#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/clocks/lmin_pairs.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

#define DEFAULT_INTER 1e-6 /* seconds (A11) */
#define DEFAULT_INTRA 1e-7
#define OMP_VALUE     1e-8 /* shared memory, as the field's corrector has it (section 2) */

enum {
	PAIRS_MOST = 1 << 16,  /* most pairs of locations that are used */
	ENOUGH = 8,            /* messages each way for an estimate */
	ROWS_MOST = 1 << 22,   /* most messages that are used; larger sets are sampled evenly */
	QUANTILE_DIVISOR = 10, /* of the pairs' estimates */
	ESTIMATE_DIVISOR = 4,  /* of the sum of both ways: half for the mean, half for safety */
};

const char *lmin_source_name(enum lmin_source source)
{
	static const char *const names[] = {
		[LMIN_DEFAULT] = "default",        [LMIN_OPTION] = "option",
		[LMIN_HEADER] = "header",          [LMIN_ESTIMATED] = "estimated",
		[LMIN_FITTED] = "smallest fitted",
	};

	return names[source];
}

/* Rounds down, or a message that takes exactly as long would be too fast. */
static int64_t to_ticks(const struct trace *trace, double seconds)
{
	const double ticks = seconds * (double)trace_scale(trace)->per_second;

	if (!(ticks > 0))
		return 0;
	if (ticks > 0x1p60)
		return (int64_t)1 << 60;
	return (int64_t)floor(ticks * (1 + 1e-12) + 1e-9);
}

/* ---- the trace's own ---- */

static bool same_node(const struct trace *trace, uint32_t from, uint32_t to)
{
	const uint32_t a = trace_location(trace, from)->node, b = trace_location(trace, to)->node;

	return a == b || a == 0 || b == 0;
}

ORDERING_OF_NUMBERS(ascending, int64_t)

/* A low quantile of the estimates of the pairs on one node, or on two nodes; 0 if there are none.
 * Drifting clocks make estimates too large or too small: the smallest one is the least reliable. */
static int64_t estimate(const struct location_pairs *pairs, const struct trace *trace,
			bool on_one_node)
{
	OWNED int64_t *list = xmalloc((pairs->list.n + 1) * sizeof *list);
	size_t n = 0;

	for (size_t i = 0; i < pairs->list.n; i++) {
		const struct location_pair *pair = &pairs->list.data[i];
		if (pair->n[0] >= ENOUGH && pair->n[1] >= ENOUGH &&
		    same_node(trace, pair->low, pair->high) == on_one_node)
			list[n++] = (pair->fastest[0] + pair->fastest[1]) / ESTIMATE_DIVISOR;
	}
	SORT(list, n, ascending);
	return n ? list[n / QUANTILE_DIVISOR] : 0;
}

static uint64_t messages_of_all(const struct trace *trace)
{
	const uint32_t n = trace_message_count(trace);
	uint64_t here = n;

	for (uint32_t row = 0; trace_exchange(trace) && row < n; row++)
		here -= trace_message_is_far(trace, row);
	return exchange_count(trace_exchange(trace), here);
}

/* Of very many messages, each so manieth send of a location. */
static void look_at_messages(struct location_pairs *pairs, const struct logical *logical,
			     enum time_base base)
{
	const struct trace *trace = logical_trace(logical);
	const uint32_t n = trace_message_count(trace);
	const uint64_t stride = messages_of_all(trace) / ROWS_MOST + 1;
	OWNED uint32_t *sends = xcalloc(trace_location_count(trace) + 1u, sizeof *sends);

	for (uint32_t row = 0; row < n; row++) {
		const struct message *m = trace_message(trace, row);
		uint32_t from;
		messages_ahead(trace, base, row);
		if (m->flags & MSG_NO_SEND || trace_message_is_far(trace, row))
			continue;
		from = trace_event_location(trace, m->send);
		if (sends[from]++ % stride == 0 && logical_message(logical, row))
			location_pairs_see(pairs, from, trace_event_location(trace, m->recv),
					   trace_event_time(trace, base, m->recv) -
						   trace_event_time(trace, base, m->send));
	}
	location_pairs_share(pairs, trace_exchange(trace));
}

/* ---- choosing ---- */

static bool from_header(const struct trace *trace, const char *key, int64_t *ticks)
{
	const char *text = trace_property_value(trace, key);
	char *end;
	double seconds;

	if (!text)
		return false;
	seconds = strtod(text, &end);
	if (end == text || !(seconds >= 0) || seconds > 1)
		return false;
	*ticks = to_ticks(trace, seconds);
	return true;
}

static enum lmin_source choose(const struct trace *trace, double option, const char *key,
			       double standard, int64_t estimated, int64_t *ticks)
{
	if (option >= 0) {
		*ticks = to_ticks(trace, option);
		return LMIN_OPTION;
	}
	if (from_header(trace, key, ticks))
		return LMIN_HEADER;
	*ticks = to_ticks(trace, standard);
	if (estimated <= 0 || estimated >= *ticks)
		return LMIN_DEFAULT;
	*ticks = estimated;
	return LMIN_ESTIMATED;
}

struct lmin lmin_make(const struct logical *logical, enum time_base base,
		      const struct lmin_options *options)
{
	const struct trace *trace = logical_trace(logical);
	struct lmin lmin = { .trace = trace, .omp = to_ticks(trace, OMP_VALUE) };
	struct location_pairs pairs;

	location_pairs_init(&pairs, PAIRS_MOST);
	if (options->inter < 0 || options->intra < 0)
		look_at_messages(&pairs, logical, base);
	lmin.inter_source = choose(trace, options->inter, "lmin-inter", DEFAULT_INTER,
				   estimate(&pairs, trace, false), &lmin.inter);
	lmin.intra_source = choose(trace, options->intra, "lmin-intra", DEFAULT_INTRA,
				   estimate(&pairs, trace, true), &lmin.intra);
	location_pairs_fini(&pairs);
	return lmin;
}

int64_t lmin_between(const struct lmin *lmin, uint32_t from, uint32_t to, enum logical_class cls)
{
	uint32_t a, b;

	if (cls == LOGICAL_FORK || cls == LOGICAL_JOIN || cls == LOGICAL_TEAM)
		return lmin->omp;
	a = lmin->trace->locations.data[from].node;
	b = lmin->trace->locations.data[to].node;
	if (a && b)
		return a == b ? lmin->intra : lmin->inter;
	return lmin->intra < lmin->inter ? lmin->intra : lmin->inter;
}
