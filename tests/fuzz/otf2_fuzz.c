/* libFuzzer target: OTF2 archives that were cut and scribbled over. Bytes are edits of a sound
 * archive (EZTrace's ping-pong): which file, what sort of edit, where. libotf2 itself is not
 * instrumented: what it does wrong shows as a crash, a hang or memory. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "model/formats/load.h"

enum { FILES = 6, FILE_MOST = 1 << 16, EDIT = 5 };

static const char *const names[FILES] = {
	"eztrace_log.otf2",           "eztrace_log.def",
	"eztrace_log/0.evt",          "eztrace_log/0.def",
	"eztrace_log/1073741823.evt", "eztrace_log/1073741823.def",
};

struct content {
	unsigned char bytes[FILE_MOST];
	size_t n;
};

static void read_original(struct content *content, const char *name)
{
	char path[256];
	FILE *in;

	snprintf(path, sizeof path, "traces/otf2/ez-pp-2/%s", name);
	in = fopen(path, "rb");
	if (!in) {
		fprintf(stderr, "no %s: run from the root of the repository\n", path);
		exit(1);
	}
	content->n = fread(content->bytes, 1, sizeof content->bytes, in);
	fclose(in);
}

static void write_copy(const struct content *content, const char *folder, const char *name)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	out = fopen(path, "wb");
	if (!out || fwrite(content->bytes, 1, content->n, out) != content->n)
		abort();
	fclose(out);
}

/* One edit: file and sort, two bytes of place, a value, a length. */
static void edit(struct content *contents, const uint8_t *d)
{
	struct content *c = &contents[d[0] % FILES];
	const size_t at = c->n ? (size_t)(d[1] << 8 | d[2]) % c->n : 0;
	const size_t length = d[4] % 9u;

	if (c->n == 0)
		return;
	switch (d[0] / FILES % 5) {
	case 0: c->bytes[at] ^= (unsigned char)(1u << (d[3] & 7)); break;
	case 1: c->bytes[at] = d[3]; break;
	case 2: c->n = at; break;
	case 3:
		for (size_t i = at; i < c->n && i < at + length; i++)
			c->bytes[i] = d[3] & 1 ? 0xff : 0;
		break;
	default:
		if (c->n + length > FILE_MOST)
			return;
		memmove(c->bytes + at + length, c->bytes + at, c->n - at);
		memset(c->bytes + at, d[3], length);
		c->n += length;
	}
}

static void remove_all(const char *folder)
{
	char path[256];

	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/eztrace_log", folder);
	rmdir(path);
	rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct content *contents = xcalloc(FILES, sizeof *contents);
	char folder[] = "/tmp/tview-fuzz-XXXXXX", path[256];
	const struct load_options options = { .no_cache = true,
					      .jobs = 1 + (size > 0 && data[size - 1] & 1) };
	struct trace *trace;

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof path, "%s/eztrace_log", folder);
	mkdir(path, 0700);
	for (int i = 0; i < FILES; i++)
		read_original(&contents[i], names[i]);
	for (size_t i = 0; i + EDIT <= size && i < 20 * EDIT; i += EDIT)
		edit(contents, data + i);
	for (int i = 0; i < FILES; i++)
		write_copy(&contents[i], folder, names[i]);
	free(contents);
	trace = trace_load(folder, &options, NULL, NULL);
	must_be_sound(trace ? trace_broken(trace) : NULL);
	trace_free(trace);
	remove_all(folder);
	return 0;
}
