#define _GNU_SOURCE
#include "capture/lib/far.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/lib/carry.h"
#include "capture/lib/far_nodes.h"

enum {
	CONNECT_MS = 1000, /* until an address counts as one that does not answer */
	ANSWER_MS = 10000, /* the same of a question; there is a sign of life in a tenth of that */
	AGAIN_US = 1000,   /* between two questions to one node for one receive, at least */
	CLOCKS = 8,        /* exchanges at first, for the clock alone */
	LARGEST = 1 << 30, /* bytes of an answer */
};

static struct far_nodes far;
static struct { /* the latest question */
	struct far_ask ask;
	char bytes[FAR_LARGEST_ASK - sizeof(struct far_ask)];
} question;

const struct far_nodes *tv_far_nodes(void)
{
	return &far;
}

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
			far.node[far.n++] = (struct far_node){ .card = cards[number], .fd = -1 };
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

static void lose(struct far_node *node)
{
	if (node->fd >= 0)
		close(node->fd);
	node->fd = -1;
	far.lost = true;
}

/* ---- clocks ---- */

static int64_t offset_of(const struct far_node *node)
{
	return far_clock_ahead(&node->clock);
}

int64_t tv_far_error(void)
{
	const uint64_t now = tv_now();
	int64_t largest = 0, second = 0;

	for (int i = 0; i < far.n && far.begun; i++) {
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

/* By twice that an answer moves times of candidates; once more for the error of the other side. */
int64_t tv_far_margin(void)
{
	return 3 * tv_far_error();
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
static uint32_t collect_haves(const struct far_node *node, struct far_have *haves)
{
	const struct carry_map *map = tv_carry_map();
	uint32_t n = 0;

	for (int from = 0; from < map->size; from++) {
		uint64_t read;
		if (far.node_of[from] != node - far.node ||
		    !carry_has_talked(map, CARRY_SENDS, from, map->me))
			continue;
		read = __atomic_load_n(&carry_ring_at(map, CARRY_SENDS, from, map->me)->read,
				       __ATOMIC_RELAXED);
		if (read != CARRY_UNKNOWN)
			haves[n++] = (struct far_have){ .from = (int16_t)from, .read = read };
	}
	return n;
}

/* One of all ranks takes the place of the one before. */
static bool ask(struct far_node *node, struct far_ask what, uint64_t *counted)
{
	const bool keeps = what.from == FAR_ALL && what.until != FAR_NOW;
	struct far_ask *ask = &question.ask;
	struct far_have *haves = (void *)question.bytes;
	size_t bytes;

	*ask = what;
	ask->magic = FAR_MAGIC;
	ask->node = (int16_t)node->card.node;
	ask->me = (int16_t)tv_carry_map()->me;
	ask->nth = ++node->asked ? node->asked : ++node->asked;
	ask->haves = collect_haves(node, haves);
	ask->told = keeps ? tv_far_tell((int)(node - far.node), (void *)(haves + ask->haves)) : 0;
	bytes = sizeof *ask + ask->haves * sizeof *haves + ask->told * sizeof(struct far_told);
	ask->seal = far_seal_of_ask(far.key, node->challenge, ask, bytes);
	(*counted)++;
	if (keeps && !node->open)
		node->opened = ask->nth;
	if (what.from == FAR_ALL)
		node->open = keeps ? ask->nth : 0;
	if (!keeps)
		node->direct = ask->nth;
	node->left = node->heard = tv_now();
	/* Small against a socket's buffer. */
	if (send(node->fd, &question, bytes, MSG_NOSIGNAL) == (ssize_t)bytes)
		return true;
	lose(node);
	return false;
}

/* ---- answers ---- */

/* Messages to this rank go into its copy of the ring, from which they are taken as those of its own
 * node. */
static void copy_ring(const struct far_node *node, const struct far_ring *r,
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

static void take_lines(struct far_node *node, const struct far_answer *a,
		       const struct far_parts *parts)
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

static bool take(struct far_node *node, uint64_t came)
{
	struct far_answer *a = (void *)node->comes.data;
	struct far_parts parts = far_parts_of(a);
	const struct far_buffer before = node->kept;

	/* Clocks of one kind alone. */
	if (!far_parts_are_sound(a, &parts, far.node_of, (int)(node - far.node),
				 tv_carry_map()->size) ||
	    a->microsecond * 98 / 100 > tv.microsecond ||
	    tv.microsecond * 98 / 100 > a->microsecond)
		return false;
	if (a->nth == node->asked)
		far_clock_learn(&node->clock, node->left, a->asked, a->left, came);
	node->heard = came;
	if (a->kept)
		return true;
	/* Also by an answer that left before the question was narrowed. */
	if (a->lines && a->nth - node->opened <= node->open - node->opened)
		node->open = 0;
	node->direct = a->nth == node->direct ? 0 : node->direct;
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
static bool hear_up_to(struct far_node *node, size_t bytes)
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

/* Takes what has come; whether nothing is asked any more. */
static bool hear(struct far_node *node)
{
	while (node->fd >= 0 && (node->open || node->direct)) {
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
	if (node->fd >= 0 && (node->open || node->direct) &&
	    tv_now() - node->heard > ANSWER_MS * 1000 * tv.microsecond)
		lose(node);
	return node->fd >= 0 && !node->open && !node->direct;
}

static void await(struct far_node *node)
{
	while (node->direct && node->fd >= 0 && !hear(node) && node->direct && node->fd >= 0)
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
static bool hear_hello(struct far_node *node)
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
static void meet(struct far_node *node)
{
	for (int i = 0; i < node->card.n; i++) {
		node->fd = connect_to(node->card.address[i], node->card.port);
		node->asked = node->open = node->direct = 0;
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

void tv_far_connect(void)
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

void tv_far_begin(void)
{
	for (int i = 0; i < far.n; i++) {
		struct far_node *node = &far.node[i];
		node->wanted = false;
		node->times = 0;
		node->open = 0;
	}
}

void tv_far_want(int number)
{
	if (far.node_of[number] >= 0)
		far.node[far.node_of[number]].wanted = true;
}

static struct far_ask question_of(const struct far_node *node, const struct far_receive *r)
{
	const bool is_time = r->until != FAR_NOW && r->until != FAR_FIRST;

	return (struct far_ask){ .from = FAR_ALL,
				 .comm = r->comm,
				 .tag = r->tag,
				 .until = r->until + (is_time ? offset_of(node) : 0),
				 .margin = tv_far_margin() };
}

bool tv_far_ask(const struct far_receive *r, struct tv_order *counts)
{
	const uint64_t now = tv_now();
	bool asked = false;

	for (int i = 0; i < far.n && !far.lost; i++) {
		struct far_node *node = &far.node[i];
		const bool wanted = node->wanted || (r->until != FAR_FIRST && !node->same);

		node->wanted = false;
		if (!wanted || (node->times && now < node->next))
			continue;
		counts->again += node->times++ > 0;
		node->next = now + AGAIN_US * tv.microsecond + (now - r->since) / 8;
		node->until = r->until;
		asked |= ask(node, question_of(node, r), &counts->exchanges);
	}
	return asked;
}

void tv_far_narrow(const struct far_receive *r, struct tv_order *counts)
{
	for (int i = 0; i < far.n && !far.lost; i++) {
		struct far_node *node = &far.node[i];
		if (node->open && r->until < node->until) {
			node->until = r->until;
			ask(node, question_of(node, r), &counts->narrowed);
		}
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
	struct far_node *node;

	if (!far.used || far.lost || from < 0 || far.node_of[from] < 0)
		return;
	tv_far_connect();
	node = &far.node[far.node_of[from]];
	if (far.lost || !ask(node, (struct far_ask){ .from = (int16_t)from }, counted))
		return;
	await(node);
}
