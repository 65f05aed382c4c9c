#define _GNU_SOURCE
#include "capture/lib/far_clients.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/lib/recorder.h"

enum {
	SIGN_US = 1000000,  /* between signs of life while a question is kept */
	PROOF_US = 5000000, /* until a connection must have proved itself, */
	HASTE_US = 100000,  /* the same where there are many */
	SLOW_S = 2,         /* who takes an answer more slowly is given up */
};

bool far_clients_init(struct far_clients *all, int node, const uint64_t key[2],
		      const struct carry_map *map, uint64_t *strangers)
{
	all->node = node;
	all->unproven = 0;
	all->made = 0;
	all->strangers = strangers;
	memcpy(all->key, key, sizeof all->key);
	for (int i = 0; i < FAR_CLIENTS + FAR_STRANGERS; i++)
		all->client[i].fd = -1;
	return far_state_init(&all->state, map);
}

static void drop(struct far_clients *all, struct far_client *c)
{
	close(c->fd);
	c->fd = -1;
	c->kept.is = false;
	all->unproven -= !c->proven;
}

/* What it sent, or did not, is not of the job. */
static void refuse(struct far_clients *all, struct far_client *c)
{
	if (!c->proven)
		__atomic_store_n(all->strangers, *all->strangers + 1, __ATOMIC_RELAXED);
	drop(all, c);
}

bool far_clients_are_full(const struct far_clients *all)
{
	return all->unproven >= FAR_STRANGERS;
}

/* Another one for each connection. */
static uint64_t challenge(struct far_clients *all)
{
	uint64_t number;

	if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
		number = tv_now();
	all->made++;
	return far_seal(all->key, number, &all->made, 1);
}

void far_clients_add(struct far_clients *all, int fd)
{
	const struct timeval slow = { SLOW_S, 0 };
	struct far_hello hello = { .magic = FAR_MAGIC, .node = all->node };
	struct far_client *c = all->client;

	while (c < all->client + FAR_CLIENTS + FAR_STRANGERS && c->fd >= 0)
		c++;
	if (c == all->client + FAR_CLIENTS + FAR_STRANGERS) {
		close(fd);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &(int){ 1 }, sizeof(int));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &slow, sizeof slow);
	c->fd = fd;
	c->since = tv_now();
	hello.challenge = c->challenge = challenge(all);
	c->proven = c->kept.is = false;
	c->got = 0;
	all->unproven++;
	if (send(fd, &hello, sizeof hello, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)sizeof hello)
		drop(all, c);
}

static bool send_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes) {
		const ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static void reply(struct far_clients *all, struct far_client *c, struct far_answer *a)
{
	if (a)
		a->seal = far_seal_of_answer(all->key, c->challenge, a);
	if (!a || !send_all(c->fd, a, a->bytes))
		drop(all, c);
}

/* False: it must wait. */
static bool answer(struct far_clients *all, struct far_client *c, const struct far_ask *ask,
		   const struct far_told *told, uint64_t asked)
{
	struct far_answer *a;
	bool settled;

	if (!far_state_is_settled(&all->state, ask, told))
		return false;
	a = far_state_answer(&all->state, ask, told, asked, &settled);
	if (a && !settled)
		return false;
	reply(all, c, a);
	return true;
}

/* Its question is whole: `told` with it. */
static void keep(struct far_clients *all, struct far_client *c, const struct far_told *told)
{
	const uint64_t now = tv_now();

	c->got = 0;
	if (c->ask.from == FAR_ALL)
		c->kept.is = false;
	if (answer(all, c, &c->ask, told, now))
		return;
	c->kept.is = true;
	c->kept.asked = c->kept.said = now;
	c->kept.ask = c->ask;
	memcpy(c->kept.told, told, c->ask.told * sizeof *told);
}

static void show_life(struct far_clients *all, struct far_client *c)
{
	const uint64_t now = tv_now();
	struct far_answer a = { .magic = FAR_MAGIC,
				.nth = c->kept.ask.nth,
				.bytes = sizeof a,
				.asked = c->kept.asked,
				.seen = now,
				.left = now,
				.microsecond = tv.microsecond,
				.kept = 1 };

	if (now - c->kept.said <= SIGN_US * tv.microsecond)
		return;
	c->kept.said = now;
	reply(all, c, &a);
}

/* As far as a head tells. */
static bool may_be(const struct far_clients *all, const struct far_ask *ask)
{
	const int size = all->state.map->size;

	return ask->magic == FAR_MAGIC && ask->node == all->node && ask->haves <= TV_CARRY_RANKS &&
	       ask->told <= FAR_TOLD && ask->margin >= 0 && ask->me >= 0 && ask->me < size &&
	       ask->from >= FAR_CLOCK && ask->from < size;
}

static size_t size_of(const struct far_client *c)
{
	if (c->got < sizeof c->ask)
		return sizeof c->ask;
	return sizeof c->ask + c->ask.haves * sizeof(struct far_have) +
	       c->ask.told * sizeof(struct far_told);
}

void far_clients_hear(struct far_clients *all, struct far_client *c)
{
	const struct far_have *haves = (const void *)(c->bytes + sizeof c->ask);
	const ssize_t n = recv(c->fd, c->bytes + c->got, size_of(c) - c->got, MSG_DONTWAIT);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		/* A look at the port alone is not worth a word. */
		c->got ? refuse(all, c) : drop(all, c);
		return;
	}
	c->got += (uint64_t)n;
	if (c->got >= sizeof c->ask && !may_be(all, &c->ask)) {
		refuse(all, c);
		return;
	}
	if (c->got < sizeof c->ask || c->got < size_of(c))
		return;
	if (c->ask.seal != far_seal_of_ask(all->key, c->challenge, &c->ask, size_of(c))) {
		refuse(all, c);
		return;
	}
	all->unproven -= !c->proven;
	c->proven = true;
	far_state_learn(&all->state, &c->ask, haves);
	keep(all, c, (const void *)(haves + c->ask.haves));
}

int far_clients_answer(struct far_clients *all)
{
	int waiting = 0;

	for (struct far_client *c = all->client; c < all->client + FAR_CLIENTS + FAR_STRANGERS;
	     c++) {
		if (c->fd < 0 || !c->kept.is)
			continue;
		if (answer(all, c, &c->kept.ask, c->kept.told, c->kept.asked)) {
			c->kept.is = false;
			continue;
		}
		show_life(all, c);
		waiting += c->kept.is;
	}
	return waiting;
}

void far_clients_tidy(struct far_clients *all)
{
	const uint64_t most = far_clients_are_full(all) ? HASTE_US : PROOF_US, now = tv_now();

	if (!all->unproven)
		return;
	for (struct far_client *c = all->client; c < all->client + FAR_CLIENTS + FAR_STRANGERS; c++)
		if (c->fd >= 0 && !c->proven && now - c->since > most * tv.microsecond)
			refuse(all, c);
}
