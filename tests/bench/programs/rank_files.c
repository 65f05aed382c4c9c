/* rank_files: writes the files that the ranks of a run leave to be merged, the same for the same
 * arguments, so that a merge of any size can be measured without running a program.
 *
 *	rank_files FOLDER RANKS EVENTS [messages]
 *
 * An iteration: two visits of a function with three of another inside, MPI_Irecv from the left,
 * MPI_Send to the right, MPI_Wait; every sixteenth time an MPI_Allreduce. `messages`: calls of MPI
 * alone, two MPI_Irecv, two MPI_Isend, an MPI_Waitall; every eighth time an MPI_Bcast. Messages
 * arrive after they are sent. Prints "events N". */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/lib/operands.h"
#include "capture/lib/record_words.h"

enum { IRECV, ISEND, SEND, WAIT, WAITALL, ALLREDUCE, BCAST, CALLS };
enum { ROUND = 4000, FUNCTIONS = 2, ROOM = 1024 };

/* A rank's file under way. Times are nanoseconds. */
struct file {
	FILE *out;
	int rank, ranks;
	uint64_t *chunk, *at; /* TV_CHUNK_SIZE bytes */
	uint32_t serial;
	struct tv_wording wording;
	uint32_t slot[FUNCTIONS]; /* in this chunk, 0: none yet */
	uint64_t events, time, seed;
	uint32_t request;
};

/* Their addresses are in the records; they only have to be different lines. */
static __attribute__((noinline, used)) int row(int x)
{
	return x * 3 + (x >> 1);
}

static __attribute__((noinline, used)) int leaf(int x)
{
	return x ^ (x << 2);
}

static uint64_t main_address(int at)
{
	return (uint64_t)(uintptr_t)row + 1 + (uint64_t)at % 8;
}

/* ---- chunks ---- */

static void begin_chunk(struct file *f)
{
	struct tv_chunk *head = (void *)f->chunk;

	memset(f->chunk, 0, TV_CHUNK_SIZE);
	head->serial = head->home = f->serial++;
	f->at = f->chunk + sizeof *head / sizeof *f->chunk;
	tv_words_forget(&f->wording, true);
	memset(f->slot, 0, sizeof f->slot);
}

static void end_chunk(struct file *f)
{
	struct tv_chunk *head = (void *)f->chunk;

	head->used = (uint64_t)((char *)f->at - (char *)f->chunk);
	fwrite(f->chunk, 1, TV_CHUNK_SIZE, f->out);
}

static void have_room(struct file *f)
{
	if ((char *)f->at - (char *)f->chunk <= TV_CHUNK_SIZE - ROOM)
		return;
	end_chunk(f);
	begin_chunk(f);
}

/* ---- records ---- */

static uint64_t chance(struct file *f, uint64_t below)
{
	f->seed ^= f->seed << 13;
	f->seed ^= f->seed >> 7;
	f->seed ^= f->seed << 17;
	return f->seed % below;
}

static void define(struct file *f, uint32_t what, const void *payload, size_t n, const char *text)
{
	const size_t length = n + strlen(text) + 1,
		     size = (sizeof(struct tv_define) + length + 15) & ~(size_t)15;
	struct tv_define d = { .head = { .kind = TV_DEFINE, .call = (uint16_t)what },
			       .size = (uint32_t)size,
			       .length = (uint32_t)length };

	*f->at++ = tv_word(TV_WORD_WHOLE, 0);
	memcpy(f->at, &d, sizeof d);
	memcpy((char *)f->at + sizeof d, payload, n);
	memcpy((char *)f->at + sizeof d + n, text, strlen(text) + 1);
	f->at += size / sizeof *f->at;
}

static void visit(struct file *f, int which, bool enter)
{
	const uint64_t address = (uint64_t)(uintptr_t)(which ? leaf : row);

	have_room(f);
	f->time += 30 + chance(f, 60);
	if (!f->slot[which]) {
		const struct tv_contents is = { tv_function_make(address, 0), 0, 0, 0 };
		f->slot[which] = f->wording.slots++;
		f->at = tv_words_define(&f->wording, f->at, f->slot[which], &is);
	}
	f->at = tv_words_put(&f->wording, f->at, f->time,
			     tv_word(enter ? TV_WORD_RECORD : TV_WORD_LEFT, f->slot[which]));
	f->events++;
}

