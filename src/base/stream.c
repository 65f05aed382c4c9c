#include "base/stream.h"

#include <sched.h>

#include "base/mem.h"

enum {
	BUFFER = 1 << 15, /* bytes */
	POLLS = 200,      /* in vain, before the processor is given away */
};

/* What goes to a process next. */
struct stream_buffer {
	char *data;
	size_t n, cap;
};

/* What came from one. */
struct stream_inbox {
	char *data;
	size_t at, n;
	uint32_t from;
};

/* Before each record. */
struct stream_mark {
	uint32_t bytes, kind;
};

struct stream {
	struct exchange *x;
	struct stream_buffer *out;    /* [processes] */
	VEC(uint32_t) filled;         /* those that are not empty */
	struct stream_inbox in;       /* the one that is read */
	VEC(struct stream_inbox) own; /* this process' to itself, first to last */
	size_t own_at;
	int128 posted, taken; /* buffers */
	bool voting;
	int128 before; /* what the last vote said was posted; -1: nothing */
};

struct stream *stream_new(struct exchange *x)
{
	struct stream *s = xcalloc(1, sizeof *s);

	s->x = x;
	s->out = xcalloc(x->processes, sizeof *s->out);
	s->before = -1;
	return s;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	for (uint32_t p = 0; p < s->x->processes; p++)
		free(s->out[p].data);
	vec_fini(&s->filled);
	vec_fini(&s->own);
	free_all(s->out, s->in.data, s);
}

/* ---- out ---- */

static void send_buffer(struct stream *s, uint32_t process)
{
	struct stream_buffer *b = &s->out[process];

	if (process == s->x->process) {
		vec_push(&s->own, ((struct stream_inbox){ b->data, 0, b->n, process }));
	} else {
		s->x->post(s->x, process, b->data, b->n);
		s->posted++;
	}
	*b = (struct stream_buffer){ 0 };
}

void *stream_put(struct stream *s, uint32_t process, uint32_t kind, uint32_t bytes)
{
	const struct stream_mark mark = { bytes, kind };
	struct stream_buffer *b = &s->out[process];
	char *record;

	if (b->n + sizeof mark + bytes > b->cap) {
		if (b->n)
			send_buffer(s, process);
		b->cap = bytes + sizeof mark > BUFFER ? bytes + sizeof mark : BUFFER;
		b->data = xmalloc(b->cap);
		vec_push(&s->filled, process);
	}
	record = b->data + b->n;
	memcpy(record, &mark, sizeof mark);
	b->n += sizeof mark + bytes;
	return record + sizeof mark;
}

void stream_flush(struct stream *s)
{
	for (size_t i = 0; i < s->filled.n; i++)
		if (s->out[s->filled.data[i]].n)
			send_buffer(s, s->filled.data[i]);
	s->filled.n = 0;
}

/* ---- in ---- */

/* The next buffer to read, if there is one. */
static bool next_buffer(struct stream *s)
{
	struct stream_inbox *in = &s->in;

	free(in->data);
	in->at = 0;
	in->data = NULL;
	if (s->own_at < s->own.n) {
		*in = s->own.data[s->own_at++];
		if (s->own_at == s->own.n)
			s->own.n = s->own_at = 0;
		return true;
	}
	in->data = s->x->arrived(s->x, &in->n, &in->from);
	s->taken += in->data != NULL;
	return in->data != NULL;
}

static bool is_here(struct stream *s)
{
	return (s->in.data && s->in.at < s->in.n) || next_buffer(s);
}

const void *stream_take(struct stream *s, struct stream_head *head)
{
	struct stream_inbox *in = &s->in;
	struct stream_mark mark;
	const char *record;

	if (!is_here(s))
		return NULL;
	memcpy(&mark, in->data + in->at, sizeof mark);
	*head = (struct stream_head){ mark.bytes, mark.kind, in->from };
	record = in->data + in->at + sizeof mark;
	in->at += sizeof mark + mark.bytes;
	return record;
}

/* ---- the end ---- */

/* Two sums in a row that are equal, and of which all that was posted was taken, show it; one does
 * not, as its parts are of different moments. */
static bool is_quiet(struct stream *s)
{
	int128 counts[2] = { s->posted, s->taken };
	bool quiet;

	if (!s->voting) {
		s->x->vote(s->x, counts, 2);
		s->voting = true;
	}
	if (!s->x->voted(s->x, counts, 2))
		return false;
	s->voting = false;
	quiet = counts[0] == counts[1] && counts[0] == s->before;
	s->before = quiet || counts[0] != counts[1] ? -1 : counts[0];
	if (quiet) /* none puts a record that another would take before it knows */
		exchange_count(s->x, 0);
	return quiet;
}

bool stream_wait(struct stream *s)
{
	stream_flush(s);
	for (unsigned polls = 0; !is_here(s); polls++) {
		if (is_quiet(s))
			return false;
		if (polls > POLLS)
			sched_yield();
	}
	return true;
}
