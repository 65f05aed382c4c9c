/* libFuzzer target: the figures of a run that was kept. What is read must be sound, and the same
 * when it is written and read again. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "patterns/compare/figures.h"

static bool read_from(struct figures *f, int fd, struct err *err)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return figures_read(f, path, err);
}

/* The text of the figures; the caller frees it. */
static char *text_of(const struct figures *f, size_t *n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n);

	figures_write(out, f->cube, f->base, &f->efficiency);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = fuzz_file(data, size);
	struct err err = ERR_INIT;
	struct figures f, again;

	if (!read_from(&f, fd, &err)) {
		must(err_is_set(&err), "a refusal has a sentence");
	} else {
		size_t n, m;
		char *once = text_of(&f, &n), *twice;
		const int copy = fuzz_file(once, n);
		must(read_from(&again, copy, &err), "what is written can be read");
		twice = text_of(&again, &m);
		must(n == m && memcmp(once, twice, n) == 0, "it is the same");
		free(once);
		free(twice);
		figures_fini(&again);
		close(copy);
		figures_fini(&f);
	}
	close(fd);
	return 0;
}
