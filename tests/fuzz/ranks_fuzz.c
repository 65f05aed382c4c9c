/* libFuzzer target: what ranks leave behind, killed at any moment or written by anybody. Bytes are
 * edits of two sound buffers with events and statistics: which buffer and part, where, how many
 * bytes, their value. What is made of them is a trace that holds together, whose program graph
 * holds, too; or a sentence. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/lib/sites.h"
#include "capture/run/merge.h"
#include "capture/run/rankfile.h"
#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "harness/mutate.h"
#include "model/formats/save.h"
#include "model/picl/picl.h"
#include "patterns/graph/graph.h"

enum { RANKS = 2, EVENTS = 1, ROWS = 2, CHUNKS = 3, PARTS = 5, EDIT = 8, PART_MOST = 4096 };

/* Of a buffer only the parts that are not zeros are kept. */
struct part {
	size_t at, n; /* in the file */
	unsigned char bytes[PART_MOST];
};

struct buffer {
	struct part part[PARTS]; /* header, names of calls, events, rows, what is open */
	size_t used;             /* of the events */
};

static size_t chunk_at(int chunk)
{
	return TV_HEADER_SIZE + (size_t)(chunk - 1) * TV_CHUNK_SIZE;
}

/* ---- a sound one ---- */

static void make_header(struct buffer *b, int rank)
{
	struct tv_file *head = (void *)b->part[0].bytes;
	struct tv_call calls[] = { { "MPI_Send", TV_MPI },
				   { "MPI_Recv", TV_MPI },
				   { "MPI_Bcast", TV_MPI },
				   { "tview_buffer", TV_OVERHEAD } };

	b->part[0].n = offsetof(struct tv_file, call);
	b->part[1].at = offsetof(struct tv_file, call);
	b->part[1].n = sizeof calls;
	memcpy(b->part[1].bytes, calls, sizeof calls);
	memcpy(head->magic, TV_MAGIC, sizeof head->magic);
	head->version = TV_VERSION;
	head->header_size = TV_HEADER_SIZE;
	head->chunk_size = TV_CHUNK_SIZE;
	head->chunks = CHUNKS - 1;
	head->clock = TV_CLOCK_TSC;
	head->state = TV_INITIALISED | TV_FINALISED;
	head->rank = rank;
	head->world = RANKS;
	head->pid = 100 + rank;
	head->first_tick = head->first_nano = 1000;
	head->last_tick = head->last_nano = 10000000;
	head->calls = sizeof calls / sizeof *calls;
}

static void *add(struct buffer *b, size_t n)
{
	uint64_t *at = (void *)(b->part[EVENTS + 1].bytes + b->used);

	*at = tv_word(TV_WORD_WHOLE, 0);
	b->used += sizeof *at + n;
	return at + 1;
}

static void word(struct buffer *b, uint64_t value)
{
	memcpy(b->part[EVENTS + 1].bytes + b->used, &value, sizeof value);
	b->used += sizeof value;
}

static void define(struct buffer *b, uint32_t what, uint32_t id, const void *payload, size_t n,
		   const char *text)
{
	const size_t length = n + strlen(text) + 1,
		     size = (sizeof(struct tv_define) + length + 15) & ~(size_t)15;
	struct tv_define *d = add(b, size);

	d->head = (struct tv_head){ .kind = TV_DEFINE, .call = (uint16_t)what, .id = id };
	d->size = (uint32_t)size;
	d->length = (uint32_t)length;
	memcpy(d + 1, payload, n);
	memcpy((char *)(d + 1) + n, text, strlen(text) + 1);
}

