/* The wrappers that are alike but for their parameters, made of the rows of calls.def; and those of
 * communicators and files that are left. */
#include <string.h>

#include "capture/lib/comms.h"
#include "capture/lib/inflight.h"
#include "capture/lib/wrap.h"

/* ---- parameters and arguments of a list of types; the last one is called `last` ---- */

#define TV_PARAMS1(type)       type last
#define TV_PARAMS2(type, ...)  type a2, TV_PARAMS1(__VA_ARGS__)
#define TV_PARAMS3(type, ...)  type a3, TV_PARAMS2(__VA_ARGS__)
#define TV_PARAMS4(type, ...)  type a4, TV_PARAMS3(__VA_ARGS__)
#define TV_PARAMS5(type, ...)  type a5, TV_PARAMS4(__VA_ARGS__)
#define TV_PARAMS6(type, ...)  type a6, TV_PARAMS5(__VA_ARGS__)
#define TV_PARAMS7(type, ...)  type a7, TV_PARAMS6(__VA_ARGS__)
#define TV_PARAMS8(type, ...)  type a8, TV_PARAMS7(__VA_ARGS__)
#define TV_PARAMS9(type, ...)  type a9, TV_PARAMS8(__VA_ARGS__)
#define TV_PARAMS10(type, ...) type a10, TV_PARAMS9(__VA_ARGS__)
#define TV_PARAMS11(type, ...) type a11, TV_PARAMS10(__VA_ARGS__)
#define TV_PARAMS12(type, ...) type a12, TV_PARAMS11(__VA_ARGS__)
#define TV_PARAMS13(type, ...) type a13, TV_PARAMS12(__VA_ARGS__)

#define TV_ARGS1  last
#define TV_ARGS2  a2, TV_ARGS1
#define TV_ARGS3  a3, TV_ARGS2
#define TV_ARGS4  a4, TV_ARGS3
#define TV_ARGS5  a5, TV_ARGS4
#define TV_ARGS6  a6, TV_ARGS5
#define TV_ARGS7  a7, TV_ARGS6
#define TV_ARGS8  a8, TV_ARGS7
#define TV_ARGS9  a9, TV_ARGS8
#define TV_ARGS10 a10, TV_ARGS9
#define TV_ARGS11 a11, TV_ARGS10
#define TV_ARGS12 a12, TV_ARGS11
#define TV_ARGS13 a13, TV_ARGS12

#define TV_NTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, ...) n

#define TV_COUNT(...)  TV_NTH(__VA_ARGS__, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TV_PASTE(a, b) a##b
#define TV_JOIN(a, b)  TV_PASTE(a, b)

#define PARAMS(...) (TV_JOIN(TV_PARAMS, TV_COUNT(__VA_ARGS__))(__VA_ARGS__))
#define ARGS(...)   (TV_JOIN(TV_ARGS, TV_COUNT(__VA_ARGS__)))

#define TV_FROM   const void *, int, MPI_Datatype
#define TV_TO     void *, int, MPI_Datatype
#define TV_FROM_V const void *, const int *, const int *, MPI_Datatype
#define TV_TO_V   void *, const int *, const int *, MPI_Datatype

typedef int tv_range[3]; /* first, last and stride of ranks */

/* ---- the kinds of rows ---- */

#define TV_WRAP_OWN(...)

#define TV_WRAP_PLAIN(name, ...) \
	TV_WRAP(name, PARAMS(__VA_ARGS__), ARGS(__VA_ARGS__), TV_NOTHING, TV_NOTHING)

/* Learning of the communicator is not the call's time. */
#define TV_WRAP_NEW(how, name, params, args)            \
	int MPI_##name params                           \
	{                                               \
		struct tv_thread *t = TV_BEGIN(name);   \
		const int rc = tv_mpi.name args;        \
		const uint64_t now = t ? tv_now() : 0;  \
		if (t && rc == MPI_SUCCESS)             \
			how(t, *last);                  \
		if (t)                                  \
			tv_end_at(t, CALL_##name, now); \
		return rc;                              \
	}

#define TV_WRAP_MADE(name, ...) \
	TV_WRAP_NEW(tv_comm_made, name, PARAMS(__VA_ARGS__), ARGS(__VA_ARGS__))

#define TV_WRAP_CART(name, ...) \
	TV_WRAP_NEW(tv_comm_made_cart, name, PARAMS(__VA_ARGS__), ARGS(__VA_ARGS__))

/* The handle of a file does not last, so a trace has only bytes; the number says only that it is a
 * file. */
static void note_io(struct tv_thread *t, uint32_t call, const MPI_Status *status, uint64_t time)
{
	struct tv_io *record = tv_room(t, sizeof *record);

	if (!record)
		return;
	*record = (struct tv_io){ { time, TV_FILE_IO, 0, (uint16_t)call, 0 },
				  tv_status_bytes(status),
				  0 };
	tv_commit(t, sizeof *record);
}

#define TV_WRAP_TRANSFER(name, ...)                                                      \
	TV_WRAP_STATUS(name, PARAMS(__VA_ARGS__), ARGS(__VA_ARGS__), last, TV_NOTHING, { \
		if (rc == MPI_SUCCESS)                                                   \
			note_io(t, CALL_##name, last, now);                              \
	})

#define TV_CALL(name, kind, ...) TV_WRAP_##kind(name, __VA_ARGS__)
#include "capture/lib/calls.def"

/* ---- the others ---- */

TV_WRAP(Comm_free, (MPI_Comm * comm), (comm), tv_comm_gone(*comm), TV_NOTHING)
TV_WRAP(Comm_disconnect, (MPI_Comm * comm), (comm), tv_comm_gone(*comm), TV_NOTHING)
TV_WRAP(Comm_set_name, (MPI_Comm comm, const char *name), (comm, name), TV_NOTHING, {
	if (rc == MPI_SUCCESS)
		tv_comm_named(t, comm, name);
})

TV_WRAP(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
	(comm, name, mode, info, file), TV_NOTHING, {
		if (rc == MPI_SUCCESS && !tv.anonymous && !tv.statistics)
			tv_define(t, TV_DEF_FILE,
				  (uint32_t)__atomic_fetch_add(&tv.next_file, 1, __ATOMIC_RELAXED),
				  name, strlen(name) + 1, NULL, 0);
	})

TV_WRAP(File_close, (MPI_File * file), (file), TV_NOTHING, TV_NOTHING)
