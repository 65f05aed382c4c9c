#include "model/meaning/mpi_name.h"

#include <ctype.h>
#include <stddef.h>

bool mpi_name(const char *name, char bare[MPI_NAME_SIZE])
{
	size_t n = 0;

	if (tolower((unsigned char)*name) == 'p')
		name++;
	for (const char *prefix = "mpi_"; *prefix; prefix++, name++)
		if (tolower((unsigned char)*name) != *prefix)
			return false;
	while (name[n] && n + 1 < MPI_NAME_SIZE) {
		bare[n] = (char)tolower((unsigned char)name[n]);
		n++;
	}
	if (name[n])
		n = 0;
	while (n && bare[n - 1] == '_')
		n--;
	bare[n] = '\0';
	return true;
}