static void define_all(struct buffer *b, int rank)
{
	const struct tv_def_comm world = { .flags = TV_COMM_WORLD, .size = RANKS, .rank = rank };
	const int32_t pair[] = { 0, RANKS, rank, 0, 0, 1 }, cart[] = { 1, 2, 0 },
		      grid[] = { 1, 2, 2, 1 }, place[] = { 1, 1, rank };
	const struct tv_def_sites sites = { 0, 0, 1024 };
	const struct tv_def_module module = { 0x10000, 0x10000, 0x20000 };
	const struct tv_def_offset offset = { 1, 0, 2000, 2100, 2200, 3 };

	define(b, TV_DEF_COMM, 0, &world, sizeof world, "");
	define(b, TV_DEF_COMM, 1, pair, sizeof pair, "");
	define(b, TV_DEF_COMM_NAME, 1, "", 0, "pair");
	define(b, TV_DEF_CART, 1, cart, sizeof cart, "");
	define(b, TV_DEF_GRID, 0, grid, sizeof grid, "grid");
	define(b, TV_DEF_PLACE, 0, place, sizeof place, "grid");
	define(b, TV_DEF_STRING, 1, "", 0, "phase");
	define(b, TV_DEF_PROPERTY, 0, "", 0, "mpi=none");
	define(b, TV_DEF_SITES, 1, &sites, sizeof sites, "tests/fuzz/ranks/object");
	define(b, TV_DEF_MODULE, 0, &module, sizeof module, "/nonexistent");
	define(b, TV_DEF_OFFSET, 0, &offset, sizeof offset, "");
}

static void head(struct buffer *b, uint64_t time, enum tv_kind kind, uint16_t call, uint32_t id)
{
	struct tv_head *h = add(b, sizeof *h);

	*h = (struct tv_head){ .time = time, .kind = (uint8_t)kind, .call = call, .id = id };
}

static void function(struct buffer *b, uint64_t time, uint64_t what)
{
	struct tv_function *f = add(b, sizeof *f);

	*f = (struct tv_function){ time, what };
}

/* One of each family of records of one-sided communication. */
static void make_accesses(struct buffer *b)
{
	static const struct {
		uint32_t id;
		uint8_t what;
	} all[] = { { 1, TV_RMA_CREATE }, { 0, TV_RMA_START },      { 7, TV_RMA_PUT },
		    { 0, TV_RMA_GET },    { 0, TV_RMA_ACCUMULATE }, { 0, TV_RMA_EPOCH_COMPLETE },
		    { 1, TV_RMA_LOCK },   { 0, TV_RMA_FLUSH },      { 0, TV_RMA_UNLOCK },
		    { 0, TV_RMA_FENCE },  { 1, TV_RMA_FREE } };
	const int32_t group[] = { 0, 1, -1, 0, 1 };
	const struct tv_def_window window = { .comm = 1 };
	uint64_t time = 5000;

	define(b, TV_DEF_WINDOW, 0, &window, sizeof window, "");
	define(b, TV_DEF_WINDOW_NAME, 0, "", 0, "window");
	define(b, TV_DEF_GROUP, 0, group, sizeof group, "");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct tv_rma *r;
		head(b, time, TV_RMA_BEGIN, 0, 0);
		r = add(b, sizeof *r);
		*r = (struct tv_rma){ { time += 10, TV_RMA, all[i].what, 0, all[i].id },
				      tv_size_make(8, 1),
				      tv_size_make(8, 0) };
	}
	head(b, time, TV_RMA_COMPLETE, 0, 7);
}

/* A function that is entered and left, and a request that is begun and tested. */
static void make_words(struct buffer *b)
{
	word(b, (uint64_t)TV_WORD_TIME << TV_WORD_AT | 2900);
	word(b, tv_word(TV_WORD_SLOT, 1024));
	word(b, 0x10100u << 8 | TV_FUNCTION_ENTER);
	word(b, tv_word(TV_WORD_RECORD, 1024) | 10);
	word(b, tv_word(TV_WORD_LEFT, 1024) | 10);
	word(b, tv_word(TV_WORD_SLOT, 3));
	word(b, TV_RECV_REQUEST);
	word(b, 1 | UINT64_C(7) << 32);
	word(b, tv_size_make(100, 1));
	word(b, (uint64_t)TV_WORD_NUMBER << TV_WORD_AT | 5);
	word(b, tv_word(TV_WORD_NEXT, 3) | 10);
	word(b, tv_word(TV_WORD_SLOT, 4));
	word(b, TV_REQUEST_TEST);
	word(b, tv_word(TV_WORD_BACK, 4) | UINT64_C(0) << TV_WORD_BACK_AT | 10);
	word(b, tv_word(TV_WORD_HEAD, 0) | (uint64_t)TV_THREAD_END << TV_WORD_BACK_AT);
}

