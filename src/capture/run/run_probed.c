#include "capture/run/run_probed.h"

/* With fewer of them the measurement at the start says more. */
static const double enough = 200;

void run_probed_add(struct run_probed *probed, const struct rank *rank,
		    const struct tv_statistic *row)
{
	const bool loop = row->kind == TV_STAT_LOOP;
	const struct tv_probed *p = loop ? &row->loop.probed : &row->procedure.probed;
	const int kind = loop ? PROBED_LOOP : PROBED_PROCEDURE;

	/* A loop without a time is only counted. */
	if (row->kind == TV_STAT_COMMUNICATION || !rank->cost || (loop && !row->time))
		return;
	probed->number[kind] += (double)p->number;
	probed->time[kind] += (double)p->inside + (double)p->around;
	probed->measured[kind] += (double)p->number * (double)rank->cost->timed / 1000;
}

static double factor(const struct run_probed *p, enum probed_kind kind, double otherwise)
{
	const double value = p->time[kind] / p->measured[kind];

	return p->number[kind] >= enough && p->measured[kind] > 0 ? value : otherwise;
}

void run_probed_say(const struct run_probed *probed, struct builder *builder)
{
	const double procedure = factor(probed, PROBED_PROCEDURE, 0);
	OWNED_STR text = STR_INIT;

	if (!(procedure > 0))
		return;
	str_add_fmt(&text, "%.3f %.3f", procedure, factor(probed, PROBED_LOOP, procedure));
	builder_property(builder, "probes-timed", text.text);
}
