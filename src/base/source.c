#include "base/source.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"
#include "base/spool.h"

enum { INPUT = 128 << 10, BUFFER = 256 << 10, BUFFERS = 4, WAIT_MS = 50 };

enum packing { PLAIN, GZIP, ZSTD };

/* A piece of output that the decoding thread hands over. */
struct buffer {
	char *bytes;
	size_t n, at;
};

struct source {
	int fd;
	struct spool *spool; /* copy of input that cannot seek; NULL: the file can */
	bool threaded;
	enum packing packing;
	uint64_t size;
	_Atomic uint64_t done;
	_Atomic(const char *) damage;

	/* Used for decoding only, by the thread if there is one. */
	unsigned char *input;
	size_t at, n;   /* of `input` */
	bool input_end; /* the end of the file was read */
	bool end;       /* no more output will come */
	int error;
	z_stream gzip;
	bool member; /* inside a member (zstd: a frame), where the file must not end */
	bool ended;  /* at least one has ended */
	ZSTD_DCtx *zstd;

	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct buffer buffers[BUFFERS];
	unsigned filled, taken; /* numbers of buffers so far */
	bool stop, finished;
};

static enum packing packing_of(const void *bytes, size_t n)
{
	static const unsigned char gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	const unsigned char *b = bytes;

	if (n >= sizeof gzip && memcmp(b, gzip, sizeof gzip) == 0)
		return GZIP;
	/* A frame, or a skippable frame (written by parallel compressors). */
	if (n >= sizeof zstd && (memcmp(b, zstd, sizeof zstd) == 0 ||
				 ((b[0] & 0xf0) == 0x50 && memcmp(b + 1, "\x2a\x4d\x18", 3) == 0)))
		return ZSTD;
	return PLAIN;
}

bool source_is_compressed(const void *bytes, size_t n)
{
	return packing_of(bytes, n) != PLAIN;
}

/* ---- decoding ---- */

static ssize_t read_file(struct source *s, void *buffer, size_t size)
{
	ssize_t got;

	do
		got = s->spool ? spool_read(s->spool, buffer, size, s->packing ? -1 : WAIT_MS)
			       : read(s->fd, buffer, size);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		atomic_fetch_add(&s->done, (uint64_t)got);
	return got;
}

/* Reads more input for the decoder if it has none; false at the end of the file or on an error. */
static bool more_input(struct source *s)
{
	ssize_t got;

	if (s->at < s->n)
		return true;
	if (s->input_end)
		return false;
	got = read_file(s, s->input, INPUT);
	if (got < 0)
		s->error = errno;
	s->input_end = got <= 0;
	s->at = 0;
	s->n = got > 0 ? (size_t)got : 0;
	return got > 0;
}

static void damaged(struct source *s, const char *text)
{
	s->end = true;
	s->damage = text;
}

static const char cut_off[] = "the compressed data ends too early: only what comes before was read";
static const char broken[] = "the compressed data is damaged: only what comes before was read";

static const char more_behind[] = "there is more data after the compressed data: skipped";
static const char too_wide[] =
	"the compressed data needs a window of more than 128 MiB (decompress it "
	"with zstd -d --long=31)";

/* A gzip file is any number of members in sequence. */
static size_t gunzip(struct source *s, void *out, size_t size)
{
	z_stream *z = &s->gzip;
	int result;

	z->next_out = out;
	z->avail_out = (unsigned)size;
	while (!s->end && z->avail_out == size) {
		if (!more_input(s)) {
			s->end = true;
			if (s->member && !s->error)
				damaged(s, cut_off);
			break;
		}
		if (!s->member && s->input[s->at] != 0x1f) {
			/* Zeros pad a tape's block. */
			if (s->input[s->at] == 0)
				s->at++;
			else
				damaged(s, more_behind);
			continue;
		}
		s->member = true;
		z->next_in = s->input + s->at;
		z->avail_in = (unsigned)(s->n - s->at);
		result = inflate(z, Z_NO_FLUSH);
		s->at = s->n - z->avail_in;
		if (result == Z_STREAM_END) {
			s->member = false;
			s->ended = true;
			inflateReset(z);
		} else if (result != Z_OK && result != Z_BUF_ERROR) {
			damaged(s, broken);
		}
	}
	return size - z->avail_out;
}

static size_t unzstd(struct source *s, void *out, size_t size)
{
	ZSTD_outBuffer to = { out, size, 0 };

	while (!s->end && to.pos == 0) {
		ZSTD_inBuffer from;
		size_t result;

		/* At the end of the input the decoder may still hold back output. */
		if (!more_input(s) && s->error)
			break;
		from = (ZSTD_inBuffer){ s->input + s->at, s->n - s->at, 0 };
		result = ZSTD_decompressStream(s->zstd, &to, &from);
		s->at += from.pos;
		if (ZSTD_isError(result)) {
			damaged(s, ZSTD_getErrorCode(result) ==
						   ZSTD_error_frameParameter_windowTooLarge
					   ? too_wide
				   : s->ended && !s->member ? more_behind
							    : broken);
			break;
		}
		if (from.pos || to.pos) {
			s->member = result != 0;
			s->ended = s->ended || result == 0;
		}
		if (to.pos == 0 && s->input_end && s->at == s->n) {
			s->end = true;
			if (s->member)
				damaged(s, cut_off);
		}
	}
	return to.pos;
}

static size_t decode(struct source *s, void *out, size_t size)
{
	return s->packing == GZIP ? gunzip(s, out, size) : unzstd(s, out, size);
}

