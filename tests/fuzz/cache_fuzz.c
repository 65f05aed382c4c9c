/* Fuzzes the reader of cache files. The input says which bytes of a sound file are changed; all
 * checksums are made anew behind it, so that everything that is compared beside them must hold by
 * itself: places, counts, sizes and order of sections, and what tables say of each other. What is
 * taken is looked at from end to end and freed. (That contents are right is the checksums'
 * business: only files of the user's own are believed at all.) */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "harness/fuzz.h"
#include "model/cache/cache_state.h"
#include "model/formats/load.h"
#include "model/sums/shade.h"
#include "model/trace/store.h"

/* A sound file, made once. */
static struct {
	char folder[64], path[96], cache[96];
	char *bytes;
	size_t n;
} sound;

static void clean_up(void)
{
	unlink(sound.path);
	unlink(sound.cache);
	rmdir(sound.folder);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	close(fd);
}

static void read_file(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		abort();
	sound.bytes = xmalloc(1 << 20);
	sound.n = fread(sound.bytes, 1, 1 << 20, file);
	fclose(file);
}

static void make_sound(void)
{
	static const char text[] = "-5 1 0 -1 -1 4 \"%c\" work\n-3 -901 0 0 0 0\n-3 -901 0 1 0 0\n"
				   "-3 1 0.1 0 0 0\n-3 -21 0.2 0 0 3 2 8 7 1\n-4 -21 0.3 0 0 0\n"
				   "-4 1 0.4 0 0 0\n-3 -51 0.1 1 0 1 2 7\n"
				   "-4 -51 0.5 1 0 3 2 8 7 0\n-4 -901 1 0 0 0\n-4 -901 1 1 0 0\n";
	const struct load_options options = { .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace;

	fuzz_folder(sound.folder);
	snprintf(sound.path, sizeof sound.path, "%s/run.trc", sound.folder);
	snprintf(sound.cache, sizeof sound.cache, "%s/.run.trc.tvcache", sound.folder);
	setenv("XDG_CACHE_HOME", "/nonexistent", 1);
	write_file(sound.path, text, sizeof text - 1);
	trace = trace_load(sound.path, &options, NULL, &err);
	if (!trace || !cache_write(trace, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	trace_free(trace);
	read_file(sound.cache);
	atexit(clean_up);
}

/* ---- the input ---- */

/* Changes of three bytes each: where (of header and tables more often than of the data), and the
 * new value. */
static void change(char *bytes, const uint8_t *data, size_t size)
{
	for (; size >= 4; data += 4, size -= 4) {
		const size_t at = data[0] | (size_t)data[1] << 8 | (size_t)(data[2] & 1) << 16;
		if (data[2] & 2) /* one of the header's numbers */
			bytes[offsetof(struct cache_header, data_offset) + at % 32] = (char)data[3];
		else
			bytes[at % sound.n] = (char)data[3];
	}
}

/* Checksums as the changed tables want them, where these make any sense. */
static void mend(char *bytes)
{
	struct cache_header h;
	uint64_t chunk, *sums;

	memcpy(&h, bytes, sizeof h);
	if (h.data_offset >= sizeof h && h.data_offset <= sound.n && h.chunk_bits >= 16 &&
	    h.chunk_bits < 40) {
		const size_t tables = sizeof h + (size_t)h.sections * sizeof(struct section);
		const size_t data = sound.n - (size_t)h.data_offset;
		sums = (uint64_t *)(void *)(bytes + tables);
		chunk = (uint64_t)1 << h.chunk_bits;
		for (size_t at = 0, i = 0; at < data; at += chunk, i++)
			if (tables + (i + 1) * sizeof *sums <= h.data_offset)
				sums[i] = guard_sum(bytes + h.data_offset + at,
						    data - at < chunk ? data - at : (size_t)chunk);
		h.tables_sum = guard_sum(bytes + sizeof h, (size_t)h.data_offset - sizeof h);
	}
	memcpy(&h.key, &((const struct cache_header *)(const void *)sound.bytes)->key,
	       sizeof h.key);
	cache_header_finish(&h);
	memcpy(bytes, &h, sizeof h);
}

/* ---- what was taken ---- */

static volatile unsigned seen;

static void look(const void *data, size_t n)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < n; i++)
		seen += bytes[i];
}

#define LOOK(v) look((v)->data, (v)->n * sizeof *(v)->data)

static void look_at(const struct trace *t)
{
	const struct slab *const slabs[] = { &t->strings.text, &t->details,         &t->values,
					     &t->blocks,       &t->messages,        &t->collectives,
					     &t->members,      &t->columns[0].times };
	const struct shading *shading = t->class_shading[BASE_MEASURED];
	const struct block_ids *list;
	const struct comm *comm;

	for (size_t i = 0; i < sizeof slabs / sizeof *slabs; i++)
		look(slabs[i]->data, slabs[i]->size);
	LOOK(&t->strings.start);
	LOOK(&t->regions);
	LOOK(&t->sites);
	LOOK(&t->paths);
	LOOK(&t->locations);
	LOOK(&t->offsets);
	LOOK(&t->findings);
	vec_each (list, &t->lists)
		LOOK(list);
	vec_each (comm, &t->comms)
		if (comm->ranks)
			look(comm->ranks, comm->size * sizeof *comm->ranks);
	if (shading) {
		look(shading->sums.data, shading->sums.size);
		look(shading->supers.data, shading->supers.size);
		LOOK(&shading->enter);
	}
	look(t->offset_of, (t->locations.n + 1) * sizeof *t->offset_of);
	for (size_t i = 0; i < t->message_order[0].n; i += ORDER_CHUNK)
		look(&t->message_order[0].first[i / ORDER_CHUNK], sizeof(int64_t));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct load_options options = { .jobs = 1 };
	struct trace *trace;
	bool damaged;
	char *bytes;

	if (!sound.bytes)
		make_sound();
	bytes = xmalloc(sound.n);
	memcpy(bytes, sound.bytes, sound.n);
	if (size > 0)
		change(bytes, data + 1, size - 1);
	if (size == 0 || !(data[0] & 1))
		mend(bytes);
	write_file(sound.cache, bytes, sound.n);
	trace = cache_load(sound.path, &options, &damaged);
	if (size == 0 && !trace)
		abort(); /* or nothing would be fuzzed */
	if (trace)
		look_at(trace);
	trace_free(trace);
	free(bytes);
	return 0;
}
