#include "views/facts/rollcall_text.h"

#include <string.h>

#include "model/trace/message.h"
#include "views/facts/phrases.h"

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

static const char *ranks_text(struct phrases *p, const uint32_t *locations, uint32_t n)
{
	OWNED_STR s = STR_INIT;

	rollcall_add_ranks(p->trace, locations, n, RUNS, &s);
	return phrase(p, "%s", s.text);
}

/* "since 1.2 s" of the run; of one that goes on "for 12.3 s". */
static const char *since_text(struct phrases *p, const struct rollcall *roll, int64_t since,
			      bool one)
{
	const bool live = trace_live(p->trace) != NULL;

	return phrase(p, "%s%s %s",
		      one    ? ""
		      : live ? "the longest "
			     : "the first ",
		      live ? "for" : "since",
		      phrase_time(p, (double)(live ? roll->last - since : since)));
}

/* The same of a rank that computes: its last record. */
static const char *last_text(struct phrases *p, const struct rollcall *roll, int64_t since)
{
	return trace_live(p->trace)
		       ? phrase(p, "the last record %s ago",
				phrase_time(p, (double)(roll->last - since)))
		       : phrase(p, "the last record at %s", phrase_time(p, (double)since));
}

/* "Ranks 0-15,17-63 (63) are in MPI_Barrier (x.c:10), the first since 1.2 s, waiting for rank
 * 16." */
static const char *group_text(struct phrases *p, const struct rollcall *roll,
			      const struct roll_group *group)
{
	const uint32_t *members = &roll->order[group->first];
	const struct roll *first = &roll->rolls[members[0]];
	const bool one = group->n == 1;
	int64_t since = first->since;
	bool same = first->peer >= 0;
	const char *who = ranks_text(p, members, group->n), *peer = "";

	for (uint32_t i = 1; i < group->n; i++) {
		const struct roll *r = &roll->rolls[members[i]];
		since = r->since < since ? r->since : since;
		same = same && r->peer == first->peer;
	}
	if (group->n > 2)
		who = phrase(p, "%s (%u)", who, (unsigned)group->n);
	if (group->state == ROLL_ENDED)
		return phrase(p, "%s %s: no region is open.", who,
			      one ? "has ended" : "have ended");
	if (group->state == ROLL_UNKNOWN)
		return phrase(p, "%s %s no records.", who, one ? "has" : "have");
	if (group->state == ROLL_OUTSIDE)
		return phrase(p, "%s %s outside MPI, in code that is not recorded, %s.", who,
			      one ? "is" : "are", since_text(p, roll, since, one));
	if (group->state == ROLL_STOPPED)
		return phrase(p, "%s %s not recorded %s.", who, one ? "is" : "are",
			      since_text(p, roll, since, true));
	if (same)
		peer = phrase(p, ", %s rank %d",
			      group->state == ROLL_SEND ? "sending to" : "waiting for",
			      (int)first->peer);
	if (same && first->tag_known && one)
		peer = phrase(p, "%s (tag %d)", peer, (int)first->tag);
	return phrase(p, "%s %s in %s, %s%s.", who, one ? "is" : "are", phrase_path(p, group->path),
		      group->state == ROLL_USER ? last_text(p, roll, since)
						: since_text(p, roll, since, one),
		      peer);
}

/* "Deadlock: rank 0 waits for 1, 1 for 2, 2 for 0." */
static const char *cycle_text(struct phrases *p, const struct rollcall *roll)
{
	const uint32_t n = roll->n_cycle;
	OWNED_STR s = STR_INIT;

	for (uint32_t i = 0; i < n; i++) {
		if (n > LINKS && i >= LINKS - 2 && i < n - 1) {
			str_add(&s, i == LINKS - 2 ? ", ..." : "");
			continue;
		}
		str_add(&s, i ? ", " : "");
		add_one(p->trace, roll->cycle[i], &s);
		str_add(&s, i ? " for " : " waits for ");
		if (n == 1)
			str_add(&s, "itself");
		else
			add_one(p->trace, roll->cycle[(i + 1) % n], &s);
	}
	return phrase(p, "Deadlock: rank %s.", s.text);
}

/* "ranks 0-2": the ranks of a call's members. */
static const char *members_text(struct phrases *p, const struct open_calls *calls, uint32_t id)
{
	const struct open_call *call = &calls->list.data[id];
	OWNED uint32_t *locations = xmalloc((call->n + 1) * sizeof *locations);
	uint32_t n = 0;

	for (uint32_t i = call->first; i < call->first + call->n; i++)
		if (calls->members.data[i].location != UINT32_MAX)
			locations[n++] = calls->members.data[i].location;
	return ranks_text(p, locations, n);
}

/* The size, type or operation that a member passed. */
static void add_passed(const struct trace *trace, const struct open_calls *calls,
		       const struct mismatch *m, const struct open_member *member, struct str *out)
{
	const char *operand =
		m->kind == MISMATCH_BYTES ? NULL : mismatch_operand(trace, m->kind, member);

	str_clear(out);
	if (m->kind == MISMATCH_BYTES)
		units_bytes(out, mismatch_part(trace, &calls->list.data[m->call], member));
	else if (operand)
		str_add_clean_text(out, operand);
}

/* "MPI_SUM on ranks 0-2": what a member passed, and all who passed it. */
static const char *passed_text(struct phrases *p, const struct open_calls *calls,
			       const struct mismatch *m, uint32_t id)
{
	const struct open_call *call = &calls->list.data[m->call];
	OWNED uint32_t *locations = xmalloc((call->n + 1) * sizeof *locations);
	OWNED_STR passed = STR_INIT, other = STR_INIT;
	uint32_t n = 0;

	add_passed(p->trace, calls, m, &calls->members.data[id], &passed);
	for (uint32_t i = call->first; i < call->first + call->n; i++) {
		const struct open_member *member = &calls->members.data[i];
		add_passed(p->trace, calls, m, member, &other);
		if (member->location != UINT32_MAX && !strcmp(other.text, passed.text))
			locations[n++] = member->location;
	}
	return phrase(p, "%s on %s", passed.text, ranks_text(p, locations, n));
}

