/* libFuzzer target: the reader of Trace Event JSON on any bytes (compressed ones, too). There is a
 * trace that holds together, or a sentence that says why not; and what was read is written in PICL,
 * OTF2 or JSON and read again, which gives the same visits and messages. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "harness/mutate.h"
#include "model/chrome/chrome.h"
#include "model/formats/chrome_write.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/picl/picl.h"

static const struct save_options all = { BASE_MEASURED, INT64_MIN, INT64_MAX, NULL };
static char folder[FUZZ_FOLDER], archive[FUZZ_FOLDER + 16];

static struct trace *read_json(const void *data, size_t size, struct err *err)
{
	static const struct load_options options = { .jobs = 1 };
	const int fd = fuzz_file(data, size);
	struct trace *trace = chrome_read("fuzz.json", fd, &options, NULL, err);

	close(fd);
	return trace;
}

/* ---- written and read again ---- */

struct bytes {
	char *data;
	size_t n;
};

static struct bytes written(struct trace *trace,
			    bool (*write)(struct trace *trace, FILE *out,
					  const struct save_options *options,
					  const struct progress *progress, struct err *err))
{
	struct bytes bytes = { NULL, 0 };
	struct err err = ERR_INIT;
	FILE *out = open_memstream(&bytes.data, &bytes.n);

	must(out && write(trace, out, &all, NULL, &err), "what was read can be written");
	fclose(out);
	return bytes;
}

/* ---- what is the same ---- */

static int64_t first_time(const struct trace *trace)
{
	int64_t first = INT64_MAX;
	struct cursor c;

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (cursor_first(&c, trace, BASE_MEASURED, l) && cursor_time(&c) < first)
			first = cursor_time(&c);
	return first;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Of all enters and leaves: rank, time since the first event, region, in any order. What is not
 * valid in a name becomes something else in JSON. */
static uint64_t digest(const struct trace *trace)
{
	const int64_t zero = first_time(trace);
	uint64_t sum = 0;
	struct cursor c;

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			const enum event_kind kind = what_kind(cursor_what(&c));
			uint64_t hash = mix((uint64_t)kind, (uint64_t)(cursor_time(&c) - zero));
			const char *name;
			if (kind != EV_ENTER && kind != EV_LEAVE)
				continue;
			hash = mix(hash, (uint64_t)trace_location(trace, l)->rank);
			name = trace_region_name(trace,
						 trace_callpath_region(trace,
								       what_id(cursor_what(&c))));
			for (; *name; name++)
				hash = *name > ' ' ? mix(hash, (uint64_t)*name) : hash;
			sum += hash;
		}
	return sum;
}

static void check_again(const struct trace *trace, struct trace *again)
{
	must(again != NULL, "what was written can be read");
	must_be_sound(trace_broken(again));
	must(digest(again) == digest(trace), "no visit is lost, moved or made up");
	must(trace_message_count(again) == trace_message_count(trace),
	     "no message is lost or made up");
}

static void through_picl(struct trace *trace)
{
	const struct bytes once = written(trace, picl_write);
	const int fd = fuzz_file(once.data, once.n);
	struct err err = ERR_INIT;
	struct trace *again =
		picl_read("fuzz.trc", fd, &(struct picl_options){ .jobs = 1 }, NULL, &err);

	close(fd);
	check_again(trace, again);
	trace_free(again);
	free(once.data);
}

static void through_json(struct trace *trace)
{
	const struct bytes once = written(trace, chrome_write);
	struct err err = ERR_INIT;
	struct trace *again = read_json(once.data, once.n, &err);

	check_again(trace, again);
	trace_free(again);
	free(once.data);
}

static void clean_up(void)
{
	char command[2 * FUZZ_FOLDER];

	snprintf(command, sizeof command, "rm -rf %s", folder);
	if (system(command) != 0)
		fprintf(stderr, "%s stays\n", folder);
}

static void through_otf2(struct trace *trace)
{
	const struct load_options options = { .jobs = 1, .no_cache = true };
	struct err err = ERR_INIT;
	struct trace *again;

	if (!folder[0]) {
		fuzz_folder(folder);
		snprintf(archive, sizeof archive, "%s/run.otf2", folder);
		atexit(clean_up);
	}
	must(trace_save(trace, SAVE_OTF2, archive, NULL, NULL, NULL, &err), err.text);
	again = trace_load(archive, &options, NULL, &err);
	check_again(trace, again);
	trace_free(again);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static const char *const words[] = {
		"\"X\"",
		"\"B\"",
		"\"E\"",
		"\"s\"",
		"\"t\"",
		"\"f\"",
		"\"C\"",
		"\"i\"",
		"\"M\"",
		"\"R\"",
		"\"ph\"",
		"\"ts\"",
		"\"dur\"",
		"\"pid\"",
		"\"tid\"",
		"\"id\"",
		"\"cat\"",
		"\"name\"",
		"\"args\"",
		"\"bytes\"",
		"\"tag\"",
		"\"file\"",
		"\"line\"",
		"\"sort_index\"",
		"\"mpi\"",
		"0",
		"-1",
		"1",
		"2",
		"1e9",
		"0.0005",
		"\"7\"",
		"1e300",
		"null",
		"{}",
		"[]",
		"\"\"",
		"true",
		"\"MPI_Send\"",
		"9223372036854775807",
		"-9223372036854775808",
		"\"process_name\"",
		"\"thread_name\"",
		"\"process_sort_index\"",
		"\"traceEvents\"",
		"\"\\u0000\\ud83d\"",
		"{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1,\"name\":\"a\"}",
		NULL
	};

	return mutate_json(data, size, most, seed, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const unsigned choice = fuzz_choice(data, size, 32);
	struct err err = ERR_INIT;
	struct trace *trace = read_json(data, size, &err);

	must(trace || (err_is_set(&err) && err.text[0]),
	     "what is refused is refused with a sentence");
	if (!trace)
		return 0;
	must_be_sound(trace_broken(trace));
	if (choice == 0)
		through_otf2(trace);
	else if (choice < 8)
		through_picl(trace);
	else if (choice < 14)
		through_json(trace);
	trace_free(trace);
	return 0;
}
