/* Questions between nodes and their answers: what is not of the job changes nothing, whatever its
 * bytes; what a rank of the job says is used only where it leads nowhere else. */
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/lib/far.h"
#include "capture/lib/recorder.h"
#include "harness/test.h"
#include "wire/far_aid.h"

struct fixture {
	struct far_clients *clients;
	uint64_t strangers;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof *f);

	signal(SIGPIPE, SIG_DFL);
	far_aid_begin();
	f->clients = far_aid_clients(&f->strangers);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	far_aid_clients_free(f->clients);
	free(f);
	far_aid_end();
	return 0;
}
FIXTURE(setup, teardown)

/* What is known of rank 0's receiving from rank 3. */
static uint64_t *learnt(const struct fixture *f)
{
	return &f->clients->state.read[3 * FAR_AID_RANKS];
}

/* Sends bytes to the node, in two pieces, and lets it read until it has all, or has closed. */
static void tell(struct fixture *f, struct far_client *c, int fd, const void *data, size_t bytes,
		 size_t first)
{
	for (size_t at = 0, n = first; at < bytes && c->fd >= 0; at += n, n = bytes - at) {
		uint64_t before;
		if (!n)
			continue;
		assert_int_equal(send(fd, (const char *)data + at, n, MSG_NOSIGNAL), n);
		do {
			before = c->got;
			far_clients_hear(f->clients, c);
		} while (c->fd >= 0 && c->got > before);
	}
	far_clients_answer(f->clients);
}

static void close_at(struct fixture *f, struct far_client *c, int fd)
{
	close(fd);
	if (c->fd >= 0)
		far_clients_hear(f->clients, c);
	assert_int_equal(c->fd, -1);
}

/* The vectors of SipHash's authors: key 00 01 ... 0f, input 00 01 ...; 8 and 16 bytes. */
TEST(seals)
{
	const uint64_t key[2] = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };

	assert_int_equal(far_seal(key, key[0], NULL, 0), UINT64_C(0x93f5f5799a932462));
	assert_int_equal(far_seal(key, key[0], &key[1], 1), UINT64_C(0x3f2acc7f57c29bdb));
}

/* Two ranks, one message: the answer's bytes by hand. */
TEST_WITH(a_rank_of_the_job_is_answered, struct fixture *f)
{
	struct far_client *c;
	const int fd = far_aid_connect(f->clients, &c);
	const uint64_t challenge = far_aid_hello(fd);
	const struct far_aid_question q = far_aid_question(challenge, 1);
	const size_t want = sizeof(struct far_answer) + 2 * sizeof(struct far_line) +
			    sizeof(struct far_ring) + sizeof(struct far_entry);
	OWNED struct far_answer *a = xcalloc(2, want);
	struct far_parts parts;

	for (size_t first = 0; first < far_aid_bytes(&q); first += 7) {
		tell(f, c, fd, &q, far_aid_bytes(&q), first);
		assert_int_equal(far_aid_read(fd, a, 2 * want), want);
		assert_int_equal(a->seal, far_seal_of_answer(far_aid_key, challenge, a));
		parts = far_parts_of(a);
		assert_true(far_parts_are_sound(a, &parts, far_aid_node_of, 0, FAR_AID_RANKS));
		assert_int_equal(a->nth, 1);
		assert_int_equal(parts.lines[1].line.moved, 5000000000);
		assert_int_equal(parts.entries[0].entry.time, 4000000000);
	}
	close_at(f, c, fd);
	assert_int_equal(f->strangers, 0);
	assert_int_equal(f->clients->unproven, 0);
}

