/* libFuzzer target: a trace in PICL that is kept in a cache file and opened from there is the one
 * that was read: written again, both give the same bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "harness/mutate.h"
#include "model/cache/cache.h"
#include "model/formats/load.h"
#include "model/picl/picl.h"

static char folder[FUZZ_FOLDER], path[96], cache[96];

static void clean_up(void)
{
	unlink(path);
	unlink(cache);
	rmdir(folder);
}

static void make_folder(void)
{
	fuzz_folder(folder);
	snprintf(path, sizeof path, "%s/run.trc", folder);
	snprintf(cache, sizeof cache, "%s/.run.trc.tvcache", folder);
	setenv("XDG_CACHE_HOME", "/nonexistent", 1);
	atexit(clean_up);
}

static void write_file(const uint8_t *data, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "it can be written");
	close(fd);
}

static char *written(struct trace *trace, size_t *n)
{
	const struct save_options all = { BASE_MEASURED, INT64_MIN, INT64_MAX, NULL };
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, n);

	must(out && picl_write(trace, out, &all, NULL, NULL), "it can be written");
	fclose(out);
	return bytes;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_lines(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct load_options options = { .jobs = 1, .as = "picl" };
	struct err err = ERR_INIT;
	struct trace *read, *kept;
	char *one, *other;
	size_t n, m;
	bool damaged;

	if (!folder[0])
		make_folder();
	unlink(cache);
	write_file(data, size);
	read = trace_load(path, &options, NULL, &err);
	if (!read)
		return 0;
	must(cache_write(read, &err), err.text);
	kept = cache_load(path, &options, &damaged);
	must(kept && !damaged, "what was written is taken");
	must_be_sound(trace_broken(kept));
	/* A tenth of the time: half of the inputs are enough. */
	if (fuzz_choice(data, size, 2) == 0) {
		one = written(read, &n);
		other = written(kept, &m);
		must(n == m && memcmp(one, other, n) == 0, "it is the same");
		free(one);
		free(other);
	}
	trace_free(read);
	trace_free(kept);
	return 0;
}
