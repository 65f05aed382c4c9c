/* libFuzzer target: what comes over the network between nodes (capture/lib/far_wire.h). The first
 * byte says which: bytes of anybody, in pieces; edits of a question of the job, sealed; edits of an
 * answer, of which only its seal is looked at elsewhere. */
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/lib/recorder.h"
#include "harness/fuzz.h"
#include "wire/far_aid.h"

enum { EDIT = 4, ANSWER = 1 << 14 };

/* Two bytes with the place, one with the width and what to do, one with a value. */
static void edit(void *data, size_t bytes, const uint8_t *d)
{
	const size_t width = (size_t)1 << (d[2] & 3), at = (size_t)(d[0] << 8 | d[1]) % bytes;
	uint64_t value = (uint64_t)(int64_t)(int8_t)d[3];

	if (at + width > bytes)
		return;
	if (d[2] & 4)
		value <<= 8 * width - 8;
	memcpy((char *)data + at, &value, width);
}

static void edit_all(void *data, size_t bytes, const uint8_t *edits, size_t size)
{
	for (size_t i = 0; i + EDIT <= size; i += EDIT)
		edit(data, bytes, edits + i);
}

static void stranger(struct far_clients *all, const uint8_t *data, size_t size)
{
	struct far_client *c;
	const int fd = far_aid_connect(all, &c);

	far_aid_hello(fd);
	for (size_t at = 0; at < size && c->fd >= 0;) {
		const size_t n = data[at] % 64 < size - at ? data[at] % 64 + 1u : size - at;
		must(send(fd, data + at, n, MSG_NOSIGNAL) == (ssize_t)n, "it is sent");
		far_clients_hear(all, c);
		at += n;
	}
	must(!c->proven && !c->kept.is, "a stranger is not heeded");
	for (int i = 0; i < FAR_AID_RANKS * FAR_AID_RANKS; i++)
		must(all->state.read[i] == 0, "nothing is learnt from a stranger");
	close(fd);
}

static void asker(struct far_clients *all, const uint8_t *data, size_t size)
{
	struct far_client *c;
	const int fd = far_aid_connect(all, &c);
	const uint64_t challenge = far_aid_hello(fd);
	struct far_aid_question q = far_aid_question(challenge, 2);
	char answer[ANSWER];
	long n;

	far_aid_tell(&q, (struct far_told){ .from = 0, .to = 3, .comm = 1, .at = 5500000000 });
	edit_all(&q, sizeof q, data, size);
	if (q.ask.haves > FAR_AID_RANKS)
		q.ask.haves = FAR_AID_RANKS;
	if (q.ask.told > FAR_AID_TOLD)
		q.ask.told = FAR_AID_TOLD;
	far_aid_seal(&q, challenge);
	must(send(fd, &q, far_aid_bytes(&q), MSG_NOSIGNAL) > 0, "it is sent");
	for (int i = 0; i < 3 && c->fd >= 0 && !c->proven; i++)
		far_clients_hear(all, c);
	must(c->fd < 0 || c->proven, "a sealed question is refused or heeded");
	c->kept.said = 0; /* long ago */
	far_clients_answer(all);
	n = far_aid_read(fd, answer, sizeof answer);
	must(c->fd < 0 ? n == -1 : n >= (long)sizeof(struct far_answer),
	     "it has an answer, or is kept");
	close(fd);
}

/* As far.c uses them. */
static void use(const struct far_parts *parts)
{
	uint64_t sum = 0;

	for (int from = 0; from < FAR_AID_RANKS; from++)
		for (int to = 0; to < FAR_AID_RANKS; to++) {
			const struct far_read *r = far_parts_read(parts, from, to);
			const struct far_ring *ring = far_parts_ring(parts, to % 2, from, to);
			for (uint32_t i = 0; ring && i < ring->n; i++)
				sum += parts->entries[ring->first + i].index +
				       (r && far_is_done(r, parts->entries[ring->first + i].index));
		}
	for (uint32_t i = 0; i < parts->lines_n; i++) {
		const struct rank_line *line = &parts->lines[i].line;
		must(line->peer < FAR_AID_RANKS && line->n <= RANK_WANTED, "a line is in bounds");
		for (unsigned k = 0; line->state == RANK_ALL && k < line->n; k++)
			sum += (uint64_t)far_aid_node_of[line->wanted[k].peer];
	}
	(void)*(volatile uint64_t *)&sum;
}

static void answers(struct far_clients *all, const uint8_t *data, size_t size)
{
	struct far_client *c;
	const int fd = far_aid_connect(all, &c);
	const struct far_aid_question q = far_aid_question(far_aid_hello(fd), 0);
	char *answer = xmalloc(ANSWER);
	struct far_answer *a = (void *)answer;
	struct far_parts parts;
	long n;

	carry_note_talk(far_aid_there(), CARRY_SENDS, 1, 2);
	must(send(fd, &q, sizeof q.ask, MSG_NOSIGNAL) > 0, "it is sent");
	far_clients_hear(all, c);
	far_clients_answer(all);
	n = far_aid_read(fd, answer, ANSWER);
	must(n > (long)sizeof *a && (size_t)n == a->bytes, "a sound question has an answer");
	answer = xrealloc(answer, (size_t)n); /* not a byte more */
	a = (void *)answer;
	edit_all(a, (size_t)n, data, size);
	a->bytes = (uint64_t)n; /* so many were waited for */
	parts = far_parts_of(a);
	if (far_parts_are_sound(a, &parts, far_aid_node_of, 0, FAR_AID_RANKS)) {
		far_parts_sort(&parts);
		use(&parts);
	} else {
		must(size >= EDIT, "an answer that was not changed is sound");
	}
	free(answer);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const kinds[])(struct far_clients *, const uint8_t *,
				     size_t) = { stranger, asker, answers };
	/* As in a run: they stay. */
	static struct far_clients *all;
	static uint64_t strangers;

	if (!all) {
		far_aid_begin();
		all = far_aid_clients(&strangers);
	}
	if (!size)
		return 0;
	kinds[data[0] % 3](all, data + 1, size - 1);
	/* What was not read yet, then its end. */
	for (size_t i = 0; i <= size && all->client[0].fd >= 0; i++)
		far_clients_hear(all, &all->client[0]);
	must(all->client[0].fd < 0 && !all->unproven, "a connection that has ended is closed");
	memset(all->state.read, 0, FAR_AID_RANKS * FAR_AID_RANKS * sizeof *all->state.read);
	return 0;
}
