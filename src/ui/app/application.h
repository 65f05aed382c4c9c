/* application: struct app, shared by the files of this room. No other room includes it.
 *
 * app_traces.c	opening and closing, several traces beside each other
 * app.c		the loop, signals
 * app_loading.c	while the trace is being read: keys, frame, then the making of the session
 * app_prepare.c	what the options say of the session
 * app_live.c	a job that runs is looked at again and again
 * app_busy.c	long computations, and keys typed meanwhile
 * app_draw.c	the frame around the panels: status, prompt, and where the parts are
 * app_title.c	its first line
 * app_tabs.c	the names of the views
 * app_hints.c	what keys do here
 * app_chips.c	what narrows the views, and how to take it back
 * app_input.c	keys to actions
 * app_mouse.c	the mouse: clicks, drags, wheel
 * app_act.c	actions that work in every view
 * app_react.c	views and overlays that come and go, reactions of panels
 * app_select.c		what is selected, from view to view
 * app_base.c		time bases
 * app_places.c		jumps back and forth, marks
 * app_source.c		from a panel to the source view, and to an editor
 * app_prompt.c	the lines that are typed: search, filter, command
 * app_command.c	the commands after ':'
 * app_table.c	those about the table in front
 * app_complete.c	their completion
 * app_paths.c		paths that :open offers
 * app_settings.c	:set, :bind, :map
 * app_line.c	the command line that shows what is on the screen
 * app_export.c		the export of the view in front, and its command line
 * app_copy.c	the clipboard
 * app_run.c	the commands of the command line, with a terminal or without
 * app_tutor.c		:tutor: what to do next, and whether it is done
 * app_columns.c		:columns: which ones a table shows
 * app_play.c		:play: the window moves over the run
 * app_state.c	what is kept of a trace between sessions
 */
#pragma once

#include <time.h>

#include "base/vec.h"
#include "ui/app/app.h"
#include "ui/options/command.h"
#include "ui/panels/loading_panel.h"
#include "ui/panels/panels.h"
#include "ui/tutor/tutor.h"
#include "ui/tutor/tutor_trace.h"
#include "ui/widgets/prompt.h"
#include "ui/widgets/table_tabs.h"
#include "views/query/filter_count.h"

enum { WORD_BYTES = 256, TRACE_BYTES = 4096 };

enum prompt_kind {
	PROMPT_SEARCH,
	PROMPT_FILTER,
	PROMPT_SEQUENCE,
	PROMPT_COMMAND,
	PROMPT_EXPORT,
	PROMPT_KINDS
};

/* A place in a view, to come back to (app_places.c). */
struct place {
	unsigned view;
	struct session_cursor cursor;
	enum time_base base;
	struct span window;      /* in that base */
	struct selection chosen; /* what the view's cursor was on */
};

struct jumps {
	VEC(struct place) list;
	size_t at; /* where one is in the list; list.n: at a place that is not in it */
};

/* The session's state from which a panel was last computed. */
struct seen {
	uint64_t generation;
	uint32_t location, event;
	int64_t time;
	struct rect area;
};

/* A view that may be open. */
struct open_view {
	struct panel *panel; /* made when first shown, NULL until then */
	struct seen seen;
	uint64_t landed;     /* number of the session's selection that it landed on or made */
	struct selection as; /* what its cursor was on then: until it moves, the selection stays, of
				which the view may know a part */
};

/* A computation that keys wait for (app_busy.c). */
struct busy {
	struct progress progress;
	bool on, stopped;
	int64_t since, looked, drawn; /* ms */
	bool in_order;                /* keys wait for it, except those that cancel or quit */
	char what[32];
	bool interrupted;  /* a key has stopped the last one */
	uint64_t given_up; /* generation of the session whose computation Escape cancelled, */
	unsigned view;     /* in this view */
};

/* The loading of traces, before there is a session. */
struct loading {
	struct panel *panel; /* NULL once the session is there */
	const char *source;  /* path of the trace to be shown */
	struct load_options options;
	struct other *other;     /* older traces, until the session takes them; NULL */
	unsigned n_others;       /* how many of them are loaded */
	char path[WORD_BYTES];   /* of the one being read, clean, for the title */
	VEC(struct input) ahead; /* keys for the session */
	bool ahead_types;        /* some of them begin a line */
};

