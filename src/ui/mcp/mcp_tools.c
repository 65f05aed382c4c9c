#include "ui/mcp/mcp_tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/mcp/mcp_run.h"

enum { MOST_ARGUMENTS = 14, MOST_WORDS = 24 };

/* A member of a tool's arguments; options of the program have its name. */
struct mcp_argument {
	const char *name, *help;
	bool number, needed, word; /* word: not an option but a word of the command */
};

struct mcp_tool {
	const char *name, *help;
	const char *verb, *fixed; /* of the command; a further option, NULL none */
	struct mcp_argument arguments[MOST_ARGUMENTS];
};

#define TRACE                                                                              \
	{                                                                                  \
		"trace",                                                                   \
			"path of the trace below the folder that is served; of one trace " \
			"not needed",                                                      \
			false, false, true                                                 \
	}
#define PART                                                                \
	{ "ranks", "only these ranks: 0-3,8", false, false, false },        \
	{                                                                   \
		"time", "only this window: 0.1s:250ms", false, false, false \
	}

static const struct mcp_tool tools[] = {
	{ "report",
	  "One page: where the time went and why: efficiencies, wait states, causes, imbalance, "
	  "corrections of clocks, what the trace lacks. Begin here.",
	  "report",
	  "--format=md",
	  { TRACE, PART } },
	{ "query",
	  "Answers TABLE [where EXPR] [select LIST] [order by COLUMN desc] [limit N] about a table "
	  "(see export). Example: calls where region =~ /Allreduce/ and dur > 1ms order by dur "
	  "desc limit 10; messages select src, count(), sum(bytes). JSON; left_out says how to go "
	  "on.",
	  "query",
	  "--format=json",
	  { TRACE,
	    { "question", "the question", false, true, true },
	    { "page", "where an answer left off", false, false, false },
	    { "by", "rank, callpath, metric", false, false, false },
	    PART } },
	{ "export",
	  "Rows of a table as JSON: profile, callpaths, calls, events, messages, collectives, "
	  "waits, patterns, causes, critical-path, iterations, lines, graph, matrix, utilisation, "
	  "queues, corrections, findings, definitions, overview.",
	  "export",
	  "--format=json",
	  { { "view", "name of the table", false, true, true },
	    TRACE,
	    { "limit", "rows at most", true, false, false },
	    { "page", "where an export left off", false, false, false },
	    { "where", "condition on its columns: waited_s > 1ms", false, false, false },
	    { "filter", "condition on events: region =~ /^MPI_/ && dur > 10us", false, false,
	      false },
	    { "columns", "names between commas; also count(), sum(COLUMN)", false, false, false },
	    { "sort", "COLUMN (the most first) or COLUMN:asc", false, false, false },
	    { "by", "rank, callpath, metric", false, false, false },
	    { "base", "time base: measured, linear, fitted, clc, compensated", false, false,
	      false },
	    PART } },
	{ "explain",
	  "The longest waits in sentences, with the chain of causes; or the wait, call or message "
	  "of an event.",
	  "export",
	  "--width=200",
	  { TRACE,
	    { "event", "an id of a column event", true, false, false },
	    { "worst", "how many waits", true, false, false },
	    PART } },
	{ "check",
	  "Damage, guesses, violations of the clock condition.",
	  "check",
	  NULL,
	  { TRACE } },
};
enum { TOOLS = sizeof tools / sizeof *tools };

/* ---- the list ---- */

static json_t *schema_of(const struct mcp_tool *tool)
{
	json_t *properties = json_object(), *required = json_array();

	for (const struct mcp_argument *a = tool->arguments; a->name; a++) {
		json_object_set_new(properties, a->name,
				    json_pack("{s:s, s:s}", "type",
					      a->number ? "integer" : "string", "description",
					      a->help));
		if (a->needed)
			json_array_append_new(required, json_string(a->name));
	}
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
			 "required", required, "additionalProperties", 0);
}

json_t *mcp_tools_list(void)
{
	json_t *list = json_array();

	for (int t = 0; t < TOOLS; t++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:{s:b}}", "name",
						      tools[t].name, "description", tools[t].help,
						      "inputSchema", schema_of(&tools[t]),
						      "annotations", "readOnlyHint", 1));
	return json_pack("{s:o}", "tools", list);
}

/* ---- a call ---- */

