#include "capture/run/feed_calling.h"

#include "model/meaning/meaning.h"

struct teller {
	const struct rankfile *file;
	take_record *take;
	void *context;
	uint64_t time; /* ticks of the latest record */
};

static void tell_frame(struct teller *t, const struct tv_open *open)
{
	const struct tv_statistic *row = rankfile_row(t->file, open->row);
	struct tv_function f = { .time = open->start ? open->start : t->time };

	if (!row)
		return;
	t->time = f.time;
	if (row->place & TV_PLACE_SITE) {
		const bool same = row->from & TV_PLACE_SITE &&
				  tv_place_module(row->from) == tv_place_module(row->place);
		f.what = tv_site_make(TV_SITE_ENTER, tv_place_module(row->place),
				      tv_place_slot(row->place),
				      same ? tv_place_slot(row->from) : 0);
	} else if (row->place & TV_PLACE_REGION) {
		const struct tv_head user = { .time = f.time,
					      .kind = TV_USER_ENTER,
					      .id = (uint32_t)row->place };
		t->take(t->context, &user, 0);
		return;
	} else {
		f.what = TV_FUNCTION_ENTER | row->place << 8;
	}
	t->take(t->context, (const struct tv_head *)(const void *)&f, 0);
}

/* The call waits for requests that were started before. */
static bool completes(const struct teller *t, uint32_t call)
{
	struct meaning m;

	return meaning_of_mpi(t->file->head->call[call].name, &m) && m.request != REQUEST_NONE;
}

static void tell_message(const struct teller *t, const struct tv_calling *c)
{
	const bool receive = c->kind == TV_CALLING_RECEIVE;
	const struct tv_message m = {
		/* Requests of the rank count from 1. */
		.head = { .time = c->since,
			  .kind = receive ? TV_RECV_REQUEST : TV_SEND,
			  .flags = c->flags,
			  .call = c->call,
			  .id = receive || completes(t, c->call) ? UINT32_MAX : 0 },
		.peer = c->peer,
		.tag = c->tag,
		.size = tv_size_make(0, c->comm),
	};
	const struct tv_message sent = {
		.head = { .time = c->since, .kind = TV_SEND, .call = c->call },
		.peer = (int32_t)(c->nth - 1),
		.tag = (int32_t)c->sent,
		.size = m.size,
	};

	if (c->peer >= 0 || c->flags & TV_ANY_SOURCE)
		t->take(t->context, &m.head, 0);
	if (receive && c->nth)
		t->take(t->context, &sent.head, 0);
}

static void tell_call(const struct teller *t, const struct tv_calling *c)
{
	const struct tv_enter enter = {
		.head = { .time = c->since, .kind = TV_ENTER, .call = c->call }, .site = c->place
	};
	const struct tv_head leave = { .time = c->since, .kind = TV_LEAVE, .call = c->call };
	const struct tv_collective all = {
		.head = { .time = c->since, .kind = TV_COLL_BEGIN, .call = c->call, .id = c->comm },
		.sent_root = tv_size_make(c->sent, c->peer >= 0 ? (uint32_t)c->peer : TV_NO_ROOT),
		.received_comm = c->received,
	};

	t->take(t->context, &enter.head, 0);
	switch ((enum tv_calling_kind)c->kind) {
	/* Of all its calls the last one's end is known. */
	case TV_CALLING_OUTSIDE: t->take(t->context, &leave, 0); break;
	case TV_CALLING_SEND:
	case TV_CALLING_RECEIVE: tell_message(t, c); break;
	case TV_CALLING_COLLECTIVE: t->take(t->context, &all.head, c->nth); break;
	default: break;
	}
}

bool calling_records(const struct rankfile *file, uint32_t thread, take_record *take, void *context)
{
	struct teller t = { .file = file, .take = take, .context = context };
	const struct tv_statistics *s = rankfile_statistics(file, thread);
	struct tv_calling c;
	const struct tv_open *open;

	if (!s || file->head->state & (TV_FINALISED | TV_EXITED))
		return false;
	t.time = file->head->first_tick;
	open = rankfile_open_frames(s);
	for (uint64_t i = 0; i < s->open && open && open[i].start <= file->now; i++)
		tell_frame(&t, &open[i]);
	c = s->calling;
	/* It began after the look's moment, at which the thread was between two calls. */
	if (c.since > file->now)
		return true;
	c.since = rankfile_statistics_time(file->head, c.since);
	/* Not known where it changed throughout the look: the thread goes on all the same. */
	if (c.call >= file->head->calls || (c.seq & 1 && file->now != UINT64_MAX))
		return true;
	if (c.kind > TV_CALLING_OUTSIDE || (c.kind == TV_CALLING_OUTSIDE && !s->open))
		tell_call(&t, &c);
	return true;
}
