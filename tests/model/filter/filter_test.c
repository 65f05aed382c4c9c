/* Filters on a trace small enough to decide every comparison by hand. The events have letters:
 *
 *	rank 0, node alpha	rank 1, node beta	rank 2		host
 *	a 100 enter main	l 150 enter main	v  50 mark	w 60 mark "odd name"
 *	b 200 enter solve	m 200 enter MPI_Recv	   tick
 *	c 300 enter MPI_Send	n 450 recv from 0, tag 7
 *	d 300 send to 1, tag 7,	o 460 leave MPI_Recv
 *	      1000 bytes	p 500 enter MPI_Bcast
 *	e 400 leave MPI_Send	q 500 collective_begin, receives 64
 *	f 500 leave solve	r 710 collective_end
 *	g 600 enter MPI_Bcast	s 710 leave MPI_Bcast
 *	h 600 collective_begin, t 800 send to 2, tag 9, 70000 bytes, never received
 *	      sends 64, root 0	u 900 leave main
 *	i 700 collective_end
 *	j 700 leave MPI_Bcast
 *	k 1000 leave main
 *
 * One tick is a nanosecond; solve is called from solve.c:17. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "harness/notation.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "model/filter/filter.h"

FREES(filter_free, struct filter)

#define ALL "abcdefghijklmnopqrstuvw"

static struct trace *sample(void)
{
	return notation_trace(
		"region MPI_Bcast class collective; file solve.c\n"
		"ranks 3; node alpha 0; node beta 1\n"
		"rank 0: main@100 {\n"
		"  solve:17@200 { MPI_Send@300-400 ->1 tag 7 1000B } @500\n"
		"  MPI_Bcast@600-700 all root 0 64B/?B } @1000\n"
		"rank 1: main@150 {\n"
		"  MPI_Recv@200-460 <-0 tag 7 1000B @450\n"
		"  MPI_Bcast@500-710 all root 0 ?B/64B, ->2 tag 9 70000B @800 } @900\n"
		"rank 2: mark tick @50; host: mark 'odd \x1b name' @60");
}

static int make_sample(void **state)
{
	*state = sample();
	return 0;
}

static int free_sample(void **state)
{
	trace_free(*state);
	return 0;
}

GROUP_FIXTURE(make_sample, free_sample)

static struct filter *compiled(const struct trace *trace, const char *text)
{
	struct err err = ERR_INIT;
	struct filter *const filter = filter_compile(text, trace, &err);

	if (!filter)
		fail_msg("'%s': %s", text, err.text);
	return filter;
}

/* The letters of the events that match. */
static void events(const struct trace *trace, const char *text, const char *wanted)
{
	FREED_BY(filter_free) struct filter *const filter = compiled(trace, text);
	char got[sizeof ALL];
	char letter = 'a';
	size_t n = 0;
	struct cursor c;

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			if (filter_event(filter, BASE_MEASURED, c.id))
				got[n++] = letter;
			letter++;
		}
	got[n] = '\0';
	if (strcmp(got, wanted) != 0)
		fail_msg("'%s' matches '%s', not '%s'", text, got, wanted);
}

