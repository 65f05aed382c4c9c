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
#include "capture/lib/far_clients.h"
#include "capture/lib/modules.h"

enum {
	LOOK_US = 200,  /* between looks whether a question can be answered, */
	TIDY_MS = 20,   /* and whether a connection has proved itself, or there is room for one */
	BACKLOG = 1024, /* that wait meanwhile */
	STACK = 256 << 10,
};

static struct {
	int listener;
	bool welcomes; /* there was room for the latest connection */
	struct pollfd polls[FAR_CLIENTS + FAR_STRANGERS + 1];
	struct far_client *polled[FAR_CLIENTS + FAR_STRANGERS + 1];
	struct far_clients clients;
} server;

/* No more connections than there is room for, and, where the process has no more files, for a
 * while none. */
static void welcome(void)
{
	int fd = -1;

	if (far_clients_are_full(&server.clients))
		return;
	fd = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		far_clients_add(&server.clients, fd);
	server.welcomes = fd >= 0 || errno == EAGAIN || errno == ECONNABORTED;
}

static nfds_t collect_polls(void)
{
	const bool listens = server.welcomes && !far_clients_are_full(&server.clients);
	nfds_t n = 0;

	server.polls[n++] =
		(struct pollfd){ .fd = listens ? server.listener : -1, .events = POLLIN };
	for (int i = 0; i < FAR_CLIENTS + FAR_STRANGERS; i++) {
		struct far_client *c = &server.clients.client[i];
		if (c->fd < 0)
			continue;
		server.polled[n] = c;
		server.polls[n++] = (struct pollfd){ .fd = c->fd, .events = POLLIN };
	}
	return n;
}

static void *serve(void *unused)
{
	const struct timespec soon = { 0, LOOK_US * 1000 }, later = { 0, TIDY_MS * 1000000 };

	(void)unused;
	for (int waiting = 0;;) {
		const nfds_t n = collect_polls();
		const bool tidies = server.clients.unproven || !server.welcomes;
		const int ready = ppoll(server.polls, n,
					waiting  ? &soon
					: tidies ? &later
						 : NULL,
					NULL);
		if (ready < 0 && errno != EINTR)
			return NULL;
		for (nfds_t k = 1; ready > 0 && k < n; k++)
			if (server.polls[k].revents)
				far_clients_hear(&server.clients, server.polled[k]);
		if (!server.welcomes || (ready > 0 && server.polls[0].revents))
			welcome();
		far_clients_tidy(&server.clients);
		waiting = far_clients_answer(&server.clients);
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
	    listen(server.listener, BACKLOG) != 0 ||
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

bool tv_far_serve(int node, const uint64_t key[2], struct far_card *card)
{
	*card = (struct far_card){ .node = node };
	server.welcomes = true;
	find_addresses(card);
	if (far_clients_init(&server.clients, node, key, tv_carry_map(),
			     &tv.file->order.strangers) &&
	    listen_anywhere(card) && start_thread())
		return true;
	far_state_fini(&server.clients.state);
	return false;
}
