/* The grammar of filters: what is read, how it binds, and that what is wrong is said with its
 * place. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/filter/filter.h"
#include "model/filter/filter_ast.h"

/* The tree as text with every pair of parentheses, and constants behind each other. */
static void print(const struct filter_tree *tree, uint32_t id, struct str *out)
{
	static const char *const ops[] = {
		"==", "!=", "<", "<=", ">", ">=", "=~", "!~", "in", "!in"
	};
	const struct filter_node *const node = &tree->nodes.data[id];
	const struct filter_term *term;
	const struct filter_element *element;

	switch (node->type) {
	case NODE_NOT:
		str_add(out, "!");
		print(tree, node->left, out);
		return;
	case NODE_AND:
	case NODE_OR:
		str_add(out, "(");
		print(tree, node->left, out);
		str_add(out, node->type == NODE_AND ? " & " : " | ");
		print(tree, node->right, out);
		str_add(out, ")");
		return;
	case NODE_TEST: break;
	}
	term = &tree->terms.data[node->left];
	str_add_fmt(out, "%s %s", filter_fields[term->field].name, ops[term->op]);
	vec_each (element, &term->set) {
		str_add_fmt(out, " <%s>", element->first.value ? element->first.value : "");
		if (element->range)
			str_add_fmt(out, "..<%s>", element->last.value ? element->last.value : "");
		if (element->first.caseless)
			str_add(out, "i");
	}
}

static void reads_as(const char *text, const char *wanted)
{
	struct filter_tree tree;
	OWNED_STR out = STR_INIT;
	struct err err = ERR_INIT;

	if (!filter_parse(&tree, text, &err))
		fail_msg("'%s': %s", text, err.text);
	if (tree.nodes.n)
		print(&tree, tree.root, &out);
	assert_string_equal(out.text, wanted);
	filter_tree_fini(&tree);
}

TEST(comparisons)
{
	reads_as("", "");
	reads_as(" \t\n", "");
	reads_as("rank == 3", "rank == <3>");
	reads_as("rank==-3", "rank == <-3>");
	reads_as("rank != 3", "rank != <3>");
	reads_as("dur<10us", "dur < <10us>");
	reads_as("dur <= 10 us", "dur <= <10 us>");
	reads_as("dur > 12.5\xc2\xb5s", "dur > <12.5\xc2\xb5s>");
	reads_as("bytes >= 1.5M", "bytes >= <1.5M>");
	reads_as("region =~ /^MPI_(Send|Recv)$/", "region =~ <^MPI_(Send|Recv)$>");
	reads_as("file !~ /a\\/b/i", "file !~ <a\\/b>i");
	reads_as("file =~ /x/ && rank==1", "(file =~ <x> & rank == <1>)");
	reads_as("region == MPI_Send", "region == <MPI_Send>");
	reads_as("region == ns::f", "region == <ns::f>");
	reads_as("node == node01.cluster-a", "node == <node01.cluster-a>");
	reads_as("region == \"a \\\"b\\\" \\\\ c\"", "region == <a \"b\" \\ c>");
	reads_as("region == 'it is \"so\"'", "region == <it is \"so\">");
	reads_as("region == gr\xc3\xb6\xc3\x9f"
		 "e",
		 "region == <gr\xc3\xb6\xc3\x9f"
		 "e>");
}

TEST(sets)
{
	reads_as("rank in 0..3,8", "rank in <0>..<3> <8>");
	reads_as("rank in 0 .. 3 , 8", "rank in <0>..<3> <8>");
	reads_as("rank !in 4..", "rank !in <4>..<>");
	reads_as("rank ! in ..4", "rank !in <>..<4>");
	reads_as("time in 0.1..0.25s,1s", "time in <0.1>..<0.25s> <1s>");
	reads_as("tag in -5..-3", "tag in <-5>..<-3>");
	reads_as("region in MPI_Send,\"a b\"", "region in <MPI_Send> <a b>");
	reads_as("rank in 1.. && tag == 2", "(rank in <1>..<> & tag == <2>)");
}

TEST(precedence)
{
	reads_as("rank==1 || rank==2 && rank==3", "(rank == <1> | (rank == <2> & rank == <3>))");
	reads_as("(rank==1 || rank==2) && rank==3", "((rank == <1> | rank == <2>) & rank == <3>)");
	reads_as("!rank==1 && rank==2", "(!rank == <1> & rank == <2>)");
	reads_as("!(rank==1 && rank==2)", "!(rank == <1> & rank == <2>)");
	reads_as("!!rank==1", "!!rank == <1>");
	reads_as("rank==1 or rank==2 and not rank==3",
		 "(rank == <1> | (rank == <2> & !rank == <3>))");
	reads_as("region == and and region == or", "(region == <and> & region == <or>)");
	reads_as("rank==1 && rank==2 && rank==3", "((rank == <1> & rank == <2>) & rank == <3>)");
}

