/* session: the state of one open trace that all panels share: base, window, filter, cursor, hidden
 * rows, and the history of changes.
 *
 * Handlers change it through these functions only; every change that makes views compute again
 * bumps `generation`. */
#pragma once

#include "base/vec.h"
#include "model/filter/filter.h"
#include "model/trace/trace.h"
#include "ui/options/bindings.h"
#include "ui/session/changes.h"
#include "ui/session/column_choice.h"
#include "ui/session/selection.h"
#include "views/query/analyses.h"
#include "views/query/counter_names.h"
#include "views/query/second_trace.h"
#include "views/query/view.h"

/* Two locations before and after a correction, one above the other, which the timeline shows
 * instead of the run. */
struct comparison {
	bool on;
	uint32_t send, recv; /* the events that are shown; recv EVENT_NONE: one event alone */
	enum time_base before, after; /* made; `after` is the session's */
	int64_t shift; /* ticks by which the window of `before` is later: 0, unless clocks differ so
			  much that one window cannot show both */
	/* Restored when the comparison ends. */
	struct span window;
	size_t undo;
	enum time_base base;
	uint32_t cursor_location, cursor_event;
	int64_t cursor_time;
};

/* The window before the base was changed, to return to it exactly. */
struct base_origin {
	enum time_base base;
	struct span window, shown; /* in that base, and as it is shown now */
	int64_t cursor, cursor_shown;
};

/* Where the cursor of the timeline is. */
struct session_cursor {
	uint32_t location;
	int64_t time;
	uint32_t event;  /* EVENT_NONE: it is at a time, not on an event */
	bool group;      /* on the row of the location's group, where it has one */
	uint32_t metric; /* on the row of this counter, where there is one; UINT32_MAX none */
};

/* A place that has a letter. */
enum { MARKS = 26 };
enum { MARK_NOTE = 80 };
struct mark {
	bool set;
	uint32_t location;
	int64_t time;
	uint32_t event;       /* EVENT_NONE: none, or of an earlier session */
	char note[MARK_NOTE]; /* what the user wrote about it; clean */
};

/* The chain of causes that is being played (panels/explain). */
struct session_chain {
	uint32_t at; /* hop, from 1 */
	uint32_t n;  /* hops; 0: none is played */
};

/* A sequence of calls that is looked for, and the search of all locations for it. */
struct session_sequence {
	struct sequence *sequence;  /* owned, NULL none */
	struct match_search *found; /* owned; NULL: not begun */
	bool leads;                 /* n and N go from match to match in the timeline */
};

/* Requests of a panel to another one or to the application, which clears them. */
struct session_asked {
	struct explain_subject explain;
	bool explaining;            /* open the explanation of `explain` */
	struct source_place source; /* the place for the source view */
	uint64_t sources;           /* number of requests so far: after a new one the view goes to
				       `source` */
	const char *goto_view;      /* set together with REACT_REDRAW: switch to it */
	bool tell_groups;           /* the timeline shows a notice about its grouping */
};

