#define _GNU_SOURCE
#include "capture/lib/far.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/lib/carry.h"
#include "capture/lib/far_clock.h"
#include "capture/lib/far_parts.h"

enum {
	CONNECT_MS = 1000, /* until an address counts as one that does not answer */
	ANSWER_MS = 10000, /* the same of a question; the other side waits for a tenth of that */
	CLOCKS = 8,        /* exchanges at first, for the clock alone */
	LARGEST = 1 << 30, /* bytes of an answer */
};

struct node {
	struct far_card card;
	int fd;
	uint64_t challenge;
	uint32_t asked, answered; /* questions */
	uint64_t left;            /* ticks: the latest */
	struct far_clock clock;
	bool same;
	uint64_t seen; /* ticks of this node: when lines were read */
	struct buffer {
		char *data;
		size_t room;
	} comes, kept;          /* the answer under way, and the latest of all its ranks */
	size_t got;             /* of the first */
	struct far_parts parts; /* of the second */
};

static struct {
	struct node *node;
	int n;
	int16_t *node_of;      /* [map.size] -1: this node */
	struct far_line *line; /* [map.size] */
	uint64_t key[2];
	struct { /* the latest question */
		struct far_ask ask;
		struct far_have have[TV_CARRY_RANKS];
	} question;
	bool used, lost, begun;
} far;

void tv_far_join(const struct far_card *cards, int n, const uint64_t key[2])
{
	const struct carry_map *map = tv_carry_map();
	const size_t size = (size_t)map->size;

	far.node = calloc((size_t)n, sizeof *far.node);
	far.node_of = malloc(size * sizeof *far.node_of);
	far.line = calloc(size, sizeof *far.line);
	if (!far.node || !far.node_of || !far.line)
		return;
	memcpy(far.key, key, sizeof far.key);
	for (int number = 0; number < map->size; number++) {
		int at = 0;
		far.node_of[number] = -1;
		if (map->here[number])
			continue;
		while (at < far.n && far.node[at].card.node != cards[number].node)
			at++;
		if (at == far.n)
			far.node[far.n++] = (struct node){ .card = cards[number], .fd = -1 };
		far.node_of[number] = (int16_t)at;
		far.line[number].line.state = RANK_CALLS;
	}
	far.used = far.n > 0;
}

bool tv_far_is_used(void)
{
	return far.used;
}

bool tv_far_is_lost(void)
{
	return far.lost;
}

static void lose(struct node *node)
{
	if (node->fd >= 0)
		close(node->fd);
	node->fd = -1;
	far.lost = true;
}

/* ---- clocks ---- */

static int64_t offset_of(const struct node *node)
{
	return far_clock_ahead(&node->clock);
}

int64_t tv_far_error(void)
{
	const uint64_t now = tv_now();
	int64_t largest = 0, second = 0;

	for (int i = 0; i < far.n; i++) {
		const int64_t error = far_clock_error(&far.node[i].clock, now);
		if (error > largest) {
			second = largest;
			largest = error;
		} else if (error > second) {
			second = error;
		}
	}
	return largest + second;
}

bool tv_far_is_one(int number, int other)
{
	return !far.used || far.node_of[number] == far.node_of[other];
}

/* ---- questions ---- */

static bool is_ready(int fd, short events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n;

	while ((n = poll(&p, 1, ms)) < 0 && errno == EINTR)
		;
	return n > 0;
}

/* Which messages of the node's ranks this one has taken. */
static size_t collect_haves(const struct node *node)
{
	const struct carry_map *map = tv_carry_map();
	size_t n = 0;

	for (int from = 0; from < map->size; from++) {
		uint64_t read;
		if (far.node_of[from] != node - far.node ||
		    !carry_has_talked(map, CARRY_SENDS, from, map->me))
			continue;
		read = __atomic_load_n(&carry_ring_at(map, CARRY_SENDS, from, map->me)->read,
				       __ATOMIC_RELAXED);
		if (read != CARRY_UNKNOWN)
			far.question.have[n++] =
				(struct far_have){ .from = (int16_t)from, .read = read };
	}
	return n;
}

