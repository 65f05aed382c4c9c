#include "capture/run/rankfile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/order.h"

enum { WORLD_MAX = 1 << 22 };

static bool is_home(const struct rankfile *file, const struct tv_chunk *chunk)
{
	const uint64_t home = TV_HEADER_SIZE + (uint64_t)chunk->home * TV_CHUNK_SIZE;

	return (uint64_t)((const char *)chunk - (const char *)file->head) == home;
}

/* Of two chunks with the same thread and serial the first one counts (record.h): the longer one; of
 * two with the same length the mapped one, as a copy may not be whole. */
static int by_thread(const void *a, const void *b)
{
	const struct tv_chunk *x = *(const struct tv_chunk *const *)a;
	const struct tv_chunk *y = *(const struct tv_chunk *const *)b;

	ORDER_BY(x->thread, y->thread);
	ORDER_BY(y->holds, x->holds); /* definitions, then events */
	ORDER_BY(x->serial, y->serial);
	return ORDER(y->used, x->used);
}

static bool is_same(const struct tv_chunk *a, const struct tv_chunk *b)
{
	return a->thread == b->thread && a->holds == b->holds && a->serial == b->serial;
}

/* Sorted, and each serial of a thread once. */
static void sort_chunks(struct rankfile *file, struct rank_chunks *chunks)
{
	size_t n = 0;

	vec_sort(chunks, by_thread);
	for (size_t i = 0; i < chunks->n; i++) {
		const struct tv_chunk *chunk = chunks->data[i], *kept;
		kept = n ? chunks->data[n - 1] : NULL;
		if (!kept || !is_same(kept, chunk))
			chunks->data[n++] = chunk;
		else if (kept->used == chunk->used && is_home(file, chunk))
			chunks->data[n - 1] = chunk;
	}
	chunks->n = n;
}

/* A chunk's rows begin where a row's size is; one without any is of no use. */
static void collect_statistics(struct rankfile *file, const struct tv_chunk *chunk)
{
	if (chunk->used >= 2 * TV_STATISTIC_SIZE)
		vec_push(&file->statistics, chunk);
}

/* The latest one counts. */
static void collect_ledger(struct rankfile *file, const struct tv_chunk *chunk)
{
	const struct tv_chunk **known;

	if (chunk->used < sizeof(struct tv_ledger))
		return;
	vec_each (known, &file->ledgers) {
		if ((*known)->thread != chunk->thread)
			continue;
		if (chunk->serial > (*known)->serial)
			*known = chunk;
		return;
	}
	vec_push(&file->ledgers, chunk);
}

const struct tv_ledger *rankfile_ledger(const struct rankfile *file, uint32_t thread)
{
	for (size_t i = 0; i < file->ledgers.n; i++)
		if (file->ledgers.data[i]->thread == thread)
			return (const void *)file->ledgers.data[i];
	return NULL;
}

/* What a ledger covers was about to be overwritten, and may be so in part. */
static void drop_covered(struct rankfile *file)
{
	size_t n = 0;

	for (size_t i = 0; i < file->chunks.n; i++) {
		const struct tv_chunk *chunk = file->chunks.data[i];
		const struct tv_ledger *ledger = rankfile_ledger(file, chunk->thread);
		if (chunk->holds != TV_HOLDS_EVENTS || !ledger || chunk->serial >= ledger->covers)
			file->chunks.data[n++] = chunk;
	}
	file->chunks.n = n;
}

static void collect(struct rankfile *file, const struct tv_chunk *chunk)
{
	switch (chunk->holds) {
	case TV_HOLDS_ROWS: collect_statistics(file, chunk); break;
	case TV_HOLDS_LEDGER: collect_ledger(file, chunk); break;
	case TV_HOLDS_ORDER: vec_push(&file->choices, chunk); break;
	case TV_HOLDS_EVENTS:
	case TV_HOLDS_DEFINITIONS: vec_push(&file->chunks, chunk); break;
	default: break;
	}
}

