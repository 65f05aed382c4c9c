/* Sequences: against a plain matcher that tries every begin and end of random patterns on random
 * calls; cases by hand; patterns that cost a backtracking matcher more than the age of the world. */
#include <stdio.h>
#include <string.h>

#include "harness/built.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/filter/sequence.h"

FREES(sequence_free, struct sequence)
FREES(filter_free, struct filter)

/* ---- calls ---- */

enum { REGIONS = 4, CALLS_MOST = 3100 };
static const char *const names[REGIONS] = { "step", "pack", "MPI_Send", "MPI_Wait" };

struct plain_call {
	unsigned region;
	int64_t begin, end;
	uint32_t enter;
	bool closed; /* before the run ends */
};

struct plain_run {
	struct plain_call calls[CALLS_MOST];
	unsigned n;
};

/* The calls of location 0, seen forward. */
static void see_calls(const struct trace *trace, struct plain_run *run)
{
	unsigned open[CALLS_MOST], depth = 0;
	int64_t first, last;
	struct cursor c;

	run->n = 0;
	trace_span(trace, BASE_MEASURED, &first, &last);
	for (bool more = cursor_first(&c, trace, BASE_MEASURED, 0); more; more = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		const uint32_t path = what_id(what);
		if (what_kind(what) == EV_ENTER) {
			struct plain_call *call = &run->calls[run->n];
			const char *name =
				trace_region_name(trace, trace_callpath_region(trace, path));
			*call = (struct plain_call){ 0, cursor_time(&c), last, c.id, false };
			while (strcmp(names[call->region], name) != 0)
				call->region++;
			open[depth++] = run->n++;
		} else if (what_kind(what) == EV_LEAVE) {
			while (depth >= trace_callpath(trace, path)->depth) {
				struct plain_call *call = &run->calls[open[--depth]];
				call->end = cursor_time(&c);
				call->closed = true;
			}
		}
	}
}

static struct trace *random_trace(uint64_t *seed, unsigned events)
{
	struct builder *b = built_begin(1);
	uint32_t sites[REGIONS], open[CALLS_MOST];
	unsigned depth = 0;
	int64_t time = 0;

	for (unsigned i = 0; i < REGIONS; i++)
		sites[i] = built_site(b, names[i], i < 2 ? CLASS_USER : CLASS_P2P, (int32_t)i);
	for (unsigned i = 0; i < events; i++) {
		time += draw(seed, 5);
		if (depth == 0 || draw(seed, 5) < 3) {
			open[depth++] = sites[draw(seed, REGIONS)];
			builder_enter(b, 0, time, open[depth - 1]);
		} else {
			/* Now and then several at once. */
			depth -= draw(seed, 6) ? 1 : 1 + draw(seed, depth);
			builder_leave(b, 0, time, open[depth]);
		}
	}
	return built_end(b);
}

/* ---- patterns, plainly ---- */

enum plain_type { NAME, OTHER, ANY, LONG, GAP, CHAIN, EITHER, TIMES };

struct plain {
	enum plain_type type;
	unsigned region;
	int64_t dur; /* of LONG: more than so many ticks */
	unsigned least, most;
	const struct plain *a, *b;
};

struct drawn {
	struct plain nodes[200];
	unsigned n;
	uint64_t *seed;
	unsigned elements;
};

static const struct plain *draw_element(struct drawn *d)
{
	struct plain *p = &d->nodes[d->n++];

	p->type = (enum plain_type)draw(d->seed, 4);
	p->region = draw(d->seed, REGIONS);
	p->dur = draw(d->seed, 10);
	d->elements++;
	return p;
}