static bool ask(struct node *node, struct far_ask question, uint64_t *counted)
{
	struct far_ask *ask = &far.question.ask;
	size_t bytes;

	*ask = question;
	ask->magic = FAR_MAGIC;
	ask->node = (int16_t)node->card.node;
	ask->me = (int16_t)tv_carry_map()->me;
	ask->nth = ++node->asked;
	ask->haves = collect_haves(node);
	bytes = sizeof *ask + ask->haves * sizeof(struct far_have);
	ask->seal = far_seal_of_ask(far.key, node->challenge, ask, bytes);
	(*counted)++;
	node->left = tv_now();
	/* Small against a socket's buffer. */
	if (send(node->fd, &far.question, bytes, MSG_NOSIGNAL) == (ssize_t)bytes)
		return true;
	lose(node);
	return false;
}

/* ---- answers ---- */

/* Messages to this rank go into its copy of the ring, from which they are taken as those of its own
 * node. */
static void copy_ring(const struct node *node, const struct far_ring *r,
		      const struct far_entry *entries)
{
	struct carry_ring *copy = tv_carry_copy(r->from);

	if (!copy)
		return;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct far_entry *e = &entries[r->first + i];
		struct carry_entry entry = e->entry;
		if (e->index < copy->written)
			continue;
		if (e->index > copy->written)
			__atomic_store_n(&copy->written, e->index, __ATOMIC_RELEASE);
		entry.time -= (uint64_t)offset_of(node);
		entry.taken = 0;
		carry_put_entry(copy, entry);
	}
	__atomic_store_n(&copy->sum, r->sum, __ATOMIC_RELAXED);
}

static void take_lines(struct node *node, const struct far_answer *a, const struct far_parts *parts)
{
	const int64_t offset = offset_of(node);

	for (uint32_t i = 0; i < parts->lines_n; i++) {
		struct far_line *line = &far.line[parts->lines[i].number];
		*line = parts->lines[i];
		line->line.moved -= offset;
		line->meeting.moved -= offset;
		line->meeting.root -= line->meeting.root ? offset : 0;
	}
	node->seen = a->seen - (uint64_t)offset;
	node->same = a->same;
}

static bool take(struct node *node, uint64_t came)
{
	struct far_answer *a = (void *)node->comes.data;
	struct far_parts parts = far_parts_of(a);
	const struct buffer before = node->kept;

	/* Clocks of one kind alone. */
	if (!far_parts_are_sound(a, &parts, far.node_of, (int)(node - far.node),
				 tv_carry_map()->size) ||
	    a->microsecond * 98 / 100 > tv.microsecond ||
	    tv.microsecond * 98 / 100 > a->microsecond)
		return false;
	node->answered = a->nth;
	if (a->nth == node->asked)
		far_clock_learn(&node->clock, node->left, a->asked, a->left, came);
	for (uint32_t i = 0; i < parts.rings_n; i++)
		if (!(parts.rings[i].flags & FAR_POSTS) && parts.rings[i].to == tv_carry_map()->me)
			copy_ring(node, &parts.rings[i], parts.entries);
	if (!a->lines)
		return true;
	take_lines(node, a, &parts);
	far_parts_sort(&parts);
	node->parts = parts;
	node->kept = node->comes;
	node->comes = before;
	return true;
}