/* Numbers are counted in the header before their chunks are in use. A file that does not say so has
 * no more threads than chunks. */
static uint32_t numbers_of(const struct rankfile *file)
{
	const size_t room = (file->size - TV_HEADER_SIZE + TV_CHUNK_SIZE - 1) / TV_CHUNK_SIZE;
	const uint32_t chunks = room < file->head->chunks ? (uint32_t)room : file->head->chunks,
		       said = file->head->threads;
	const uint32_t n = said > chunks ? said : chunks;

	return n < RANK_THREADS_MAX ? n : RANK_THREADS_MAX;
}

/* ---- files that lost records ---- */

/* Makes the last chunk of a file that has lost its end what is there of it; false: nothing in it is
 * lost. A copy is only as long as its contents; one that its process did not live to complete is
 * shorter than the chunk that it was made of, which then counts. */
static bool shorten(const struct tv_chunk *chunk, size_t room)
{
	struct tv_chunk *changed = (struct tv_chunk *)(uintptr_t)chunk;
	struct tv_statistics *rows = (void *)changed;
	bool lost = chunk->used > room;

	if (lost)
		changed->used = room & ~(sizeof(uint64_t) - 1);
	/* The calls that are open are at its end. */
	if (chunk->holds == TV_HOLDS_ROWS && room >= sizeof *rows && rows->open) {
		rows->open = 0;
		lost = true;
	}
	return lost;
}

static bool has(const struct rank_chunks *chunks, const struct tv_chunk *chunk)
{
	for (size_t i = 0; i < chunks->n; i++)
		if (chunks->data[i] == chunk)
			return true;
	return false;
}

/* Places that are given to chunks, but beyond the end. Each thread of a process that was killed may
 * have been about to write into one, and a full disk leaves any number. */
static bool lacks_places(const struct rankfile *file, uint32_t beyond)
{
	const uint32_t state = file->head->state;

	return !(state & TV_FULL) &&
	       beyond > (state & (TV_FINALISED | TV_EXITED) ? 0 : file->head->threads);
}

/* The events of a thread have serials from 0 on; what a ring overwrote is in a ledger. */
static bool has_gap(const struct rankfile *file)
{
	const struct rank_chunks *chunks = &file->chunks;
	uint32_t thread = UINT32_MAX, next = 0;

	if (file->head->ring)
		return false;
	for (size_t i = 0; i < chunks->n; i++) {
		const struct tv_chunk *chunk = chunks->data[i];
		if (chunk->holds != TV_HOLDS_EVENTS)
			continue;
		next = chunk->thread == thread ? next + 1 : 0;
		thread = chunk->thread;
		if (chunk->serial != next)
			return true;
	}
	return false;
}

/* ---- the chunks ---- */

/* Bytes of a chunk that are read: of rows all, as calls that are open are at the end. */
static uint64_t needed(const struct tv_chunk *chunk)
{
	return chunk->holds == TV_HOLDS_ROWS ? TV_CHUNK_SIZE : chunk->used;
}

static void collect_chunks(struct rankfile *file)
{
	const bool look = file->now != UINT64_MAX;
	const uint32_t numbers = numbers_of(file);
	const struct tv_chunk *shortened = NULL;
	size_t at = TV_HEADER_SIZE;
	uint32_t i;

	file->threads = 1; /* the process ran, whatever it recorded */
	for (i = 0; i < file->head->chunks; i++, at += TV_CHUNK_SIZE) {
		const size_t room = file->size > at ? file->size - at : 0;
		const struct tv_chunk *chunk;
		if (room < sizeof *chunk)
			break;
		chunk = (const void *)((const char *)file->head + at);
		if (chunk->used < sizeof *chunk || chunk->used > TV_CHUNK_SIZE ||
		    (look && room < needed(chunk)))
			continue;
		if (chunk->thread >= numbers) {
			if (!file->strange_at)
				file->strange_thread = chunk->thread, file->strange_at = at;
			continue;
		}
		if (room < TV_CHUNK_SIZE && !look && shorten(chunk, room))
			shortened = chunk;
		if (chunk->thread >= file->threads)
			file->threads = chunk->thread + 1;
		collect(file, chunk);
	}
	sort_chunks(file, &file->chunks);
	sort_chunks(file, &file->statistics);
	sort_chunks(file, &file->choices);
	if (!look) {
		file->cut = lacks_places(file, file->head->chunks - i) ||
			    (shortened &&
			     (has(&file->chunks, shortened) || has(&file->statistics, shortened) ||
			      has(&file->choices, shortened)));
		file->gap = has_gap(file);
	}
	if (file->ledgers.n)
		drop_covered(file);
}