static const struct plain *draw_pattern(struct drawn *d, unsigned depth)
{
	struct plain *p;
	const unsigned what = draw(d->seed, depth ? 8 : 2);

	if (what < 2 || d->n > 100)
		return draw_element(d);
	p = &d->nodes[d->n++];
	p->type = what < 5 ? CHAIN : what < 6 ? EITHER : what < 7 ? TIMES : GAP;
	if (p->type == GAP) {
		p->a = draw_element(d);
		return p;
	}
	p->a = draw_pattern(d, depth - 1);
	if (p->type != TIMES)
		p->b = draw_pattern(d, depth - 1);
	p->least = draw(d->seed, 3);
	p->most = draw(d->seed, 2) ? UINT32_MAX : p->least + draw(d->seed, 3) + !p->least;
	return p;
}

static void print(const struct plain *p, struct str *out)
{
	switch (p->type) {
	case NAME: str_add(out, names[p->region]); break;
	case OTHER: str_add_fmt(out, "!%s", names[p->region]); break;
	case ANY: str_add(out, "."); break;
	case LONG: str_add_fmt(out, "%s[dur > %dns]", names[p->region], (int)p->dur); break;
	case GAP:
		str_add(out, "(... ");
		print(p->a, out);
		str_add(out, ")");
		break;
	case CHAIN:
	case EITHER:
		str_add(out, "(");
		print(p->a, out);
		str_add(out, p->type == CHAIN ? " " : " | ");
		print(p->b, out);
		str_add(out, ")");
		break;
	case TIMES:
		str_add(out, "(");
		print(p->a, out);
		str_add_fmt(out, "){%u,", p->least);
		if (p->most != UINT32_MAX)
			str_add_fmt(out, "%u", p->most);
		str_add(out, "}");
		break;
	}
}

struct places {
	bool at[CALLS_MOST + 1];
};

static bool is(const struct plain *p, const struct plain_call *call)
{
	switch (p->type) {
	case NAME: return call->region == p->region;
	case OTHER: return call->region != p->region;
	case LONG:
		return call->region == p->region && call->closed &&
		       call->end - call->begin > p->dur;
	default: return true;
	}
}

static struct places ends_of(const struct plain *p, const struct plain_run *run,
			     const struct places *from);

/* One more time each, as long as that is new. */
static struct places times(const struct plain *p, const struct plain_run *run,
			   const struct places *from)
{
	struct places now = *from, all = { { false } };
	bool more = true;

	for (unsigned k = 0; k < p->least; k++)
		now = ends_of(p->a, run, &now);
	all = now;
	for (unsigned k = p->least; k < p->most && more; k++) {
		now = ends_of(p->a, run, &now);
		more = false;
		for (unsigned i = 0; i <= run->n; i++) {
			more |= now.at[i] && !all.at[i];
			all.at[i] |= now.at[i];
		}
	}
	return all;
}

static struct places ends_of(const struct plain *p, const struct plain_run *run,
			     const struct places *from)
{
	struct places to = { { false } }, other;

	switch (p->type) {
	case CHAIN: other = ends_of(p->a, run, from); return ends_of(p->b, run, &other);
	case EITHER:
		to = ends_of(p->a, run, from);
		other = ends_of(p->b, run, from);
		for (unsigned i = 0; i <= run->n; i++)
			to.at[i] |= other.at[i];
		return to;
	case TIMES: return times(p, run, from);
	case GAP:
		for (unsigned i = 0; i < run->n; i++)
			for (unsigned k = i; from->at[i] && k < run->n; k++)
				if (is(p->a, &run->calls[k])) {
					to.at[k + 1] = true;
					break;
				}
		return to;
	default:
		for (unsigned i = 0; i < run->n; i++)
			to.at[i + 1] = from->at[i] && is(p, &run->calls[i]);
		return to;
	}
}

/* The end of the match at a begin; 0 none. */
static unsigned plain_end(const struct plain *p, const struct plain_run *run, unsigned begin,
			  int64_t within)
{
	struct places from = { { false } }, to;
	unsigned least = 0, most = 0;

	from.at[begin] = true;
	to = ends_of(p, run, &from);
	for (unsigned end = begin + 1; end <= run->n; end++) {
		if (!to.at[end])
			continue;
		least = least ? least : end;
		most = end;
	}
	if (most && run->calls[most - 1].end - run->calls[begin].begin <= within)
		return most;
	return least && run->calls[least - 1].end - run->calls[begin].begin <= within ? least : 0;
}