TEST_WITH(definitions, const struct trace *const t)
{
	events(t, "", ALL);
	events(t, "rank == 0", "abcdefghijk");
	events(t, "rank != 0", "lmnopqrstuvw");
	events(t, "rank in 1..", "lmnopqrstuvw");
	events(t, "rank in 1..2", "lmnopqrstuv");
	events(t, "rank in 2,host", "vw");
	events(t, "rank == host", "w");
	events(t, "rank !in 0..1", "vw");
	events(t, "rank < 0", "");
	events(t, "thread == 0", ALL);
	events(t, "node == alpha", "abcdefghijk");
	events(t, "node != alpha", "lmnopqrstu"); /* the others have no node at all */
	events(t, "!(node == alpha)", "lmnopqrstuvw");
	events(t, "node in beta,gamma", "lmnopqrstu");
	events(t, "kind == enter", "abcglmp");
	events(t, "kind == leave", "efjkosu");
	events(t, "kind =~ /^collective/", "hiqr");
	events(t, "kind in mark,send", "dtvw");
	events(t, "region == main", "akltu");
	events(t, "region == MPI_Send", "cde");
	events(t, "region =~ /^MPI_(Send|Recv)$/", "cdemno");
	events(t, "region =~ /^mpi_s/", "");
	events(t, "region =~ /^mpi_s/i", "cde");
	events(t, "region =~ \"^tick$\"", "v");
	/* Text is compared as it is shown: without control characters. */
	events(t, "region == \"odd ? name\"", "w");
	events(t, "class == p2p", "cdemno");
	events(t, "class in p2p,collective", "cdeghijmnopqrs");
	events(t, "callpath == \"main > solve > MPI_Send\"", "cde");
	events(t, "callpath =~ /> MPI_/", "cdeghijmnopqrs");
	events(t, "callpath != main", "bcdefghijmnopqrs"); /* marks lie outside of all */
	events(t, "depth == 3", "cde");
	events(t, "depth == 0", "vw");
	events(t, "file == solve.c", "bf");
	events(t, "line in 10..20", "bf");
	events(t, "line != 17", "");
}

TEST_WITH(numbers, const struct trace *const t)
{
	events(t, "time < 100ns", "vw");
	events(t, "time <= 100ns", "avw");
	events(t, "time == 0.0000001", "a");
	events(t, "time in 0.4us..0.45us", "en");
	events(t, "time >= 900 ns", "ku");
	/* Between two ticks. */
	events(t, "time == 100.5ns", "");
	events(t, "time > 99.5ns && time < 100.5ns", "a");
	events(t, "time >= 999.9ns", "k");
	events(t, "time <= 50.9ns", "v");
	/* main 900 and 750, solve 300, Send 100, Recv 260, Bcast 100 and 210; the message 150. */
	events(t, "dur == 900ns", "ak");
	events(t, "dur >= 300ns", "abfklu");
	events(t, "dur == 150ns", "dn");
	events(t, "dur in 200ns..260ns", "mopqrs");
	events(t, "dur < 0", "");
	events(t, "dur != 900ns", "bcdefghijlmnopqrsu"); /* t never arrived, marks take no time */
	events(t, "peer == 1", "d");
	events(t, "peer in 0,2", "nt");
	events(t, "src == 0", "dn");
	events(t, "dst == 2", "t");
	events(t, "tag == 7", "dn");
	events(t, "tag != 7", "t");
	events(t, "!(tag == 7)", "abcefghijklmopqrstuvw");
	events(t, "bytes == 1000", "dn");
	events(t, "bytes > 64k", "t");
	events(t, "bytes == 64", "hr");
	events(t, "op == MPI_Bcast", "hiqr");
	events(t, "root == 0", "hiqr");
	events(t, "root != 0", "");
}

TEST_WITH(logic, const struct trace *const t)
{
	events(t, "rank == 0 && kind == enter", "abcg");
	events(t, "rank == 2 || rank == host && kind == enter", "v");
	events(t, "(rank == 2 || rank == host) && kind == mark", "vw");
	events(t, "!rank == 0", "lmnopqrstuvw");
	events(t, "!!rank == 2", "v");
	events(t, "region =~ /^MPI_(Send|Recv)/ && rank in 0..3 && dur > 100ns", "dmno");
}