/* The prompt's line: a search, a filter, a command, a file name. */
struct typed_line {
	bool on;
	enum prompt_kind kind;
	struct prompt prompt;
	bool changed;     /* since it was last looked at */
	char error[1024]; /* what is wrong with it */
	bool gap;         /* a line of a pasted text has ended: what follows is set apart */
	bool completing;  /* Tab cycles through the completions of complete_of */
	char complete_of[PROMPT_BYTES];
	unsigned complete_next;
	struct history histories[PROMPT_KINDS];
	char last_search[PROMPT_BYTES];
	struct path_words *paths;          /* app_paths.c, NULL: none were asked for */
	struct filter_count *filter_count; /* live count while a filter is typed, NULL */
};

struct cache_writing {
	bool begun;
	int fd;                      /* readable when writing is done, -1 none */
	struct app_restart *restart; /* restarts the program if a cache file is damaged */
};

/* A job that runs (app_live.c). */
struct looking {
	int every_ms;          /* 0: not a running job, or it has ended */
	bool held;             /* the user has paused looking */
	int64_t due;           /* clock_ms() of the next look, if none is under way */
	struct loader *loader; /* the look that is under way, NULL */
	struct live_rates *rates;
	time_t since;            /* traces that are older are of other runs */
	char trace[TRACE_BYTES]; /* the job has ended, and this is what it left; "" none yet */
	bool shown;              /* that is in front now */
};

/* The window moves over the run (app_play.c). */
struct playing {
	bool on;
	bool held;     /* until the user goes on */
	bool moved;    /* since it began: then undo goes back there */
	double rate;   /* ticks of the run in a millisecond */
	int64_t from;  /* ticks: where the window began */
	int64_t since; /* at that clock_ms() */
	int64_t due;   /* clock_ms(): the next step */
};

/* Where the left button of the mouse was pressed; a drag goes on from there. */
struct press {
	bool on;
	int x, y;
};

/* One trace on the screen, with all that was done to it. */
struct app {
	const struct app_options *options; /* `own` */
	struct app_options own;
	struct traces *traces;   /* it is one of these; NULL: without a terminal */
	struct signals *signals; /* shared by all traces */
	struct screen *screen;   /* the same; NULL: without a terminal, only commands are run */
	bool beside;             /* opened while another one was in front */
	char *path;              /* of the trace, as it was typed; owned */
	struct canvas canvas;
	struct busy busy;
	VEC(struct input) typed; /* read during a computation and not handled yet */
	struct loading load;
	struct cache_writing cache;
	struct looking looking;
	struct playing playing;
	struct tutor tutor;
	bool teaches; /* the tutor's lines are shown, once there is a session */
	bool has_session;
	struct session session;
	struct open_view *views; /* [options->views->n] */
	unsigned view;
	VEC(unsigned) stack;   /* views to go back to */
	struct panel *overlay; /* help or legend, NULL */
	struct typed_line line;
	struct place search_from; /* where one was when the search was begun to be typed */
	struct press press;       /* of the mouse's left button */
	enum action awaiting;     /* ACTION_MARK_SET or _GO, until its letter comes */
	struct jumps jumps;
	int commands_run; /* of those of the command line */
	bool has_bound;   /* a key in this session */
	bool warned;      /* that something would be lost, by the last key */
	bool greets;      /* the user is new: until the first key */
	bool dirty;       /* the screen is out of date */
	bool quit;
	struct err failure, *err; /* `failure`: what ended it */
};

/* ---- app_traces.c ---- */
/* True if the loop must end: of this trace, or as another one comes in front. */
bool app_leaves(const struct app *app);
void app_end(struct app *app); /* of the program, whatever is open */
/* True while a thread works on a trace that is not in front. */
bool app_others_work(const struct app *app);
unsigned app_trace_count(const struct app *app);
const struct app *app_trace(const struct app *app, unsigned i); /* from left to right */
void app_act_next_trace(struct app *app, int by);
void app_show_trace(struct app *app, unsigned i);
/* Opens a trace beside this one, or goes to it if it is open. False with err. */
bool app_open_beside(struct app *app, const char *path, struct err *err);
/* What was given on the command line, as far as it is about this trace. */
struct options app_given(const struct app *app);

/* ---- app.c ---- */
void app_loop(struct app *app); /* until the trace is left */
void app_show_view(struct app *app, unsigned view);
struct panel *app_front(const struct app *app); /* the overlay, or the panel of the view */
/* True if the view has a tab now. */
bool app_in_row(const struct app *app, unsigned view);
const struct view_info *app_view_info(const struct app *app, unsigned view);
/* Computes the view in front again if the session or its area has changed. False if a key came
 * first. */
bool app_refresh_view(struct app *app);
/* Opens a view instead of those that are open. False with a notice. */
bool app_open_view(struct app *app, const struct view_info *view);
/* Does a slice of the pending work; true while there is more. */
bool app_work(struct app *app);
/* Makes a view compute again when it is next in front. */
void app_forget_view(struct app *app, unsigned view);

