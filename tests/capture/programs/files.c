/* files: each rank writes its part of a file and reads the next rank's, in the ways of MPI-IO that block. The file lies
 * beside the account ($TALLY.data), or is the one that is named. A read at the end of the file gets less than it asked
 * for. */
#include <string.h>

#include "tally.h"

enum { INTS = 25, PART = INTS * (int)sizeof(int) };

static void fail(const char *what)
{
	fprintf(stderr, "files: %s\n", what);
	PMPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(const int *data, int n, int value)
{
	for (int i = 0; i < n; i++)
		if (data[i] != value)
			fail("what is read is not what was written");
}

static long bytes_of(MPI_Status *status)
{
	int count;

	PMPI_Get_count(status, MPI_BYTE, &count);
	return count;
}

static void write_and_read(MPI_File file, int rank, int size)
{
	const int next = (rank + 1) % size;
	MPI_Offset length;
	MPI_Status status;
	int data[INTS];

	for (int i = 0; i < INTS; i++)
		data[i] = rank;
	MPI_File_write_at(file, (MPI_Offset)rank * PART, data, INTS, MPI_INT, MPI_STATUS_IGNORE);
	tally_did("MPI_File_write_at", PART);
	MPI_File_sync(file);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_read_at(file, (MPI_Offset)next * PART, data, INTS, MPI_INT, &status);
	tally_did("MPI_File_read_at", bytes_of(&status));
	check(data, INTS, next);
	MPI_File_seek(file, (MPI_Offset)rank * PART, MPI_SEEK_SET);
	MPI_File_read(file, data, 10, MPI_INT, &status);
	tally_did("MPI_File_read", bytes_of(&status));
	check(data, 10, rank);
	/* All but the last 12 bytes of the file lie before. */
	MPI_File_get_size(file, &length);
	MPI_File_read_at(file, length - 12, data, INTS, MPI_INT, &status);
	if (bytes_of(&status) != 12)
		fail("a read at the end of the file is not short");
	tally_did("MPI_File_read_at", 12);
	MPI_File_read_at_all(file, 0, data, 1 + rank, MPI_INT, &status);
	tally_did("MPI_File_read_at_all", bytes_of(&status));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_write_at_all(file, (MPI_Offset)rank * PART, data, 2, MPI_INT, &status);
	tally_did("MPI_File_write_at_all", 8);
}

int main(int argc, char **argv)
{
	const char *beside = getenv("TALLY");
	char path[4096];
	MPI_File file;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tally_begin(rank);
	snprintf(path, sizeof path, "%s%s",
		 argc > 1 ? argv[1]
		 : beside ? beside
			  : "files",
		 argc > 1 ? "" : ".data");
	if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			  &file) != MPI_SUCCESS)
		fail("cannot open the file");
	write_and_read(file, rank, size);
	MPI_File_close(&file);
	/* There is no such file: a call that fails moves no bytes. */
	snprintf(path, sizeof path, "%s", "/no/such/folder/file");
	if (MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
	    MPI_SUCCESS)
		fail("a file that cannot be was opened");
	tally_end("files", rank);
	MPI_Finalize();
	return 0;
}
