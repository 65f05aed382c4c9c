/* libFuzzer target: the corrections on any trace. Up to an empty line the bytes are a file of
 * offsets (none if that comes first), behind it they are a trace in PICL. Whatever it says, no base
 * turns events of a location round, and behind the logical clock no message arrives before it was
 * sent but those that contradict each other. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "correct/correct.h"
#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "model/picl/picl.h"

static void in_order(const struct trace *trace, enum time_base base)
{
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;
		int64_t last = INT64_MIN;
		for (bool ok = cursor_first(&c, trace, base, l); ok; ok = cursor_next(&c)) {
			must(cursor_time(&c) >= last, "events of a location keep their order");
			last = cursor_time(&c);
		}
	}
}

static void hold(struct trace *trace, const struct corrections *out)
{
	for (int base = 0; base < BASE_COUNT; base++)
		if (trace_has_base(trace, (enum time_base)base) &&
		    (base != BASE_LINEAR || out->checked[base]))
			in_order(trace, (enum time_base)base);
	if (out->clc.done && out->clc.forced == 0)
		must(out->check[BASE_CLC].all.violating == 0,
		     "the logical clock leaves no violation");
}

static void correct(struct trace *trace, const char *offsets, uint8_t bits)
{
	const struct correct_options options = {
		.presync = bits % 3,
		.offsets = offsets,
		.gamma = bits & 8 ? 0.5 : 0,
		.passes = bits >> 4 & 3,
		.lmin = { bits & 64 ? 1e-3 : -1, -1 },
		.overhead = { bits & 128 ? OVERHEAD_PAPER : OVERHEAD_INSITU, bits & 4 ? 1e-3 : -1,
			      -1 },
		.want = BASE_COUNT,
	};
	struct err err = ERR_INIT;
	struct corrections *out = correct_run(trace, &options, NULL, &err);

	must(out || (err_is_set(&err) && err.text[0]),
	     "what is refused is refused with a sentence");
	if (out)
		hold(trace, out);
	corrections_free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memmem(data, size, "\n\n", 2);
	const size_t head = end ? (size_t)(end - data) + 1 : 0;
	const size_t rest = end ? head + 1 : size && *data == '\n';
	const struct picl_options options = { .jobs = 1 };
	struct err err = ERR_INIT;
	char offsets[32];
	int fds[2];
	struct trace *trace;

	if (rest >= size)
		return 0;
	fds[0] = fuzz_file(data, head);
	fds[1] = fuzz_file(data + rest, size - rest);
	snprintf(offsets, sizeof offsets, "/proc/self/fd/%d", fds[0]);
	trace = picl_read("fuzz.trc", fds[1], &options, NULL, &err);
	if (trace) {
		correct(trace, head ? offsets : NULL, data[size - 1] ^ data[size / 2]);
		must(!trace_broken(trace), "the trace is as it was");
	}
	trace_free(trace);
	close(fds[0]);
	close(fds[1]);
	return 0;
}