/* ---- app_loading.c ---- */
/* Starts loading the next trace. False with app->err. */
bool app_begin_loading(struct app *app);
void app_loading_input(struct app *app, const struct input *input);
void app_loading_draw(struct app *app, struct canvas *canvas);
/* Handles the loader's progress and, when it has ended, takes the trace. False with app->err: the
 * program must end. */
bool app_loading_update(struct app *app);

/* Opens the session of a trace, taken, with the view and place that the options say. False with
 * app->err. */
bool app_begin_session(struct app *app, struct trace *trace, struct corrections *corrections);

/* ---- app_prepare.c ---- */
bool app_prepare(struct app *app); /* false with app->err */

/* ---- app_live.c ---- */
void app_live_begin(struct app *app); /* once there is a session */
void app_live_end(struct app *app);
/* Milliseconds until the next look; -1: none is due. */
int app_live_wait(const struct app *app);
int app_live_fd(const struct app *app); /* readable when a look has progressed, -1 none */
/* Starts a look that is due, or takes the result of one that has ended. */
void app_live_go_on(struct app *app);
void app_live_hold(struct app *app);
void app_live_told(struct app *app);               /* the analysis of the look has progressed */
void app_live_change(struct app *app, int slower); /* below 0: faster */
/* Append the job's state, for the title, and its rates over the last looks, for the status line;
 * nothing without a job. */
void app_live_state(const struct app *app, struct str *out);
void app_live_rates(const struct app *app, struct str *out);

/* ---- app_columns.c ---- */

bool app_columns(struct app *app, const char *argument, struct err *err);
/* Names for completion, NULL after the last one. */
const char *app_columns_word(const struct app *app, unsigned i);

/* ---- app_paths.c ---- */

struct path_words *app_paths_new(void);
void app_paths_free(struct path_words *paths);
/* The i-th path that may follow what is typed, as app_columns_word(). */
const char *app_path_word(const struct app *app, unsigned i);

/* ---- app_play.c ---- */
/* Moves the window over the run, so much of it in a second; "": the whole run in 20 seconds. False
 * with err where the argument is not a time above zero. */
bool app_play(struct app *app, const char *argument, struct err *err);
/* Milliseconds until the next step; -1: there is none. */
int app_play_wait(const struct app *app);
/* Takes the step that is due. */
void app_play_go_on(struct app *app);
/* What was typed or clicked holds, goes on or stops; false: it is not for this. */
bool app_play_input(struct app *app, const struct input *input);

/* ---- app_tutor.c ---- */
bool app_teaches(const struct app *app);
void app_tutor_begin(struct app *app); /* if the trace is the tutor's */
/* Goes on if the step is done. */
void app_tutor_look(struct app *app);
void app_act_tutor(struct app *app);
void app_act_tutor_go(struct app *app, int by);
void app_act_tutor_end(struct app *app);
int app_tutor_height(const struct app *app); /* 0: it is not shown */
void app_draw_tutor(const struct app *app, struct canvas *canvas, int y);

/* ---- app_busy.c ---- */
void app_busy_init(struct app *app); /* once there is a session */
/* Around a computation that may take long. app_busy_end() is false if a key has stopped it: panels
 * must compute again. */
void app_busy_begin(struct app *app);
bool app_busy_end(struct app *app);
/* app_refresh_view() for an action that needs the new state of the panel: only Escape and quitting
 * interrupt it. False: drop the action, and the keys typed after it up to that one. */
bool app_refresh_in_order(struct app *app);
/* The next key: of those read during computations, or from the screen. */
bool app_next_input(struct app *app, struct input *input);
/* Handles an Escape after the computation that it has stopped. */
bool app_busy_escape(struct app *app, enum action action);
/* True if Escape has cancelled the computation that the view in front would do now. */
bool app_busy_given_up(const struct app *app);

/* ---- app_draw.c ---- */
struct rect app_body(const struct app *app);
/* The area of the panel of the view, and of the one in front: the overlay, if there is one. */
struct rect app_view_area(const struct app *app);
struct rect app_front_area(const struct app *app);
bool app_has_tabs(const struct canvas *canvas);  /* the second row has the views' names */
bool app_has_hints(const struct canvas *canvas); /* the last row has hints */
/* Draws the whole screen; the place of the cursor, x -1 without. */
void app_draw(struct app *app, int *cursor_x, int *cursor_y);

