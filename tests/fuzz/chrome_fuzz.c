/* libFuzzer target: the reader of Trace Event JSON on any bytes (compressed ones, too). There is a
 * trace that holds together, or a sentence that says why not. */
#include <stdlib.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "model/chrome/chrome.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct load_options options = { .jobs = 1 };
	const int fd = fuzz_file(data, size);
	struct err err = ERR_INIT;
	struct trace *trace = chrome_read("fuzz.json", fd, &options, NULL, &err);

	close(fd);
	if (!trace && (!err_is_set(&err) || !err.text[0]))
		abort();
	if (trace && trace_broken(trace))
		abort();
	trace_free(trace);
	return 0;
}
