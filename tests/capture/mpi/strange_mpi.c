/* strange_mpi: a library that has functions of MPI and is of no ABI that anybody knows. */
int PMPI_Init(int *argc, char ***argv);
int PMPI_Finalize(void);
int MPI_Init(int *argc, char ***argv) __attribute__((weak, alias("PMPI_Init")));
int MPI_Finalize(void) __attribute__((weak, alias("PMPI_Finalize")));

int PMPI_Init(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int PMPI_Finalize(void)
{
	return 0;
}