/* The row at an offset that the process left; NULL: none is there. */
static struct tv_statistic *row_at(const struct rankfile *file, uint64_t at)
{
	const uint64_t within = at < TV_HEADER_SIZE ? 0 : (at - TV_HEADER_SIZE) % TV_CHUNK_SIZE;
	const struct tv_chunk *chunk;

	if (within < TV_STATISTIC_SIZE || within % TV_STATISTIC_SIZE || at > file->size ||
	    file->size - at < TV_CHUNK_SIZE - within)
		return NULL;
	chunk = (const void *)((const char *)file->head + (at - within));
	if (chunk->holds != TV_HOLDS_ROWS || within + TV_STATISTIC_SIZE > chunk->used)
		return NULL;
	return (struct tv_statistic *)((uintptr_t)chunk + within);
}

const struct tv_statistic *rankfile_row(const struct rankfile *file, uint64_t at)
{
	return row_at(file, at);
}

/* The first chunk of a thread, or of the next one that has any. */
static size_t first_chunk(const struct rank_chunks *chunks, uint32_t thread)
{
	size_t low = 0, high = chunks->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (chunks->data[middle]->thread < thread)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool rankfile_has_thread(const struct rankfile *file, uint32_t thread)
{
	const size_t events = first_chunk(&file->chunks, thread),
		     rows = first_chunk(&file->statistics, thread);

	return thread == 0 ||
	       (events < file->chunks.n && file->chunks.data[events]->thread == thread) ||
	       (rows < file->statistics.n && file->statistics.data[rows]->thread == thread) ||
	       rankfile_ledger(file, thread);
}

const struct tv_statistics *rankfile_statistics(const struct rankfile *file, uint32_t thread)
{
	const size_t at = first_chunk(&file->statistics, thread);
	const struct tv_chunk *chunk;

	if (at == file->statistics.n)
		return NULL;
	chunk = file->statistics.data[at];
	return chunk->thread == thread && chunk->serial == 0 ? (const void *)chunk : NULL;
}

const struct tv_open *rankfile_open_frames(const struct tv_statistics *statistics)
{
	return statistics->open > TV_OPEN_SIZE / sizeof(struct tv_open)
		       ? NULL
		       : (const void *)((const char *)statistics + TV_CHUNK_SIZE - TV_OPEN_SIZE);
}

uint64_t rankfile_statistics_time(const struct tv_file *head, uint64_t tick)
{
	const uint64_t since = tick > head->first_tick ? tick - head->first_tick : 0;

	return head->state & TV_STATISTICS && head->intrusion <= since ? tick - head->intrusion
								       : tick;
}

/* Whether what is open at `i` is open below already. */
static bool open_below(const struct rankfile *file, const struct tv_open *open, uint64_t i,
		       uint64_t place)
{
	while (i-- > 0) {
		const struct tv_statistic *row = row_at(file, open[i].row);
		if (row && row->place == place)
			return true;
	}
	return false;
}

/* What is open ends now, in a process that was killed when it was last heard of; innermost first
 * (capture/lib/open.h). */
static void end_open(struct rankfile *file, const struct tv_chunk *chunk)
{
	const struct tv_statistics *head = (const void *)chunk;
	struct tv_open *open = (struct tv_open *)(uintptr_t)rankfile_open_frames(head);
	const uint64_t end = file->now != UINT64_MAX ? file->now : head->latest;

	if (chunk->serial != 0 || !open)
		return;
	file->latest = end > file->latest ? end : file->latest;
	for (uint64_t i = head->open; i-- > 0;) {
		struct tv_statistic *row = row_at(file, open[i].row);
		const bool begun = open[i].start != 0 && open[i].start <= end;
		const uint64_t took = begun ? end - open[i].start : 0;
		const bool inner = row && open_below(file, open, i, row->place);
		if (i > 0)
			open[i - 1].children += inner ? open[i].children : took;
		if (!row || row->kind == TV_STAT_COMMUNICATION)
			continue;
		if (file->now == UINT64_MAX)
			row->flags |= TV_STAT_LOST;
		row->procedure.inner += inner;
		if (!inner) {
			row->least = row->count == 0 || took < row->least ? took : row->least;
			row->most = took > row->most ? took : row->most;
			row->time += took;
			row->children += open[i].children < took ? open[i].children : took;
		}
		row->count++;
	}
}

static bool check_header(const char *path, const struct tv_file *head, struct err *err)
{
	if (memcmp(head->magic, TV_MAGIC, sizeof head->magic) != 0)
		return err_set(err, STATUS_IO, "%s: not a buffer of a rank (perhaps not finished)",
			       path);
	if (head->version != TV_VERSION || head->header_size != TV_HEADER_SIZE ||
	    head->chunk_size != TV_CHUNK_SIZE || head->calls > TV_CALLS_MAX)
		return err_set(
			err, STATUS_IO,
			"%s: written by version %u of libtvcapture, not %u (use tvrun and library "
			"of one installation)",
			path, head->version, TV_VERSION);
	if (head->world > WORLD_MAX || head->rank >= WORLD_MAX)
		return err_set(
			err, STATUS_IO,
			"%s: names rank %d of %d: damaged, or more ranks than tvrun supports (%d)",
			path, head->rank, head->world, WORLD_MAX);
	return true;
}

int rankfile_descriptor(const char *path, const char *too_short, size_t *size, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		err_errno(err, STATUS_IO, "%s: cannot be read", path);
	else if (st.st_size < TV_HEADER_SIZE)
		err_set(err, STATUS_IO, "%s: %s", path, too_short);
	else {
		*size = (size_t)st.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

struct rankfile *rankfile_open(const char *path, struct err *err)
{
	size_t size;
	const int fd =
		rankfile_descriptor(path, "too short for a buffer (is the file system full?)",
				    &size, err);
	struct rankfile *file;
	void *at;

	if (fd < 0)
		return NULL;
	/* A private mapping, so that the rows of a process that was killed can be completed in
	 * place. */
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	close(fd);
	if (at == MAP_FAILED) {
		err_errno(err, STATUS_IO, "%s: cannot be mapped", path);
		return NULL;
	}
	file = rankfile_of(path, at, size, UINT64_MAX, err);
	if (file)
		file->releases = file->ended = true;
	return file;
}

struct rankfile *rankfile_of(const char *path, void *at, size_t size, uint64_t now, struct err *err)
{
	struct rankfile *file = xcalloc(1, sizeof *file);

	file->head = at;
	file->size = size;
	file->path = xstrdup(path);
	file->slots = xcalloc(TV_WORD_SLOTS, sizeof *file->slots);
	if (!check_header(path, file->head, err)) {
		rankfile_close(file);
		return NULL;
	}
	file->now = now == UINT64_MAX ? now : rankfile_statistics_time(file->head, now);
	collect_chunks(file);
	for (size_t i = 0; i < file->statistics.n; i++)
		end_open(file, file->statistics.data[i]);
	return file;
}

void rankfile_close(struct rankfile *file)
{
	if (!file)
		return;
	munmap((void *)(uintptr_t)file->head, file->size);
	vec_fini(&file->chunks);
	vec_fini(&file->statistics);
	vec_fini(&file->ledgers);
	vec_fini(&file->choices);
	vec_fini(&file->refused);
	free_all(file->slots, file->path, file);
}

void rank_stream_begin(struct rank_stream *s, const struct rankfile *file, uint32_t thread)
{
	*s = (struct rank_stream){ .file = file,
				   .thread = thread,
				   .words = { .slots = file->slots } };
	s->chunk = s->stop = first_chunk(&file->chunks, thread);
	while (s->stop < file->chunks.n && file->chunks.data[s->stop]->thread == thread)
		s->stop++;
}

void rank_stream_again(struct rank_stream *s, size_t chunk)
{
	if (chunk <= s->chunk)
		s->refused = 0;
	s->chunk = chunk;
	s->opened = false;
}

/* Takes a chunk out of memory, which is mapped again where a definition in it is asked for. Chunks
 * of events are never written to. */
static void release(const struct rankfile *file, const struct tv_chunk *chunk)
{
	const size_t at = (size_t)((const char *)chunk - (const char *)file->head);

	if (file->releases && file->size - at >= TV_CHUNK_SIZE)
		madvise((void *)(uintptr_t)chunk, TV_CHUNK_SIZE, MADV_DONTNEED);
}

/* Whether the record is of a call that MPI refused. */
static bool is_refused(struct rank_stream *s, const struct tv_head *head)
{
	const struct rank_refused *r = s->file->refused.data + s->refused;
	const struct rank_refused *end = s->file->refused.data + s->file->refused.n;

	while (r < end &&
	       (r->thread < s->thread || (r->thread == s->thread && head->time > r->until)))
		r++;
	s->refused = (size_t)(r - s->file->refused.data);
	return r < end && r->thread == s->thread && head->time == r->begun &&
	       (head->kind == TV_COLL_BEGIN || (head->kind == TV_SEND && !head->id));
}

const struct tv_head *rank_stream_next(struct rank_stream *s)
{
	while (s->chunk < s->stop) {
		const struct tv_chunk *chunk = s->file->chunks.data[s->chunk];
		const struct tv_head *head;

		if (!s->opened)
			tv_words_begin(&s->words, chunk);
		s->first = !s->opened;
		s->opened = true;
		head = tv_words_next(&s->words, chunk->used);
		if (!head && s->words.at < chunk->used)
			break;
		if (!head) {
			release(s->file, chunk);
			rank_stream_again(s, s->chunk + 1);
			continue;
		}
		if (rank_is_of_run(head) &&
		    (head->time > s->file->now || head->time < s->file->since))
			continue;
		if (s->file->refused.n && is_refused(s, head))
			continue;
		return head;
	}
	if (s->chunk < s->stop)
		s->damaged = true;
	s->chunk = s->stop;
	return NULL;
}

void rank_rows_begin(struct rank_rows *r, const struct rankfile *file)
{
	*r = (struct rank_rows){ .file = file, .at = TV_STATISTIC_SIZE };
}

bool rank_rows_next(struct rank_rows *r, struct tv_statistic *row, uint32_t *thread)
{
	while (r->chunk < r->file->statistics.n) {
		const struct tv_chunk *chunk = r->file->statistics.data[r->chunk];
		if (r->at + TV_STATISTIC_SIZE > chunk->used) {
			r->chunk++;
			r->at = TV_STATISTIC_SIZE;
			continue;
		}
		memcpy(row, (const char *)chunk + r->at, sizeof *row);
		r->at += TV_STATISTIC_SIZE;
		*thread = chunk->thread;
		r->torn += row->seq & 1;
		if (!(row->seq & 1) || r->file->ended)
			return true;
	}
	return false;
}

const void *rank_payload(const struct tv_head *head, size_t least, size_t *length)
{
	const struct tv_define *define = (const void *)head;
	const size_t room = define->size - sizeof *define;
	const size_t n = define->length < room ? define->length : room;

	if (length)
		*length = n;
	return n >= least ? define + 1 : NULL;
}

const char *rank_text(const struct tv_head *head, size_t from)
{
	size_t length;
	const char *text = rank_payload(head, from + 1, &length);

	return text && memchr(text + from, '\0', length - from) ? text + from : NULL;
}
