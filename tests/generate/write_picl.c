/* PICL, as tview writes it (doc/format.md): the header, then records merged by time from the
 * streams of all locations. What is held at once is a step of every location. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "output.h"

enum { WORLD_SUBSET = -2, MARK_SENT = -30, MARK_RECEIVED = -60, LINE = 160 };

struct source {
	struct stream *stream;
	const struct happening *next;
	uint32_t rank;
};

struct merge {
	struct source *heap;
	uint32_t n;
};

static bool earlier(const struct source *a, const struct source *b)
{
	if (a->next->time != b->next->time)
		return a->next->time < b->next->time;
	return a->rank < b->rank;
}

/* Lets the source at the top sink to where it belongs. */
static void sink(struct merge *m, uint32_t at)
{
	const struct source moved = m->heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child + 1 < m->n && earlier(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (child >= m->n || !earlier(&m->heap[child], &moved))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moved;
}

static void merge_init(struct merge *m, const struct program *p)
{
	m->n = p->ranks;
	m->heap = xcalloc(p->ranks, sizeof *m->heap);
	for (uint32_t r = 0; r < p->ranks; r++) {
		m->heap[r].stream = stream_new(p, r);
		m->heap[r].next = stream_next(m->heap[r].stream);
		m->heap[r].rank = r;
	}
	for (uint32_t at = p->ranks / 2; at-- > 0;)
		sink(m, at);
}

static void merge_pop(struct merge *m)
{
	struct source *top = m->heap;

	top->next = stream_next(top->stream);
	if (!top->next) {
		stream_free(top->stream);
		*top = m->heap[--m->n];
	}
	sink(m, 0);
}

/* ---- records ---- */

static char *put_number(char *at, uint64_t x)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = (char)('0' + x % 10);
		x /= 10;
	} while (x);
	while (n)
		*at++ = digits[--n];
	return at;
}

static char *put_integer(char *at, int64_t x)
{
	if (x < 0)
		*at++ = '-';
	return put_number(at, x < 0 ? (uint64_t)-x : (uint64_t)x);
}

static char *put_time(char *at, int64_t time)
{
	uint64_t rest = (uint64_t)time % 1000000000;

	at = put_number(at, (uint64_t)time / 1000000000);
	*at = '.';
	for (int i = 9; i > 0; i--, rest /= 10)
		at[i] = (char)('0' + rest % 10);
	return at + 10;
}

static void put_record(FILE *out, int rectype, int type, const struct source *from,
		       const int64_t *data, int n)
{
	char line[LINE], *at = line;

	at = put_integer(at, rectype);
	*at++ = ' ';
	at = put_integer(at, type);
	*at++ = ' ';
	at = put_time(at, from->next->time);
	*at++ = ' ';
	at = put_number(at, from->rank);
	memcpy(at, " 0 ", 3);
	at = put_integer(at + 3, n);
	if (n) {
		memcpy(at, " 2", 2);
		at += 2;
	}
	for (int i = 0; i < n; i++) {
		*at++ = ' ';
		at = put_integer(at, data[i]);
	}
	*at++ = '\n';
	fwrite(line, 1, (size_t)(at - line), out);
}

static int64_t subset_of(uint32_t comm)
{
	return WORLD_SUBSET - (int64_t)comm;
}

/* The communicator of a message: the world is left out, or -1 where something stands behind it. */
static int64_t comm_field(uint32_t comm)
{
	return comm ? subset_of(comm) : -1;
}

/* Enters of regions that are no collective and carry no message, and leaves that know nothing. */
static void put_plain(FILE *out, int rectype, const struct source *from)
{
	const struct region_info *info = &region_info[from->next->region];
	const int64_t site = from->next->region;

	put_record(out, rectype, info->type, from, &site, rectype == -3 && info->role != ROLE_USER);
}

/* A begin becomes the entry with the collective's data, an end the exit. */
static void put_collective(FILE *out, const struct source *from)
{
	const struct happening *h = from->next;
	const struct region_info *info = &region_info[h->region];
	int64_t data[4];
	int n = 0;

	if (h->kind == HAPPEN_END) {
		data[0] = h->received;
		put_record(out, -4, info->type, from, data, info->role != ROLE_BARRIER);
		return;
	}
	if (info->role != ROLE_BARRIER)
		data[n++] = h->bytes;
	if (info->role == ROLE_FROM_ROOT || info->role == ROLE_TO_ROOT)
		data[n++] = h->partner;
	data[n++] = subset_of(h->comm);
	data[n++] = h->region;
	put_record(out, -3, info->type, from, data, n);
}

static void put_message(FILE *out, const struct source *from)
{
	const struct happening *h = from->next;
	const int64_t site = h->region, comm = comm_field(h->comm), request = (int64_t)h->request;
	const int type = region_info[h->region].type;

	switch (h->kind) {
	case HAPPEN_SEND:
	case HAPPEN_ISEND:
		put_record(out, -3, type, from,
			   (int64_t[]){ h->bytes, h->tag, h->partner, -1, comm, site }, 6);
		break;
	case HAPPEN_RECV:
		put_record(out, -4, type, from,
			   (int64_t[]){ h->bytes, h->tag, h->partner, -1, comm },
			   comm == -1 ? 3 : 5);
		break;
	case HAPPEN_IRECV: put_record(out, -4, type, from, &request, 1); break;
	case HAPPEN_ISEND_DONE: put_record(out, -2, MARK_SENT, from, &request, 1); break;
	default:
		put_record(out, -2, MARK_RECEIVED, from,
			   (int64_t[]){ request, h->bytes, h->tag, h->partner, -1, comm },
			   comm == -1 ? 4 : 6);
		break;
	}
}

