#include "views/report/rollcall_report.h"

#include "views/facts/phrases.h"
#include "views/facts/rollcall_text.h"

static void add_sentence(void *context, const struct roll_group *group, bool warning,
			 const char *sentence)
{
	(void)group;
	(void)warning;
	str_add_fmt(context, "%s\n", sentence);
}

/* "12.3 s": time from `since` to the last record. */
static const char *ago(struct phrases *p, const struct rollcall *roll, int64_t since)
{
	return phrase_time(p, (double)(roll->last - since));
}

/* So many ranks are not recorded now. */
static unsigned not_recorded(const struct rollcall *roll)
{
	unsigned n = 0;

	for (uint32_t g = 0; g < roll->n_groups; g++)
		if (roll->groups[g].state == ROLL_STOPPED)
			n += roll->groups[g].n;
	return n;
}

/* From outside one cannot tell whether a rank that computes will ever end: the sentence claims no
 * more. */
static enum status add_verdict(struct phrases *p, const struct rollcall *roll, double least,
			       struct str *out)
{
	const double ticks = least * (double)trace_scale(p->trace)->per_second;
	const int64_t since = rollcall_cycle_since(roll);

	if (since != INT64_MAX && (double)(roll->last - since) >= ticks) {
		str_add_fmt(out, "Stuck: they have waited for each other for %s.\n",
			    ago(p, roll, since));
		return STATUS_NO;
	}
	if (not_recorded(roll)) {
		str_add_fmt(out, "Whether it is stuck is not known: %u %s not recorded now.\n",
			    not_recorded(roll), not_recorded(roll) == 1 ? "rank is" : "ranks are");
		return STATUS_OPEN;
	}
	if (roll->still == INT64_MIN) {
		str_add(out, "Whether it is stuck is not known: no call of MPI was recorded.\n");
		return STATUS_OPEN;
	}
	if ((double)(roll->last - roll->still) >= ticks) {
		str_add_fmt(out, "Stuck: no rank has begun or ended a call of MPI for %s.\n",
			    ago(p, roll, roll->still));
		return STATUS_NO;
	}
	str_add_fmt(out, "Not stuck: the latest call of MPI began or ended %s ago.\n",
		    ago(p, roll, roll->still));
	return STATUS_OK;
}

enum status rollcall_report(const struct query *query, double least, FILE *out)
{
	ENDED_BY(phrases_fini) struct phrases p = { .trace = query->trace };
	OWNED_STR text = STR_INIT;
	const struct partial *partial = trace_partial(query->trace);
	enum status status = STATUS_OK;
	struct rollcall roll;

	if (partial->is) {
		str_add_fmt(&text, "Where the ranks are is not known: only a part was read (%s).\n",
			    partial->text);
		status = least > 0 ? STATUS_OPEN : STATUS_OK;
	}
	if (!rollcall_make(&roll, query->trace, query->base, query->progress))
		str_add(&text, partial->is ? "" : "No rank is in a call: all have ended.\n");
	else
		rollcall_sentences(&roll, query->trace, add_sentence, &text);
	if (roll.n && least > 0)
		status = add_verdict(&p, &roll, least, &text);
	rollcall_fini(&roll);
	fwrite(text.text, 1, text.n, out);
	return status;
}