/* Cut anywhere: nothing is answered, and nothing learnt. */
TEST_WITH(a_question_that_is_cut, struct fixture *f)
{
	struct far_client *c;
	char rest[8];

	for (size_t n = 0; n < sizeof(struct far_ask) + 2 * sizeof(struct far_have); n++) {
		const int fd = far_aid_connect(f->clients, &c);
		struct far_aid_question q = far_aid_question(far_aid_hello(fd), 2);
		q.have[0].read = 1;
		far_aid_seal(&q, c->challenge);
		tell(f, c, fd, &q, n, n / 2);
		assert_int_equal(far_aid_read(fd, rest, sizeof rest), 0);
		close_at(f, c, fd);
		/* One that says nothing is not counted. */
		assert_int_equal(f->strangers, n);
		assert_int_equal(*learnt(f), 0);
	}
	assert_int_equal(f->clients->unproven, 0);
}

/* Each bit of a sound question. */
TEST_WITH(a_question_that_was_changed, struct fixture *f)
{
	struct far_client *c;
	char rest[8];

	for (size_t bit = 0; bit < (sizeof(struct far_ask) + sizeof(struct far_have)) * 8; bit++) {
		const int fd = far_aid_connect(f->clients, &c);
		struct far_aid_question q = far_aid_question(far_aid_hello(fd), 1);
		q.have[0].read = 1;
		far_aid_seal(&q, c->challenge);
		((uint8_t *)&q)[bit / 8] ^= (uint8_t)(1u << bit % 8);
		tell(f, c, fd, &q, sizeof q.ask + sizeof *q.have, 0);
		assert_true(far_aid_read(fd, rest, sizeof rest) <= 0);
		close_at(f, c, fd);
		assert_int_equal(f->strangers, bit + 1);
		assert_int_equal(*learnt(f), 0);
	}
}

/* Of another connection, another job, the library before this one, and other programs. */
TEST_WITH(what_is_not_of_the_job, struct fixture *f)
{
	static const char foreign[][96] = {
		"GET / HTTP/1.1\r\nHost: node\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", /* a handshake of TLS */
		"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n",
	};
	struct far_client *c, *second;
	const int fd = far_aid_connect(f->clients, &c);
	struct far_aid_question q = far_aid_question(far_aid_hello(fd), 1);
	char rest[8];
	int other = far_aid_connect(f->clients, &second);

	assert_true(far_aid_hello(other) != c->challenge);
	tell(f, second, other, &q, far_aid_bytes(&q), 0);
	assert_int_equal(far_aid_read(other, rest, sizeof rest), -1);
	close_at(f, second, other);
	q.ask.seal =
		far_seal_of_ask((uint64_t[2]){ 1, 2 }, c->challenge, &q.ask, far_aid_bytes(&q));
	tell(f, c, fd, &q, far_aid_bytes(&q), 0);
	assert_int_equal(far_aid_read(fd, rest, sizeof rest), -1);
	close_at(f, c, fd);
	other = far_aid_connect(f->clients, &c);
	q = far_aid_question(far_aid_hello(other), 1);
	q.ask.magic = 0x31726166;
	far_aid_seal(&q, c->challenge);
	tell(f, c, other, &q, far_aid_bytes(&q), 0);
	assert_int_equal(far_aid_read(other, rest, sizeof rest), -1);
	close_at(f, c, other);
	assert_int_equal(f->strangers, 3);
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
		other = far_aid_connect(f->clients, &c);
		far_aid_hello(other);
		tell(f, c, other, foreign[i], sizeof foreign[i], 5);
		assert_int_equal(far_aid_read(other, rest, sizeof rest), -1);
		close_at(f, c, other);
		assert_int_equal(f->strangers, 4 + i);
	}
	assert_int_equal(*learnt(f), 0);
}

/* 3,000 connections that say nothing, or stop in the middle: a rank is answered beside them, no
 * more than 64 of them are open, and those for no longer than their time. */
