#include "wire/far_aid.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/lib/carry.h"

/* ---- what far.c and its like call of the recorder ---- */

static struct tv_file file;
struct tv_process tv;
static bool here[] = { true, true, false, false }, there[] = { false, false, true, true };
static struct carry_map near = { .size = FAR_AID_RANKS, .me = 0, .here = here },
			far = { .size = FAR_AID_RANKS, .me = FAR_AID_NODE, .here = there };

uint64_t tv_now_slow(void)
{
	return tv_nanoseconds();
}

const struct carry_map *tv_carry_map(void)
{
	return &near;
}

struct carry_ring *tv_carry_copy(int from)
{
	carry_note_talk(&near, CARRY_SENDS, from, near.me);
	return carry_ring_at(&near, CARRY_SENDS, from, near.me);
}

/* ---- the job ---- */

const uint64_t far_aid_key[2] = { UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210) };
const int16_t far_aid_node_of[] = { -1, -1, 0, 0 };

static char *memory(void)
{
	char *at = aligned_alloc(CARRY_PAGE, carry_map_bytes(FAR_AID_RANKS));

	if (!at)
		abort();
	return memset(at, 0, carry_map_bytes(FAR_AID_RANKS));
}

void far_aid_begin(void)
{
	const struct carry_entry sent = { .time = 4000000000, .comm = 1, .tag = 7 };

	tv.file = &file;
	tv.clock = TV_CLOCK_MONOTONIC;
	tv.microsecond = 1000;
	near.at = memory();
	far.at = memory();
	for (int number = FAR_AID_NODE; number < FAR_AID_RANKS; number++)
		*carry_line_of(&far, number) =
			(struct rank_line){ .seq = 2, .state = RANK_RUNS, .moved = 5000000000 };
	carry_put_entry(carry_ring_at(&far, CARRY_SENDS, 3, 0), sent);
	carry_note_talk(&far, CARRY_SENDS, 3, 0);
}

void far_aid_end(void)
{
	free(near.at);
	free(far.at);
	near.at = far.at = NULL;
}

const struct carry_map *far_aid_there(void)
{
	return &far;
}

void far_aid_tell(struct far_aid_question *q, struct far_told told)
{
	memcpy((char *)q + far_aid_bytes(q), &told, sizeof told);
	q->ask.told++;
}

void far_aid_seal(struct far_aid_question *q, uint64_t challenge)
{
	q->ask.seal = far_seal_of_ask(far_aid_key, challenge, &q->ask, far_aid_bytes(q));
}

struct far_aid_question far_aid_question(uint64_t challenge, unsigned haves)
{
	struct far_aid_question q = {
		.ask = { .magic = FAR_MAGIC,
			 .node = FAR_AID_NODE,
			 .nth = 1,
			 .from = FAR_ALL,
			 .comm = 1,
			 .tag = 7,
			 .until = FAR_NOW,
			 .haves = haves },
		.have = { { .from = 3 }, { .from = 2 } },
	};

	far_aid_seal(&q, challenge);
	return q;
}

/* ---- connections ---- */

struct far_clients *far_aid_clients(uint64_t *strangers)
{
	struct far_clients *all = xcalloc(1, sizeof *all);

	*strangers = 0;
	if (!far_clients_init(all, FAR_AID_NODE, far_aid_key, &far, strangers))
		abort();
	return all;
}

void far_aid_clients_free(struct far_clients *all)
{
	for (int i = 0; i < FAR_CLIENTS + FAR_STRANGERS; i++)
		if (all->client[i].fd >= 0)
			close(all->client[i].fd);
	far_state_fini(&all->state);
	free(all);
}

int far_aid_connect(struct far_clients *all, struct far_client **c)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		abort();
	far_clients_add(all, ends[1]);
	for (*c = all->client; (*c)->fd != ends[1]; (*c)++)
		;
	return ends[0];
}

long far_aid_read(int fd, void *data, size_t bytes)
{
	size_t got = 0;

	while (got < bytes) {
		const ssize_t n = recv(fd, (char *)data + got, bytes - got, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return got || (n < 0 && errno == EAGAIN) ? (long)got : -1;
		got += (size_t)n;
	}
	return (long)got;
}

uint64_t far_aid_hello(int fd)
{
	struct far_hello hello;

	if (far_aid_read(fd, &hello, sizeof hello) != sizeof hello || hello.magic != FAR_MAGIC ||
	    hello.node != FAR_AID_NODE)
		abort();
	return hello.challenge;
}
