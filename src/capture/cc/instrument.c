#include "capture/cc/instrument.h"

#include <clang-c/Index.h>
#include <stdlib.h>
#include <string.h>

bool instrument(const char *text, size_t size, const struct instrument_options *options,
		struct instrument_result *result, struct err *err)
{
	(void)text;
	(void)size;
	(void)options;
	memset(result, 0, sizeof *result);
	return err_set(err, STATUS_IO, "libclang %d.%d: nothing is instrumented yet",
		       CINDEX_VERSION_MAJOR, CINDEX_VERSION_MINOR);
}

void instrument_free(struct instrument_result *result)
{
	free(result->text);
	free(result->alone);
	free(result->strings);
	memset(result, 0, sizeof *result);
}