TEST_WITH(connections_that_are_silent, struct fixture *f)
{
	struct far_client *c, *silent;
	const int fd = far_aid_connect(f->clients, &c);
	const uint64_t challenge = far_aid_hello(fd);
	const struct far_aid_question q = far_aid_question(challenge, 0);
	struct far_answer a;
	int others[FAR_STRANGERS];

	tell(f, c, fd, &q, far_aid_bytes(&q), 0);
	assert_int_equal(far_aid_read(fd, &a, sizeof a), sizeof a);
	for (int round = 0; round * FAR_STRANGERS < 3000; round++) {
		for (int i = 0; i < FAR_STRANGERS; i++) {
			assert_false(far_clients_are_full(f->clients));
			others[i] = far_aid_connect(f->clients, &silent);
			tell(f, silent, others[i], &q, i % 2 ? 9 : 0, 0);
			if (i == 0)
				far_clients_tidy(f->clients);
		}
		/* Just come: they stay, all the same. */
		assert_true(far_clients_are_full(f->clients));
		for (int i = 0; i < FAR_CLIENTS + FAR_STRANGERS; i++)
			f->clients->client[i].since -= 101000000; /* 101 ms */
		far_clients_tidy(f->clients);
		assert_int_equal(f->clients->unproven, 0);
		assert_int_equal(f->strangers, (round + 1) * FAR_STRANGERS);
		for (int i = 0; i < FAR_STRANGERS; i++)
			close(others[i]);
		tell(f, c, fd, &q, far_aid_bytes(&q), 0);
		assert_true(c->fd >= 0);
		while (far_aid_read(fd, &a, sizeof a) > 0)
			;
	}
	/* A single one has five seconds. */
	others[0] = far_aid_connect(f->clients, &silent);
	silent->since -= 4000000000;
	far_clients_tidy(f->clients);
	assert_true(silent->fd >= 0);
	silent->since -= 1000000001;
	far_clients_tidy(f->clients);
	assert_int_equal(silent->fd, -1);
	close(others[0]);
	close_at(f, c, fd);
}

/* Sealed, but not what a rank asks: ranks and counts out of their range. */
TEST_WITH(ranks_that_there_are_not, struct fixture *f)
{
	static const struct {
		int16_t me, from;
		uint32_t haves;
	} odd[] = { { -1, FAR_ALL, 0 },      { FAR_AID_RANKS, FAR_ALL, 0 },
		    { 0, FAR_AID_RANKS, 0 }, { 0, FAR_CLOCK - 1, 0 },
		    { 0, FAR_ALL, 513 },     { 0, FAR_ALL, UINT32_MAX } };
	struct far_client *c;
	char rest[8];

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		const int fd = far_aid_connect(f->clients, &c);
		struct far_aid_question q = far_aid_question(far_aid_hello(fd), 0);
		q.ask.me = odd[i].me;
		q.ask.from = odd[i].from;
		far_aid_seal(&q, c->challenge);
		q.ask.haves = odd[i].haves;
		tell(f, c, fd, &q, sizeof q.ask, 0);
		assert_int_equal(far_aid_read(fd, rest, sizeof rest), -1);
		close_at(f, c, fd);
	}
}

/* What the asker has taken is before all that there is, or behind: no loop over what is
 * overwritten. */
TEST_WITH(counts_that_cannot_be, struct fixture *f)
{
	static const uint64_t counts[] = { 0, 1, UINT64_C(1) << 62, UINT64_MAX };
	struct far_client *c;
	const int fd = far_aid_connect(f->clients, &c);
	const uint64_t challenge = far_aid_hello(fd);
	OWNED char *answer = xcalloc(1, 1 << 16);

	carry_ring_at(far_aid_there(), CARRY_SENDS, 3, 0)->written = UINT64_C(1) << 61;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct far_aid_question q = far_aid_question(challenge, 2);
		q.ask.until = i % 2 ? FAR_FIRST : 1;
		q.have[0].read = counts[i];
		q.have[1].from = -5; /* is passed over */
		far_aid_seal(&q, challenge);
		tell(f, c, fd, &q, far_aid_bytes(&q), 0);
		assert_true(far_aid_read(fd, answer, 1 << 16) > (long)sizeof(struct far_answer));
	}
	close_at(f, c, fd);
}

