/* What all ranks of a file do together. */
#include "inject.h"

#include <tview.h>

#define WORLD     MPI_COMM_WORLD
#define NAME      "inject.tmp"
#define TO        inject.to, NUMBERS, MPI_INT
#define FROM      inject.from, NUMBERS, MPI_INT
#define HERE      (inject.rank * (MPI_Offset)(NUMBERS * sizeof(int)))
#define IGNORE    MPI_STATUS_IGNORE
#define ARGS(...) __VA_ARGS__

/* Opening and closing is not the operation: another wait. Each rank leaves with something to read. */
static MPI_File opened(void)
{
	MPI_File file;

	tview_begin("setup");
	MPI_File_open(WORLD, NAME, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &file);
	MPI_File_write_at(file, HERE, TO, IGNORE);
	MPI_Barrier(WORLD);
	tview_end("setup");
	return file;
}

static void close_again(MPI_File *file)
{
	tview_begin("setup");
	MPI_File_close(file);
	tview_end("setup");
}

static void open_file(void)
{
	MPI_File file;

	inject_begin();
	MPI_File_open(WORLD, NAME, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &file);
	inject_end();
	close_again(&file);
}

static void close_file(void)
{
	MPI_File file = opened();

	inject_begin();
	MPI_File_close(&file);
	inject_end();
}

#define TOGETHER(name, call)              \
	static void name(void)            \
	{                                 \
		MPI_File file = opened(); \
		inject_begin();           \
		call;                     \
		inject_end();             \
		close_again(&file);       \
	}

TOGETHER(set_view, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL))
TOGETHER(set_size, MPI_File_set_size(file, 4096))
TOGETHER(preallocate, MPI_File_preallocate(file, 4096))
TOGETHER(sync_file, MPI_File_sync(file))
TOGETHER(set_atomicity, MPI_File_set_atomicity(file, 1))
TOGETHER(seek_shared, MPI_File_seek_shared(file, 0, MPI_SEEK_SET))

/* The blocking, the split, and for some the nonblocking form. */
#define FORMS(Name, name, _c, args, buffer)                           \
	TOGETHER(name##_c, MPI_File_##Name##_c(args, IGNORE))         \
	TOGETHER(name##_split##_c, MPI_File_##Name##_begin##_c(args); \
		 MPI_File_##Name##_end(file, buffer, IGNORE))
#define MORE(Name, name, _c, args, buffer)                                 \
	FORMS(Name, name, _c, ARGS(args), buffer)                          \
	TOGETHER(i##name##_c, MPI_File_i##Name##_c(args, &inject.request); \
		 inject_complete(&inject.request))

#define ALL(_c)                                                                 \
	MORE(read_all, read_all, _c, ARGS(file, FROM), inject.from)             \
	MORE(write_all, write_all, _c, ARGS(file, TO), inject.to)               \
	MORE(read_at_all, read_at_all, _c, ARGS(file, HERE, FROM), inject.from) \
	MORE(write_at_all, write_at_all, _c, ARGS(file, HERE, TO), inject.to)   \
	FORMS(read_ordered, read_ordered, _c, ARGS(file, FROM), inject.from)    \
	FORMS(write_ordered, write_ordered, _c, ARGS(file, TO), inject.to)

ALL()
#if MPI_VERSION >= 4
ALL(_c)
#endif

#define MANAGES "mpi_file_wait"
#define IO      "mpi_io_wait"
#define ROWS(Name, name, _c, c)                           \
	{ "MPI_File_" Name c, name##_c, ALL_OTHERS, IO }, \
	{ "MPI_File_" Name "_begin" c "/end", name##_split##_c, ALL_OTHERS, IO },
#define MORE_ROWS(Name, name, _c, c) \
	ROWS(Name, name, _c, c)      \
	{ "MPI_File_i" Name c "/Wait", i##name##_c, ALL_OTHERS, IO },
#define ALL_ROWS(_c, c)                                \
	MORE_ROWS("read_all", read_all, _c, c)         \
	MORE_ROWS("write_all", write_all, _c, c)       \
	MORE_ROWS("read_at_all", read_at_all, _c, c)   \
	MORE_ROWS("write_at_all", write_at_all, _c, c) \
	ROWS("read_ordered", read_ordered, _c, c)      \
	ROWS("write_ordered", write_ordered, _c, c)

const struct inject_row inject_files[] = {
	{ "MPI_File_open", open_file, ALL_OTHERS, MANAGES },
	{ "MPI_File_close", close_file, ALL_OTHERS, MANAGES },
	{ "MPI_File_set_view", set_view, ALL_OTHERS, MANAGES },
	{ "MPI_File_set_size", set_size, ALL_OTHERS, MANAGES },
	{ "MPI_File_preallocate", preallocate, ALL_OTHERS, MANAGES },
	{ "MPI_File_sync", sync_file, ALL_OTHERS, MANAGES },
	{ "MPI_File_set_atomicity", set_atomicity, ALL_OTHERS, MANAGES },
	{ "MPI_File_seek_shared", seek_shared, ALL_OTHERS, MANAGES },
	ALL_ROWS(, "")
#if MPI_VERSION >= 4
	ALL_ROWS(_c, "_c")
#endif
	{ 0 },
};
