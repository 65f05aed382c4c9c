/* otf2_writer: the state of writing one OTF2 archive, shared by otf2_write.c (archive, clock,
 * order), otf2_write_defs.c and otf2_write_groups.c (definitions), otf2_write_events.c,
 * otf2_write_messages.c and otf2_write_details.c (events). Not for others: they use otf2_write().
 *
 * Definitions keep the trace's ids where OTF2 leaves the choice: strings, regions, sites (source
 * code locations), tree nodes, processes (location groups). Events are written first, location by
 * location, since the definitions must say how many there are and only need those of tview's own
 * names that were used. */
#pragma once

#include <pthread.h>

#include <otf2/otf2.h>

#include "base/keymap.h"
#include "base/vec.h"
#include "model/otf2/otf2_own.h"
#include "model/otf2/write/otf2_chunks.h"
#include "model/otf2/write/otf2_write.h"
#include "model/trace/cut.h"
#include "model/trace/detail.h"
#include "model/trace/message.h"

/* A communicator, and the places of its members. */
struct otf2_out_comm {
	uint32_t ref;         /* of the definition */
	bool again;           /* an earlier row has the same definition */
	bool mapped;          /* `places` is filled, at first use */
	bool identity;        /* rank = place */
	struct keymap places; /* world rank: place */
};

struct otf2_out_location {
	uint64_t ref;
	uint64_t events; /* written */
	uint64_t before; /* events of the locations before it */
};

struct otf2_source_place {
	uint32_t file, line;
};

enum otf2_need { OTF2_NEED_OWN, OTF2_NEED_RECORD, OTF2_NEED_SOURCE, OTF2_NEED_CONTEXT };

/* A definition that events need, and the place of the first one: */
struct otf2_needed {
	uint32_t what, first, second; /* enum otf2_need, the key */
	uint32_t location, number;    /* number: of its needs */
};

struct otf2_writer {
	struct trace *trace;
	const struct save_options *options;
	const struct progress *progress;
	struct err *err;
	bool failed;
	/* libotf2 said so: it crashes when it closes a file that it could not write, so that its
	 * files stay open. */
	bool broken;
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	struct otf2_chunks *chunks;

	/* The event to be written next. */
	OTF2_EvtWriter *events; /* of its location */
	OTF2_TimeStamp time;
	OTF2_AttributeList *list;

	int64_t zero;   /* timestamp of tick 0 */
	int64_t global; /* global offset: no event is earlier on the reference clock */
	int64_t length; /* of the trace */

	struct otf2_out_location *locations; /* [location] */
	struct otf2_out_comm *comms;         /* [communicator] */
	uint32_t *metric_refs;               /* [metric set] */
	uint32_t *metric_classes;          /* [metric set]: itself, or what it is an instance of */
	uint32_t metrics_written;          /* refs below this are defined */
	uint32_t *object_refs;             /* [object] */
	uint32_t objects_of[DETAIL_TYPES]; /* so many of each type have a ref */
	VEC(uint32_t) absent;              /* places in the world without a location */
	uint64_t first_absent;             /* ref of their locations */

	/* Requests: 1, 2, ... on each location, in the order in which they begin; where threads
	 * complete them for each other, by their events. */
	uint64_t requests;
	uint64_t unknown; /* ends without a begin: they get numbers of their own */
	bool hands_over;
	uint32_t open_before; /* levels open that nothing entered: the location's first events leave
				 them */
	uint32_t *send_request, *recv_request; /* [message] */
	uint8_t *operations;                   /* [region]: OTF2_CollectiveOp + 1; 0: not asked */
	uint8_t *modes;                        /* [region]: otf2_send_mode() + 1; the same */
	struct keymap collective_request;      /* member */

	/* Several threads write, each with a copy of this that has the archive's own as `whole`.
	 * Under the lock: failed and what follows of the archive's. Without `events` they only
	 * find out what the events need. */
	struct otf2_writer *whole; /* NULL: this is it */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* something is defined, or a location written */
	uint32_t turn;        /* location; of the archive: the first that is not yet written */

	/* Definitions that the events needed, in the order of need: row + 1; 0: not used. */
	uint32_t own[OTF2_OWN_COUNT], records[OTF2_RECORDS];
	uint32_t owns, records_used;
	struct keymap contexts; /* site: calling context, of a sample */
	VEC(uint32_t) context_sites;
	struct keymap source_places; /* file, line: source code location */
	VEC(struct otf2_source_place) source_refs;
	VEC(struct otf2_needed) needs; /* all of these */

	uint32_t strings;           /* next free ref */
	uint32_t groups;            /* next free ref */
	struct keymap known_groups; /* type and members: ref */
};

/* Writes a global definition. */
#define OTF2_DEFINE(name, ...) otf2_check(w, OTF2_GlobalDefWriter_Write##name(w->defs, __VA_ARGS__))

/* Writes the current event; the first of the arguments is its time. They are not evaluated where it
 * is only looked at: what needs a definition comes before. */
#define OTF2_EVENT(name, ...)                                                            \
	otf2_check(w, w->events ? OTF2_EvtWriter_##name(w->events, w->list, __VA_ARGS__) \
				: OTF2_AttributeList_RemoveAllAttributes(w->list))

