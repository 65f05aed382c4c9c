/* picl_fields: reads the data fields of messages, requests and collectives. picl_out.h, the
 * counterpart for writing, has the same order. */
#pragma once

#include "model/picl/read/picl_reader.h"

/* The fields of one entry or exit. `exact`: the writer would make the same fields of it; if false
 * the record's text is kept. */
struct picl_fields {
	bool any; /* the fields describe a message, request or collective */
	bool exact;
	uint32_t comm, call;
	struct message_end end;
	int64_t request;
	int32_t root;
	uint64_t bytes;
};

/* bytes, tag, destination, process [, communicator, call site] */
void picl_fields_send(struct picl_reader *r, const int64_t *v, int32_t n, struct picl_fields *out);
/* tag, source, process [, communicator, call site] */
void picl_fields_asked(struct picl_reader *r, const int64_t *v, int32_t n, struct picl_fields *out);
/* bytes, tag, source, process [, communicator] */
void picl_fields_received(struct picl_reader *r, const int64_t *v, int32_t n,
			  struct picl_fields *out);
/* The fields of a record that begins a request: as for a send, or for a receive that asks. */
void picl_fields_begin(struct picl_reader *r, const struct picl_kind *kind, const int64_t *v,
		       int32_t n, struct picl_fields *out);
/* Sets the request that the fields belong to. */
void picl_fields_name(const struct picl_kind *kind, int64_t request, struct picl_fields *out);
/* request [, call site] */
void picl_fields_request(struct picl_reader *r, const int64_t *v, int32_t n,
			 struct picl_fields *out);
/* [bytes, [root,]] communicator [, call site] */
void picl_fields_collective(struct picl_reader *r, enum picl_role role, const int64_t *v, int32_t n,
			    struct picl_fields *out);
/* call site, of a record that has no other data */
void picl_fields_plain(struct picl_reader *r, const struct picl_kind *kind, const int64_t *v,
		       int32_t n, struct picl_fields *out);

/* The number of a mark's n fields that belong to its entry. */
int32_t picl_fields_split(enum picl_role role, int32_t n);
