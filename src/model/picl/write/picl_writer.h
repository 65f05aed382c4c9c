/* picl_writer: the state of writing one PICL file, shared by picl_write.c (order of the records),
 * picl_compose.c (events become records) and picl_preface.c (header). Not for others: they use
 * picl_write().
 *
 * The reader would make the same events of the records: an enter and a send at one time are the
 * entry of a send, a receive and a leave the exit of a receive. If the source had other fields than
 * the columns give, their text was kept (trace_event_extra()) and is written instead. */
#pragma once

#include "base/keymap.h"
#include "base/vec.h"
#include "base/writer_thread.h"
#include "model/meaning/picl_types.h"
#include "model/picl/picl.h"
#include "model/picl/picl_values.h"
#include "model/picl/write/picl_account.h"
#include "model/trace/cut.h"
#include "model/trace/message.h"

/* How a site is written. */
struct picl_out_site {
	int32_t type;
	uint32_t call; /* number of its source line in the header, 0 none */
	uint8_t role;  /* enum picl_role */
	uint8_t cls;   /* enum region_class */
};

/* A visit that began a request, which its exit will name. */
struct picl_out_visit {
	uint32_t depth;
	uint32_t request;
};

struct picl_out_place {
	struct cursor cursor;
	bool more; /* the cursor is at an event of the window */
	int32_t processor, process;
	int32_t number;               /* in the tables of the header, -1: not written */
	uint32_t requests;            /* begun so far */
	uint32_t collective_requests; /* the same of nonblocking collectives */
	uint32_t nested;    /* regions of MPI or I/O that are open, as the reader will count them */
	uint32_t announced; /* event of a completion that its entry has named */
	uint32_t collective; /* member that an entry has begun, UINT32_MAX none */
	VEC(struct picl_out_visit) visits;
	struct cut_border border;
	size_t next_record, end_record; /* statement records that are still to be written */
	bool accounted;                 /* PICL's own statistics of them are written */
	int64_t last;                   /* time of the last record written */
	char pair[24];                  /* " PROCESSOR PROCESS " (picl_plain.h), */
	uint8_t pair_n;                 /* and how long it is */
};

/* An event type that occurs, or whose twin does: its region, and the type it has in the trace. */
struct picl_out_type {
	int32_t type;
	uint32_t region;
	int32_t picl;
};

/* A line of a source file that calls of a site come from. */
struct picl_source {
	const char *file;
	uint32_t line;
	uint32_t site;
};

struct picl_writer {
	const struct trace *trace;
	const struct save_options *options;
	FILE *out;
	int digits;
	struct units_near near;      /* time of the latest record */
	bool own;                    /* the file begins with tview's header */
	bool is_vague;               /* its records do not say that it is a trace of PICL 2 */
	bool tables;                 /* and with the tables of 1.1 */
	struct picl_out_site *sites; /* [site] */
	struct picl_plain *plain; /* [2 * site + 0 entry, 1 exit]; NULL: picl_plain.h is not used */
	int32_t *region_type;     /* [region] the first type it is written as */
	int32_t *comm_ids;        /* [communicator] subset id, -1 for one that needs none */
	bool texts;               /* some events have texts of the source, */
	bool attributes;          /* or attributes */
	bool hands_over;          /* requests are numbered by their messages */
	uint32_t *send_request;   /* [message] ordinal of the request on its location */
	uint32_t *recv_request;
	uint32_t *member_request;      /* [member of a collective] the same */
	struct picl_out_place *places; /* [location] */
	struct keymap labelled;        /* event types with labels among the loose records */
	bool all_labelled;             /* such a label is for a set of event types */
	uint32_t *string_numbers;      /* [string] in the tables, 0 none yet */
	VEC(uint32_t) strings;         /* by number - 1 */
	bool detail_used[DETAIL_TYPES];
	VEC(struct picl_source) sources; /* by number of the call site - 1 */
	VEC(struct picl_out_type) types; /* ascending */
	struct picl_account *account;    /* NULL: there are other statistics, or none */
	int64_t header_time;             /* of all records of the header */
	struct str line;                 /* of the header, that is put together (picl_out.h) */
	struct str text;                 /* records, until there is a good portion */
	struct writer_thread *thread;    /* writes the portions; NULL: there was none yet */
};

/* Whether a place's events up to there are written: the first is not before the window. */
static inline bool picl_in_window(const struct picl_writer *w, const struct cursor *c)
{
	return w->options->t1 == INT64_MAX || cursor_time(c) < w->options->t1;
}

enum { PICL_WORLD = -2 }; /* communicator k is subset PICL_WORLD - k */

/* ---- picl_compose.c ---- */

/* Appends the record that begins at the place's cursor and moves the cursor after it. */
void picl_compose(struct picl_writer *w, struct picl_out_place *place);
/* An entry or exit that the trace does not have, where a window begins or ends (cut.h). */
void picl_compose_made(struct picl_writer *w, struct picl_out_place *place, uint32_t path,
		       int64_t time, bool enters);

/* ---- picl_preface.c ---- */

/* Decides numbers of types, communicators, call sites; whether there is a header at all. */
void picl_preface_init(struct picl_writer *w);
/* Appends the header. */
void picl_preface_write(struct picl_writer *w);
/* True for a loose record that the header replaces. */
bool picl_preface_replaces(const struct picl_writer *w, const char *text);

/* ---- picl_numbers.c ---- */

/* The text from after n blanks on, "" where it has fewer. */
const char *picl_word(const char *text, int n);

/* Notes which event types the loose records label. */
void picl_note_labels(struct picl_writer *w);
bool picl_is_labelled(const struct picl_writer *w, int32_t type);
/* True for a loose record of that type. */
bool picl_is_loose_definition(const char *text, int32_t rectype);
/* The subset id under which a loose record defines exactly these ranks; false where none does. */
bool picl_defined_loosely(const struct picl_writer *w, const struct comm *comm, int32_t *id);

void picl_number_comms(struct picl_writer *w);
void picl_number_types(struct picl_writer *w);
void picl_number_calls(struct picl_writer *w);

/* The event types that occur. */
void picl_list_types(struct picl_writer *w);

/* ---- picl_program.c ---- */

/* True where there are statements that the file has to say: not those that its statistics say. */
bool picl_program_is_written(const struct picl_writer *w);
/* Decides which records of which locations are written: all, of all of the run. */
void picl_program_init(struct picl_writer *w);
void picl_program_fini(struct picl_writer *w);
/* The next record of a place; before the first one all that PICL can say of them. */
void picl_program_compose(struct picl_writer *w, struct picl_out_place *place);

/* ---- picl_tables.c ---- */

bool picl_tables_needed(const struct picl_writer *w);
/* True where a property is one that no line "tview:KEY=VALUE" can say: then the tables have all. */
bool picl_properties_odd(const struct trace *trace);
void picl_tables_write(struct picl_writer *w);
void picl_tables_fini(struct picl_writer *w);
/* A value as it is in the file. */
int64_t picl_value_out(struct picl_writer *w, enum picl_value sort, uint64_t value);
int64_t picl_attribute_out(struct picl_writer *w, const struct event_attribute *attribute);