/* A record that a slot's contents and maybe a request make. */
static void put(struct file *f, uint64_t what, uint64_t second, uint64_t third, uint32_t request)
{
	uint32_t slot;

	f->at = tv_words_slot(&f->wording, f->at, what, second, third, &slot);
	f->at = tv_words_put_numbered(&f->wording, f->at, f->time, slot, request);
	f->events++;
}

static void enter(struct file *f, uint32_t call)
{
	have_room(f);
	f->time += 40 + chance(f, 40);
	put(f, TV_ENTER | call << 16, main_address((int)call), 0, 0);
}

static void leave(struct file *f, uint32_t call)
{
	f->time += 60 + chance(f, 80);
	f->at = tv_words_put(&f->wording, f->at, f->time,
			     tv_word(TV_WORD_HEAD, call) | (uint64_t)TV_LEAVE << TV_WORD_BACK_AT);
	f->events++;
}

/* A message to or from the rank so many to the right. */
static void message(struct file *f, uint32_t kind, uint32_t call, int right, uint32_t request)
{
	const uint32_t peer = (uint32_t)(f->rank + right + f->ranks) % (uint32_t)f->ranks;

	f->time += 10;
	put(f, kind | call << 16, peer, tv_size_make(kind == TV_RECV_REQUEST ? 0 : 4096, 0),
	    request);
}

static void collective(struct file *f, uint32_t call, uint32_t root)
{
	const uint32_t operands =
		tv_operands_make(TV_TYPE_DOUBLE,
				 root == TV_NO_ROOT ? TV_OPERATION_SUM : TV_OPERAND_NONE);

	enter(f, call);
	f->time += 10;
	put(f, TV_COLL_BEGIN | call << 16, tv_size_make(8, root), tv_size_make(8, operands), 0);
	f->time += 200;
	put(f, TV_COLL_END | call << 16, 0, 0, 0);
	leave(f, call);
}

/* All ranks pass this point of the round together. */
static void until(struct file *f, uint64_t round, uint64_t at)
{
	f->time = round * ROUND + at + chance(f, 100);
}

static void round_of_functions(struct file *f, uint64_t i)
{
	until(f, i, 0);
	for (int visits = 0; visits < 2; visits++) {
		visit(f, 0, true);
		for (int inside = 0; inside < 3; inside++) {
			visit(f, 1, true);
			visit(f, 1, false);
		}
		visit(f, 0, false);
	}
	enter(f, IRECV);
	message(f, TV_RECV_REQUEST, IRECV, -1, ++f->request);
	leave(f, IRECV);
	enter(f, SEND);
	message(f, TV_SEND, SEND, 1, 0);
	leave(f, SEND);
	until(f, i, 2400);
	enter(f, WAIT);
	message(f, TV_RECV, WAIT, -1, f->request);
	leave(f, WAIT);
	until(f, i, 3000);
	if (i % 16 == 15)
		collective(f, ALLREDUCE, TV_NO_ROOT);
}

static void round_of_messages(struct file *f, uint64_t i)
{
	static const int sides[] = { -1, 1 };
	const uint32_t first = f->request + 1;

	until(f, i, 0);
	f->request += 4;
	for (uint32_t side = 0; side < 2; side++) {
		enter(f, IRECV);
		message(f, TV_RECV_REQUEST, IRECV, sides[side], first + side);
		leave(f, IRECV);
	}
	for (uint32_t side = 0; side < 2; side++) {
		enter(f, ISEND);
		message(f, TV_SEND, ISEND, sides[side], first + 2 + side);
		leave(f, ISEND);
	}
	until(f, i, 2000);
	enter(f, WAITALL);
	for (uint32_t side = 0; side < 2; side++)
		message(f, TV_RECV, WAITALL, sides[side], first + side);
	for (uint32_t side = 0; side < 2; side++)
		put(f, TV_SEND_COMPLETE | WAITALL << 16, 0, 0, first + 2 + side);
	leave(f, WAITALL);
	until(f, i, 3000);
	if (i % 8 == 7)
		collective(f, BCAST, 0);
}