/* Asks for all up to a time, and tells of so many messages from rank 0 to rank 3. */
static void ask_until(struct fixture *f, struct far_client *c, int fd, uint32_t nth, int64_t until,
		      unsigned told)
{
	struct far_aid_question q = far_aid_question(c->challenge, 0);

	q.ask.nth = nth;
	q.ask.tag = 9; /* rank 3 has sent none with it */
	q.ask.until = until;
	for (unsigned i = 0; i < told; i++)
		far_aid_tell(&q, (struct far_told){ .from = 0,
						    .to = 3,
						    .comm = 1,
						    .tag = 5,
						    .index = i,
						    .at = 5500000000 });
	far_aid_seal(&q, c->challenge);
	tell(f, c, fd, &q, far_aid_bytes(&q), 3);
}

/* The number of the answer that has come, -1 a sign of life, 0 nothing. */
static int answered(int fd)
{
	struct far_answer a;
	char rest[1 << 12];

	if (far_aid_read(fd, &a, sizeof a) == 0)
		return 0;
	assert_true(a.bytes - sizeof a <= sizeof rest);
	assert_int_equal(far_aid_read(fd, rest, a.bytes - sizeof a), a.bytes - sizeof a);
	return a.kept ? -1 : (int)a.nth;
}

/* Rank 3 is at 5 s, and does not move: what is asked up to 6 s is kept, with a sign of life each
 * second, and has one answer, when it is at 7 s. */
TEST_WITH(a_question_that_is_kept, struct fixture *f)
{
	struct rank_line *line = carry_line_of(far_aid_there(), 3);
	struct far_client *c;
	const int fd = far_aid_connect(f->clients, &c);

	far_aid_hello(fd);
	line->state = RANK_PAUSES;
	ask_until(f, c, fd, 1, 6000000000, 0);
	assert_int_equal(far_clients_answer(f->clients), 1);
	assert_int_equal(answered(fd), 0);
	c->kept.said -= 1000000001;
	assert_int_equal(far_clients_answer(f->clients), 1);
	assert_int_equal(answered(fd), -1);
	line->moved = 7000000000;
	assert_int_equal(far_clients_answer(f->clients), 0);
	assert_int_equal(answered(fd), 1);
	assert_int_equal(far_clients_answer(f->clients), 0);
	assert_int_equal(answered(fd), 0);
	close_at(f, c, fd);
}

/* The next one of all takes its place; one for a rank's messages does not. */
TEST_WITH(a_question_that_is_withdrawn, struct fixture *f)
{
	struct rank_line *line = carry_line_of(far_aid_there(), 3);
	struct far_aid_question q;
	struct far_client *c;
	const int fd = far_aid_connect(f->clients, &c);

	far_aid_hello(fd);
	line->state = RANK_PAUSES;
	ask_until(f, c, fd, 1, 8000000000, 0);
	q = far_aid_question(c->challenge, 0);
	q.ask.nth = 2;
	q.ask.from = 3;
	far_aid_seal(&q, c->challenge);
	tell(f, c, fd, &q, far_aid_bytes(&q), 0);
	assert_int_equal(answered(fd), 2);
	ask_until(f, c, fd, 3, 6000000000, 0);
	assert_int_equal(answered(fd), 0);
	line->moved = 7000000000;
	assert_int_equal(far_clients_answer(f->clients), 0);
	assert_int_equal(answered(fd), 3);
	line->moved = 9000000000;
	far_clients_answer(f->clients);
	assert_int_equal(answered(fd), 0);
	close_at(f, c, fd);
}

/* Rank 3 waits for rank 0 since 5 s: it sends no more, as far as its node knows. The asker knows of
 * a message under way to it, so that it goes on at 5.5 s: that is not yet an answer up to 6 s, but
 * one up to 5.5 s. */