static const char *comm_text(struct phrases *p, uint32_t comm)
{
	const char *name = trace_string(p->trace, trace_comm(p->trace, comm)->name);
	OWNED_STR s = STR_INIT;

	str_add_clean_text(&s, *name ? name : "a communicator without name");
	return phrase(p, "%s", s.text);
}

/* "Mismatch in collective call 7 of MPI_COMM_WORLD: MPI_Bcast on ranks 0-2, but MPI_Barrier on
 * rank 3." */
static const char *mismatch_text(struct phrases *p, const struct open_calls *calls,
				 const struct mismatch *m)
{
	const struct open_call *c = &calls->list.data[m->call];
	const char *where =
		phrase(p, "Mismatch in collective call %s of %s: %s", phrase_number(p, m->position),
		       comm_text(p, c->comm), phrase_region(p, c->region));
	const struct open_call *other;

	if (m->kind >= MISMATCH_BYTES)
		return phrase(p, "%s with %s, but with %s.", where,
			      passed_text(p, calls, m, m->one), passed_text(p, calls, m, m->other));
	other = &calls->list.data[m->other];
	if (m->kind == MISMATCH_ROOT)
		return phrase(p, "%s with root %d on %s, but with root %d on %s.", where,
			      (int)c->root, members_text(p, calls, m->one), (int)other->root,
			      members_text(p, calls, m->other));
	return phrase(p, "%s on %s, but %s on %s.", where, members_text(p, calls, m->one),
		      phrase_region(p, other->region), members_text(p, calls, m->other));
}

/* True if all ranks of a cycle are in collectives, on more than one communicator. */
static bool orders_differ(const struct rollcall *roll)
{
	bool differ = false;

	for (uint32_t i = 0; i < roll->n_cycle; i++) {
		const struct roll *r = &roll->rolls[roll->cycle[i]];
		if (r->collective == UINT32_MAX)
			return false;
		differ |= r->comm != roll->rolls[roll->cycle[0]].comm;
	}
	return differ;
}

/* "63 ranks wait for rank 16, which is in read_mesh() (x.c:10)." */
static const char *blamed_text(struct phrases *p, const struct rollcall *roll, uint32_t i)
{
	const struct roll *r = &roll->rolls[roll->blamed[i]];

	return phrase(p, "%s %s for %s, which %s.",
		      phrase_count(p, roll->waiters[i], "rank", "ranks"),
		      roll->waiters[i] == 1 ? "waits" : "wait", ranks_text(p, &roll->blamed[i], 1),
		      r->state == ROLL_ENDED     ? "has ended"
		      : r->state == ROLL_UNKNOWN ? "has no records"
		      : r->state == ROLL_STOPPED
			      ? phrase(p, "is not recorded %s", since_text(p, roll, r->since, true))
		      : r->state == ROLL_OUTSIDE
			      ? phrase(p, "is outside MPI, in code that is not recorded, %s",
				       since_text(p, roll, r->since, true))
			      : phrase(p, "is in %s", phrase_path(p, r->path)));
}

/* Ranks that the counts of messages say something of. */
static const char *counted_text(struct phrases *p, const struct rollcall *roll, bool unsure)
{
	OWNED uint32_t *those = xmalloc((roll->n + 1) * sizeof *those);
	uint32_t n = 0;

	for (uint32_t l = 0; l < roll->n; l++)
		if (unsure ? roll->rolls[l].unsure : roll->rolls[l].arriving)
			those[n++] = l;
	if (!n)
		return NULL;
	return unsure ? phrase(p,
			       "Whether the partner of %s is ready is not known: messages of "
			       "several partners are counted together.",
			       ranks_text(p, those, n))
		      : phrase(p, "A message is under way to %s: more were sent than received.",
			       ranks_text(p, those, n));
}

void rollcall_sentences(const struct rollcall *roll, const struct trace *trace,
			rollcall_sentence *sentence, void *context)
{
	ENDED_BY(phrases_fini) struct phrases p = { .trace = trace };

	if (roll->n_cycle)
		sentence(context, NULL, true, cycle_text(&p, roll));
	for (uint32_t i = 0; i < roll->n_mismatches; i++)
		sentence(context, NULL, true,
			 mismatch_text(&p, &roll->calls, &roll->mismatches[i]));
	if (orders_differ(roll))
		sentence(context, NULL, true,
			 "They call collectives of different communicators in different orders.");
	for (uint32_t i = 0; i < roll->n_blamed && i < BLAMED; i++)
		sentence(context, NULL, true, phrase_capital(&p, blamed_text(&p, roll, i)));
	for (int unsure = 0; unsure < 2; unsure++) {
		const char *text = counted_text(&p, roll, unsure);
		if (text)
			sentence(context, NULL, false, text);
	}
	for (uint32_t g = 0; g < roll->n_groups; g++) {
		const struct roll_group *group = &roll->groups[g];

		if (g < GROUPS - 1 || g + 1 == roll->n_groups || g == roll->odd)
			sentence(context, group, g == roll->odd,
				 phrase_capital(&p, group_text(&p, roll, group)));
		else if (g == GROUPS - 1)
			sentence(context, group, false,
				 phrase(&p, "%u more groups: tview export rollcall.",
					(unsigned)(roll->n_groups - GROUPS + 1)));
	}
}
