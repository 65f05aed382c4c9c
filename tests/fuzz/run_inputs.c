/* A fuzz target without a fuzzer, for builds of any compiler: runs each input once, and some changes of
 * it that the target's own mutator makes, which are the same each time.
 *
 *	NAME_inputs [-CHANGES] FILE|FOLDER ...
 *
 * Inputs are named as they come, on stderr: what does not hold ends the program. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/fuzz.h"
#include "harness/random.h"

enum { INPUT_MOST = 64 << 10 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
	__attribute__((weak));

/* In libFuzzer's place: a byte becomes another, comes, or goes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	static struct rng rng = { 1 };
	const uint64_t dice = rng_next(&rng);
	const size_t at = size ? (size_t)(dice >> 16) % size : 0;

	if (size && dice % 3 == 0) {
		memmove(data + at, data + at + 1, size - at - 1);
		return size - 1;
	}
	if (size < most && dice % 3 == 1) {
		memmove(data + at + 1, data + at, size - at);
		size++;
	}
	if (size)
		data[at] = (uint8_t)(dice >> 8);
	return size;
}

static void run(const uint8_t *data, size_t size)
{
	/* A block of its own, so that a sanitizer sees what is read beyond it. */
	uint8_t *copy = malloc(size ? size : 1);

	must(copy, "there is memory");
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_changed(unsigned changes, const uint8_t *data, size_t size)
{
	static uint8_t changed[INPUT_MOST];

	for (unsigned seed = 1; seed <= changes; seed++) {
		size_t n = size;
		memcpy(changed, data, size);
		for (unsigned i = 0; i < 1 + seed % 4; i++)
			n = LLVMFuzzerCustomMutator
				    ? LLVMFuzzerCustomMutator(changed, n, INPUT_MOST, seed * 7 + i)
				    : LLVMFuzzerMutate(changed, n, INPUT_MOST);
		run(changed, n);
	}
}

static void run_file(unsigned changes, const char *path)
{
	static uint8_t data[INPUT_MOST];
	FILE *file = fopen(path, "rb");
	size_t n;

	must(file, path);
	n = fread(data, 1, sizeof data, file);
	fclose(file);
	fprintf(stderr, "%s\n", path);
	run(data, n);
	run_changed(changes, data, n);
}

static void run_path(unsigned changes, const char *path)
{
	struct dirent **list;
	struct stat about;
	int n;

	must(stat(path, &about) == 0, path);
	if (!S_ISDIR(about.st_mode)) {
		run_file(changes, path);
		return;
	}
	n = scandir(path, &list, NULL, alphasort);
	must(n >= 0, path);
	for (int i = 0; i < n; i++) {
		char below[4096];
		snprintf(below, sizeof below, "%s/%s", path, list[i]->d_name);
		if (list[i]->d_name[0] != '.')
			run_path(changes, below);
		free(list[i]);
	}
	free(list);
}

int main(int argc, char **argv)
{
	unsigned changes = 0;
	int i = 1;

	if (i < argc && argv[i][0] == '-')
		changes = (unsigned)strtoul(argv[i++] + 1, NULL, 10);
	run((const uint8_t *)"", 0);
	for (; i < argc; i++)
		run_path(changes, argv[i]);
	return 0;
}