/* The path of a trace, which must be the root or below it; NULL: it is not. The caller's. */
static char *path_of(const struct mcp_root *root, const char *name)
{
	const size_t n = strlen(root->paths[0]);
	OWNED_STR joined = STR_INIT;
	char *path;

	if (!root->folder)
		return !name || !strcmp(name, root->paths[0]) ||
				       !strcmp(name, strrchr(root->paths[0], '/') + 1)
			       ? xstrdup(root->paths[0])
			       : NULL;
	if (!name)
		return NULL;
	str_add_fmt(&joined, "%s/%s", root->paths[0], name);
	path = realpath(joined.text, NULL);
	if (path && strncmp(path, root->paths[0], n) == 0 && (path[n] == '/' || n == 1))
		return path;
	free(path);
	return NULL;
}

/* The words of a command, ended by NULL; options are single words, so that no value is taken for
 * another one. */
struct words {
	const char **argv;
	struct str texts[MOST_ARGUMENTS];
	char *trace;
	int n, n_texts;
};

static void words_fini(struct words *w)
{
	free(w->argv);
	for (int i = 0; i < MOST_ARGUMENTS; i++)
		str_fini(&w->texts[i]);
	free(w->trace);
}

static const struct mcp_argument *argument_of(const struct mcp_tool *tool, const char *name)
{
	for (const struct mcp_argument *a = tool->arguments; a->name; a++)
		if (strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

static bool add_option(struct words *w, const struct mcp_argument *a, const json_t *value,
		       struct str *said)
{
	struct str *text = &w->texts[w->n_texts++];

	if (a->number ? !json_is_integer(value) : !json_is_string(value)) {
		str_add_fmt(said, "%s is a %s", a->name, a->number ? "whole number" : "text");
		return false;
	}
	if (!a->word)
		str_add_fmt(text, "--%s=", a->name);
	if (a->number)
		str_add_fmt(text, "%lld", (long long)json_integer_value(value));
	else
		str_add(text, json_string_value(value));
	if (!a->word)
		w->argv[w->n++] = text->text;
	return true;
}

/* The argument as it was given, where it is a word of the command. */
static const char *word_given(const struct mcp_tool *tool, const json_t *arguments,
			      const char *name)
{
	return argument_of(tool, name) ? json_string_value(json_object_get(arguments, name)) : NULL;
}

static bool add_words(struct words *w, const struct mcp_tool *tool, const struct mcp_root *root,
		      const json_t *arguments, struct str *said)
{
	const char *view = word_given(tool, arguments, "view");
	const char *question = word_given(tool, arguments, "question");

	w->trace = path_of(root, word_given(tool, arguments, "trace"));
	if (!w->trace) {
		str_add(said, root->folder ? "trace names a file below the folder that is served"
					   : "another trace is served");
		return false;
	}
	if (root->n > 1)
		w->argv[w->n++] = "--join=yes";
	w->argv[w->n++] = "--";
	if (strcmp(tool->name, "explain") == 0)
		w->argv[w->n++] = "explain";
	if (view)
		w->argv[w->n++] = view;
	w->argv[w->n++] = w->trace;
	for (size_t i = 1; i < root->n; i++)
		w->argv[w->n++] = root->paths[i];
	if (question)
		w->argv[w->n++] = question;
	return true;
}

static bool make_command(struct words *w, const struct mcp_tool *tool, const struct mcp_root *root,
			 const json_t *arguments, struct str *said)
{
	const char *name;
	json_t *value;

	w->argv[w->n++] = tool->verb;
	if (tool->fixed)
		w->argv[w->n++] = tool->fixed;
	json_object_foreach((json_t *)(uintptr_t)arguments, name, value)
	{
		const struct mcp_argument *a = argument_of(tool, name);
		if (!a) {
			str_add(said, "no such argument: ");
			str_add_clean_text(said, name);
			return false;
		}
		if (!add_option(w, a, value, said))
			return false;
	}
	for (const struct mcp_argument *a = tool->arguments; a->name; a++)
		if (a->needed && !json_object_get(arguments, a->name)) {
			str_add_fmt(said, "%s is missing", a->name);
			return false;
		}
	return add_words(w, tool, root, arguments, said);
}

bool mcp_tools_call(const char *program, const struct mcp_root *root, const char *name,
		    const json_t *arguments, struct str *said, bool *failed)
{
	ENDED_BY(words_fini) struct words w = { .n = 1 };
	const struct mcp_tool *tool = NULL;

	w.argv = xcalloc(MOST_WORDS + root->n, sizeof *w.argv);
	w.argv[0] = program;
	for (int t = 0; t < TOOLS; t++)
		if (strcmp(tools[t].name, name) == 0)
			tool = &tools[t];
	for (int i = 0; i < MOST_ARGUMENTS; i++)
		str_init(&w.texts[i]);
	if (!tool) {
		str_add(said, "no such tool: ");
		str_add_clean_text(said, name);
		return false;
	}
	if (!make_command(&w, tool, root, arguments, said))
		return false;
	*failed = !mcp_run(w.argv, said);
	return true;
}
