/* rankfile: a rank's file, as capture/lib/record.h lays it out, read after the run.
 *
 * The process that wrote it may have died at any moment: everything is checked before it is used,
 * and an invalid value ends the stream it was found in. The file stays mapped until
 * rankfile_close(). Definitions are read in place; other records are made of words, and gone when
 * their stream goes on.
 *
 *	struct rankfile *file = rankfile_open(path, &err);
 *	struct rank_stream s;
 *	rank_stream_begin(&s, file, thread);
 *	while ((head = rank_stream_next(&s)))
 *		use(head);
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/vec.h"
#include "capture/lib/ledger.h"
#include "capture/lib/record_words.h"
#include "capture/lib/statistic.h"
#include "capture/run/ticks.h"

enum { RANK_THREADS_MAX = 1 << 20 };

/* By thread and serial, each once. */
struct rank_chunks {
	const struct tv_chunk **data; /* as in VEC() */
	size_t n, cap;
};

/* A call that MPI refused: it wrote a send or a collective that did not take place. */
struct rank_refused {
	uint32_t thread;
	uint64_t begun, until; /* ticks; those records have the time `begun` */
};

struct rankfile {
	char *path;
	const struct tv_file *head;
	size_t size;                   /* of the mapping */
	uint32_t threads;              /* numbers of streams in it, one at least */
	uint64_t strange_at;           /* bytes: where a part of no possible thread is; 0: none */
	uint32_t strange_thread;       /* the number there */
	bool cut;                      /* it has lost its end, and records with it */
	bool gap;                      /* chunks of a thread are missing between others */
	struct rank_chunks chunks;     /* with events; of a thread first those with definitions */
	struct rank_chunks statistics; /* with rows */
	struct rank_chunks ledgers;    /* the latest of each thread that has one */
	struct rank_chunks choices;    /* with struct tv_choice */
	struct tv_words_slot_read *slots; /* of the chunk that a stream is in: one at a time */
	uint64_t latest;                  /* ticks: when one of them was changed last; 0 never */
	uint64_t now;    /* ticks: what its process did later is left out; UINT64_MAX: it is all
			 there */
	bool ended;      /* so has its process, at any moment: what it was changing is torn */
	uint64_t missed; /* parts that changed throughout a look, and are not in it */
	VEC(struct rank_refused) refused; /* calls, by thread, in order (rank_define()) */
	bool folded;                      /* it has ledgers of a look (rank_fold.h) */
	bool releases;  /* records that were read leave memory: the file has them */
	uint64_t since; /* ticks: earlier records are left out, but not definitions; 0: none */
};

/* NULL with err if it is not a buffer, or one of another version of the library. */
struct rankfile *rankfile_open(const char *path, struct err *err);
/* The same of a process that may go on: a copy, as it was at `now`, which has passed; all processes
 * of this machine at one moment. What is open ends then. With a fold (rank_fold.h) of the latest
 * `room` bytes of events. */
struct rank_fold;
struct rankfile *rankfile_look(const char *path, struct reading now, struct rank_fold *fold,
			       uint64_t room, struct err *err);
/* Takes the mapping at `at`, also where it fails. */
struct rankfile *rankfile_of(const char *path, void *at, size_t size, uint64_t now,
			     struct err *err);
/* The open file and its size; -1 with err, `too_short` where it has no whole header. */
int rankfile_descriptor(const char *path, const char *too_short, size_t *size, struct err *err);
void rankfile_close(struct rankfile *file);

/* The records of one thread in the order they were written. */
struct rank_stream {
	const struct rankfile *file;
	size_t chunk, stop; /* positions in file->chunks */
	struct tv_words_reader words;
	bool opened;    /* `words` is in the chunk */
	bool first;     /* the latest record is the first one of its chunk */
	size_t refused; /* position in file->refused */
	uint32_t thread;
	bool damaged; /* ended at an invalid record */
};

void rank_stream_begin(struct rank_stream *s, const struct rankfile *file, uint32_t thread);

/* The next record, NULL at the end. Its whole length can be read. */
const struct tv_head *rank_stream_next(struct rank_stream *s);
/* Goes back to the start of a chunk, of which it has given a record. */
void rank_stream_again(struct rank_stream *s, size_t chunk);

/* What was overwritten of a thread; NULL: nothing. */
const struct tv_ledger *rankfile_ledger(const struct rankfile *file, uint32_t thread);

/* Something is there of a thread: not of one that found no room. The first one ran in any case. */
bool rankfile_has_thread(const struct rankfile *file, uint32_t thread);

/* A tick as statistics count time: in virtual time without the intrusion. */
uint64_t rankfile_statistics_time(const struct tv_file *head, uint64_t tick);
/* The first chunk of a thread's statistics; NULL: it has none. */
const struct tv_statistics *rankfile_statistics(const struct rankfile *file, uint32_t thread);
/* What is open there, tv_statistics.open of them; NULL: damaged. */
const struct tv_open *rankfile_open_frames(const struct tv_statistics *statistics);
/* The row at an offset that the process left; NULL: none is there. */
const struct tv_statistic *rankfile_row(const struct rankfile *file, uint64_t at);

/* The statistics of all threads, thread by thread. A row that its process was changing when it
 * ended has an odd `seq`: some of its numbers are those before its last execution. Of a process
 * that goes on such a row is skipped. */
struct rank_rows {
	const struct rankfile *file;
	size_t chunk, at; /* position in file->statistics, bytes into the chunk */
	uint64_t torn;    /* such rows */
};

void rank_rows_begin(struct rank_rows *r, const struct rankfile *file);
/* The next one, copied; false at the end. */
bool rank_rows_next(struct rank_rows *r, struct tv_statistic *row, uint32_t *thread);

/* The thread's recording is switched off or on there: it is of the run like any other record. */
static inline bool rank_is_pause(const struct tv_head *head)
{
	return head->kind == TV_DEFINE && head->call == TV_DEF_PAUSE;
}

/* The same of all definitions that are records at a time. */
static inline bool rank_is_of_run(const struct tv_head *head)
{
	return head->kind != TV_DEFINE || tv_is_of_run(head->call);
}

/* Payload of a definition; *length in bytes. NULL where it is shorter than `least`. */
const void *rank_payload(const struct tv_head *head, size_t least, size_t *length);

/* The definition's payload from byte `from` on, as text that is sure to end; NULL where there is
 * none. */
const char *rank_text(const struct tv_head *head, size_t from);