/* So many bytes of an answer; false: not yet, or the node is lost. */
static bool hear_up_to(struct node *node, size_t bytes)
{
	if (bytes > node->comes.room) {
		char *larger = bytes < LARGEST ? realloc(node->comes.data, bytes * 2) : NULL;
		if (!larger) {
			lose(node);
			return false;
		}
		node->comes.data = larger;
		node->comes.room = bytes * 2;
	}
	while (node->got < bytes) {
		const ssize_t n = recv(node->fd, node->comes.data + node->got, bytes - node->got,
				       MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return false;
		if (n <= 0) {
			lose(node);
			return false;
		}
		node->got += (size_t)n;
	}
	return true;
}

/* Takes what has come; whether the latest question is answered. */
static bool hear(struct node *node)
{
	while (node->fd >= 0 && node->answered != node->asked) {
		const struct far_answer *a;
		if (!hear_up_to(node, sizeof *a))
			break;
		a = (const void *)node->comes.data;
		if (a->magic != FAR_MAGIC || a->bytes < sizeof *a ||
		    a->seal != far_seal_of_answer(far.key, node->challenge, a)) {
			lose(node);
			break;
		}
		if (!hear_up_to(node, a->bytes))
			break;
		node->got = 0;
		if (!take(node, tv_now()))
			lose(node);
	}
	if (node->fd >= 0 && node->answered != node->asked &&
	    tv_now() - node->left > ANSWER_MS * 1000 * tv.microsecond)
		lose(node);
	return node->fd >= 0 && node->answered == node->asked;
}

static void await(struct node *node)
{
	while (!hear(node) && node->fd >= 0)
		is_ready(node->fd, POLLIN, ANSWER_MS / 10);
}

/* ---- connections ---- */

static int connect_to(struct in_addr address, uint16_t port)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr = address };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t size = sizeof(int);
	int error = 0;

	if (fd < 0)
		return -1;
	if ((connect(fd, (const struct sockaddr *)&at, sizeof at) == 0 ||
	     (errno == EINPROGRESS && is_ready(fd, POLLOUT, CONNECT_MS))) &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && !error) {
		setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &(int){ 1 }, sizeof(int));
		return fd;
	}
	close(fd);
	return -1;
}

/* That it is the node; another one, or another program, may have the same address and port. */
static bool hear_hello(struct node *node)
{
	struct far_hello hello = { 0 };
	size_t got = 0;

	while (got < sizeof hello && is_ready(node->fd, POLLIN, ANSWER_MS)) {
		const ssize_t n =
			recv(node->fd, (char *)&hello + got, sizeof hello - got, MSG_DONTWAIT);
		if (n <= 0 && !(n < 0 && (errno == EINTR || errno == EAGAIN)))
			return false;
		got += n > 0 ? (size_t)n : 0;
	}
	node->challenge = hello.challenge;
	return got == sizeof hello && hello.magic == FAR_MAGIC && hello.node == node->card.node;
}

/* The first address that answers as this node does. */
static void meet(struct node *node)
{
	for (int i = 0; i < node->card.n; i++) {
		node->fd = connect_to(node->card.address[i], node->card.port);
		node->asked = node->answered = 0;
		node->got = 0;
		if (node->fd >= 0 && !hear_hello(node))
			lose(node);
		for (int k = 0; k < CLOCKS && node->fd >= 0; k++)
			if (ask(node, (struct far_ask){ .from = FAR_CLOCK },
				&tv.file->order.clocks))
				await(node);
		if (node->fd >= 0)
			return;
	}
}

/* Not before there is something to ask. */
static void begin(void)
{
	if (far.begun)
		return;
	far.begun = true;
	for (int i = 0; i < far.n; i++)
		meet(&far.node[i]);
	far.lost = false;
	for (int i = 0; i < far.n; i++)
		far.lost |= far.node[i].fd < 0;
}

void tv_far_ask(uint32_t comm, int tag, int64_t until, uint64_t *counted)
{
	begin();
	for (int i = 0; i < far.n && !far.lost; i++) {
		struct node *node = &far.node[i];
		struct far_ask question = {
			.from = FAR_ALL, .comm = comm, .tag = tag, .until = until
		};
		if (until != FAR_NOW && until != FAR_FIRST)
			question.until += offset_of(node);
		if (node->answered == node->asked)
			ask(node, question, counted);
	}
}

bool tv_far_has_answered(void)
{
	bool all = true;

	for (int i = 0; i < far.n && !far.lost; i++)
		all &= hear(&far.node[i]);
	return all && !far.lost;
}

bool tv_far_await(void)
{
	for (int i = 0; i < far.n && !far.lost; i++)
		await(&far.node[i]);
	return !far.lost;
}

void tv_far_fetch(int from, uint64_t *counted)
{
	struct node *node;

	if (!far.used || far.lost || from < 0 || far.node_of[from] < 0)
		return;
	begin();
	node = &far.node[far.node_of[from]];
	if (far.lost || !ask(node, (struct far_ask){ .from = (int16_t)from }, counted))
		return;
	await(node);
}

/* ---- what they said ---- */

const struct rank_line *tv_far_line(int number)
{
	return &far.line[number].line;
}