static struct err refusal(const char *text)
{
	struct filter_tree tree;
	struct err err = ERR_INIT;

	if (filter_parse(&tree, text, &err))
		fail_msg("'%s' was accepted", text);
	filter_tree_fini(&tree);
	assert_int_equal(err.status, STATUS_USAGE);
	return err;
}

static void says(const char *text, unsigned column, const char *part)
{
	const struct err err = refusal(text);
	char place[40];

	snprintf(place, sizeof place, "filter, column %u: ", column);
	if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, part))
		fail_msg("'%s' gives: %s", text, err.text);
}

TEST(mistakes)
{
	says("rank", 5, "expected a comparison here");
	says("rank ==", 8, "expected a constant here");
	says("rank == 1 &&", 13, "ends before a comparison");
	says("rank = 1", 6, "'=' is written ==");
	says("rank == 1 & tag == 2", 11, "'&' is written &&");
	says("rank == 1 | tag == 2", 11, "'|' is written ||");
	says("rnak == 1", 1, "'rnak' is not a field; the fields are rank, thread,");
	says("(rank == 1", 1, "not closed");
	says("rank == 1)", 10, "no opening one");
	says("rank == 1 tag == 2", 11, "expected && or || here");
	says("rank == 0..3", 9, "needs in");
	says("rank == 0,3", 10, "needs in");
	says("rank in ..", 9, "at least one end");
	says("rank in 1,", 11, "expected a constant here");
	says("region =~ /abc", 11, "no closing /");
	says("region == \"abc", 11, "no closing \"");
	says("region == \"a\\q\"", 13, "escape is not known");
	says("rank == 1 ; tag", 11, "';' has no meaning here");
	says("rank == 1 \x01", 11, "'?' has no meaning here");
	says("()", 2, "expected a field here");
	says("1 == rank", 1, "expected a field here");
	/* Columns count characters, not bytes. */
	says("region == \"\xc3\xa4\xc3\xb6\" ;", 16, "';'");
}

TEST(the_caret_stands_under_the_place)
{
	OWNED_STR text = STR_INIT;
	const char *line, *caret;
	struct err err;

	assert_string_equal(refusal("rank = 1").text, "filter, column 6: '=' is written == here\n"
						      "  rank = 1\n"
						      "       ^");
	/* A long text is shown around the place alone. */
	for (int i = 0; i < 100; i++)
		str_add(&text, "rank == 1 && ");
	str_add(&text, "rank # 1");
	for (int i = 0; i < 100; i++)
		str_add(&text, " && rank == 1");
	err = refusal(text.text);
	line = strchr(err.text, '\n') + 1;
	caret = strchr(line, '\n') + 1;
	assert_true(strlen(line) < 300);
	assert_int_equal(line[strlen(caret) - 1], '#');
}

TEST(nesting_is_bounded)
{
	static const char *const repeated[] = { "(", "!", "!(", "((!" };

	for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
		OWNED_STR text = STR_INIT;
		while (text.n < 60000)
			str_add(&text, repeated[i]);
		assert_non_null(strstr(refusal(text.text).text, "nested more than 200 deep"));
	}
	reads_as("((((((((((rank==1))))))))))", "rank == <1>");
}

TEST(size_is_bounded)
{
	OWNED_STR text = STR_INIT;

	while (text.n < 100000)
		str_add(&text, "(");
	assert_non_null(strstr(refusal(text.text).text, "longer than 64 KiB"));
	str_clear(&text);
	str_add(&text, "tag==1");
	for (int i = 0; i < 2000; i++)
		str_add(&text, "||tag==1");
	assert_non_null(strstr(refusal(text.text).text, "more than 1,000 comparisons"));
}

/* Bytes at random, and pieces of the language at random: an answer, or a sentence. */
TEST(rubbish_is_answered)
{
	static const char *const pieces[] = {
		"rank", "region", "==",   "!=",  "=~", "in", "!",    "(",    ")",
		"&&",   "||",     "/a/",  "/",   "\"", "'",  "\\",   "..",   ",",
		"1",    "-",      "10us", "64k", "x",  " ",  "\xc3", "\xff", "dur",
	};
	uint64_t seed = 20261121;

	for (int round = 0; round < 20000; round++) {
		OWNED_STR text = STR_INIT;
		struct err err = ERR_INIT;
		struct filter_tree tree;
		const uint64_t n = next_random(&seed) % 24;

		for (uint64_t i = 0; i < n; i++) {
			if (round % 2)
				str_add_char(&text, (char)(1 + next_random(&seed) % 255));
			else
				str_add(&text, pieces[next_random(&seed) %
						      (sizeof pieces / sizeof *pieces)]);
		}
		if (!filter_parse(&tree, text.text, &err)) {
			assert_int_equal(err.status, STATUS_USAGE);
			assert_true(strlen(err.text) > 20);
		}
		filter_tree_fini(&tree);
	}
}