/* ---- both ---- */

static void leave_out(struct plain_run *run, unsigned region)
{
	unsigned n = 0;

	for (unsigned i = 0; i < run->n; i++)
		if (run->calls[i].region != region)
			run->calls[n++] = run->calls[i];
	run->n = n;
}

/* A few events at a time. */
static sequence_matches matches_of(const struct sequence *sequence, const struct filter *filter,
				   uint32_t events)
{
	struct sequence_finder *finder = sequence_finder_new(sequence, BASE_MEASURED, filter);
	sequence_matches found = VEC_INIT;

	sequence_find_begin(finder, 0);
	while (sequence_find_more(finder, events, &found))
		assert_int_equal(found.n, 0);
	sequence_finder_free(finder);
	return found;
}

static unsigned compare(const struct plain *p, const struct plain_run *run, int64_t within,
			const sequence_matches *found, const char *text)
{
	unsigned n = 0;

	for (unsigned i = 0; i < run->n; i++) {
		const unsigned end = plain_end(p, run, i, within);
		if (!end)
			continue;
		if (n >= found->n || found->data[n].first != run->calls[i].enter ||
		    found->data[n].last != run->calls[end - 1].enter ||
		    found->data[n].calls != end - i)
			fail_msg("'%s': match %u is another one (call %u to %u of %u)", text, n, i,
				 end, run->n);
		n++;
		i = end - 1;
	}
	if (n != found->n)
		fail_msg("'%s': %zu matches instead of %u", text, found->n, n);
	return n;
}

static unsigned one_pattern(uint64_t *seed, const struct trace *trace)
{
	struct drawn d = { .seed = seed };
	const struct plain *p = draw_pattern(&d, 4);
	const bool limited = draw(seed, 3) == 0, among = draw(seed, 3) == 0,
		   filtered = draw(seed, 3) == 0;
	const int64_t within = limited ? (int64_t)draw(seed, 40) : INT64_MAX;
	const unsigned left_out = draw(seed, REGIONS);
	struct err err = ERR_INIT;
	FREED_BY(sequence_free) struct sequence *s = NULL;
	FREED_BY(filter_free) struct filter *filter = NULL;
	struct plain_run run;
	OWNED_STR text = STR_INIT;
	sequence_matches found;
	unsigned n;

	if (d.elements > SEQUENCE_ELEMENTS_MAX - 1)
		return 0;
	print(p, &text);
	if (limited)
		str_add_fmt(&text, " within %dns", (int)within);
	if (among)
		str_add_fmt(&text, " among !%s", names[left_out]);
	else
		str_add(&text, " among .");
	s = sequence_compile(text.text, trace, &err);
	if (!s) {
		if (!strstr(err.text, "no call at all") && !strstr(err.text, "too long"))
			fail_msg("'%s': %s", text.text, err.text);
		return 0;
	}
	if (filtered)
		filter = filter_compile("region != pack", trace, NULL);
	see_calls(trace, &run);
	leave_out(&run, among ? left_out : REGIONS);
	leave_out(&run, filtered ? 1 : REGIONS);
	found = matches_of(s, filter, 1 + draw(seed, 40));
	n = compare(p, &run, within, &found, text.text);
	vec_fini(&found);
	return n;
}

TEST(random_patterns_as_a_plain_matcher)
{
	uint64_t seed = 7;
	unsigned matches = 0;

	for (unsigned t = 0; t < 150; t++) {
		OWNED_TRACE *trace = random_trace(&seed, 1 + draw(&seed, 300));
		for (unsigned i = 0; i < 12; i++)
			matches += one_pattern(&seed, trace);
	}
	assert_in_range(matches, 1000, 1000000);
}

