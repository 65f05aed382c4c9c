/* tvcc, tvcxx, tvfc: compilers that put probes into MPI programs; the compiler under them does the
 * work (driver.h). */
#include <stdio.h>
#include <string.h>

#include "capture/cc/driver/driver.h"
#include "capture/cc/driver/stage.h"

int main(int argc, char **argv)
{
	if (argc > 1 && !strncmp(argv[1], DRIVER_STAGE_WORD, sizeof DRIVER_STAGE_WORD - 1)) {
		if (argc > 2)
			return stage_run(argv + 2);
		fprintf(stderr,
			"tvcc: " DRIVER_STAGE_WORD ": only the compiler may use this option\n");
		return STATUS_USAGE;
	}
	return driver_run(argv);
}
