/* picl_writer: the state of writing one PICL file, shared by picl_write.c (order of the records),
 * picl_compose.c (events become records) and picl_preface.c (header). Not for others: they use
 * picl_write().
 *
 * The records are those that the reader makes these events of: enter and send at one time are the
 * entry of a send, receive and leave the exit of a receive. Where the file read had other fields
 * than the columns give, their text was kept (trace_event_extra()) and is written instead. */
#ifndef TVIEW_MODEL_PICL_WRITER_H
#define TVIEW_MODEL_PICL_WRITER_H

#include "base/vec.h"
#include "model/keymap.h"
#include "model/message.h"
#include "model/picl/picl.h"
#include "model/picl/picl_types.h"

/* How a site is written. */
struct picl_out_site {
	int32_t type;
	uint32_t call; /* number of its source line in the header, 0 none */
	uint8_t role;  /* enum picl_role */
};

/* A visit that began a request, which its exit will name. */
struct picl_out_visit {
	uint32_t depth;
	uint32_t request;
};

struct picl_out_place {
	struct cursor cursor;
	bool more;
	int32_t processor, process;
	uint32_t requests; /* begun so far */
	VEC(struct picl_out_visit) visits;
};

struct picl_writer {
	const struct trace *trace;
	const struct save_options *options;
	FILE *out;
	int digits;
	bool own;                    /* the file begins with tview's header */
	struct picl_out_site *sites; /* [site] */
	int32_t *region_type;        /* [region] the first type it is written as */
	int32_t *comm_ids;           /* [communicator] subset id, -1 for one that needs none */
	uint32_t *send_request;      /* [message] ordinal of the request on its location */
	uint32_t *recv_request;
	struct picl_out_place *places; /* [location] */
	struct keymap labelled;        /* event types with labels among the loose records */
	bool all_labelled;             /* such a label is for a set of event types */
	struct str text;               /* records, until there is a good portion */
};

/* ---- picl_compose.c ---- */

/* Appends the record that begins at the place's cursor and moves the cursor behind it. */
void picl_compose(struct picl_writer *w, struct picl_out_place *place);
/* "rectype evtype time processor process " */
void picl_compose_head(struct picl_writer *w, int32_t rectype, int32_t evtype, int64_t time,
		       int32_t processor, int32_t process);

/* ---- picl_preface.c ---- */

/* Decides numbers of types, communicators, call sites; whether there is a header at all. */
void picl_preface_init(struct picl_writer *w);
/* Appends the header; all its records bear the time `time`. */
void picl_preface_write(struct picl_writer *w, int64_t time);
/* True for a loose record that the header replaces. */
bool picl_preface_replaces(const struct picl_writer *w, const char *text);

#endif
