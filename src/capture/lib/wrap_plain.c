/* Wrappers that only note when the call was entered and left: the TV_PLAIN rows of calls.def. */
#include "capture/lib/recorder.h"

#define TV_OWN(name)
#define TV_PLAIN(name, params, args)                  \
	int MPI_##name params                         \
	{                                             \
		struct tv_thread *t = TV_BEGIN(name); \
		const int rc = tv_mpi.name args;      \
		if (t)                                \
			tv_end(t, CALL_##name);       \
		return rc;                            \
	}
#include "capture/lib/calls.def"