struct session {
	struct trace *trace;             /* owned */
	struct corrections *corrections; /* owned; NULL: not made, or given up */
	struct analyses *analyses;       /* owned */
	struct other *other;             /* owned; NULL: none */
	bool other_hidden;               /* the timeline does not show it */
	uint8_t alignment; /* enum times_alignment (facts/aligned_times.h) of the two in it */
	uint8_t metric;    /* enum cube_metric that views show: CUBE_NONE: none was chosen */
	uint32_t callpath; /* canonical; UINT32_MAX: all */
	enum time_base base, usual_base; /* the second one is what it began with */
	struct span run;                 /* from the first event of the base to after its last */
	struct span core;     /* of it, between MPI_Init and MPI_Finalize; as the run where that is
			       most of it, or not known yet (session_find_core()) */
	struct span window;   /* the visible time range */
	bool placed, timed;   /* the command line says where the cursor is; at which time, too */
	bool window_restored; /* `window` is from an earlier session, and no key has changed it */
	struct changes changes;
	struct filter *filter; /* owned, NULL none */
	struct session_sequence sequence;
	VEC(uint32_t) rows; /* locations in display order, hidden ones left out */
	VEC(uint32_t) hidden;
	struct session_cursor cursor;
	struct arrangement arrangement; /* of the timeline's rows; after a change
					   session_rearranged() */
	struct column_choices columns;  /* of tables; owned */
	bool grouped;                   /* the user chose the grouping */
	/* Of a look before at the job that runs, borrowed; NULL: none. */
	const struct recent_facts *earlier;
	bool difference;    /* changes by the base are shown, too */
	bool critical_path; /* the timeline shows it */
	struct colouring colouring;
	bool counting; /* its ruler counts iterations */
	int level;     /* of iterations (facts/iteration_sums.h), LEVEL_MAIN */
	struct comparison comparison;
	struct base_origin origin;
	/* What is selected, in the view where that was done last (selection.h); the number grows
	 * with every change: views land on what they have not seen. */
	struct selection chosen;
	uint64_t chosen_no;
	struct span selection; /* t0 == t1: none */
	bool selecting;
	struct mark marks[MARKS];           /* a to z */
	struct counter_names counter_names; /* owned */
	struct session_asked asked;
	struct session_chain chain;
	VEC(struct filter *) filters; /* that were replaced: tables that are still shown use them */
	const struct bindings *bindings; /* borrowed; NULL: keys as in the tables */
	const char *source_path;         /* --source-path, borrowed, NULL none */
	const char *source_text; /* of all source files, which are none; borrowed, NULL: they are */
	/* The result of session_graph() and its inputs; owned, NULL not yet. */
	struct graph *graph;
	struct {
		enum time_base base;
		struct span window;
		uint64_t rows;
	} graph_of;
	char notice[2048]; /* one line for the status bar, cleared by the next key */
	bool notice_is_error;
	uint64_t generation;
	const struct progress *progress; /* of queries, borrowed, NULL (view.h) */
	uint64_t rows_generation; /* bumped when filter, base, hidden rows or arrangement change */
	bool ascii;
};

/* True if the window is the whole run. */
static inline bool session_is_whole(const struct session *session)
{
	return session->window.t0 == session->run.t0 && session->window.t1 == session->run.t1;
}

/* True if a key came and the present computation should stop. */
static inline bool session_stopped(const struct session *session)
{
	return !progress_step(session->progress, "", 0, 0);
}

void session_init(struct session *session, struct trace *trace /* taken */, enum time_base base);
/* Sets the corrections of the trace; may be NULL. */
void session_take_corrections(struct session *session, struct corrections *corrections /* taken */);
void session_fini(struct session *session);
/* Moves the state (window, cursor, filter, arrangement ...) from the session of an earlier look at
 * the same job. `before` keeps its trace, without arrangement. */
void session_continue(struct session *session, struct session *before);
struct query session_query(const struct session *session); /* of the window */
/* Sets base, window, locations, filter and options of the analysis from a query. False with err. */
bool session_choose(struct session *session, const struct query *query, struct err *err);

/* Changes the window (clamped to the run, at least 4 ticks wide) and remembers the old one for
 * undo. */
void session_zoom(struct session *session, int64_t t0, int64_t t1);
void session_pan(struct session *session, int64_t by); /* no undo entry */
/* Looks for the core of the run. The window is all of it afterwards as before. */
void session_find_core(struct session *session);
/* The window becomes the whole run; if it is that, its core. */
void session_whole_run(struct session *session);
/* How far zooming out goes in one step: from inside the core not beyond it. */
struct span session_zoom_limit(const struct session *session);
/* The window as it was, or the nearest inside the run; without an entry in the history. */
void session_show_window(struct session *session, struct span window);
void session_set_cursor(struct session *session, uint32_t location, int64_t time,
			uint32_t event);                        /* scrolls the window to the time */
