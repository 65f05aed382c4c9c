/* libFuzzer target: the PICL reader on any bytes (compressed ones, too). What it loads must hold
 * together; then one of these is tried, which the bytes choose: to read it strictly; a part of it;
 * with several threads, which gives the same; to write it and read that again, which no damage
 * forbids, and to write that again, which gives the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "harness/mutate.h"
#include "harness/windows.h"
#include "model/formats/load.h"
#include "model/picl/picl.h"

static struct trace *read_bytes(const void *data, size_t size, const struct picl_options *options)
{
	const int fd = fuzz_file(data, size);
	struct err err = ERR_INIT;
	struct trace *trace = picl_read("fuzz.trc", fd, options, NULL, &err);

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
	struct trace *trace =
		read_bytes(data, size, &(struct picl_options){ .jobs = 1, .part = &part });

	must_be_sound(trace ? trace_broken(trace) : NULL);
	trace_free(trace);
}

static const struct picl_options lenient = { .jobs = 1 };

struct bytes {
	char *data;
	size_t n;
};

static struct bytes written(struct trace *trace)
{
	const struct save_options all = { BASE_MEASURED, INT64_MIN, INT64_MAX, NULL };
	struct bytes bytes = { NULL, 0 };
	FILE *out = open_memstream(&bytes.data, &bytes.n);

	must(out && picl_write(trace, out, &all, NULL, NULL), "what was read can be written");
	fclose(out);
	return bytes;
}

static void convert_twice(struct trace *trace)
{
	const struct bytes once = written(trace);
	struct trace *again = read_bytes(once.data, once.n, &lenient);
	struct bytes twice;

	must(again != NULL, "what was written can be read");
	must_be_sound(trace_broken(again));
	must(is_odd(trace) || trace_event_count(again) == trace_event_count(trace),
	     "no event of a file without oddities is lost or made up on the way");
	twice = written(again);
	must(is_odd(trace) || (once.n == twice.n && memcmp(once.data, twice.data, once.n) == 0),
	     "what is written twice is written once");
	trace_free(again);
	free(once.data);
	free(twice.data);
}

static void same_with_threads(struct trace *trace, const uint8_t *data, size_t size)
{
	struct trace *other = read_bytes(data, size, &(struct picl_options){ .jobs = 3 });
	struct bytes one, many;

	must(other != NULL, "threads read what one reads");
	one = written(trace);
	many = written(other);
	must(one.n == many.n && memcmp(one.data, many.data, one.n) == 0, "threads read the same");
	trace_free(other);
	free(one.data);
	free(many.data);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_lines(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace *trace = read_bytes(data, size, &lenient);
	const unsigned choice = fuzz_choice(data, size, 16);

	if (!trace)
		return 0;
	must_be_sound(trace_broken(trace));
	must_be_sound(windows_broken(trace, (int64_t)choice * 100000000));
	if (choice == 0)
		same_with_threads(trace, data, size);
	else if (choice < 4)
		trace_free(read_bytes(data, size,
				      &(struct picl_options){ .strict = true, .jobs = 1 }));
	else if (choice < 8)
		read_part(data, size);
	else
		convert_twice(trace);
	trace_free(trace);
	return 0;
}
