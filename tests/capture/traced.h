/* traced: runs an MPI program under tvrun and compares the trace with the program's own account
 * (traces/programs/tally.h).
 *
 *	struct traced *t = traced_run(4, "--yield", "programs/ring", "");
 *	assert_int_equal(t->status, 0);
 *	traced_compare_messages(t);
 *	traced_free(t);
 *
 * Programs are named from the build's folder. A run that takes too long is killed (status 124). */
#pragma once

#include "base/str.h"
#include "base/vec.h"
#include "harness/files.h"
#include "harness/test.h"
#include "model/trace/trace.h"

/* One line of a rank's account. */
struct tally_line {
	int rank;
	char what[12]; /* sent, received, collective, did */
	char name[40]; /* of the collective, or of what was done */
	long a, b, c;  /* the numbers behind */
};

struct traced {
	int ranks;
	int status;          /* tvrun's */
	struct str said;     /* standard output and error */
	struct trace *trace; /* NULL: none was written, or it cannot be read */
	char folder[FOLDER_NAME];
	VEC(struct tally_line) account; /* rank by rank, in order */
};

/* True where there is an mpiexec; else says so. Tests that run a program are skipped there. */
bool traced_possible(void);

/* `command` runs behind tvrun's options, in the shell; TALLY and $BUILD (the build's folder) are
 * set. */
struct traced *traced_command(int ranks, const char *options, const char *command);
/* The usual one: mpiexec -n RANKS PROGRAM ARGUMENTS. */
struct traced *traced_run(int ranks, const char *options, const char *program,
			  const char *arguments);
/* The same, into a file of that name: run.otf2 for an archive. */
struct traced *traced_run_to(const char *file, int ranks, const char *options, const char *program,
			     const char *arguments);
/* The usual one, which must end with 0 and leave a trace. */
struct traced *traced_well(int ranks, const char *options, const char *program,
			   const char *arguments);
void traced_free(struct traced *t);
FREES(traced_free, struct traced)
#define OWNED_TRACED FREED_BY(traced_free) struct traced

/* Every message in the account is in the trace, once, and no other; all are matched. */
void traced_compare_messages(const struct traced *t);
/* Each rank's collectives: function, root and bytes, in order. */
void traced_compare_collectives(const struct traced *t);
/* Both. */
void traced_compare(const struct traced *t);

/* The trace has a property in which this part stands. */
void traced_has(const struct traced *t, const char *property, const char *part);

/* Sum of what the ranks did of something. */
long traced_did(const struct traced *t, const char *what);
/* Events of a kind in the trace (in a region, where `region` is not NULL). */
long traced_count(const struct traced *t, enum event_kind kind, const char *region);
/* The region of a name, UINT32_MAX none. */
uint32_t traced_region(const struct traced *t, const char *name);