uint64_t tv_far_same(int number)
{
	return far.line[number].same;
}

bool tv_far_meeting(int number, uint64_t ticket, struct carry_meeting *meeting)
{
	const struct far_line *line = &far.line[number];

	*meeting = line->meeting;
	return line->meets && line->line.ticket == ticket;
}

uint64_t tv_far_seen(int number)
{
	return far.node[far.node_of[number]].seen;
}

bool tv_far_is_same(void)
{
	bool same = !far.lost;

	for (int i = 0; i < far.n; i++)
		same &= far.node[i].same;
	return same;
}

static uint64_t found(const struct carry_entry *e, int64_t offset, struct carry_entry *out)
{
	*out = *e;
	out->time -= (uint64_t)offset;
	return out->time;
}

/* What the reader has taken: it is on this node, or on the node that said so. */
static struct far_read read_by(int from, int to)
{
	const struct carry_map *map = tv_carry_map();
	const struct far_read *r;

	if (map->here[to])
		return carry_has_talked(map, CARRY_SENDS, from, to)
			       ? far_read_of(carry_ring_at(map, CARRY_SENDS, from, to), from, to)
			       : (struct far_read){ 0 };
	r = far_parts_read(&far.node[far.node_of[to]].parts, from, to);
	return r ? *r : (struct far_read){ 0 };
}

/* Of a ring that a rank of this node writes. */
static uint64_t under_way_from_here(int from, int to, uint32_t comm, int tag, unsigned nth,
				    struct carry_entry *out)
{
	const struct carry_map *map = tv_carry_map();
	const struct far_read r = read_by(from, to);
	const struct carry_ring *ring;
	uint64_t written;

	if (!carry_has_talked(map, CARRY_SENDS, from, to))
		return 0;
	ring = carry_ring_at(map, CARRY_SENDS, from, to);
	written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	if (r.unknown || written >= r.read + CARRY_ENTRIES)
		return CARRY_UNKNOWN;
	for (uint64_t i = r.read; i < written; i++) {
		const struct carry_entry *e = &ring->entry[i % CARRY_ENTRIES];
		if (far_is_done(&r, i) || e->comm != comm ||
		    (tag != CARRY_ANY_TAG && e->tag != tag) ||
		    __atomic_load_n(&e->time, __ATOMIC_RELAXED) == CARRY_WITHDRAWN || nth-- > 0)
			continue;
		return found(e, 0, out);
	}
	return 0;
}

static uint64_t under_way_from_there(bool posts, int from, int to, uint32_t comm, int tag,
				     unsigned nth, struct carry_entry *out)
{
	const struct node *node = &far.node[far.node_of[from]];
	const struct far_ring *ring = far_parts_ring(&node->parts, posts, from, to);
	struct far_read r = { 0 };

	if (!ring)
		return 0;
	/* Else the answer has only what was not taken. */
	if (far.node_of[to] != far.node_of[from])
		r = read_by(from, to);
	if (r.unknown || ring->flags & FAR_UNKNOWN ||
	    (far.node_of[to] != far.node_of[from] && ring->n &&
	     r.read < node->parts.entries[ring->first].index))
		return CARRY_UNKNOWN;
	for (uint32_t i = 0; i < ring->n; i++) {
		const struct far_entry *e = &node->parts.entries[ring->first + i];
		if (far_is_done(&r, e->index) || e->entry.comm != comm ||
		    (tag != CARRY_ANY_TAG && e->entry.tag != tag) ||
		    e->entry.time == CARRY_WITHDRAWN || nth-- > 0)
			continue;
		return found(&e->entry, offset_of(node), out);
	}
	return 0;
}

uint64_t tv_far_under_way(bool posts, int from, int to, uint32_t comm, int tag, unsigned nth,
			  struct carry_entry *e)
{
	const struct carry_map *map = tv_carry_map();

	/* Receives for ranks of other nodes are not told. */
	if (posts && (map->here[from] || far.node_of[from] != far.node_of[to]))
		return 0;
	return map->here[from] ? under_way_from_here(from, to, comm, tag, nth, e)
			       : under_way_from_there(posts, from, to, comm, tag, nth, e);
}
