/* far_wire: questions to another node about its ranks, and the answers (far.h, far_serve.h), as
 * they are on the wire; both sides run this library on machines of one kind. An answer is its head,
 * then its arrays in the order of their counts. Times are those of the clock of the answering node.
 *
 * Who answers says hello first, with a challenge that is another one for each connection. Questions
 * and heads of answers are sealed by it and the job's key (far_seal.h): so neither side heeds what
 * is not of the job, or of another connection. Bytes that are changed on their way
 * are the network's affair.
 *
 * libc alone, no state. */
#pragma once

#include "capture/lib/carry_map.h"
#include "capture/lib/far_seal.h"

enum {
	FAR_MAGIC = 0x33726166,
	FAR_DONE_WORDS = (CARRY_ENTRIES + 63) / 64,
	FAR_TOLD = 128, /* of a question */
};

/* far_ask.from: a rank whose messages to the asker are wanted, or one of these. */
enum { FAR_CLOCK = -2, /* nothing but the clock */ FAR_ALL = -1 };

/* far_ask.until */
#define FAR_NOW   INT64_MIN
#define FAR_FIRST INT64_MAX

struct far_hello {
	uint32_t magic;
	int32_t node; /* number of its first rank */
	uint64_t challenge;
};

struct far_ask {
	uint64_t seal; /* of the rest, with all struct far_have */
	uint32_t magic;
	int16_t node, me; /* to which node, by which rank */
	uint32_t nth;     /* comes back in the answer */
	int16_t from, unused;
	uint32_t comm; /* of the receive, */
	int32_t tag;   /* -1: any */
	/* Virtual: to be answered when none of the node can still send what is earlier; FAR_FIRST:
	 * than its own first message for this receive, at once if it has none. Such a question of
	 * all ranks is kept till then, and withdrawn by the asker's next one of all. */
	int64_t until;
	int64_t margin;       /* tv_far_margin() */
	uint32_t haves, told; /* so many struct far_have, then struct far_told follow */
};

/* The asker is done with all of the messages of a rank of the node before that one. */
struct far_have {
	int16_t from, unused[3];
	uint64_t read;
};

/* A message of a rank of another node for one of the node is under way, as far as the asker knows:
 * who waits for it will go on. */
struct far_told {
	int16_t from, to;
	uint32_t comm;
	int32_t tag;
	uint32_t unused;
	uint64_t index; /* in its ring */
	int64_t at;     /* virtual: it was sent */
};

enum {
	FAR_LARGEST_ASK = sizeof(struct far_ask) + TV_CARRY_RANKS * sizeof(struct far_have) +
			  FAR_TOLD * sizeof(struct far_told),
};

struct far_answer {
	uint64_t seal; /* of this head's rest */
	uint32_t magic, nth;
	uint64_t bytes; /* with this head */
	/* Ticks: when the question came, when lines were read, when the answer left. */
	uint64_t asked, seen, left;
	uint64_t microsecond; /* in ticks */
	uint32_t same;        /* lines and rings are of one moment */
	uint32_t lines, rings, entries, reads;
	uint32_t kept; /* no answer: a sign of life, of a question that is kept; nothing follows */
};

/* Its seal; `bytes` of all that is sealed. */
static inline uint64_t far_seal_of_ask(const uint64_t key[2], uint64_t challenge,
				       const struct far_ask *ask, size_t bytes)
{
	return far_seal(key, challenge, &ask->magic, (bytes - sizeof ask->seal) / sizeof(uint64_t));
}

static inline uint64_t far_seal_of_answer(const uint64_t key[2], uint64_t challenge,
					  const struct far_answer *a)
{
	return far_seal(key, challenge, &a->magic, sizeof *a / sizeof(uint64_t) - 1);
}

struct far_line {
	int32_t number;
	uint32_t meets; /* RANK_MEETS: the collective is not over */
	struct rank_line line;
	struct carry_meeting meeting;
	uint64_t same; /* ticks: the line has not changed for so long */
};

enum far_ring_flag {
	FAR_POSTS = 1,   /* receives posted, not messages */
	FAR_UNKNOWN = 2, /* it is out of step */
};

/* What a rank wrote for another one. */
struct far_ring {
	int16_t from, to;
	uint32_t flags;    /* enum far_ring_flag */
	uint32_t first, n; /* its entries */
	uint64_t written, sum;
};

struct far_entry {
	uint64_t index; /* in the ring */
	struct carry_entry entry;
};

/* What a rank has taken of the messages of one of another node. */
struct far_read {
	int16_t from, to;
	uint32_t unknown;              /* it is out of step */
	uint64_t read;                 /* all before, */
	uint64_t done[FAR_DONE_WORDS]; /* and read + i where bit i is set */
};

static inline bool far_is_done(const struct far_read *r, uint64_t index)
{
	const uint64_t i = index - r->read;

	return index < r->read || (i < CARRY_ENTRIES && r->done[i / 64] >> i % 64 & 1);
}

/* What the reader of a ring tells in it. */
static inline struct far_read far_read_of(const struct carry_ring *ring, int from, int to)
{
	const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	struct far_read r = { .from = (int16_t)from,
			      .to = (int16_t)to,
			      .read = __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE) };

	r.unknown = r.read == CARRY_UNKNOWN || written >= r.read + CARRY_ENTRIES;
	for (uint64_t i = r.read; !r.unknown && i < written; i++)
		if (__atomic_load_n(&ring->entry[i % CARRY_ENTRIES].taken, __ATOMIC_ACQUIRE))
			r.done[(i - r.read) / 64] |= UINT64_C(1) << (i - r.read) % 64;
	return r;
}
