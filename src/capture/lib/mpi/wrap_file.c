/* Files: the bytes that calls move, and what all ranks of a file do together. A split collective is
 * a collective in its first call, where MPI may do all of it, and is a request that its second call
 * completes. */
#include <string.h>

#include "capture/lib/mpi/files.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/mpi/together.h"
#include "capture/lib/mpi/wrap.h"

#define TV_WRAP_OWN(...)
#define TV_WRAP_PLAIN(...)
#define TV_WRAP_MADE(...)
#define TV_WRAP_CART(...)
#define TV_WRAP_MET(...)
#define TV_WRAP_SPAWNED(...)
#define TV_WRAP_COLL(...)
#define TV_WRAP_RMA(...)

/* ---- of one rank ---- */

#define TV_WRAP_TRANSFER(name, ...)                                                               \
	TV_WRAP_STATUS(name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__), last, TV_NOTHING, \
		       {                                                                          \
			       if (rc == MPI_SUCCESS)                                             \
				       tv_write_io(t, CALL_##name, last, now);                    \
		       })

#define STARTED(name, params, args, comm_)                                           \
	TV_WRAP(name, params, args, TV_NOTHING, {                                    \
		if (rc == MPI_SUCCESS)                                               \
			tv_request_add(t, *last,                                     \
				       (struct tv_request){ .kind = TV_REQUEST_FILE, \
							    .comm = comm_,           \
							    .root = -1,              \
							    .call = CALL_##name },   \
				       t->now);                                      \
	})

#define TV_WRAP_STARTED(name, ...) \
	STARTED(name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__), NULL)

/* ---- of all ranks; the file is the first argument ---- */

#define FIRST(first, ...) first
#define FILE_OF(...)      FIRST TV_ARGUMENTS(__VA_ARGS__)

#define TV_WRAP_STARTED_ALL(name, ...)                                   \
	STARTED(name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__), \
		tv_file_comm(FILE_OF(__VA_ARGS__)))

#define TOGETHER(name, params, args, before, after)               \
	int tv_wrap_##name params                                 \
	{                                                         \
		struct tv_thread *t = TV_BEGIN(name);             \
		const struct tv_comm *comm = NULL;                \
		struct together all;                              \
		uint64_t now;                                     \
		int rc;                                           \
		if (!t)                                           \
			return TV_NEXT(name) args;                \
		before;                                           \
		all = tv_together_of(t, CALL_##name, comm);       \
		rc = TV_NEXT(name) args;                          \
		now = tv_returned(t);                             \
		tv_together_end(t, &all, MPI_COMM_NULL, now, rc); \
		after;                                            \
		tv_end_at(t, CALL_##name, now);                   \
		return rc;                                        \
	}

#define TV_WRAP_FILE_ALL(name, ...)                                       \
	TOGETHER(name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__), \
		 comm = tv_file_comm(FILE_OF(__VA_ARGS__)), TV_NOTHING)

#define TV_WRAP_TRANSFER_ALL(name, ...)                                                            \
	TV_WRAP_STATUS(name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__), last,              \
		       const struct together all =                                                 \
			       tv_together_of(t, CALL_##name, tv_file_comm(FILE_OF(__VA_ARGS__))), \
		       {                                                                           \
			       tv_together_end(t, &all, MPI_COMM_NULL, now, rc);                   \
			       if (rc == MPI_SUCCESS)                                              \
				       tv_write_io(t, CALL_##name, last, now);                     \
		       })

static const struct tv_comm *begin_split(struct tv_thread *t, uint32_t call,
					 struct tv_open_file *open)
{
	if (!open)
		return NULL;
	open->split = tv_request_number(t);
	open->call = call;
	tv_write(t, t->now, TV_COLL_REQUEST, 0, call, open->split);
	return open->comm;
}

#define TV_WRAP_SPLIT_BEGIN(name, ...)                                                   \
	TOGETHER(name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__),                \
		 comm = begin_split(t, CALL_##name, tv_file_find(FILE_OF(__VA_ARGS__))), \
		 TV_NOTHING)

static void end_split(struct tv_thread *t, struct tv_open_file *open, uint64_t now)
{
	if (!open || !open->split)
		return;
	t->with.peer = -1;
	t->with.comm = open->comm->id;
	tv_write_completed(t, now, open->call, open->split, open->comm, TV_NO_ROOT, 0, 0, false);
	open->split = 0;
}

#define TV_WRAP_SPLIT_END(name, ...)                                                              \
	TV_WRAP_STATUS(name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__), last, TV_NOTHING, \
		       {                                                                          \
			       end_split(t, tv_file_find(FILE_OF(__VA_ARGS__)), now);             \
			       if (rc == MPI_SUCCESS)                                             \
				       tv_write_io(t, CALL_##name, last, now);                    \
		       })

#define TV_CALL(name, kind, ...) TV_WRAP_##kind(name, __VA_ARGS__)
#include "capture/lib/calls.def"

/* ---- opening and closing ---- */

static void note_opened(struct tv_thread *t, const char *name, MPI_File file, MPI_Comm comm)
{
	tv_file_opened(t, file, comm);
	if (!tv.anonymous && !tv.statistics)
		tv_define(t, TV_DEF_FILE,
			  (uint32_t)__atomic_fetch_add(&tv.next_file, 1, __ATOMIC_RELAXED), name,
			  strlen(name) + 1, NULL, 0);
}

TOGETHER(File_open, (MPI_Comm with, const char *name, int mode, MPI_Info info, MPI_File *file),
	 (with, name, mode, info, file), comm = tv_comm(t, with), {
		 if (rc == MPI_SUCCESS)
			 note_opened(t, name, *file, with);
	 })

/* Also in what MPI calls back: the handle may come again. */
int tv_wrap_File_close(MPI_File *file)
{
	struct tv_thread *t = TV_BEGIN(File_close);
	struct tv_open_file *open = tv.file && file ? tv_file_take(*file) : NULL;
	struct together all;
	uint64_t now;
	int rc;

	if (!t) {
		rc = TV_NEXT(File_close)(file);
		tv_file_closed(open);
		return rc;
	}
	all = tv_together_of(t, CALL_File_close, open ? open->comm : NULL);
	rc = TV_NEXT(File_close)(file);
	now = tv_returned(t);
	tv_together_end(t, &all, MPI_COMM_NULL, now, rc);
	tv_file_closed(open);
	tv_end_at(t, CALL_File_close, now);
	return rc;
}
