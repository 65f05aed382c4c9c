/* What rare events (model/trace/detail.h) and attributes say to a filter's comparisons. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "model/filter/filter_compiled.h"
#include "model/trace/detail.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

static enum verdict unsigned_verdict(const struct filter_test *test, uint64_t value)
{
	return filter_spans_verdict(test, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static enum verdict float_verdict(const struct filter_test *test, double value)
{
	if (isnan(value))
		return VERDICT_ABSENT;
	if (value >= 0x1p63)
		return filter_spans_verdict(test, INT64_MAX);
	return filter_spans_verdict(test, value < -0x1p63 ? INT64_MIN : (int64_t)value);
}

static enum verdict value_verdict(const struct filter_test *test, enum field_kind kind,
				  uint64_t value)
{
	double number;

	if (kind == FIELD_UINT)
		return unsigned_verdict(test, value);
	if (kind == FIELD_INT)
		return filter_spans_verdict(test, (int64_t)value);
	memcpy(&number, &value, sizeof number);
	return float_verdict(test, number);
}

/* ---- metrics ---- */

static enum verdict metric_verdict(const struct filter_test *test, const struct trace *trace,
				   const uint64_t *values, uint32_t n)
{
	enum verdict verdict = VERDICT_ABSENT;
	const struct metric_set *set;

	if (n == 0 || values[0] >= trace_metric_set_count(trace))
		return VERDICT_ABSENT;
	set = trace_metric_set(trace, (uint32_t)values[0]);
	for (uint32_t i = 0; i < set->n && i + 1 < n; i++) {
		const uint32_t id = set->metrics[i];
		const enum field_kind kind = (enum field_kind)trace_metric(trace, id)->value;
		verdict = better(verdict, test->field == FILTER_OBJECT
						  ? test->table[trace_object_count(trace) + id]
						  : value_verdict(test, kind, values[i + 1]));
	}
	return verdict;
}

/* ---- details ---- */

/* One field of a detail, where it is of the sort that the test asks for. */
static enum verdict field_verdict(const struct filter_test *test, const struct trace *trace,
				  enum field_kind kind, uint64_t value)
{
	switch (test->field) {
	case FILTER_OBJECT:
		return kind == FIELD_OBJECT && value < trace_object_count(trace)
			       ? test->table[value]
			       : VERDICT_ABSENT;
	case FILTER_COMM:
		return kind == FIELD_COMM && value < trace_comm_count(trace) ? test->table[value]
									     : VERDICT_ABSENT;
	case FILTER_BYTES:
		return kind == FIELD_BYTES && value != UINT64_MAX ? unsigned_verdict(test, value)
								  : VERDICT_ABSENT;
	case FILTER_PEER:
		return kind == FIELD_RANK && (int64_t)value != RANK_UNKNOWN
			       ? filter_spans_verdict(test, (int64_t)value)
			       : VERDICT_ABSENT;
	default: return VERDICT_ABSENT;
	}
}

enum verdict filter_detail_verdict(const struct filter_test *test, const struct trace *trace,
				   uint32_t id)
{
	const struct detail *detail = trace_detail(trace, id);
	const struct detail_info *info = detail_info((enum detail_type)detail->type);
	const uint64_t *values = trace_detail_values(trace, detail);
	enum verdict verdict = VERDICT_ABSENT;

	if (test->field == FILTER_DETAIL)
		return test->table[detail->type];
	if (detail->type == DETAIL_METRIC &&
	    (test->field == FILTER_OBJECT || test->field == FILTER_VALUE))
		return metric_verdict(test, trace, values, detail->n);
	if (test->field == FILTER_VALUE)
		return detail->type == DETAIL_PARAMETER_INT || detail->type == DETAIL_PARAMETER_UINT
			       ? value_verdict(test, info->field[1].kind, values[1])
			       : VERDICT_ABSENT;
	for (uint32_t i = 0; i < info->fields && i < detail->n; i++)
		verdict =
			better(verdict, field_verdict(test, trace, info->field[i].kind, values[i]));
	return verdict;
}

bool filter_detail_site(const struct trace *trace, uint32_t id, uint32_t *site)
{
	const struct detail *detail = trace_detail(trace, id);

	if (detail->type != DETAIL_SAMPLE)
		return false;
	*site = (uint32_t)trace_detail_values(trace, detail)[0];
	return *site < trace_site_count(trace);
}

static enum verdict own_attributes(const struct filter_test *test, const struct trace *trace,
				   uint32_t event)
{
	enum verdict verdict = VERDICT_ABSENT;
	const struct event_attribute *a;
	uint32_t n;

	if (trace_attribute_count(trace) == 0)
		return VERDICT_ABSENT;
	a = trace_event_attributes(trace, event, &n);
	for (uint32_t i = 0; i < n; i++) {
		const enum field_kind kind = attribute_kind(trace, &a[i]);
		if (test->field == FILTER_OBJECT)
			verdict = better(verdict, test->table[a[i].object]);
		else if (kind == FIELD_UINT || kind == FIELD_INT || kind == FIELD_FLOAT)
			verdict = better(verdict, value_verdict(test, kind, a[i].value));
	}
	return verdict;
}

enum verdict filter_attributes_verdict(const struct filter_test *test, const struct trace *trace,
				       uint32_t event)
{
	return test->far && trace_is_ghost(trace, event)
		       ? (enum verdict)test->far[halo_number(trace->halo, event)]
		       : own_attributes(test, trace, event);
}

/* ---- several processes ---- */

struct asking {
	const struct filter_test *test;
	const struct trace *trace;
};

static void say(void *context, uint32_t event, void *said)
{
	const struct asking *a = context;

	*(uint8_t *)said = (uint8_t)own_attributes(a->test, a->trace, event);
}

void filter_attributes_ask(struct filter_test *test, const struct trace *trace)
{
	struct asking a = { test, trace };

	if (!trace->halo)
		return;
	test->far = xcalloc(halo_ghosts(trace->halo) + 1, sizeof *test->far);
	halo_ask(trace, HALO_SENDS, sizeof *test->far, say, &a, test->far);
	halo_ask(trace, HALO_RECVS, sizeof *test->far, say, &a, test->far);
}