static void decoder_reset(struct source *s)
{
	s->at = s->n = 0;
	s->input_end = s->end = s->member = s->ended = false;
	s->error = 0;
	s->damage = NULL;
	s->done = 0;
	if (s->packing == GZIP)
		inflateReset(&s->gzip);
	else if (s->packing == ZSTD)
		ZSTD_DCtx_reset(s->zstd, ZSTD_reset_session_only);
	if (s->spool)
		spool_rewind(s->spool);
	else if (lseek(s->fd, 0, SEEK_SET) < 0)
		s->error = errno;
}

/* Reads the first bytes, which show how the data is compressed. */
static size_t peek(struct source *s, unsigned char *start, size_t size)
{
	ssize_t got = 1;
	size_t n = 0;

	if (!s->spool) {
		got = pread(s->fd, start, size, 0);
		return got > 0 ? (size_t)got : 0;
	}
	while (n < size && got > 0) {
		got = spool_read(s->spool, start + n, size - n, -1);
		if (got > 0)
			n += (size_t)got;
		else if (got < 0 && errno == EAGAIN)
			got = 1;
	}
	return n;
}

/* ---- the thread ---- */

static void *decode_ahead(void *context)
{
	struct source *s = context;
	bool more = true;

	while (more) {
		struct buffer *buffer;

		pthread_mutex_lock(&s->lock);
		while (!s->stop && s->filled - s->taken == BUFFERS)
			pthread_cond_wait(&s->changed, &s->lock);
		more = !s->stop;
		buffer = &s->buffers[s->filled % BUFFERS];
		pthread_mutex_unlock(&s->lock);
		if (!more)
			break;
		buffer->at = 0;
		buffer->n = decode(s, buffer->bytes, BUFFER);
		more = buffer->n > 0;
		pthread_mutex_lock(&s->lock);
		s->filled += more;
		s->finished = !more;
		pthread_cond_signal(&s->changed);
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

static void thread_begin(struct source *s)
{
	s->filled = s->taken = 0;
	s->stop = s->finished = false;
	for (int i = 0; i < BUFFERS; i++)
		if (!s->buffers[i].bytes)
			s->buffers[i].bytes = xmalloc(BUFFER);
	s->running = pthread_create(&s->thread, NULL, decode_ahead, s) == 0;
	/* Without a thread the caller decodes. */
	s->threaded = s->running;
}

static void thread_end(struct source *s)
{
	if (!s->running)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	s->running = false;
}

/* The oldest filled buffer; NULL at the end. */
static struct buffer *front(struct source *s)
{
	struct buffer *buffer;

	pthread_mutex_lock(&s->lock);
	while (s->filled == s->taken && !s->finished)
		pthread_cond_wait(&s->changed, &s->lock);
	buffer = s->filled == s->taken ? NULL : &s->buffers[s->taken % BUFFERS];
	pthread_mutex_unlock(&s->lock);
	return buffer;
}

static size_t take(struct source *s, char *out, size_t size)
{
	struct buffer *buffer = front(s);

	if (!buffer)
		return 0;
	if (size > buffer->n - buffer->at)
		size = buffer->n - buffer->at;
	memcpy(out, buffer->bytes + buffer->at, size);
	buffer->at += size;
	if (buffer->at == buffer->n) {
		pthread_mutex_lock(&s->lock);
		s->taken++;
		pthread_cond_signal(&s->changed);
		pthread_mutex_unlock(&s->lock);
	}
	return size;
}

/* ---- interface ---- */

struct source *source_new(int fd, bool threaded)
{
	struct source *s = xcalloc(1, sizeof *s);
	unsigned char start[4] = { 0 };
	int error = 0;
	struct stat st;

	s->fd = fd;
	s->threaded = threaded;
	if (lseek(fd, 0, SEEK_SET) < 0 && errno == ESPIPE && !(s->spool = spool_new(fd)))
		error = errno;
	s->packing = packing_of(start, peek(s, start, sizeof start));
	s->size = fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	if (s->packing != PLAIN)
		s->input = xmalloc(INPUT);
	/* 15: the largest window; 16: with a gzip header. */
	if (s->packing == GZIP && inflateInit2(&s->gzip, 15 + 16) != Z_OK)
		mem_exhausted(1 << 15);
	if (s->packing == ZSTD && !(s->zstd = ZSTD_createDCtx()))
		mem_exhausted(1 << 17);
	decoder_reset(s);
	if (error)
		s->error = error;
	return s;
}

void source_free(struct source *s)
{
	if (!s)
		return;
	thread_end(s);
	for (int i = 0; i < BUFFERS; i++)
		free(s->buffers[i].bytes);
	if (s->packing == GZIP)
		inflateEnd(&s->gzip);
	ZSTD_freeDCtx(s->zstd);
	free(s->input);
	spool_free(s->spool);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void source_rewind(struct source *s)
{
	thread_end(s);
	decoder_reset(s);
}

bool source_can_seek(const struct source *s)
{
	return s->packing == PLAIN && !s->spool && !s->error && s->size > 0;
}

void source_seek(struct source *s, uint64_t offset)
{
	s->done = 0;
	if (lseek(s->fd, (off_t)offset, SEEK_SET) < 0)
		s->error = errno;
}

ssize_t source_read(struct source *s, void *buffer, size_t size)
{
	size_t n;

	if (s->packing == PLAIN && !s->error)
		return read_file(s, buffer, size);
	if (s->packing != PLAIN) {
		if (s->threaded && !s->running && s->done == 0)
			thread_begin(s);
		n = s->running ? take(s, buffer, size) : decode(s, buffer, size);
		if (n > 0)
			return (ssize_t)n;
	}
	errno = s->error;
	return s->error ? -1 : 0;
}

uint64_t source_done(const struct source *s)
{
	return s->done;
}

uint64_t source_size(const struct source *s)
{
	return s->size;
}

const char *source_damage(const struct source *s)
{
	return s->damage;
}