TEST_WITH(a_message_that_is_told, struct fixture *f)
{
	struct rank_line *line = carry_line_of(far_aid_there(), 3);
	struct far_client *c;
	const int fd = far_aid_connect(f->clients, &c);

	far_aid_hello(fd);
	line->state = RANK_RECEIVE;
	line->peer = 0;
	line->comm = 1;
	line->tag = 5;
	ask_until(f, c, fd, 1, 6000000000, 0);
	usleep(1000);
	assert_int_equal(far_clients_answer(f->clients), 0);
	assert_int_equal(answered(fd), 1);
	ask_until(f, c, fd, 2, 6000000000, 1);
	assert_int_equal(answered(fd), 0);
	ask_until(f, c, fd, 3, 5500000000, 1);
	assert_int_equal(answered(fd), 3);
	/* It was received: the ring's copy says so. */
	ask_until(f, c, fd, 4, 6000000000, 1);
	assert_int_equal(answered(fd), 0);
	carry_put(carry_ring_at(far_aid_there(), CARRY_SENDS, 0, 3), 1, 5, 5500000000);
	carry_ring_at(far_aid_there(), CARRY_SENDS, 0, 3)->read = 1;
	carry_note_talk(far_aid_there(), CARRY_SENDS, 0, 3);
	assert_int_equal(far_clients_answer(f->clients), 0);
	assert_int_equal(answered(fd), 4);
	close_at(f, c, fd);
}

/* Rank 3's receive is held since 5 s, and may have a message of 5.5 s: it is waited for, unless that
 * is for two seconds so and within the margin of what is asked. */
TEST_WITH(two_that_are_held, struct fixture *f)
{
	struct rank_line *line = carry_line_of(far_aid_there(), 3);
	struct far_aid_question q;
	struct far_client *c;
	const int fd = far_aid_connect(f->clients, &c);

	far_aid_hello(fd);
	line->state = RANK_ANY;
	line->held = 1;
	line->comm = 1;
	line->tag = 5;
	line->members[0] = 1;
	for (uint32_t nth = 1; nth <= 2; nth++) {
		q = far_aid_question(c->challenge, 0);
		q.ask.nth = nth;
		q.ask.tag = 9;
		q.ask.until = 5700000000;
		q.ask.margin = nth == 1 ? 199999999 : 200000000;
		far_aid_tell(&q,
			     (struct far_told){ .to = 3, .comm = 1, .tag = 5, .at = 5500000000 });
		far_aid_seal(&q, c->challenge);
		tell(f, c, fd, &q, far_aid_bytes(&q), 0);
		assert_int_equal(answered(fd), nth == 1 ? 0 : 2);
		f->clients->state.look[3].since -= 2000000001;
		assert_int_equal(far_clients_answer(f->clients), nth == 1);
		assert_int_equal(answered(fd), 0);
	}
	close_at(f, c, fd);
}

/* Messages between ranks that there are not, or more than may be. */
TEST_WITH(messages_that_cannot_be, struct fixture *f)
{
	struct rank_line *line = carry_line_of(far_aid_there(), 3);
	struct far_client *c;
	const int fd = far_aid_connect(f->clients, &c);
	struct far_aid_question q = far_aid_question(far_aid_hello(fd), 1);

	line->state = RANK_ANY;
	memset(line->members, 0xff, sizeof line->members);
	line->tag = -1;
	q.ask.tag = 9;
	q.ask.until = 6000000000;
	far_aid_tell(&q, (struct far_told){ .from = -7, .to = 32000, .index = UINT64_MAX });
	far_aid_tell(&q, (struct far_told){ .from = 32000, .to = -7, .at = INT64_MIN });
	far_aid_seal(&q, c->challenge);
	tell(f, c, fd, &q, far_aid_bytes(&q), 9);
	usleep(1000);
	far_clients_answer(f->clients);
	assert_int_equal(answered(fd), 1);
	/* The head alone shows it; its seal would be of more than there is. */
	q.ask.told = FAR_TOLD + 1;
	tell(f, c, fd, &q, sizeof q.ask, 9);
	assert_int_equal(c->fd, -1);
	close(fd);
}

