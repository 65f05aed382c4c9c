#include "views/facts/rollcall_text.h"

#include <string.h>

#include "base/units.h"
#include "views/facts/place_words.h"

enum { GROUPS = 6, RUNS = 8, LINKS = 8, BLAMED = 4 };

static bool is_next(const struct trace *trace, uint32_t a, uint32_t b)
{
	const struct location *la = trace_location(trace, a), *lb = trace_location(trace, b);

	return la->rank >= 0 && la->rank != RANK_HOST && lb->rank == la->rank + 1;
}

static void add_one(const struct trace *trace, uint32_t location, struct str *out)
{
	const struct location *l = trace_location(trace, location);
	const char *name = trace_string(trace, l->name);

	if (l->rank >= 0 && l->rank != RANK_HOST && l->thread <= 0)
		str_add_int(out, l->rank);
	else
		str_add_clean(out, name, strlen(name));
}

void rollcall_add_ranks(const struct trace *trace, const uint32_t *locations, uint32_t n,
			uint32_t most, struct str *out)
{
	uint32_t runs = 0;
	const bool rank = trace_location(trace, locations[0])->rank >= 0 &&
			  trace_location(trace, locations[0])->rank != RANK_HOST &&
			  trace_location(trace, locations[0])->thread <= 0;

	str_add(out, !rank ? "" : n == 1 ? "rank " : "ranks ");
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && is_next(trace, locations[end - 1], locations[end]);
		     end++)
			;
		if (runs++ == most) {
			str_add_fmt(out, " and %u more", (unsigned)(n - i));
			return;
		}
		str_add(out, i ? "," : "");
		add_one(trace, locations[i], out);
		if (end > i + 1) {
			str_add_char(out, end == i + 2 ? ',' : '-');
			add_one(trace, locations[end - 1], out);
		}
	}
}

static void capital(struct str *s)
{
	if (s->n && s->text[0] == 'r')
		s->text[0] = 'R';
}

/* "Ranks 0-15,17-63 (63) are in MPI_Barrier (x.c:10), the first since 1.2 s, and wait for rank 16." */
static void say_group(const struct rollcall *roll, const struct trace *trace,
		      const struct roll_group *group, struct str *s)
{
	const uint32_t *members = &roll->order[group->first];
	const struct roll *first = &roll->rolls[members[0]];
	int64_t since = first->since;
	bool same = first->peer >= 0;

	for (uint32_t i = 1; i < group->n; i++) {
		const struct roll *r = &roll->rolls[members[i]];
		since = r->since < since ? r->since : since;
		same = same && r->peer == first->peer;
	}
	rollcall_add_ranks(trace, members, group->n, RUNS, s);
	capital(s);
	if (group->n > 2)
		str_add_fmt(s, " (%u)", (unsigned)group->n);
	if (group->state == ROLL_ENDED) {
		str_add(s, group->n == 1 ? " has ended: no region is open."
					 : " have ended: no region is open.");
		return;
	}
	str_add(s, group->n == 1 ? " is in " : " are in ");
	words_path(trace, group->path, s);
	str_add(s, group->state == ROLL_USER ? ", the last record at "
		   : group->n > 1            ? ", the first since "
					     : ", since ");
	units_human_time(s, since, trace_scale(trace), 4);
	if (same) {
		str_add_fmt(s, ", %s rank %d",
			    group->state == ROLL_SEND ? "sending to" : "waiting for",
			    (int)first->peer);
		if (first->tag_known && group->n == 1)
			str_add_fmt(s, " (tag %d)", (int)first->tag);
	}
	str_add_char(s, '.');
}

/* "Rank 0 waits for 1, 1 for 2, 2 for 0: none of them can go on." */
static void say_cycle(const struct rollcall *roll, const struct trace *trace, struct str *s)
{
	const uint32_t n = roll->n_cycle;

	str_add(s, "Rank ");
	for (uint32_t i = 0; i < n; i++) {
		if (n > LINKS && i >= LINKS - 2 && i < n - 1) {
			str_add(s, i == LINKS - 2 ? ", ..." : "");
			continue;
		}
		str_add(s, i ? ", " : "");
		add_one(trace, roll->cycle[i], s);
		str_add(s, i ? " for " : " waits for ");
		add_one(trace, roll->cycle[(i + 1) % n], s);
	}
	if (n == 1)
		str_add(s, " itself: it cannot go on.");
	else
		str_add_fmt(s, ": a deadlock of %u.", (unsigned)n);
}

static void say_blamed(const struct rollcall *roll, const struct trace *trace, uint32_t i,
		       struct str *s)
{
	const struct roll *r = &roll->rolls[roll->blamed[i]];

	rollcall_add_ranks(trace, &roll->blamed[i], 1, 1, s);
	capital(s);
	str_add_fmt(s, " is what %u other%s for: it ", (unsigned)roll->waiters[i],
		    roll->waiters[i] == 1 ? " waits" : "s wait");
	if (r->state == ROLL_ENDED) {
		str_add(s, "has ended.");
		return;
	}
	str_add(s, "is in ");
	words_path(trace, r->path, s);
	str_add(s, ".");
}

void rollcall_sentences(const struct rollcall *roll, const struct trace *trace,
			rollcall_sentence *say, void *context)
{
	struct str s = STR_INIT;

	for (uint32_t g = 0; g < roll->n_groups; g++) {
		if (g >= GROUPS - 1 && g + 1 < roll->n_groups && g != roll->odd) {
			if (g == GROUPS - 1) {
				str_clear(&s);
				str_add_fmt(&s, "%u groups more: tview export rollcall.",
					    (unsigned)(roll->n_groups - GROUPS + 1));
				say(context, false, s.text);
			}
			continue;
		}
		str_clear(&s);
		say_group(roll, trace, &roll->groups[g], &s);
		say(context, g == roll->odd, s.text);
	}
	if (roll->n_cycle) {
		str_clear(&s);
		say_cycle(roll, trace, &s);
		say(context, true, s.text);
	}
	for (uint32_t i = 0; i < roll->n_blamed && i < BLAMED; i++) {
		str_clear(&s);
		say_blamed(roll, trace, i, &s);
		say(context, true, s.text);
	}
	str_fini(&s);
}
