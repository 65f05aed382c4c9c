/* changes: the changes by the user to what views show (window, filter, sequence, hidden rows and
 * colours, grouping, time base), to be undone and redone one by one.
 *
 * session_remember() is called before a change, with its kind. Of very many the oldest are
 * forgotten. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/trace/trace.h"
#include "views/query/view.h"

struct session;

enum change_kind {
	CHANGE_WINDOW,
	CHANGE_FILTER,
	CHANGE_SEQUENCE,
	CHANGE_ROWS,
	CHANGE_GROUPS,
	CHANGE_BASE,
	CHANGE_STATES,
	CHANGE_OTHER
};

/* The value before a change; which members count depends on the kind. */
struct change {
	enum change_kind kind;
	enum time_base base; /* BASE */
	struct span window;  /* WINDOW, and of BASE the one in it, */
	int64_t cursor;      /* with the time of the cursor */
	char *text;          /* FILTER, SEQUENCE: owned; NULL none */
	enum group_key key;  /* GROUPS */
	uint32_t range;
	uint32_t *locations; /* ROWS: hidden; GROUPS: of open groups; owned */
	uint32_t n;
	uint32_t states; /* STATES: hidden ones, as bits */
	bool hidden;     /* OTHER: of a trace that is compared with */
};

typedef VEC(struct change) change_list;

struct changes {
	change_list undo, redo;
	bool held; /* nothing is remembered */
};

void changes_fini(struct changes *changes);
/* Forgets all but the first `undo` ones. */
void changes_cut(struct changes *changes, size_t undo);
/* The window before the last change, where that was one of the window; NULL. */
const struct span *changes_last_window(const struct changes *changes);

void session_remember(struct session *session, enum change_kind kind);
/* Undoes the last change; makes again what was undone last. False: there is none. A notice names
 * it: "undone: filter rank == 3". */
bool session_undo(struct session *session);
bool session_redo(struct session *session);