TEST_WITH(messages, const struct trace *const t)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{ "", "01" },
		{ "rank == 0", "0" },
		{ "rank == 1", "01" },
		{ "rank != 0", "1" },
		{ "rank == 2", "1" }, /* known from the send alone */
		{ "peer == 2", "1" },
		{ "region == MPI_Recv", "0" },
		{ "region == main", "1" },
		{ "region != MPI_Recv", "1" },
		{ "src == 0 && dst == 1", "0" },
		{ "dur == 150ns", "0" },
		{ "dur > 0", "0" },
		{ "bytes > 64k", "1" },
		{ "kind == recv", "0" },
		{ "kind == enter", "" },
		{ "time > 700ns", "1" },
		{ "node == beta", "01" },
		{ "op == MPI_Bcast", "" },
	};

	assert_int_equal(trace_message_count(t), 2);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		FREED_BY(filter_free) struct filter *const filter = compiled(t, cases[i].text);
		char got[3] = "";
		for (uint32_t m = 0; m < 2; m++)
			if (filter_message(filter, BASE_MEASURED, m))
				strcat(got, trace_message(t, m)->tag == 7 ? "0" : "1");
		if (strcmp(got, cases[i].wanted) != 0 &&
		    !(strcmp(got, "10") == 0 && strcmp(cases[i].wanted, "01") == 0))
			fail_msg("'%s' matches '%s'", cases[i].text, got);
	}
}

TEST_WITH(collectives, const struct trace *const t)
{
	static const struct {
		const char *text;
		bool wanted;
	} cases[] = {
		{ "", true },
		{ "op == MPI_Bcast", true },
		{ "op == MPI_Reduce", false },
		{ "root == 0", true },
		{ "bytes == 64", true },
		{ "bytes == 65", false },
		{ "rank == 1", true },
		{ "rank != 1", false }, /* rank 1 is part of it */
		{ "rank == 2", false },
		{ "dur == 210ns", true }, /* from 500 to 710 */
		{ "time == 500ns", true },
		{ "tag == 0", false },
		{ "region == MPI_Bcast", true },
		{ "callpath == \"main > MPI_Bcast\"", true },
	};

	assert_int_equal(trace_collective_count(t), 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		FREED_BY(filter_free) struct filter *const filter = compiled(t, cases[i].text);
		if (filter_collective(filter, BASE_MEASURED, 0) != cases[i].wanted)
			fail_msg("'%s'", cases[i].text);
	}
}

TEST_WITH(what_could_match, const struct trace *const t)
{
	static const struct {
		const char *text;
		bool visit, location; /* main > solve on rank 0; rank 0 */
	} cases[] = {
		{ "", true, true },
		{ "region == solve", true, true },
		{ "region == main", false, true },
		{ "region != main", true, true },
		{ "depth == 2", true, true },
		{ "callpath == \"main > solve\"", true, true },
		{ "callpath == main", false, true },
		{ "rank == 0", true, true },
		{ "rank == 1", false, false },
		{ "!(rank == 0)", false, false },
		{ "dur > 1s", true, true },
		{ "!(dur > 1s)", true, true },
		{ "dur > 1s && rank == 1", false, false },
		{ "dur > 1s || rank == 1", true, true },
		{ "tag == 7 && region == main", false, true },
		{ "kind == send", true, true },
		{ "rank == 1 || !(rank == 0 && region == solve)", false, true },
	};
	uint32_t path = 0;

	for (uint32_t i = 1; i < trace_callpath_count(t); i++)
		if (strcmp(trace_region_name(t, trace_callpath_region(t, i)), "solve") == 0)
			path = i;
	assert_int_not_equal(path, 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		FREED_BY(filter_free) struct filter *const filter = compiled(t, cases[i].text);
		if (filter_callpath(filter, 0, path) != cases[i].visit)
			fail_msg("visit: '%s'", cases[i].text);
		if (filter_location(filter, 0) != cases[i].location)
			fail_msg("location: '%s'", cases[i].text);
	}
	assert_true(filter_event(NULL, BASE_MEASURED, 0));
	assert_true(filter_callpath(NULL, 0, path));
	assert_string_equal(filter_text(NULL), "");
}

static void refused(const struct trace *trace, const char *text, unsigned column, const char *part)
{
	struct err err = ERR_INIT;
	char place[40];

	if (filter_compile(text, trace, &err))
		fail_msg("'%s' was accepted", text);
	assert_int_equal(err.status, STATUS_USAGE);
	snprintf(place, sizeof place, "filter, column %u: ", column);
	if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, part))
		fail_msg("'%s' gives: %s", text, err.text);
}