/* ---- a file ---- */

static int find_module(struct dl_phdr_info *info, size_t size, void *module)
{
	struct tv_def_module *m = module;

	(void)size;
	m->bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			m->start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			m->end = m->start + info->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

static void write_header(struct file *f)
{
	static union {
		struct tv_file head;
		char bytes[TV_HEADER_SIZE];
	} h;

	h.head = (struct tv_file){ .version = TV_VERSION,
				   .header_size = TV_HEADER_SIZE,
				   .chunk_size = TV_CHUNK_SIZE,
				   .chunks = f->serial,
				   .clock = TV_CLOCK_MONOTONIC,
				   .state = TV_INITIALISED | TV_FINALISED | TV_EXITED,
				   .rank = f->rank,
				   .world = f->ranks,
				   .pid = 1000 + f->rank,
				   .threads = 1,
				   .first_tick = 1000,
				   .first_nano = 1000,
				   .last_tick = f->time,
				   .last_nano = f->time,
				   .job = { 1, 1 },
				   .host = "node",
				   .node = "node",
				   .calls = CALLS,
				   .call = { [IRECV] = { "MPI_Irecv", TV_MPI },
					     [ISEND] = { "MPI_Isend", TV_MPI },
					     [SEND] = { "MPI_Send", TV_MPI },
					     [WAIT] = { "MPI_Wait", TV_MPI },
					     [WAITALL] = { "MPI_Waitall", TV_MPI },
					     [ALLREDUCE] = { "MPI_Allreduce", TV_MPI },
					     [BCAST] = { "MPI_Bcast", TV_MPI } } };
	memcpy(h.head.magic, TV_MAGIC, sizeof h.head.magic);
	rewind(f->out);
	fwrite(&h, 1, sizeof h, f->out);
}

static void write_rank(struct file *f, uint64_t events, bool messages)
{
	const struct tv_def_comm world = { .flags = TV_COMM_WORLD,
					   .size = f->ranks,
					   .rank = f->rank };
	struct tv_def_module module = { 0, 0, 0 };
	char self[4096];

	write_header(f);
	begin_chunk(f);
	dl_iterate_phdr(find_module, &module);
	define(f, TV_DEF_COMM, &world, sizeof world, "");
	define(f, TV_DEF_MODULE, &module, sizeof module,
	       realpath("/proc/self/exe", self) ? self : "");
	for (uint64_t i = 1; f->events < events; i++)
		if (messages)
			round_of_messages(f, i);
		else
			round_of_functions(f, i);
	have_room(f);
	put(f, TV_THREAD_END, 0, 0, 0);
	end_chunk(f);
	write_header(f);
}

int main(int argc, char **argv)
{
	const int ranks = argc > 3 ? atoi(argv[2]) : 0;
	const uint64_t events = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	static uint64_t chunk[TV_CHUNK_SIZE / sizeof(uint64_t)];
	static struct tv_contents known[TV_WORD_KNOWN];
	uint64_t all = 0;

	if (ranks < 2 || argc > 5) {
		fputs("usage: rank_files FOLDER RANKS EVENTS [messages]\n", stderr);
		return 2;
	}
	mkdir(argv[1], 0777);
	for (int rank = 0; rank < ranks; rank++) {
		struct file f = { .rank = rank,
				  .ranks = ranks,
				  .chunk = chunk,
				  .seed = 88172645463325252u + (uint64_t)rank,
				  .wording = { .known = known } };
		char path[4096];
		snprintf(path, sizeof path, "%s/%d.tvrank", argv[1], rank);
		f.out = fopen(path, "wb");
		if (!f.out) {
			perror(path);
			return 1;
		}
		write_rank(&f, events / (uint64_t)ranks, argc == 5);
		if (fclose(f.out) != 0)
			return 1;
		all += f.events;
	}
	printf("events %llu\n", (unsigned long long)all);
	return 0;
}