static void make_events(struct buffer *b, int rank)
{
	const uint16_t call = (uint16_t)rank;
	struct tv_enter *enter;
	struct tv_message *message;
	struct tv_collective *collective;

	make_words(b);
	function(b, 3000, tv_site_make(TV_SITE_ENTER, 1, 1, 0));
	function(b, 3100, 0x10100u << 8 | TV_FUNCTION_ENTER);
	head(b, 3200, TV_USER_ENTER, 0, 1);
	for (uint64_t t = 3300; t < 3600; t += 100) {
		enter = add(b, sizeof *enter);
		*enter = (struct tv_enter){ { t, TV_ENTER, 0, call, 0 }, tv_place_site(1, 3), 0 };
		message = add(b, sizeof *message);
		*message = (struct tv_message){ { t + (uint64_t)rank * 40, rank ? TV_RECV : TV_SEND,
						  0, call, 0 },
						!rank,
						7,
						tv_size_make(100, 1) };
		head(b, t + 50, TV_LEAVE, call, 0);
	}
	enter = add(b, sizeof *enter);
	*enter = (struct tv_enter){ { 4000, TV_ENTER, 0, 2, 0 }, 0x10200, 0 };
	collective = add(b, sizeof *collective);
	*collective = (struct tv_collective){ { 4000, TV_COLL_BEGIN, 0, 2, 0 }, 8, 8 };
	head(b, 4100, TV_COLL_END, 2, 0);
	head(b, 4200, TV_LEAVE, 2, 0);
	head(b, 4300, TV_USER_LEAVE, 0, 1);
	function(b, 4400, 0x10100u << 8 | TV_FUNCTION_LEAVE);
	function(b, 4500, tv_site_make(TV_SITE_LEAVE, 1, 1, 0));
	make_accesses(b);
}

static void make_rows(struct buffer *b, int rank)
{
	static const uint64_t places[] = { TV_PLACE_SITE | UINT64_C(1) << 32 | 1,
					   TV_PLACE_SITE | UINT64_C(1) << 32 | 2,
					   TV_PLACE_SITE | UINT64_C(1) << 32 | 3,
					   TV_PLACE_REGION | 1,
					   0x10100,
					   0x10200,
					   0 };
	static const uint8_t kinds[] = { 1, 2, 3, 1, 1, 3, 3 };
	struct part *part = &b->part[ROWS + 1], *open = &b->part[ROWS + 2];
	struct tv_statistics *head_of = (void *)part->bytes;
	struct tv_open *stack = (void *)open->bytes;

	part->n = sizeof places / sizeof *places + 1;
	part->n *= TV_STATISTIC_SIZE;
	head_of->chunk = (struct tv_chunk){ .used = part->n, .holds = TV_HOLDS_ROWS };
	head_of->at = part->at;
	head_of->latest = 9000;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct tv_statistic *row = (void *)(part->bytes + (i + 1) * TV_STATISTIC_SIZE);
		*row = (struct tv_statistic){ .seq = 2,
					      .kind = kinds[i],
					      .call = kinds[i] == 3 ? (uint16_t)rank : 0,
					      .place = places[i],
					      .from = places[i] == 0x10100 ? 0x10180 : 0,
					      .count = 3,
					      .time = 1000,
					      .children = 500,
					      .least = 100,
					      .most = 800 };
		if (kinds[i] == 2)
			row->loop.iterations = 30, row->loop.quickest = 160,
			row->loop.slowest = 900;
		else if (kinds[i] == 3)
			row->communication.peer = !rank, row->communication.sync = 300,
			row->communication.trans = 600, row->communication.carried = 3,
			row->communication.sent = 300;
	}
	for (size_t i = 0; i < 2; i++)
		stack[i] = (struct tv_open){ .start = 2000 + i * 100,
					     .row = part->at + (i + 1) * TV_STATISTIC_SIZE };
	open->n = 2 * sizeof *stack;
}

static void make_sound(struct buffer *b, int rank)
{
	struct tv_chunk *chunk = (void *)b->part[EVENTS + 1].bytes;

	memset(b, 0, sizeof *b);
	b->part[EVENTS + 1].at = chunk_at(EVENTS);
	b->part[ROWS + 1].at = chunk_at(ROWS);
	b->part[ROWS + 2].at = chunk_at(ROWS) + TV_CHUNK_SIZE - TV_OPEN_SIZE;
	make_header(b, rank);
	b->used = sizeof *chunk;
	define_all(b, rank);
	make_events(b, rank);
	chunk->used = b->part[EVENTS + 1].n = b->used;
	make_rows(b, rank);
}

/* ---- edits ---- */

