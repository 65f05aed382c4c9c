/* What the program graph says of a node, in a window that begins and ends in the middle of
 * visits. */
#include <string.h>

#include "harness/notation.h"
#include "harness/owners.h"
#include "views/facts/graph_text.h"

static void assert_words(const struct trace *trace, int64_t t0, int64_t t1, const char *name,
			 const char *want)
{
	const struct graph_options options = { .t0 = t0, .t1 = t1, .jobs = 1 };
	struct err err = ERR_INIT;
	FREED_BY(graph_free) struct graph *graph = graph_new(trace, &options, NULL, &err);
	const struct time_parts whole = { .hosts = 200 };
	OWNED_STR text = STR_INIT;
	bool found = false;

	assert_non_null(graph);
	for (uint32_t i = 1; i < graph_node_count(graph); i++)
		if (graph_node(graph, i)->kind == GRAPH_KIND_PROCEDURE &&
		    strcmp(graph_name(graph, i), name) == 0) {
			found = true;
			graph_words_values(graph, trace, i, GRAPH_NONE, whole, &text);
		}
	assert_true(found);
	if (strncmp(text.text, want, strlen(want)) != 0)
		fail_msg("%s\ninstead of %s", text.text, want);
}

TEST(visits_from_before_the_window_are_said)
{
	OWNED_TRACE *trace = notation_trace("rank 0: main@0 { step@10-40 step@50-80 } @100\n"
					    "rank 1: main@0 { step@10-40 step@45-80 } @100\n");

	assert_words(trace, INT64_MIN, INT64_MAX, "step", "4 times   125 ns (62.5 %)");
	assert_words(trace, 20, 90, "step", "2 times and 2 from before the window   105 ns");
	assert_words(trace, 20, 30, "step", "2 from before the window   20 ns");
}
