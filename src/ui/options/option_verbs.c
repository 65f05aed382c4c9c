/* option_verbs: the table of verbs. */
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ui/options/option.h"

static const struct verb_info verbs[VERB_COUNT] = {
	[VERB_OPEN] = { "", "[OLD] TRACE", 0, 2, "open a trace on the screen",
			"Opens a trace in the terminal; ? shows the keys. If stdout is not "
			"a terminal, prints the overview. With OLD, compares the two; JSON files "
			"of ranks are one trace.",
			"",
			"Opens a trace on the screen; if stdout is not a terminal, prints the "
			"overview (of two traces the report). With OLD, a trace of an earlier run, "
			"every view can be compared. JSON files of profilers, one a rank, are one "
			"trace for all verbs that open one (tview rank*.json): three files or "
			"more, and two that name different ranks (distributedInfo, or rank0 and "
			"rank1 in their names); --join yes and --join no say which." },
	[VERB_EXPORT] = { "export", "VIEW TRACE", 1, 3, "print a view as text, CSV, JSON, Markdown",
			  NULL, "",
			  "Prints what a view shows: as text, CSV (RFC 4180), JSON or Markdown, "
			  "all of it or what the options select. An export is the same to the byte "
			  "every time, whatever the number of threads." },
	[VERB_QUERY] = { "query", "TRACE QUESTION", 2, 2, "ask: calls where dur > 1ms limit 10",
			 "TABLE [where EXPR] [select LIST] [order by COLUMN [desc]] [limit N], of "
			 "the\n"
			 "tables that export writes. EXPR is that of --filter, on columns and on "
			 "events;\n"
			 "LIST has columns, or count(), and sum, mean, max, min of (COLUMN), by "
			 "those.",
			 "  tview query run.trc 'calls where dur > 1ms order by dur desc limit 9'\n"
			 "  tview query run.trc 'messages select src, count(), sum(bytes)'\n",
			 "Answers a question about a table that export writes: TABLE [where EXPR] "
			 "[select LIST] [order by COLUMN [asc|desc]] [limit N]. A comparison with "
			 "a column of the table (its unit may be left out) chooses rows; one with "
			 "another field of filters chooses the events that the table is made of, "
			 "as --filter does. LIST has columns, or count(), sum(COLUMN), mean, max, "
			 "min: of the rows that have the same in the columns beside them. The "
			 "options --where, --columns, --sort and --limit of export ask the same." },
	[VERB_REPORT] = { "report", "[OLD] TRACE", 1, 2, "report where the time went, and why",
			  "Prints one page: efficiencies, wait states and their causes, "
			  "imbalance,\n"
			  "corrections and reliability, as text, Markdown (md) or JSON (json). "
			  "With\n"
			  "OLD: what became slower or faster.",
			  "  tview report run.trc -o run.json\n"
			  "  tview report old.trc new.trc --fail-on 'time > 1.1x'\n",
			  "Prints on one page where the time went and why: efficiencies, wait "
			  "states and their causes, imbalance, corrections and reliability, as "
			  "text, Markdown or JSON. With OLD, or figures that were kept "
			  "(--baseline NAME), it says what became slower or faster; --fail-on "
			  "makes it a test with exit status 1, or 4 where that cannot be told." },
	[VERB_CHECK] = { "check", "TRACE", 1, 1, "report damage, guesses and violations",
			 "Reads everything and lists damage, guesses and deviations, with their "
			 "lines.\n"
			 "Exit status 1 if something is damaged, or was not recorded to its end.",
			 "  tview check run.trc\n",
			 "Reads everything and lists damage, guesses and deviations from the "
			 "format, each with its number and lines, and messages that arrive before "
			 "they are sent, before and after correction." },
	[VERB_CONVERT] = { "convert", "IN OUT", 2, 2, "write a trace as PICL, OTF2, JSON or SQLite",
			   "Writes a trace as an OTF2 archive (OUT.otf2), as Trace Event JSON "
			   "(OUT.json), as\n"
			   "an SQLite database of all exports (OUT.db) or as one sorted PICL "
			   "file; OUT - is\n"
			   "stdout.",
			   "  tview convert run.trc run.otf2\n"
			   "  tview convert run.trc run.db\n"
			   "  tview convert run.trc part.trc --ranks 0-7 --time 1s:2s\n",
			   "Writes the trace, or the selected part, as an OTF2 archive (OUT.otf2), "
			   "as Trace Event JSON (OUT.json) or as one sorted PICL file; --to names "
			   "the format if the name of OUT does not; OUT.trc.zst is compressed. - "
			   "is stdout. Times keep their digits; records that are not understood "
			   "are kept as they are. The times are those of the best clock; with "
			   "--base measured they are the raw ones, with the offsets of the clocks. "
			   "A database (OUT.db) is not a trace: it has a view for each table that "
			   "export writes, named as the export with _ for -, with the same "
			   "columns and rows (doc/format.md)." },
	[VERB_GRAPH] = { "graph", "APP", 1, 1, "print a program's static graph, as tvcc left it",
			 "Procedures, loops, calls and communication statements of an executable, "
			 "a\n"
			 "library or an object file that tvcc made, the static tables PL, PCom, "
			 "PC, L,\n"
			 "LCom, LC, and what was not instrumented. Of a run: tview export graph "
			 "TRACE.",
			 "  tview graph ./app\n"
			 "  tview graph ./app --format csv -o app.csv\n",
			 "Prints what tvcc left in an executable, a library or an object file: its "
			 "procedures, loops, calls and communication statements as an indented "
			 "graph, the static tables PL, PCom, PC, L, LCom and LC, and what was not "
			 "instrumented, with the reasons; as CSV or JSON one row per statement. "
			 "The program is not run." },
	[VERB_LIVE] = { "live", "[RUN]", 0, 1, "look at a job while it runs",
			"Lists your jobs that run under tvrun on this machine. RUN (the number of "
			"the\n"
			"list, the folder of the buffers, or the trace's name) opens one on the "
			"screen,\n"
			"as it is now; it is looked at again every second. The job is not "
			"stopped\n"
			"or changed. A look takes longer the more events were recorded; of runs "
			"with\n"
			"tvrun --statistics it does not. Every verb takes live:RUN in place of a "
			"trace.",
			"  tview live\n"
			"  tview live 4711 --summary\n"
			"  tview export rollcall live:4711\n",
			"Without RUN, lists your jobs that run under tvrun on this machine. RUN is "
			"the number of the list, the folder of the buffers (of a job on another "
			"machine) or the name of the trace. The views show the job as it is now, "
			"and look again every second. --summary prints one page, --save writes a "
			"trace of everything up to now. The job is not stopped or changed, but by "
			"--stack: it shows the calls of each rank's main thread, with file and "
			"line, also in code that is not recorded; as under a debugger the rank is "
			"stopped for a moment, and a system call in which it waits may end early. "
			"A look has the latest two million events or so (16 MiB of records of all "
			"ranks), which takes some seconds and 200 MB on that machine however long "
			"the job runs; statistics are of the whole run, and --save has all. Of "
			"runs with tvrun --statistics it reads one record a statement. Every verb "
			"takes live:RUN in place of a trace." },
	[VERB_BASELINE] = { "baseline", "add|list|remove [NAME]", 1, 66,
			    "keep figures of runs to compare with",
			    "add NAME TRACE...: keeps the figures of runs under a name, not their\n"
			    "traces. list: the names. remove NAME: forgets one. Five runs or more\n"
			    "tell what is chance in a comparison:\n"
			    "tview report TRACE --baseline NAME.",
			    "  tview baseline add main run.trc again.trc\n"
			    "  tview report new.trc --baseline main --fail-on 'time > 1.1x'\n",
			    "add keeps the figures of one or more runs (severities by call path "
			    "and location, efficiencies), not their traces, under a name; list "
			    "shows the names, remove forgets one. --baseline NAME compares a later "
			    "run with them: the mean of the kept runs, and how much they differ by "
			    "chance. The figures lie in the folder that TVIEW_BASELINES names, "
			    "which may be kept with the program's sources." },
	[VERB_CACHE] = { "cache", "[TRACE]", 0, 1, "list or remove cache files",
			 "Large traces leave a cache file (.NAME.tvcache next to them, or in\n"
			 "~/.cache/tview), so that they open at once the next time.",
			 "  tview cache --clear\n",
			 "Lists the cache files of all traces, or of one, the least recently used "
			 "first, or removes them." },
	[VERB_MCP] = { "mcp", "TRACE|FOLDER", 1, 1,
		       "serve a language model (Model Context Protocol)",
		       "Answers JSON-RPC on stdin with the tools report, query, export, "
		       "explain\n"
		       "and check, of one trace, of the JSON files of one run, or of those\n"
		       "below a folder. Nothing is written but cache files.",
		       "  tview mcp runs/\n",
		       "Serves the Model Context Protocol on stdin and stdout (JSON-RPC 2.0, a "
		       "message a line) with the tools report, query, export, explain and check, "
		       "of one trace, of the JSON files of one run, or of those below a folder. "
		       "Each call is a run of tview; nothing is written but cache files "
		       "(doc/for-agents.md)." },
	[VERB_HELP] = { "help", "[VERB]", 0, 1, "help on a verb", "Prints the help of a verb.",
			"  tview help export\n", "Prints the help of a verb." },
};

const struct verb_info *verb_info(enum verb verb)
{
	return &verbs[verb];
}

enum verb verb_find(const char *word)
{
	for (int v = VERB_OPEN + 1; v < VERB_COUNT; v++)
		if (strcmp(verbs[v].name, word) == 0)
			return (enum verb)v;
	return VERB_COUNT;
}

bool verb_is_mistyped(const char *word, struct err *err)
{
	const char *names[VERB_COUNT];
	const char *near;

	for (int v = 1; v < VERB_COUNT; v++)
		names[v - 1] = verbs[v].name;
	names[VERB_COUNT - 1] = NULL;
	if (*word == '-' || strchr(word, '.') || access(word, F_OK) == 0)
		return false;
	near = nearest_word(word, names);
	if (near)
		err_set(err, STATUS_USAGE,
			"there is no file and no verb '%s'; did you mean 'tview %s'?", word, near);
	return near != NULL;
}
