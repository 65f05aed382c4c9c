/* libFuzzer target: OTF2 archives that were cut, scribbled over, and whose definitions and events
 * were put together anew. Bytes are edits (otf2_edits.h) of a sound archive, EZTrace's ping-pong or
 * one of tview's own, as the first byte says. libotf2 itself is not instrumented: what it does
 * wrong shows as a crash, a hang or memory. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/otf2_edits.h"
#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "harness/mutate.h"
#include "model/formats/load.h"
#include "model/formats/save.h"

enum { KINDS = 2, EDITS_MOST = 20 };

/* A sound archive, and the folder where its files are, but for those that were edited last. */
struct subject {
	struct otf2_contents sound;
	char folder[FUZZ_FOLDER], anchor[160];
	bool edited[OTF2_FILES];
};

static struct subject subjects[KINDS];

static void clean_up(void)
{
	for (int k = 0; k < KINDS; k++) {
		char command[128];
		snprintf(command, sizeof command, "rm -rf %s", subjects[k].folder);
		if (subjects[k].folder[0] && system(command) != 0)
			fprintf(stderr, "%s stays\n", subjects[k].folder);
	}
}

static void write_file(const struct subject *s, const struct otf2_content *content)
{
	char path[160];
	int fd;

	snprintf(path, sizeof path, "%s/%s", s->folder, content->name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	must(fd >= 0 && write(fd, content->bytes, content->n) == (ssize_t)content->n,
	     "a file can be written");
	close(fd);
}

/* An archive of tview's own, of a trace in PICL. */
static void convert(struct subject *s, const char *from)
{
	struct err err = ERR_INIT;
	struct trace *trace =
		trace_load(from, &(struct load_options){ .jobs = 1, .no_cache = true }, NULL, &err);
	char path[128];

	snprintf(path, sizeof path, "%s/own.otf2", s->folder);
	must(trace && trace_save(trace, SAVE_OTF2, path, NULL, NULL, NULL, &err), err.text);
	trace_free(trace);
}

static void make(struct subject *s, int kind)
{
	const char *name = kind ? "own" : "eztrace_log";
	char path[160];

	fuzz_folder(s->folder);
	if (kind)
		convert(s, "tests/fuzz/picl/statements.trc");
	otf2_contents_read(&s->sound, kind ? s->folder : "traces/otf2/ez-pp-2", name);
	snprintf(path, sizeof path, "%s/%s", s->folder, name);
	if (!kind)
		must(mkdir(path, 0700) == 0, "there is a folder");
	for (size_t i = 0; i < s->sound.n; i++)
		write_file(s, &s->sound.file[i]);
	snprintf(s->anchor, sizeof s->anchor, "%s/%s.otf2", s->folder, name);
}

/* Only files that differ from what is there are written. */
static void put(struct subject *s, const struct otf2_contents *now)
{
	for (size_t i = 0; i < now->n; i++) {
		if (now->file[i].changed || s->edited[i])
			write_file(s, &now->file[i]);
		s->edited[i] = now->file[i].changed;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_records(data, size, most, seed, 1, OTF2_EDIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct otf2_contents now;
	const struct load_options options = { .no_cache = true, .jobs = 1 };
	struct subject *s = &subjects[size && data[0] & 1];
	struct trace *trace;

	if (!subjects[0].anchor[0]) {
		atexit(clean_up);
		for (int k = 0; k < KINDS; k++)
			make(&subjects[k], k);
	}
	otf2_contents_copy(&now, &s->sound);
	for (size_t i = 1, n = 0; i + OTF2_EDIT <= size && n < EDITS_MOST; i += OTF2_EDIT, n++)
		otf2_edit(&now, data + i);
	put(s, &now);
	trace = trace_load(s->anchor, &options, NULL, NULL);
	must(trace || size > 1, "what was not edited can be read");
	must_be_sound(trace ? trace_broken(trace) : NULL);
	trace_free(trace);
	return 0;
}