/* ---- by hand ---- */

/* A call of a nanosecond for each letter, one after the other: s step, p pack, S MPI_Send, W
 * MPI_Wait; ( and ) around what is in a step of its own. */
static struct trace *trace_of(const char *calls)
{
	struct builder *b = built_begin(1);
	uint32_t sites[REGIONS];
	int64_t time = 0;

	for (unsigned i = 0; i < REGIONS; i++)
		sites[i] = built_site(b, names[i], i < 2 ? CLASS_USER : CLASS_P2P, (int32_t)i);
	for (; *calls; calls++, time++) {
		const char *at = strchr("spSW", *calls);
		if (*calls == '(')
			builder_enter(b, 0, time, sites[0]);
		else if (*calls == ')')
			builder_leave(b, 0, time, sites[0]);
		else {
			builder_enter(b, 0, time, sites[at - "spSW"]);
			builder_leave(b, 0, time + 1, sites[at - "spSW"]);
		}
	}
	return built_end(b);
}

/* Matches as "first..last" of the calls' numbers, from 0. */
static void finds(const char *calls, const char *pattern, const char *wanted)
{
	OWNED_TRACE *trace = trace_of(calls);
	struct err err = ERR_INIT;
	FREED_BY(sequence_free) struct sequence *s = sequence_compile(pattern, trace, &err);
	OWNED_STR out = STR_INIT;
	struct plain_run run;
	sequence_matches found;
	const struct sequence_match *m;

	if (!s)
		fail_msg("'%s': %s", pattern, err.text);
	see_calls(trace, &run);
	found = matches_of(s, NULL, UINT32_MAX);
	vec_each (m, &found) {
		unsigned first = 0, last = 0;
		while (run.calls[first].enter != m->first)
			first++;
		while (run.calls[last].enter != m->last)
			last++;
		str_add_fmt(&out, "%s%u..%u", out.n ? " " : "", first, last);
	}
	vec_fini(&found);
	if (strcmp(out.text, wanted) != 0)
		fail_msg("'%s' in %s: '%s', not '%s'", pattern, calls, out.text, wanted);
}

TEST(the_longest_from_the_first_call_on)
{
	finds("SSWSSSW", "MPI_Send+ MPI_Wait", "0..2 3..6");
	finds("SSWSSSW", "MPI_Send MPI_Wait", "1..2 5..6");
	finds("SSSS", "MPI_Send{2}", "0..1 2..3");
	finds("SSSSS", "MPI_Send{2,3}", "0..2 3..4");
	finds("SWSWS", "(MPI_Send MPI_Wait)+", "0..3");
	finds("SWSWS", "MPI_Send (MPI_Wait MPI_Send)?", "0..2 4..4");
	finds("sSpW", "step | pack", "0..0 2..2");
	finds("SpSWp", "MPI_Send .* MPI_Wait", "0..3");
}

TEST(a_gap_ends_at_the_first_call_that_goes_on)
{
	finds("SppWpW", "MPI_Send ... MPI_Wait among .", "0..3");
	finds("SpWSpppW", "MPI_Send ... MPI_Wait among .", "0..2 3..7");
	finds("SppsW", "MPI_Send ... (MPI_Wait | step)", "0..3");
	finds("SWSppW", "(MPI_Send ... MPI_Wait)+ among .", "0..5");
	finds("Sppp", "MPI_Send ... MPI_Wait among .", "");
}

TEST(calls_of_the_program_count_where_it_is_named)
{
	finds("SpW", "MPI_Send MPI_Wait", "0..2");
	finds("SpW", "MPI_Send MPI_Wait among .", "");
	finds("SpW", "/^MPI_/+", "0..2");
	finds("SpW", "MPI_Send . MPI_Wait among .", "0..2");
	finds("SpW", "MPI_Send pack MPI_Wait", "0..2");
	finds("(SpW)(SW)", "MPI_Wait MPI_Send", "3..5");
	finds("(SpW)(SW)", "MPI_Wait step MPI_Send", "3..5");
	finds("SpWsS", "[class == p2p]{2}", "");
	finds("SpWsS", "[class == p2p]{2} among [class == p2p]", "0..2");
}