static void put_asking(FILE *out, const struct source *from)
{
	const struct happening *h = from->next;

	put_record(out, -3, region_info[h->region].type, from,
		   (int64_t[]){ h->tag, h->partner, -1, comm_field(h->comm), h->region }, 5);
}

/* An event of the run as records. Where an enter or a leave shares its record with a message or a
 * collective, that one writes it. `request` keeps the request of an MPI_Isend until its leave. */
static void put_happening(FILE *out, const struct source *from, uint64_t *request)
{
	const struct happening *h = from->next;
	const enum region region = (enum region)h->region;
	const bool meets = region_info[region].role >= ROLE_BARRIER;
	const int64_t isend = (int64_t)*request;

	switch (h->kind) {
	case HAPPEN_ENTER:
		if (region == REGION_RECV || region == REGION_IRECV)
			put_asking(out, from);
		else if (!meets && region != REGION_SEND && region != REGION_ISEND)
			put_plain(out, -3, from);
		break;
	case HAPPEN_LEAVE:
		if (region == REGION_ISEND)
			put_record(out, -4, region_info[region].type, from, &isend, 1);
		else if (!meets && region != REGION_RECV && region != REGION_IRECV)
			put_plain(out, -4, from);
		break;
	case HAPPEN_BEGIN:
	case HAPPEN_END: put_collective(out, from); break;
	default:
		if (h->kind == HAPPEN_ISEND)
			*request = h->request;
		put_message(out, from);
		break;
	}
}

/* ---- the header ---- */

static void put_text(FILE *out, int rectype, int type, const char *text)
{
	fprintf(out, "%d %d -0.000000001 -1 -1 %zu \"%%c\" %s\n", rectype, type, strlen(text),
		text);
}

static void put_regions(FILE *out)
{
	static const char *const classes[] = { "user",       "mpi",        "p2p",       "sync",
					       "collective", "collective", "collective" };
	char text[128];

	for (int i = 0; i < REGIONS; i++) {
		const struct region_info *info = &region_info[i];
		if (info->type > 0 && info->role == ROLE_USER)
			snprintf(text, sizeof text, "tview:region=%d user %d %s", info->type,
				 info->line, source_file);
		else if (info->type > 0)
			snprintf(text, sizeof text, "tview:region=%d %s 0", info->type,
				 classes[info->role]);
		else
			continue;
		put_text(out, -7, -1, text);
	}
	for (int i = 0; i < REGIONS; i++) {
		if (region_info[i].role == ROLE_USER)
			continue;
		snprintf(text, sizeof text, "tview:site=%d %d %s", i, region_info[i].line,
			 source_file);
		put_text(out, -7, -1, text);
	}
}

static void put_comms(FILE *out, const struct program *p)
{
	for (uint32_t comm = 0; comm < program_comm_count(p); comm++) {
		uint32_t first, stride, size;
		program_comm(p, comm, &first, &stride, &size);
		fprintf(out, "-202 -1 -0.000000001 -1 -1 %u 2 %lld", size + 1,
			(long long)subset_of(comm));
		for (uint32_t i = 0; i < size; i++)
			fprintf(out, " %u", first + i * stride);
		fputc('\n', out);
	}
}

static void put_header(FILE *out, const struct program *p)
{
	char text[128];

	for (int i = 0; i < REGIONS; i++)
		put_text(out, -5, region_info[i].type, region_info[i].name);
	put_comms(out, p);
	put_text(out, -7, -1, "tview:format=1.0");
	snprintf(text, sizeof text, "tview:world=%d", WORLD_SUBSET);
	put_text(out, -7, -1, text);
	for (uint32_t comm = 1; comm < program_comm_count(p); comm++) {
		const bool row = comm <= p->rows;
		snprintf(text, sizeof text, "tview:comm=%lld %s %u", (long long)subset_of(comm),
			 row ? "row" : "column", comm - (row ? 1 : 1 + p->rows));
		put_text(out, -7, -1, text);
	}
	for (uint32_t r = 0; r < p->ranks; r++) {
		snprintf(text, sizeof text, "tview:node=%u 0 node%u", r, r / RANKS_PER_NODE);
		put_text(out, -7, -1, text);
	}
	put_regions(out);
}

bool write_picl(const struct program *program, const char *path)
{
	FILE *out = fopen(path, "w");
	uint64_t *requests;
	struct merge merge;
	bool failed;

	if (!out)
		return false;
	requests = xcalloc(program->ranks, sizeof *requests);
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	put_header(out, program);
	merge_init(&merge, program);
	while (merge.n > 0 && !ferror(out)) {
		put_happening(out, &merge.heap[0], &requests[merge.heap[0].rank]);
		merge_pop(&merge);
	}
	for (uint32_t i = 0; i < merge.n; i++)
		stream_free(merge.heap[i].stream);
	free_all(merge.heap, requests);
	failed = ferror(out) != 0;
	return fclose(out) == 0 && !failed;
}
