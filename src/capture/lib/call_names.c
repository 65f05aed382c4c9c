/* What the numbers of calls in records stand for: the table in the header of a rank's file. */
#include <string.h>

#include "capture/lib/recorder.h"

/* By the kinds of calls.def. */
enum {
	CLASS_OWN = TV_MPI,
	CLASS_PLAIN = TV_MPI_TIMED,
	CLASS_MADE = TV_MPI,
	CLASS_CART = TV_MPI,
	CLASS_MET = TV_MPI_TIMED,
	CLASS_SPAWNED = TV_MPI_TIMED,
	CLASS_COLL = TV_MPI,
	CLASS_RMA = TV_MPI,
	CLASS_TRANSFER = TV_MPI,
	CLASS_STARTED = TV_MPI,
	CLASS_TRANSFER_ALL = TV_MPI,
	CLASS_STARTED_ALL = TV_MPI,
	CLASS_FILE_ALL = TV_MPI,
	CLASS_SPLIT_BEGIN = TV_MPI,
	CLASS_SPLIT_END = TV_MPI,
};

static const struct tv_call call_table[] = {
#define CALL_ROW(name, kind, ...) { "MPI_" #name, (uint32_t)CLASS_##kind },
#define TV_CALL(name, ...)        CALL_ROW(name, __VA_ARGS__, )
#include "capture/lib/calls.def"
	{ "tview_setup", TV_OVERHEAD },      { "tview_offsets", TV_OVERHEAD },
	{ "tview_buffer", TV_OVERHEAD },     { "tview_gap", TV_OVERHEAD },
	{ "tview_unrecorded", TV_OVERHEAD }, { "tview_cores", TV_OVERHEAD },
#define TV_PASS(name) { "MPI_" #name, TV_MPI },
#include "capture/lib/calls_passed.def"
};

_Static_assert(sizeof call_table / sizeof *call_table <= (size_t)TV_CALLS_MAX,
	       "the header of a rank's file has no room for all calls");
_Static_assert(sizeof(struct tv_file) <= TV_PASSED_AT, "the header of a rank's file is too large");

void tv_calls_fill(struct tv_file *file)
{
	file->calls = sizeof call_table / sizeof *call_table;
	memcpy(file->call, call_table, sizeof call_table);
}