/* A byte with buffer and part, two with the place, one with the width and what to do, four with a
 * value. */
static void edit(struct buffer *buffers, const uint8_t *d)
{
	struct part *part = &buffers[d[0] % RANKS].part[d[0] / RANKS % PARTS];
	const size_t width = (size_t)1 << (d[3] & 3);
	const size_t at = (size_t)(d[1] << 8 | d[2]) % (part->n + 64) / width * width;
	int32_t value;
	uint64_t wide;

	memcpy(&value, d + 4, sizeof value);
	wide = (uint64_t)(int64_t)value;
	/* Large ones, too. */
	if (d[3] & 4)
		wide <<= 32;
	if (at < 8 && part->at == 0) /* the magic word */
		return;
	if (at + width > sizeof part->bytes)
		return;
	if (at + width > part->n)
		part->n = at + width;
	if (d[3] & 8) {
		uint64_t old = 0;
		memcpy(&old, part->bytes + at, width);
		wide += old;
	}
	memcpy(part->bytes + at, &wide, width);
}

static void write_buffer(const struct buffer *b, const char *path, size_t size)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
		abort();
	for (int i = 0; i < PARTS; i++) {
		const struct part *part = &b->part[i];
		const size_t n = part->at >= size            ? 0
				 : part->n > size - part->at ? size - part->at
							     : part->n;
		if (n && pwrite(fd, part->bytes, n, (off_t)part->at) != (ssize_t)n)
			abort();
	}
	close(fd);
}

/* ---- what is made of them ---- */

/* Writing a trace and its graph cost as much as merging does: what each input is tried with, it says. */
static void look_at(struct trace *trace, unsigned choice)
{
	const struct graph_options whole = {
		.base = BASE_MEASURED, .t0 = INT64_MIN, .t1 = INT64_MAX, .records = true, .jobs = 1
	};
	const struct save_options all = { BASE_MEASURED, INT64_MIN, INT64_MAX, NULL };
	struct err err = ERR_INIT;

	must_be_sound(trace_broken(trace));
	if (choice == 0) {
		struct graph *graph = graph_new(trace, &whole, NULL, &err);
		must(graph != NULL, "there is a graph");
		graph_free(graph);
	} else if (choice == 1) {
		FILE *null = fopen("/dev/null", "w");
		must(null && picl_write(trace, null, &all, NULL, NULL), "it can be written");
		fclose(null);
	}
}

static struct buffer sound[RANKS];
static char folder[FUZZ_FOLDER], path[RANKS][FUZZ_FOLDER + 16];

static void clean_up(void)
{
	for (int rank = 0; rank < RANKS; rank++)
		unlink(path[rank]);
	rmdir(folder);
}

static void begin(void)
{
	fuzz_folder(folder);
	for (int rank = 0; rank < RANKS; rank++) {
		make_sound(&sound[rank], rank);
		snprintf(path[rank], sizeof path[rank], "%s/%d.tvrank", folder, rank);
	}
	atexit(clean_up);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_records(data, size, most, seed, 1, EDIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct buffer buffers[RANKS];
	struct merge_options options = { .folder = folder, .jobs = 1, .insitu = true };
	struct merge_summary summary;
	struct err err = ERR_INIT;
	struct trace *trace;

	if (!folder[0])
		begin();
	options.anonymous = size && *data & 1;
	memcpy(buffers, sound, sizeof buffers);
	for (size_t i = 1; i + EDIT <= size && i < 64 * EDIT; i += EDIT)
		edit(buffers, data + i);
	for (int rank = 0; rank < RANKS; rank++) {
		const bool cut = size > 1 && (*data >> (1 + rank) & 1);
		write_buffer(&buffers[rank], path[rank],
			     chunk_at(CHUNKS) -
				     (cut ? ((size_t)data[size - 1] << 13) % chunk_at(CHUNKS) : 0));
	}
	trace = merge_ranks("run.trc", &options, &summary, &err);
	must(trace || summary.passed_over || err.text[0] || summary.files == RANKS,
	     "what is refused is told");
	if (size == 0)
		must(trace && summary.records == 14 && summary.ranks == RANKS &&
			     !summary.passed_over && !summary.wrong_grids,
		     "sound buffers are taken");
	if (trace)
		look_at(trace, fuzz_choice(data, size, 4));
	trace_free(trace);
	return 0;
}
