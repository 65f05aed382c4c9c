/* chrome_record: one record of the Trace Event Format, as it is in the file. */
#pragma once

#include "model/chrome/json_scan.h"

/* Arguments with a single value; of those beyond, and of nested ones, only the number is known. */
enum { CHROME_ARGS = 48 };

struct chrome_arg {
	struct str key, value;
	enum json_kind kind; /* JSON_STRING, JSON_NUMBER or JSON_WORD */
};

struct chrome_record {
	uint64_t offset; /* of its first character */
	char phase;      /* 0: it has none */
	bool has_ts, has_dur, bad_time;
	int64_t ts, dur; /* ns */
	struct str name, cat, pid, tid, id;
	struct chrome_arg args[CHROME_ARGS];
	size_t n_args;
	uint64_t left_out; /* arguments that are not in args */
};

void chrome_record_init(struct chrome_record *r);
void chrome_record_fini(struct chrome_record *r);

/* The next object of an array; false: the scan has failed. */
bool chrome_record_read(struct chrome_record *r, struct json_scan *s);
/* The argument of that name; NULL: it has none. */
const struct chrome_arg *chrome_record_arg(const struct chrome_record *r, const char *key);

/* A decimal number of microseconds in nanoseconds, rounded half away from zero, without floating
 * point; false: it is none, or beyond 64 bits. */
bool chrome_nanoseconds(const char *text, int64_t *ns);