/* ---- app_title.c ---- */
void app_draw_title(const struct app *app, struct canvas *canvas);
/* The names of the open traces, that of the one in front bold; the column after them. */
int app_draw_names(const struct app *app, struct canvas *canvas);
int app_name_at(const struct app *app, int x); /* the trace whose name is there, -1 */

/* ---- app_tabs.c ---- */
void app_draw_tabs(const struct app *app, struct canvas *canvas);
/* The view whose tab is at column x, or -1. */
int app_tab_at(const struct app *app, int x);
bool app_names_help(const struct app *app); /* the tabs' line ends with the keys of help and quit */

/* ---- app_hints.c ---- */
enum { HINTS_MOST = 64 };
struct hints {
	unsigned n;
	struct hint {
		enum action action;
		const char *text; /* without the key */
		int x, w;
	} all[HINTS_MOST];
};
/* Those of the panel in front, as many as the line has room for; adds one. */
void app_make_hints(const struct app *app, struct hints *hints);
void app_add_hint(const struct app *app, struct hints *hints, enum action action, const char *text);
void app_draw_hints(const struct app *app, struct canvas *canvas, const struct hints *hints, int y);
enum action app_hint_at(const struct app *app, const struct hints *hints, int x);

/* ---- app_chips.c ---- */
bool app_has_chips(const struct app *app); /* the row below the views' names has some */
void app_draw_chips(const struct app *app, struct canvas *canvas, int y);
int app_chip_at(const struct app *app, int x); /* -1: none */
void app_clear_chip(struct app *app, int chip);
void app_act_clear(struct app *app); /* the last one */

/* ---- app_mouse.c ---- */
void app_mouse(struct app *app, const struct input *input);

/* ---- app_input.c ---- */
void app_input(struct app *app, const struct input *input);

/* ---- app_react.c ---- */
/* Opens a panel over the view, instead of another one; the same one again is closed. */
void app_open_overlay(struct app *app, const struct panel_ops *ops);
void app_close_overlay(struct app *app);
void app_react(struct app *app, unsigned reactions);
/* Back to the view before; from the first one the program ends. */
void app_pop_view(struct app *app);

/* ---- app_act.c ---- */
void app_act(struct app *app, enum action action, int count);
/* Zooms in or out around a time of the window. */
void app_zoom_at(struct app *app, bool in, int64_t at);
bool app_knows(enum action action); /* the application handles it in every view */
/* The opening of a view by its key, or by a click on its tab. */
void app_press_view(struct app *app, const struct view_info *view);

/* ---- app_select.c ---- */
/* What is under the cursor of the panel in front becomes the session's selection, unless that is
 * where the view landed. */
void app_take_selection(struct app *app);
/* The same, also where the view landed. */
void app_take_row(struct app *app);
/* The view stays where it is, whatever was selected before. */
void app_selection_seen(struct app *app, unsigned view);
/* Lets the view in front, which is up to date, land on what was selected elsewhere; false: it
 * cannot yet. */
bool app_land(struct app *app);
void app_act_search_this(struct app *app);
void app_act_explain(struct app *app);

/* ---- app_copy.c ---- */
void app_act_copy(struct app *app);
void app_act_copy_text(struct app *app);
void app_act_copy_details(struct app *app);
/* Writes what is on the screen, without the prompt, as SVG. */
bool app_export_picture(struct app *app, const char *path, struct err *err);

/* ---- app_base.c ---- */
void app_act_next_base(struct app *app);
void app_act_difference(struct app *app);

/* ---- app_places.c ---- */
struct place app_place(const struct app *app); /* where one is */
/* After something that may have jumped: if one is elsewhere now, `from` is kept in the list. */
void app_jumped(struct app *app, const struct place *from);
void app_act_jump(struct app *app, int by); /* back -1, forth 1 */
void app_forget_places(struct app *app);    /* the trace is another one now */
/* The keys m and ' wait for a letter; the letter, or what chooses in the list of marks. */
void app_await_mark(struct app *app, int action);
/* Sets or goes to the mark of a letter. False with err. */
bool app_mark(struct app *app, int action, const char *argument, struct err *err);
void app_mark_key(struct app *app, const struct input *input);

/* ---- app_source.c: actions that work in every view ---- */
void app_act_source(struct app *app);
void app_act_edit(struct app *app);

/* ---- app_prompt.c ---- */
void app_prompt_begin(struct app *app, enum prompt_kind kind, const char *text);
void app_prompt_key(struct app *app, const struct input *input);
/* A character of a pasted text: lines are joined to one. */
void app_prompt_pasted(struct app *app, const struct input *input);
bool app_prompt_work(struct app *app); /* true while there is more */
void app_prompt_close(struct app *app);
void app_search(struct app *app, const char *pattern, int direction);