TEST_WITH(mistakes, const struct trace *const t)
{
	refused(t, "rank == x", 9, "rank needs a rank (a whole number, or host), not 'x'");
	refused(t, "rank == 1.5", 9, "rank needs");
	refused(t, "tag == host", 8, "tag needs a whole number");
	refused(t, "tag == 99999999999999999999", 8, "whole number");
	refused(t, "dur > 3 parsecs", 9, "expected && or || here");
	refused(t, "dur > 3parsecs", 7, "dur needs a time");
	refused(t, "dur > 99999999999999999999s", 7, "dur needs a time");
	refused(t, "bytes > 0x10", 9, "bytes needs a size");
	refused(t, "bytes > -5", 9, "bytes needs a size");
	refused(t, "bytes > 5x", 9, "bytes needs a size");
	refused(t, "rank =~ /0/", 1, "rank is a number");
	refused(t, "region < main", 1, "text has no order");
	refused(t, "region in a..b", 11, "a range needs numbers");
	refused(t, "region == /a/", 11, "a pattern needs =~ or !~");
	refused(t, "region =~ 5", 11, "need a /pattern/");
	refused(t, "region =~ /a(/", 14, "PCRE2: missing closing parenthesis");
	refused(t, "region =~ /\xff/", 12, "PCRE2: UTF-8 error");
	refused(t, "rank in 3..1", 9, "ends before it begins");
	refused(t, "kind == sned", 9, "not a valid kind; there are enter, leave, mark, send,");
	refused(t, "class == mpi2", 10, "not a valid class; there are user, p2p,");
}

/* Patterns that take exponential time without a limit. */
TEST(no_pattern_hangs)
{
	static const char *const patterns[] = {
		"region =~ /(a+)+$/",
		"region =~ /(a|aa)+$/",
		"region =~ /(a*)*\\1b/",
		"region =~ /(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)x/",
		"callpath =~ /((a?){40}){40}x/",
		"region =~ /^(?:(a)|b)*?(?1)+$(?!.)x/",
		"region =~ /(?R)?a*(?R)?/",
	};
	OWNED_STR run = STR_INIT;
	OWNED_TRACE *trace;
	struct err err;

	for (int i = 0; i < 20; i++) {
		str_add_fmt(&run, "rank 0: mark %c", 'a' + i);
		for (int n = 1; n < 398; n++)
			str_add_char(&run, 'a');
		str_add_fmt(&run, "b @%d\n", i);
	}
	trace = notation_trace(run.text);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		FREED_BY(filter_free) struct filter *filter;
		err = (struct err)ERR_INIT;
		filter = filter_compile(patterns[i], trace, &err);
		if (!filter)
			assert_non_null(strstr(err.text, "takes too long"));
	}
}

/* Call paths of a recursion of 20,000 levels: the text of all would be gigabytes. */
TEST(deep_recursion)
{
	enum { LEVELS = 20000 };
	OWNED_STR run = STR_INIT;
	OWNED_TRACE *trace;
	FREED_BY(filter_free) struct filter *filter;
	struct cursor c;
	int n = 0;

	str_add(&run, "rank 0: main@0");
	for (int i = 1; i < LEVELS; i++)
		str_add_fmt(&run, ", descend@%d", i);
	str_add_fmt(&run, ", bottom@%d-%d", LEVELS, LEVELS + 1);
	for (int i = 1; i < LEVELS; i++)
		str_add_fmt(&run, ", leave descend @%d", LEVELS + 1 + i);
	str_add_fmt(&run, ", leave main @%d", 2 * LEVELS + 1);
	trace = notation_trace(run.text);
	/* A visit at level k lasts 2 * (LEVELS - k) + 1: 100 levels last less than 201. */
	filter = compiled(
		trace,
		"callpath =~ /^main > descend .*> descend$/ && dur < 200ns && kind == enter");
	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, 0); ok; ok = cursor_next(&c))
		n += filter_event(filter, BASE_MEASURED, c.id);
	assert_int_equal(n, 99);
}