/* The ref of a definition of the trace; OTF2's undefined ref if the trace has no such id. */
static inline uint64_t otf2_location_ref(const struct otf2_writer *w, uint64_t id)
{
	return id < trace_location_count(w->trace) ? w->locations[id].ref : OTF2_UNDEFINED_LOCATION;
}

static inline uint32_t otf2_comm_ref(const struct otf2_writer *w, uint64_t id)
{
	return id < trace_comm_count(w->trace) ? w->comms[id].ref : OTF2_UNDEFINED_COMM;
}

static inline uint32_t otf2_metric_ref(const struct otf2_writer *w, uint64_t id)
{
	return id < trace_metric_set_count(w->trace) ? w->metric_refs[id] : OTF2_UNDEFINED_METRIC;
}

static inline uint32_t otf2_object_ref(const struct otf2_writer *w, uint64_t id)
{
	return id < trace_object_count(w->trace) ? w->object_refs[id] : OTF2_UNDEFINED_UINT32;
}

/* ---- otf2_writer.c ---- */

/* Checks the result of a library call: the first failure sets err and ends the writing. */
void otf2_check(struct otf2_writer *w, OTF2_ErrorCode code);
OTF2_TimeStamp otf2_stamp(const struct otf2_writer *w, int64_t ticks);
/* Defines a string of the writer's own. */
uint32_t otf2_out_string(struct otf2_writer *w, const char *text);
/* The place of a world rank in a communicator, OTF2_UNDEFINED_UINT32 without. */
uint32_t otf2_out_place(struct otf2_writer *w, uint32_t comm, int32_t rank);
/* Whether two members are in the same group of an inter-communicator. */
bool otf2_out_beside(struct otf2_writer *w, uint32_t comm, int32_t a, int32_t b);

/* The refs of one of tview's own parameters, of a source line, of a calling context; they are
 * defined at the end. */
uint32_t otf2_record_ref(struct otf2_writer *w, enum otf2_own_record parameter);
uint32_t otf2_source_ref(struct otf2_writer *w, uint32_t file, uint32_t line);
uint32_t otf2_context_ref(struct otf2_writer *w, uint32_t site);
/* Adds one of tview's own attributes to the event that is written next. */
void otf2_add_own(struct otf2_writer *w, enum otf2_own_attribute attribute, uint64_t value);
/* Defines what events need, where it is not known, and forgets all of that. */
void otf2_define_needed(struct otf2_writer *w, struct otf2_needed needed);
void otf2_forget_refs(struct otf2_writer *w);
/* A property of the system tree's root; `value` is a string. */
void otf2_root_property(struct otf2_writer *w, uint32_t root, const char *name, uint32_t value);

/* ---- otf2_write_groups.c ---- */

void otf2_out_group_refs(struct otf2_writer *w);
void otf2_out_regions(struct otf2_writer *w);

void otf2_out_comms_init(struct otf2_writer *w);
void otf2_out_groups(struct otf2_writer *w);

/* ---- otf2_write_objects.c: metrics, then objects ---- */

void otf2_out_objects(struct otf2_writer *w);

/* ---- otf2_write_defs.c ---- */

void otf2_out_refs_init(struct otf2_writer *w);
void otf2_out_definitions(struct otf2_writer *w);

/* ---- otf2_write_lists.c ---- */

void otf2_out_lists(struct otf2_writer *w, uint32_t root);

/* ---- otf2_write_shared.c: where several processes write; all of them call these ---- */

/* Has the processes write one archive; x NULL: this one alone. */
OTF2_ErrorCode otf2_shared_use(OTF2_Archive *archive, struct exchange *x);
/* What failed in one process has failed in all; only its own err says how. */
void otf2_shared_failed(struct otf2_writer *w);
/* The events that were written, of all locations. */
void otf2_shared_counts(struct otf2_writer *w);
/* Once all events were looked at: numbers what they need as one process would, in the order of the
 * locations. */
void otf2_shared_needs(struct otf2_writer *w);

/* ---- otf2_write_locations.c ---- */

/* Writes the events of all locations that this process has. */
void otf2_out_locations(struct otf2_writer *w);

/* ---- otf2_write_events.c ---- */

/* Writes the events of a location. */
void otf2_out_events(struct otf2_writer *w, uint32_t location);

/* ---- otf2_write_messages.c ---- */

/* The operation of a function: "MPI_Bcast", "mpi_ibcast_", PICL's "sync0". */
OTF2_CollectiveOp otf2_operation_of(const char *name);
void otf2_out_message(struct otf2_writer *w, const struct cut *c);
void otf2_out_collective(struct otf2_writer *w, const struct cut *c);

/* ---- otf2_write_details.c ---- */

/* The fields of a detail or an object, with OTF2's refs instead of the trace's ids. */
void otf2_out_values(struct otf2_writer *w, const struct detail *detail,
		     uint64_t out[DETAIL_FIELDS]);
/* OTF2's type for a metric's values of this enum field_kind. */
OTF2_Type otf2_value_type(uint8_t kind);

void otf2_out_detail(struct otf2_writer *w, const struct cut *c);