/* A call of a step is from its begin to its own end; a match ends with its last call. */
TEST(conditions_and_limits)
{
	finds("(SW)(SWSW)", "step[dur > 4ns] MPI_Send", "3..4");
	finds("(SW)(SWSW)", "step[dur <= 3ns]", "0..0");
	finds("SSSSSS", "MPI_Send+ within 3ns", "0..0 1..1 2..2 3..5");
	finds("SppWSpW", "MPI_Send ... MPI_Wait within 3ns among .", "4..6");
	finds("SppWSpW", "MPI_Send .* MPI_Wait within 4ns among .", "0..3 4..6");
	finds("(S)W", "step MPI_Send within 2ns", "0..1");
	finds("(S)W", "step MPI_Send within 1ns", "");
}

/* What is asked about messages is asked of those in the call. */
TEST(conditions_on_messages)
{
	struct builder *b = built_begin(2);
	const uint32_t send = built_site(b, "MPI_Send", CLASS_P2P, 0);
	OWNED_TRACE *trace = NULL;
	FREED_BY(sequence_free) struct sequence *s = NULL;
	sequence_matches found;

	for (int i = 0; i < 4; i++) {
		builder_enter(b, 0, 10 * i, send);
		builder_send(b, 0, 10 * i + 1,
			     &(struct message_end){ .rank = 1,
						    .process = -1,
						    .tag = i,
						    .bytes = 100 * (uint64_t)i });
		builder_leave(b, 0, 10 * i + 5, send);
	}
	trace = built_end(b);
	s = sequence_compile("MPI_Send[bytes < 150] MPI_Send[bytes > 150 && peer == 1]", trace,
			     NULL);
	found = matches_of(s, NULL, UINT32_MAX);
	assert_int_equal(found.n, 1);
	assert_int_equal(trace_event_time(trace, BASE_MEASURED, found.data[0].first), 10);
	vec_fini(&found);
}

/* ---- what costs others too much ---- */

TEST(hostile_patterns)
{
	char calls[3001] = "", text[200];
	OWNED_STR many = STR_INIT;

	memset(calls, 'S', 3000);
	finds(calls, "((MPI_Send*)*)* MPI_Wait", "");
	finds(calls, "(MPI_Send+)+ (MPI_Send+)+ (MPI_Send+)+ MPI_Wait", "");
	finds(calls, "(MPI_Send | MPI_Send | .)* (. MPI_Send? .?){20} MPI_Wait", "");
	/* Each begin looks to the end for a call that never comes. */
	finds("SSSS", "MPI_Send (.* MPI_Wait)?", "0..0 1..1 2..2 3..3");
	finds(calls, "MPI_Send{500}",
	      "0..499 500..999 1000..1499 1500..1999 2000..2499 2500..2999");
	for (int i = 0; i < 90; i++)
		str_add(&many, "(");
	str_add(&many, "MPI_Send");
	for (int i = 0; i < 90; i++)
		str_add(&many, ")*");
	snprintf(text, sizeof text, "MPI_Wait");
	str_add_fmt(&many, " %s", text);
	finds("SSSW", many.text, "0..3");
}

/* ---- what is wrong is said with its place ---- */

static void refused(const char *pattern, const char *wanted)
{
	OWNED_TRACE *trace = trace_of("SW");
	struct err err = ERR_INIT;

	if (sequence_compile(pattern, trace, &err))
		fail_msg("'%s' is taken", pattern);
	err.text[strcspn(err.text, "\n")] = '\0';
	if (strcmp(err.text, wanted) != 0)
		fail_msg("'%s': %s", pattern, err.text);
	assert_int_equal(err.status, STATUS_USAGE);
}

