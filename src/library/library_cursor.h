/* library_cursor: a cursor of the library, and what each kind of records has. */
#pragma once

#include <stddef.h>
#include <tview/records.h>

#include "library/library.h"
#include "views/facts/call_walk.h"
#include "views/query/event_merge.h"
#include "views/query/view_common.h"

struct tview_cursor {
	enum tview_kind kind;
	tview_trace *trace;
	struct library_choice of;
	uint32_t location;         /* the only one, TVIEW_NONE: those that are chosen */
	const struct query *query; /* of the choice */
	bool opened, begun;
	union {
		struct event_merge events;
		struct {
			struct call_walk walk;
			uint64_t row;
		} calls;
		struct {
			struct row_walk walk;
			uint32_t id, member; /* of members: the collective, and the next of it */
		} rows;
		struct {
			void *data; /* [n] records */
			size_t n, at;
		} made;
	};
};

struct library_kind {
	const char *name;
	size_t size;
	const struct tview_field *fields;
	/* With `making` held. */
	bool (*open)(tview_cursor *cursor, struct err *err);
	bool (*next)(tview_cursor *cursor, void *record); /* false: there is none */
	void (*close)(tview_cursor *cursor);
};

#define LIBRARY_FIELD(type, name, format)                   \
	{                                                   \
#name, offsetof(struct type, name), format, \
		{                                           \
			0                                   \
		}                                           \
	}

/* Nothing where the trace has none. */
extern const struct library_kind library_events, library_visits, library_messages,
	library_collectives, library_members, library_severities, library_nodes;
