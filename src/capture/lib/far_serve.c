#define _GNU_SOURCE
#include "capture/lib/far_serve.h"

#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/lib/carry.h"
#include "capture/lib/far_state.h"
#include "capture/lib/far_wire.h"
#include "capture/lib/modules.h"

enum {
	CLIENTS = TV_CARRY_RANKS, /* ranks of other nodes */
	LOOK_US = 200,            /* between looks whether a question can be answered, */
	PATIENCE_US = 1000000,    /* for so long; */
	SLOW_S = 2,               /* who takes an answer more slowly is given up */
	STACK = 256 << 10,
};

struct client {
	int fd;       /* -1: free */
	uint64_t got; /* bytes of the question */
	union {
		struct far_ask ask;
		char bytes[sizeof(struct far_ask) + TV_CARRY_RANKS * sizeof(struct far_have)];
	};
	bool asks;      /* it is whole, and waits */
	uint64_t asked; /* ticks */
};

static struct {
	int listener, node;
	uint64_t job[2];
	struct client client[CLIENTS];
	struct pollfd polls[CLIENTS + 1];
	struct far_state state;
} server;

static void drop(struct client *c)
{
	close(c->fd);
	c->fd = -1;
	c->asks = false;
	c->got = 0;
}

/* ---- sockets ---- */

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

static void answer(struct client *c)
{
	struct far_answer *a = far_state_answer(&server.state, &c->ask, c->asked);

	c->asks = false;
	c->got = 0;
	if (!a || !send_all(c->fd, a, a->bytes))
		drop(c);
}

static bool is_of_job(const struct far_ask *ask)
{
	return ask->magic == FAR_MAGIC && ask->node == server.node &&
	       memcmp(ask->job, server.job, sizeof ask->job) == 0 && ask->haves <= TV_CARRY_RANKS &&
	       ask->me >= 0 && ask->me < server.state.map->size &&
	       ask->from < server.state.map->size;
}

/* A next question gives the one before its answer as it is now. */
static void hear(struct client *c)
{
	size_t whole = sizeof c->ask;
	ssize_t n;

	if (c->asks)
		answer(c);
	if (c->fd < 0)
		return;
	if (c->got >= whole)
		whole += c->ask.haves * sizeof(struct far_have);
	n = recv(c->fd, c->bytes + c->got, whole - c->got, MSG_DONTWAIT);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		c->got += (uint64_t)n;
	if (n <= 0 || (c->got >= sizeof c->ask && !is_of_job(&c->ask))) {
		drop(c);
		return;
	}
	if (c->got < sizeof c->ask ||
	    c->got < sizeof c->ask + c->ask.haves * sizeof(struct far_have))
		return;
	c->asks = true;
	c->asked = tv_now();
	far_state_learn(&server.state, &c->ask, (const void *)(c->bytes + sizeof c->ask));
}

static void welcome(void)
{
	const struct timeval slow = { SLOW_S, 0 };
	const int fd = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	for (int i = 0; i < CLIENTS; i++)
		if (server.client[i].fd < 0) {
			setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &(int){ 1 }, sizeof(int));
			setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &slow, sizeof slow);
			server.client[i].fd = fd;
			return;
		}
	close(fd);
}

/* Those that wait, and can be answered now; how many still wait. */
static int answer_some(void)
{
	int waiting = 0;

	for (struct client *c = server.client; c < server.client + CLIENTS; c++) {
		if (!c->asks)
			continue;
		if (far_state_is_settled(&server.state, &c->ask) ||
		    tv_now() - c->asked > PATIENCE_US * tv.microsecond)
			answer(c);
		else
			waiting++;
	}
	return waiting;
}

static void *serve(void *unused)
{
	const struct timespec soon = { 0, LOOK_US * 1000 };

	(void)unused;
	for (int waiting = 0;;) {
		nfds_t n = 1;
		server.polls[0] = (struct pollfd){ .fd = server.listener, .events = POLLIN };
		for (int i = 0; i < CLIENTS; i++)
			if (server.client[i].fd >= 0)
				server.polls[n++] = (struct pollfd){ .fd = server.client[i].fd,
								     .events = POLLIN };
		if (ppoll(server.polls, n, waiting ? &soon : NULL, NULL) < 0 && errno != EINTR)
			return NULL;
		for (nfds_t k = 1, i = 0; k < n && i < CLIENTS; i++)
			if (server.client[i].fd == server.polls[k].fd && server.polls[k++].revents)
				hear(&server.client[i]);
		if (server.polls[0].revents)
			welcome();
		waiting = answer_some();
	}
}

/* ---- start ---- */

/* Where others may reach this node; its own loop-back, too: nodes may be containers of one. */
static void find_addresses(struct far_card *card)
{
	struct ifaddrs *all = NULL;

	getifaddrs(&all);
	for (const struct ifaddrs *a = all; a && card->n < FAR_ADDRESSES - 1; a = a->ifa_next) {
		struct sockaddr_in in;
		if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET ||
		    a->ifa_flags & IFF_LOOPBACK || !(a->ifa_flags & IFF_UP))
			continue;
		memcpy(&in, a->ifa_addr, sizeof in);
		card->address[card->n++] = in.sin_addr;
	}
	if (all)
		freeifaddrs(all);
	card->address[card->n++].s_addr = htonl(INADDR_LOOPBACK);
}

static bool listen_anywhere(struct far_card *card)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof at;

	server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server.listener < 0 ||
	    bind(server.listener, (const struct sockaddr *)&at, sizeof at) != 0 ||
	    listen(server.listener, CLIENTS) != 0 ||
	    getsockname(server.listener, (struct sockaddr *)&at, &size) != 0)
		return false;
	card->port = ntohs(at.sin_port);
	return true;
}

/* A thread of the library: the program does not see it as one of its own. */
static bool start_thread(void)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	bool started;

	*(void **)(void *)&create = tv_look_up(RTLD_NEXT, "pthread_create");
	if (!create || pthread_attr_init(&attr) != 0)
		return false;
	pthread_attr_setstacksize(&attr, STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = create(&thread, &attr, serve, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return started;
}

bool tv_far_serve(int node, const uint64_t job[2], struct far_card *card)
{
	*card = (struct far_card){ .node = node };
	server.node = node;
	memcpy(server.job, job, sizeof server.job);
	for (int i = 0; i < CLIENTS; i++)
		server.client[i].fd = -1;
	find_addresses(card);
	return far_state_init(&server.state, tv_carry_map()) && listen_anywhere(card) &&
	       start_thread();
}
