/* libFuzzer target: the PICL reader on any bytes (compressed ones, too), the whole file and a part
 * of it. What it loads must hold together, and must survive being written and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "model/formats/load.h"
#include "model/picl/picl.h"

static struct trace *read_bytes(const void *data, size_t size, bool strict,
				const struct load_part *part)
{
	const struct picl_options options = { .strict = strict, .jobs = 1, .part = part };
	const int fd = fuzz_file(data, size);
	struct err err = ERR_INIT;
	struct trace *trace = picl_read("fuzz.trc", fd, &options, NULL, &err);

	/* Either a trace, or a sentence that says why not. */
	if (!trace && (!err_is_set(&err) || !err.text[0]))
		abort();
	close(fd);
	return trace;
}

static bool is_odd(const struct trace *trace)
{
	return trace_finding_sum(trace, FINDING_ODDITY) || trace_finding_sum(trace, FINDING_DAMAGE);
}

/* A rank and a window that depend on the bytes. */
static void read_part(const uint8_t *data, size_t size)
{
	const struct rank_range ranks[] = { { 0, 1 } };
	const struct load_part part = { .ranks = ranks,
					.n_ranks = size % 2,
					.timed = size % 3 != 0,
					.t0 = (int64_t)(data[size / 2] - 40) * 10000000,
					.t1 = (int64_t)data[size - 1] * 10000000 };
	struct trace *trace = read_bytes(data, size, false, &part);

	must_be_sound(trace ? trace_broken(trace) : NULL);
	trace_free(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct save_options all = { BASE_MEASURED, INT64_MIN, INT64_MAX, NULL };
	struct trace *trace, *again;
	char *bytes = NULL;
	size_t n = 0;
	FILE *out;

	trace_free(read_bytes(data, size, true, NULL));
	trace = read_bytes(data, size, false, NULL);
	if (!trace)
		return 0;
	must_be_sound(trace_broken(trace));
	out = open_memstream(&bytes, &n);
	must(picl_write(trace, out, &all, NULL, NULL), "what was read can be written");
	fclose(out);
	/* Nothing but damage: an empty file, which is no trace. */
	again = n ? read_bytes(bytes, n, false, NULL) : NULL;
	if (n == 0)
		goto done;
	must(again != NULL, "what was written can be read");
	must_be_sound(trace_broken(again));
	must(is_odd(trace) || trace_event_count(again) == trace_event_count(trace),
	     "no event of a file without oddities is lost or made up on the way");
done:
	read_part(data, size);
	trace_free(again);
	trace_free(trace);
	free(bytes);
	return 0;
}