/* ---- the one that asks ---- */

enum peer { SOUND, CLOSES, OTHER_NODE, HTTP, OLD, UNSEALED, REPLAYED, STOPS, COUNTS, RANKS, PEERS };

/* Plays node 2 on a connection. */
static void play(enum peer peer, int fd)
{
	const struct far_hello hello = { FAR_MAGIC, peer == OTHER_NODE ? 3 : FAR_AID_NODE, 99 };
	const char http[] = "HTTP/1.1 400 Bad Request\r\nServer: nginx\r\n\r\n";
	struct {
		struct far_answer head;
		struct far_line line;
	} a;
	struct far_ask ask;

	if (peer == HTTP || peer == CLOSES) {
		send(fd, http, peer == HTTP ? sizeof http : 0, MSG_NOSIGNAL);
		return;
	}
	send(fd, &hello, sizeof hello, MSG_NOSIGNAL);
	while (recv(fd, &ask, sizeof ask, MSG_WAITALL) == (ssize_t)sizeof ask) {
		const size_t n = ask.from == FAR_ALL ? sizeof a : sizeof a.head;
		a.head = (struct far_answer){ .magic = FAR_MAGIC,
					      .nth = ask.nth,
					      .bytes = n,
					      .asked = tv_now(),
					      .seen = tv_now(),
					      .left = tv_now(),
					      .microsecond = tv.microsecond,
					      .same = 1,
					      .lines = ask.from == FAR_ALL };
		a.line = (struct far_line){ .number = peer == RANKS ? 0 : 3,
					    .line = { .state = RANK_RUNS, .moved = 77 } };
		if (peer == OLD)
			a.head.magic = 0x31726166;
		if (peer == COUNTS)
			a.head.entries = UINT32_MAX;
		a.head.seal = far_seal_of_answer(far_aid_key, peer == REPLAYED ? 98 : 99, &a.head);
		if (peer == UNSEALED)
			a.head.seal++;
		send(fd, &a, peer == STOPS && ask.from == FAR_ALL ? n - 1 : n, MSG_NOSIGNAL);
		if (peer == STOPS && ask.from == FAR_ALL)
			return;
	}
}

/* Rank 0 asks the others' node: 0 it was answered, 1 it counts the node as lost. */
static int ask_them(uint16_t port)
{
	struct far_card cards[FAR_AID_RANKS] = { 0 };
	struct tv_order counts = { 0 };

	for (int i = FAR_AID_NODE; i < FAR_AID_RANKS; i++) {
		cards[i] = (struct far_card){ .node = FAR_AID_NODE, .port = port, .n = 1 };
		cards[i].address[0].s_addr = htonl(INADDR_LOOPBACK);
	}
	tv_far_join(cards, FAR_AID_RANKS, far_aid_key);
	tv_far_connect();
	tv_far_ask(&(struct far_receive){ .comm = 1, .tag = 7, .until = FAR_NOW }, &counts);
	if (!tv_far_await() || tv_far_is_lost())
		return 1;
	/* Its time by this node's clock, which is the same. */
	return llabs(tv_far_line(3)->moved - 77) < 1000000000 && tv_far_line(3)->state == RANK_RUNS
		       ? 0
		       : 2;
}

static int asked_by(enum peer peer)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof at;
	const int listener = socket(AF_INET, SOCK_STREAM, 0);
	int status, fd;
	pid_t asker;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (const struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &size), 0);
	asker = fork();
	if (asker == 0)
		_exit(ask_them(ntohs(at.sin_port)));
	fd = accept(listener, NULL, NULL);
	play(peer, fd);
	close(fd);
	close(listener);
	assert_int_equal(waitpid(asker, &status, 0), asker);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(answers_of_what_is_not_the_node)
{
	assert_int_equal(asked_by(SOUND), 0);
	for (enum peer peer = CLOSES; peer < PEERS; peer++)
		if (asked_by(peer) != 1)
			fail_msg("peer %d is believed", peer);
}
