/* libFuzzer target: names, files and lines of a program's addresses: edits of a sound object with
 * debug information, which is the program under test of tests/fuzz/ranks. libdwfl itself is not
 * instrumented: what it does wrong shows as a crash, a hang or memory. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/run/symbols.h"
#include "harness/fuzz.h"
#include "harness/mutate.h"

enum { EDIT = 4, OBJECT_MOST = 1 << 16 };

static unsigned char sound[OBJECT_MOST];
static size_t sound_n;

static void read_sound(void)
{
	FILE *in = fopen("tests/fuzz/symbols/object", "rb");

	must(in, "there is an object: run from the root of the repository");
	sound_n = fread(sound, 1, sizeof sound, in);
	fclose(in);
}

static volatile size_t seen;

static void look(const struct symbol *s)
{
	seen += (s->function ? strlen(s->function) : 0) + (s->file ? strlen(s->file) : 0);
}

static void ask(const char *path, uint64_t address)
{
	struct symbols *symbols = symbols_new();
	const struct symbol function = symbols_function(symbols, path, address),
			    at = symbols_at(symbols, path, address),
			    begin = symbols_begin(symbols, path, address),
			    scope = symbols_scope(symbols, path, address);

	look(&function);
	look(&at);
	look(&begin);
	look(&scope);
	if (function.function) {
		const struct symbols_entry entry = symbols_entry(symbols, path, &function, address);
		look(&entry.call);
		look(&entry.around);
		seen += symbols_tail_call(symbols, path, address, &function);
	}
	symbols_free(symbols);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_records(data, size, most, seed, 2, EDIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char now[OBJECT_MOST];
	struct str compiler = STR_INIT;
	char path[64];
	int fd;

	if (size < 2)
		return 0;
	if (!sound_n)
		read_sound();
	memcpy(now, sound, sound_n);
	for (size_t i = 2; i + EDIT <= size; i += EDIT) {
		const size_t at = (size_t)(data[i] << 8 | data[i + 1]) % sound_n;
		now[at] = data[i + 2] & 1 ? (unsigned char)(now[at] + data[i + 3]) : data[i + 3];
	}
	fd = fuzz_file(now, sound_n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ask(path, (uint64_t)(data[0] << 8 | data[1]) % 512);
	symbols_compiler(path, &compiler);
	str_fini(&compiler);
	close(fd);
	return 0;
}
