/* action: the one table of the actions: identifier, default keys, command, help, group. Dispatch,
 * the help screen, the hint bar, completion, key names of the configuration and the KEYS part of
 * the manual page are made from it. One key has one meaning in every panel.
 *
 * Add an action by adding a row to ACTION_TABLE together with the work that makes it real. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* X(id, "keys", "command", group, "hint", "help"): keys are separated by blanks; the hint is for
 * the bar at the bottom, "" for none. */
#define ACTION_TABLE(X)                                                                            \
	X(LEFT, "h Left", "left", MOVE, "", "one cell or item to the left")                        \
	X(DOWN, "j Down", "down", MOVE, "", "next row")                                            \
	X(UP, "k Up", "up", MOVE, "", "previous row")                                              \
	X(RIGHT, "l Right", "right", MOVE, "", "one cell or item to the right")                    \
	X(PAGE_DOWN, "PageDown Ctrl-f", "page-down", MOVE, "", "a page down")                      \
	X(PAGE_UP, "PageUp Ctrl-b", "page-up", MOVE, "", "a page up")                              \
	X(FIRST, "g Home", "first", MOVE, "", "first row")                                         \
	X(LAST, "G End", "last", MOVE, "", "last row")                                             \
	X(NEXT_PLANE, "J", "next-plane", MOVE, "", "next plane")                                   \
	X(PREV_PLANE, "K", "previous-plane", MOVE, "", "previous plane")                           \
	X(ZOOM_IN, "w +", "zoom-in", TIME, "zoom", "zoom in at the cursor")                        \
	X(ZOOM_OUT, "s -", "zoom-out", TIME, "", "zoom out at the cursor")                         \
	X(PAN_LEFT, "a", "pan-left", TIME, "pan", "move the window to earlier times")              \
	X(PAN_RIGHT, "d", "pan-right", TIME, "", "move the window to later times")                 \
	X(WHOLE_RUN, "0", "whole-run", TIME, "all",                                                \
	  "the whole run; again: without MPI_Init and MPI_Finalize")                               \
	X(ZOOM_ITEM, "z", "zoom-item", TIME, "fit",                                                \
	  "zoom to the item or selection; calls: the long ones")                                   \
	X(UNDO, "u", "undo", TIME, "undo",                                                         \
	  "undo the last change of window, filter, rows, groups, base")                            \
	X(REDO, "Ctrl-r", "redo", TIME, "", "make again what was undone")                          \
	X(PREV_EVENT, ",", "previous-event", FOLLOW, "event", "previous event of this location")   \
	X(NEXT_EVENT, ".", "next-event", FOLLOW, "", "next event of this location")                \
	X(PREV_REGION, "<", "previous-region", FOLLOW, "visit",                                    \
	  "previous visit of the same region")                                                     \
	X(NEXT_REGION, ">", "next-region", FOLLOW, "", "next visit of the same region")            \
	X(MESSAGE_BACK, "[", "message-back", FOLLOW, "message",                                    \
	  "go to the sender of this message")                                                      \
	X(MESSAGE_FORTH, "]", "message-forth", FOLLOW, "", "go to the receiver of this message")   \
	X(PREV_WAIT, "{", "previous-wait", FOLLOW, "wait",                                         \
	  "previous wait state (source view: previous hot line)")                                  \
	X(NEXT_WAIT, "}", "next-wait", FOLLOW, "", "next wait state (source view: next hot line)") \
	X(NEXT_MARKER, "M", "next-marker", FOLLOW, "", "next marker of the trace")                 \
	X(JUMP_BACK, "Ctrl-o", "jump-back", FOLLOW, "", "back to the place before the last jump")  \
	X(JUMP_FORTH, ";", "jump-forth", FOLLOW, "", "forth again to the place after it")          \
	X(LESS_DEPTH, "(", "less-depth", SHOW, "depth", "show fewer nesting levels")               \
	X(MORE_DEPTH, ")", "more-depth", SHOW, "", "show more nesting levels")                     \
	X(SEARCH, "/", "search", FIND, "search", "search (PCRE2)")                                 \
	X(SEARCH_NEXT, "n", "next-match", FIND, "",                                                \
	  "next match; in an explanation the next hop of its chain")                               \
	X(SEARCH_PREV, "N", "previous-match", FIND, "", "previous match, or hop")                  \
	X(SEARCH_THIS, "*", "search-this", FIND, "search this",                                    \
	  "search for the word under the cursor")                                                  \
	X(FILTER, "f", "filter", FIND, "filter", "filter rows: region =~ /^MPI_/ && dur > 10us")   \
	X(SEQUENCE, "$", "sequence", FIND, "",                                                     \
	  "find calls that follow each other: MPI_Isend+ MPI_Waitall")                             \
	X(CLEAR, "\\", "clear", FIND, "", "take back the latest limit of the views (their line)")  \
	X(SELECT, "v", "select", FIND, "select", "start or end the selection of a time span")      \
	X(MARK_SET, "m", "mark", FIND, "", "set a mark: m and a letter")                           \
	X(MARK_GO, "'", "go-mark", FIND, "", "go to a mark: ' lists them, a letter goes")          \
	X(HIDE_ROW, "x", "hide", SHOW, "hide", "hide the location under the cursor")               \
	X(SHOW_ALL, "X", "show-all", SHOW, "show all", "show all locations")                       \
	X(PIN, "p", "pin", SHOW, "pin", "pin the row at the top, or unpin it")                     \
	X(GROUP, "S", "group", SHOW, "group", "group rows: by node, process, ranks, likeness")     \
	X(NEXT_GRID, "T", "next-topology", SHOW, "topology",                                       \
	  "next topology: given, the trace's, guessed, physical")                                  \
	X(PLANES, "P", "planes", SHOW, "planes", "switch the dimensions that make planes")         \
	X(REVERSE, "R", "reverse", SHOW, "", "reverse the order of rows (topology: of planes)")    \
	X(CELL_SIZE, "Z", "cell-size", SHOW, "size", "change the cell size of the topology")       \
	X(COUNTER, "c", "counter", SHOW, "counter",                                                \
	  "choose a counter to show under its locations")                                          \
	X(CRITICAL_PATH, "C", "critical-path", SHOW, "critical path",                              \
	  "show or hide the critical path")                                                        \
	X(COLOUR, "V", "colour", SHOW, "colour by",                                                \
	  "colour by function (the 8 that take most time), or by class")                           \
	X(COUNT_ITERATIONS, "#", "count-iterations", SHOW, "iterations",                           \
	  "count iterations of the cursor's rank on the ruler, or time")                           \
	X(ALIGN, "A", "align", SHOW, "",                                                           \
	  "two traces: align by time, by a collective, by iteration")                              \
	X(TOGGLE, "Space", "toggle", SHOW, "open", "open or close a branch of a tree")             \
	X(HOTTEST, "H", "hottest", SHOW, "hottest", "expand the branch with the largest value")    \
	X(OPEN_ALL, "O", "open-all", SHOW, "", "open all branches below, or close them")           \
	X(VALUES, "%", "values", SHOW, "values",                                                   \
	  "switch values: absolute, % of all, % of selection")                                     \
	X(BREAK_DOWN, "r", "break-down", SHOW, "by rank",                                          \
	  "split the selected row by partner, caller or rank")                                     \
	X(NEXT_PANE, "Tab", "next-pane", VIEW, "next pane", "next pane or view")                   \
	X(PREV_PANE, "Shift-Tab", "previous-pane", VIEW, "", "previous pane or view")              \
	X(ENTER, "Enter", "enter", VIEW, "open",                                                   \
	  "go down: to the details, the events, the partner")                                      \
	X(BACK, "Backspace", "back", VIEW, "", "go back up")                                       \
	X(SORT, "|", "sort", VIEW, "sort", "sort by the next column")                              \
	X(NEXT_BASE, "b", "next-base", VIEW, "base", "next time base")                             \
	X(DIFFERENCE, "B", "difference", VIEW, "changes",                                          \
	  "show or hide the changes made by corrections")                                          \
	X(EXPLAIN, "e", "explain", VIEW, "explain", "explain this wait, visit or message")         \
	X(SOURCE, "i", "source", VIEW, "source", "show its source with time per line")             \
	X(EDIT, "o", "edit", VIEW, "editor", "open the line of source in $VISUAL, $EDITOR or vi")  \
	X(COPY, "y", "copy", VIEW, "copy", "copy the command line that shows exactly this")        \
	X(COPY_TEXT, "Y", "copy-text", VIEW, "", "copy the text of the view")                      \
	X(COPY_LINE, "Ctrl-y", "copy-details", VIEW, "", "copy the details under the cursor")      \
	X(EXPORT, "E", "export", VIEW, "", "write this view to a file")                            \
	X(LEGEND, "t", "legend", VIEW, "colours", "legend and colours")                            \
	X(NEXT_TRACE, "Ctrl-n", "next-trace", VIEW, "", "next of the open traces (:open)")         \
	X(PREV_TRACE, "Ctrl-p", "previous-trace", VIEW, "", "previous of the open traces")         \
	X(TUTOR, "F9", "tutor", PROGRAM, "", "learn to use tview in five minutes")                 \
	X(TUTOR_BACK, "F2", "tutor-back", PROGRAM, "", "tutor: the step before")                   \
	X(TUTOR_NEXT, "F3", "tutor-next", PROGRAM, "", "tutor: the step after, done or not")       \
	X(TUTOR_END, "F4", "tutor-end", PROGRAM, "", "tutor: end it, and go back")                 \
	X(LIVE_HOLD, "F", "live-hold", PROGRAM, "", "job that runs: hold, look again; its trace")  \
	X(LIVE_SLOWER, "_", "live-slower", PROGRAM, "", "job that runs: look less often")          \
	X(LIVE_FASTER, "=", "live-faster", PROGRAM, "", "job that runs: look more often")          \
	X(CANCEL, "Escape", "cancel", PROGRAM, "close",                                            \
	  "close the prompt, overlay or selection; cancel work")                                   \
	X(HELP, "? F1", "help", PROGRAM, "help", "this help")                                      \
	X(COMMAND, ":", "command", PROGRAM, "", "type a command")                                  \
	X(REDRAW, "Ctrl-l", "redraw", PROGRAM, "", "redraw the screen")                            \
	X(SUSPEND, "Ctrl-z", "suspend", PROGRAM, "", "suspend")                                    \
	X(QUIT, "q", "up-or-quit", PROGRAM, "quit", "go back; on the first level quit")            \
	X(QUIT_ALL, "Q Ctrl-c", "quit", PROGRAM, "", "quit")

enum action {
	ACTION_NONE,
#define X(id, keys, command, group, hint, help) ACTION_##id,
	ACTION_TABLE(X)
#undef X
		ACTION_COUNT
};

enum action_group {
	GROUP_MOVE,
	GROUP_TIME,
	GROUP_FOLLOW,
	GROUP_SHOW,
	GROUP_FIND,
	GROUP_VIEW,
	GROUP_PROGRAM,
	GROUP_COUNT
};

struct action_info {
	const char *id, *keys, *command, *hint, *help;
	enum action_group group;
};

const struct action_info *action_info(enum action action);
const char *action_group_name(enum action_group group);
/* The opposite of an action; the two share the hint of the first. ACTION_NONE without. */
enum action action_opposite(enum action action);
/* The action of a key by name ("Ctrl-r", "PageUp", "x"), ACTION_NONE without. */
enum action action_of_key(const char *key);
enum action action_of_command(const char *command);
