#include "model/otf2/write/otf2_chunks.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

struct chunk {
	struct chunk *next;
	uint64_t size;
	char bytes[] __attribute__((aligned(64)));
};

struct otf2_chunks {
	pthread_mutex_t lock;
	struct chunk *idle;
};

static struct chunk *take_idle(struct otf2_chunks *chunks, uint64_t size)
{
	struct chunk **at, *chunk;

	pthread_mutex_lock(&chunks->lock);
	for (at = &chunks->idle; *at && (*at)->size != size;)
		at = &(*at)->next;
	chunk = *at;
	if (chunk)
		*at = chunk->next;
	pthread_mutex_unlock(&chunks->lock);
	return chunk;
}

/* Of a buffer, whose chunks are a list at `buffer`. */
static void *allocate(void *context, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
		      uint64_t size)
{
	struct chunk *chunk;

	(void)location;
	/* Without memory the library writes what it has, and asks again. */
	if (type == OTF2_FILETYPE_EVENTS && *buffer)
		return NULL;
	chunk = take_idle(context, size);
	if (!chunk) {
		chunk = xmalloc(sizeof *chunk + size);
		chunk->size = size;
	}
	chunk->next = *buffer;
	*buffer = chunk;
	return chunk->bytes;
}

static void free_all_of(void *context, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
			bool final)
{
	struct otf2_chunks *chunks = context;
	struct chunk *chunk;

	(void)type;
	(void)location;
	(void) final;
	pthread_mutex_lock(&chunks->lock);
	while ((chunk = *buffer)) {
		*buffer = chunk->next;
		chunk->next = chunks->idle;
		chunks->idle = chunk;
	}
	pthread_mutex_unlock(&chunks->lock);
}

struct otf2_chunks *otf2_chunks_new(void)
{
	struct otf2_chunks *chunks = xcalloc(1, sizeof *chunks);

	pthread_mutex_init(&chunks->lock, NULL);
	return chunks;
}

void otf2_chunks_free(struct otf2_chunks *chunks)
{
	struct chunk *chunk;

	while ((chunk = chunks->idle)) {
		chunks->idle = chunk->next;
		free(chunk);
	}
	pthread_mutex_destroy(&chunks->lock);
	free(chunks);
}

OTF2_ErrorCode otf2_chunks_use(struct otf2_chunks *chunks, OTF2_Archive *archive)
{
	static const OTF2_MemoryCallbacks memory = { .otf2_allocate = allocate,
						     .otf2_free_all = free_all_of };

	return OTF2_Archive_SetMemoryCallbacks(archive, &memory, chunks);
}