void session_go_event(struct session *session, uint32_t event); /* the cursor on an event */
/* Marks the cursor's place; goes to the place of a mark that is set, which is selected then. And
 * its place in words: "rank 3  MPI_Recv (a.c:10)  12.30000 ms". */
void session_mark(struct session *session, unsigned mark, const char *note);
void session_go_mark(struct session *session, unsigned mark);
void session_mark_text(const struct session *session, unsigned mark, struct str *out);
/* What is under a view's cursor becomes what is selected; of nothing the old one stays. */
void session_select(struct session *session, const struct selection *selection);
bool session_set_filter(struct session *session, const char *text, struct err *err);
/* Looks for another sequence; without a text for none. False with err. */
bool session_set_sequence(struct session *session, const char *text, struct err *err);
/* Searches for its matches for a few ms, from the start where filter or base changed; true while
 * there is more to do. */
bool session_search_sequence(struct session *session);
/* As far as it is; NULL: there is none of the present filter and base. */
const struct match_search *session_found(const struct session *session);
/* Goes to the match that begins with this call, or to the next (1) or previous one (-1) of the
 * rows, and selects its time. False: there is none so far. */
bool session_go_match(struct session *session, uint32_t enter);
bool session_next_match(struct session *session, int direction);
void session_sequence_fini(struct session_sequence *sequence);
bool session_set_base(struct session *session, enum time_base base, struct err *err);
/* Makes the times of a base. False with err if the trace does not have it. */
bool session_make_base(struct session *session, enum time_base base, struct err *err);
/* Switches the display of changes by the base. False with err if there are none. */
bool session_set_difference(struct session *session, bool on, struct err *err);
/* Shows the timeline with the locations of two events (a message, or a pair that violates the clock
 * condition; one may be EVENT_NONE) in base `before` above base `after`, over the same window.
 * Backspace returns to the view that asked, with everything as it was. Makes both bases. False with
 * err if the trace does not have them. */
bool session_compare(struct session *session, uint32_t send, uint32_t recv, enum time_base before,
		     enum time_base after, struct err *err);
void session_compare_end(struct session *session);
/* Opens the explanation of a wait state, a visit or a message below the view in front
 * (explaining.h). */
void session_explain(struct session *session, const struct explain_subject *subject);
/* Opens the source view at a place, over the view in front (source_place.h). */
void session_show_source(struct session *session, const struct source_place *place);
/* Says that what is selected has no line, and how to record lines where no function has one. */
void session_no_line(struct session *session);
/* The program graph of session_query(), kept until base, window, filter or hidden locations change:
 * all views show the same nodes. Borrowed; a panel that keeps it beyond requery() must share it
 * (graph_share()). NULL with err, or with err untouched if progress stopped it. */
const struct graph *session_graph(struct session *session, struct err *err);
void session_hide_other(struct session *session, bool hidden);
/* Colours by function, or again by class; with a notice. */
void session_next_colours(struct session *session);
/* Hides a state (timeline_shade.h) or shows it again; UINT32_MAX: shows all. */
void session_hide_state(struct session *session, unsigned state);
void session_set_hidden_states(struct session *session, uint32_t states /* bits */);
/* Appends which are hidden: "MPI start and end hidden". */
void session_states_text(const struct session *session, struct str *out);
/* Part of session_continue(). */
void session_continue_colours(struct session *now, const struct session *before);
void session_hide(struct session *session, uint32_t location);
/* Hides many at once; at least one location stays. */
void session_hide_all(struct session *session, const uint32_t *locations, uint32_t n);
void session_show_all(struct session *session);
/* Groups the rows; `range` as in struct arrangement. */
void session_group(struct session *session, enum group_key key, uint32_t range);
void session_rearranged(struct session *session);
/* The key of an action, for a notice. */
static inline struct key_text session_key(const struct session *session, enum action action)
{
	return bindings_key(session->bindings, action);
}

/* Appends why a list has no rows, which are called `what`, and the key that helps. */
void session_none(const struct session *session, const char *what, struct str *out);
void session_notice(struct session *session, bool error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