/* ---- app_command.c ---- */
/* Runs a line; false with err when there is no such command, or it fails. */
bool app_command(struct app *app, const char *line, struct err *err);
/* False with err if the command, with an argument or without, cannot work here: on the screen, or
 * without one. */
bool app_can_run(const struct app *app, const char *name, bool argument, struct err *err);
/* Writes a view, or with "" the one in front, to stdout; of a program without a terminal. */
bool app_print(struct app *app, const char *name, struct err *err);

/* ---- app_table.c: commands about the table in front ---- */
/* :sequence. */
bool app_look_for(struct app *app, const char *pattern, struct err *err);
bool app_pane(struct app *app, const char *argument, struct err *err);
bool app_table_line(struct app *app, const char *argument, struct err *err);
bool app_row(struct app *app, const char *argument, struct err *err);
bool app_state(struct app *app, const char *argument, struct err *err);
bool app_sort(struct app *app, const char *argument, struct err *err);

/* ---- app_line.c ---- */
/* Appends the command line that shows exactly what is on the screen, in any folder: traces,
 * options, window, place of the cursor, rows, table, order and row, overlay. Not: what is open in a
 * tree, a function chosen in Calls, lines of the overview, matches of a search. */
void app_add_line(const struct app *app, struct str *out);
/* Parts of it: options that were given or set and belong to the verb, too, but for those named in
 * `own`; base, filter and --diff; hidden rows, as an option or (NULL) as the command `hide`. */
void app_add_options(const struct app *app, enum verb verb, const char *const *own, size_t n_own,
		     struct str *out);
void app_add_base_and_filter(const struct session *session, enum time_base base,
			     const struct filter *filter, struct str *out);
void app_add_hidden(const struct session *session, const char *option, struct str *out);

/* ---- app_export.c ---- */
/* The name of the export with the content of the view in front. */
const char *app_exported(const struct app *app);
/* What that export is asked: the session's query, and what is explained in front. */
struct query app_export_query(const struct app *app);
/* Writes the view in front to a file that does not exist yet, in the format its ending names, and
 * says the command line that writes the same bytes; if it does not, what it leaves out. */
bool app_export(struct app *app, const char *path, struct err *err);

/* ---- app_copy.c ---- */
/* Shows a text over the view, to be read, or taken with the mouse. */
void app_show_text(struct app *app, const char *headline, const char *text);

/* ---- app_settings.c ---- */
bool app_set(struct app *app, const char *line, struct err *err);
bool app_bind(struct app *app, const char *line, struct err *err);
bool app_map(struct app *app, const char *argument, struct err *err);

/* ---- app_run.c ---- */
/* Runs the next command of the command line, when nothing else is to be done. False: none is
 * left. */
bool app_run_next(struct app *app);
/* The user has taken over: the others are not run. */
void app_run_stop(struct app *app);
/* Without a terminal: opens the session, and runs all; a command that fails is the last one. What
 * they say goes to stderr. False with app->err. */
bool app_run_all(struct app *app, struct trace *trace, struct corrections *corrections);

/* ---- app_complete.c ---- */
/* Finds completions of `line` (commands, views, ...), at most `max`; returns how many. */
unsigned app_complete(const struct app *app, const char *line, const char **found, unsigned max);

/* ---- app_cache.c ---- */
/* Starts writing a cache file if one is wanted; called when the program is idle. */
void app_cache_begin(struct app *app);
void app_cache_told(struct app *app); /* cache_fd is readable */
void app_cache_close(struct app *app);
/* Shows a notice if a damaged cache file was discarded. */
void app_cache_notice(struct app *app);
struct app_restart *app_restart_new(void);
void app_restart_free(struct app_restart *restart);
/* The paths of the traces that the program opens again beside that of the command line, the one in
 * front last. And those that the program before this one kept, a line each; NULL: it did not
 * restart, or kept none. The caller frees it. */
void app_restart_keep(struct app_restart *restart, const char *const *paths, size_t n);
char *app_restart_kept(void);
/* For load_options.cache_damaged, with a struct app_restart: starts the program again. */
void app_restart(void *context);
/* Starts the program again if a cache file was changed since it was opened. */
void app_cache_look(const struct app *app);

/* ---- app_state.c ---- */
/* True if nothing was kept of any trace yet, and this session keeps something. */
bool app_state_is_first(const struct app *app);
void app_state_restore(struct app *app);
/* Returns the errno of a failure that loses marks, else 0. */
int app_state_save(const struct app *app);
