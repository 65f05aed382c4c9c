/* command: the one table of the commands after ':' that take an argument. Actions and views are
 * commands, too, by the names in their tables. Running, completion, the help and tview-keys(7) are
 * made from it; what a command does is in ui/app/app_command.c.
 *
 * Add a command by adding a row here and a handler there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ui/options/action.h"
#include "views/export/view_registry.h"

/* X(id, "name", "ARGUMENT", "what it is, for messages", alone, "help"): alone: it also works
 * without an argument. */
#define COMMAND_TABLE(X)                                                                        \
	X(EVENT, "at-event", "NUMBER", "the number of an event", false,                         \
	  "move the cursor to an event")                                                        \
	X(BASE, "base", "BASE", "a time base such as measured", false, "show these times")      \
	X(BIND, "bind", "KEY COMMAND", "a key and a command, such as F5 zoom-in", false,        \
	  "let a key do this; none takes its meaning away, default gives it back")              \
	X(CALLPATH, "callpath", "PATH", "a call path as in the export of waits", true,          \
	  "show values of this call path; without one: of all")                                 \
	X(COLUMNS, "columns", "NAMES", "names of columns", true,                                \
	  "show these columns of the table, in this order; +NAME -NAME: more, less; none: all") \
	X(COUNTER, "counter", "NAME", "the name of a counter", false, "show or hide a counter") \
	X(EXPORT, "export", "FILE", "the name of a file", false,                                \
	  "write the view to a file; .csv, .json, .md set the format; .svg: the screen")        \
	X(FILTER, "filter", "EXPR", "an expression", false, "show only what matches")           \
	X(GO_MARK, "go-mark", "LETTER", "a letter", false, "go to a mark")                      \
	X(GOTO, "goto", "TIME", "a time such as 12.5ms", false, "move the cursor to a time")    \
	X(GROUP, "group", "KEY", "node, process, range, likeness or none", false,               \
	  "group rows; range 64: ranks in a row")                                               \
	X(HIDE, "hide", "RANKS", "ranks such as 0-3,8", false, "hide the rows of these ranks")  \
	X(HIDE_COLOUR, "hide-colour", "NAME", "a colour's name in the legend", false,           \
	  "hide a class or function in the timeline, or show it again")                         \
	X(ITERATION, "iteration", "NAME", "the name of a region or a mark", true,               \
	  "iterations begin at its visits; without a name: those that are found")               \
	X(LINE, "line", "N", "the number of a line", false,                                     \
	  "show the row of the cursor in the Nth line of the table")                            \
	X(MAP, "map", "", "", true, "list all keys, your own first")                            \
	X(MARK, "mark", "LETTER NOTE", "a letter, and a note", false,                           \
	  "set a mark at the cursor, and say what it is")                                       \
	X(METRIC, "metric", "NAME", "a metric such as mpi_latesender", false,                   \
	  "show this metric in the views that show one")                                        \
	X(OPEN, "open", "PATH", "the path of a trace", false,                                   \
	  "open a trace beside this one, in a tab of its own")                                  \
	X(OPEN_GROUP, "open-group", "RANKS", "first ranks of groups, such as 0,8", false,       \
	  "show the members of these groups")                                                   \
	X(PANE, "pane", "N", "the number of a table", false, "show the Nth table of the view")  \
	X(PIN, "pin", "RANKS", "ranks such as 0-3,8", false,                                    \
	  "pin the rows of these ranks at the top; 8+: of the group that begins with 8")        \
	X(PLAY, "play", "TIME", "a time such as 10ms", true,                                    \
	  "move the window over the run, so much of it a second")                               \
	X(PRINT, "print", "VIEW FORMAT", "the name of a view", true,                            \
	  "without a terminal: write a view, or the one in front, to stdout")                   \
	X(RANK, "rank", "N", "the number of a rank", false, "move the cursor to a rank")        \
	X(ROW, "row", "N LINE", "the number of a row", false, "go to the Nth row of the table") \
	X(ROWS, "rows", "ORDER", "mpi or rank", false,                                          \
	  "sort the rows of ranks by their share of MPI time, or by rank")                      \
	X(SEARCH, "search", "PATTERN", "a pattern", false, "go to the next match (PCRE2)")      \
	X(SELECT, "select", "FROM TO", "two times such as 10ms 12ms", false,                    \
	  "select this span of time")                                                           \
	X(SEQUENCE, "sequence", "PATTERN", "a pattern such as MPI_Isend+ MPI_Waitall", false,   \
	  "find calls that follow each other so, and list them")                                \
	X(SET, "set", "NAME VALUE", "a setting", true, "change a setting, or list all")         \
	X(SORT, "sort", "COLUMN", "the name of a column of its export", false,                  \
	  "sort by a column; sort COLUMN up: the least first")                                  \
	X(STATE, "state", "NUMBERS", "what the copied command line has", false,                 \
	  "where the view was when its command line was copied")                                \
	X(THEME, "theme", "NAME", "dark, light, mono or a file", false, "change the colours")   \
	X(VIEW, "view", "NAME", "the name of a view", false, "show a view")                     \
	X(ZOOM, "zoom", "FROM TO", "two times such as 10ms 12ms", false, "show this window")

enum command {
#define X(id, name, argument, what, alone, help) COMMAND_##id,
	COMMAND_TABLE(X)
#undef X
		COMMAND_COUNT
};

struct command_info {
	const char *name, *argument, *what, *help;
	bool alone;
};

const struct command_info *command_info(enum command command);
/* The command named by n bytes; COMMAND_COUNT without. */
enum command command_find(const char *name, size_t n);

/* The names of all commands, each once, and NULL: of this table, of other actions, of other views.
 * Returns how many. */
enum { COMMAND_NAMES_MOST = COMMAND_COUNT + ACTION_COUNT + VIEWS_MOST + 1 };
unsigned command_names(const struct view_registry *views, const char *names[COMMAND_NAMES_MOST]);