TEST(mistakes)
{
	refused("", "sequence, column 1: the sequence ends before an element (example: MPI_Isend+ "
		    "MPI_Waitall)");
	refused("MPI_Send (MPI_Wait", "sequence, column 19: expected ) here, or a further element");
	refused("MPI_Send )", "sequence, column 10: this parenthesis has no opening one");
	refused("MPI_Send[dur > 1ms", "sequence, column 19: expected && or || or the ] of the "
				      "condition here");
	refused("MPI_Send[durr > 1ms]",
		"sequence, column 10: 'durr' is not a field; the fields are rank, thread, node, "
		"kind, region, class, callpath, depth, file, line, time, dur, peer, src, dst, tag, "
		"bytes, comm, op, root, detail, object, value, event, region_id, callpath_id");
	refused("MPI_Send[dur > fast]",
		"sequence, column 16: dur needs a time (0.25, 250ms, 12us), not 'fast'");
	refused("MPI_Send ... ", "sequence, column 10: an element that must be there has to follow "
				 "...");
	refused("MPI_Send ... MPI_Wait?",
		"sequence, column 10: an element that must be there has to follow ...");
	refused("MPI_Send*",
		"sequence, column 1: this matches no call at all, too; one element must "
		"be there");
	refused("MPI_Send**",
		"sequence, column 10: two repetitions follow each other; put the first "
		"in parentheses");
	refused("MPI_Send{3,2}", "sequence, column 9: a repetition goes from the smaller to the "
				 "larger number, which is not 0");
	refused("MPI_Send{x}", "sequence, column 10: expected a number here: {2}, {2,}, {2,5}");
	refused("MPI_Send within fast", "sequence, column 17: 'within' needs a time: within 5ms");
	refused("MPI_Send | ", "sequence, column 12: the sequence ends before an element (example: "
			       "MPI_Isend+ MPI_Waitall)");
	refused("! ",
		"sequence, column 3: expected the name of a function or a [condition] after !");
	refused("MPI_Send & MPI_Wait",
		"sequence, column 10: '&' has no meaning here (text with other characters than "
		"letters and digits needs quotes)");
	refused("/(/", "sequence, column 3: this pattern is not valid (PCRE2: missing closing "
		       "parenthesis)");
	refused("(.{1000}){1000}",
		"sequence, column 9: the sequence is too long when its repetitions "
		"are written out");
}

/* Whatever is typed is a sequence or a sentence. */
TEST(rubbish_is_answered)
{
	static const char *const pieces[] = { "MPI_Send", ".",     "...", "!",   "(", ")",  "[",
					      "]",        "dur",   ">",   "1ms", "*", "+",  "?",
					      "{2}",      "{",     "}",   "|",   ",", "\"", "/",
					      "within",   "among", " ",   "\\",  "&&" };
	OWNED_TRACE *trace = trace_of("SWSW");
	uint64_t seed = 3;
	unsigned taken = 0;

	for (unsigned i = 0; i < 20000; i++) {
		OWNED_STR text = STR_INIT;
		struct err err = ERR_INIT;
		struct sequence *s;
		for (unsigned k = draw(&seed, 12); k-- > 0;)
			str_add_fmt(&text, "%s%s",
				    pieces[draw(&seed, sizeof pieces / sizeof *pieces)],
				    draw(&seed, 2) ? " " : "");
		s = sequence_compile(text.text, trace, &err);
		if (!s && err.status != STATUS_USAGE)
			fail_msg("'%s': %s", text.text, err.text);
		if (s) {
			sequence_matches found = matches_of(s, NULL, UINT32_MAX);
			vec_fini(&found);
			taken++;
		}
		sequence_free(s);
	}
	assert_in_range(taken, 50, 20000);
}
