#include "harness/notation_reading.h"

#include <inttypes.h>
#include <string.h>

#include "model/trace/detail.h"
#include "model/trace/record_type.h"

enum { MOST_VALUES = 16 };

/* ---- operations ---- */

struct attributes {
	struct message_end end;
	int32_t root;
	uint64_t sent, received; /* of a collective */
};

static uint64_t bytes(struct reading *r)
{
	const uint64_t n = reading_sign(r, "?") ? UINT64_MAX : (uint64_t)reading_number(r);

	reading_need(r, "B");
	return n;
}

static void attributes(struct reading *r, struct attributes *a)
{
	for (;;) {
		if (reading_word(r, "tag"))
			a->end.tag = (int32_t)reading_number(r);
		else if (reading_word(r, "comm"))
			a->end.comm = reading_known(r, NOTATION_COMM);
		else if (reading_word(r, "root"))
			a->root = reading_sign(r, "?") ? RANK_UNKNOWN : (int32_t)reading_number(r);
		else if (reading_word(r, "req")) {
			a->end.has_request = true;
			a->end.request = reading_number(r);
		} else if (reading_at_number(r) || *r->at == '?') {
			a->sent = a->received = a->end.bytes = bytes(r);
			if (reading_sign(r, "/"))
				a->received = bytes(r);
		} else
			return;
	}
}

static struct attributes partner(struct reading *r)
{
	struct attributes a = { .end = { .process = -1, .bytes = 8 } };

	if (reading_sign(r, "*"))
		a.end.rank = -1;
	else
		a.end.rank = reading_sign(r, "?") ? RANK_UNKNOWN : (int32_t)reading_number(r);
	attributes(r, &a);
	if (a.end.bytes == UINT64_MAX) {
		a.end.bytes = 0;
		a.end.flags |= MSG_NO_BYTES;
	}
	return a;
}

static void send(struct reading *r)
{
	struct attributes a = partner(r);

	a.end.flags |= a.end.has_request ? MSG_SEND_REQUEST : 0;
	builder_send(r->n->b, reading_place(r)->location, reading_own_time(r, r->enter), &a.end);
}

static void receive(struct reading *r)
{
	struct attributes a = partner(r);

	a.end.flags |= a.end.has_request ? MSG_RECV_REQUEST : 0;
	builder_recv(r->n->b, reading_place(r)->location, reading_own_time(r, r->leave), &a.end);
}

static void post(struct reading *r)
{
	struct attributes a;

	reading_need(r, "<-");
	a = partner(r);
	a.end.flags |= MSG_RECV_REQUEST;
	builder_recv_request(r->n->b, reading_place(r)->location, reading_own_time(r, r->enter),
			     &a.end);
}

static void sent(struct reading *r)
{
	const int64_t request = reading_number(r);

	builder_send_complete(r->n->b, reading_place(r)->location, reading_own_time(r, r->leave),
			      request, 0);
}

static void test(struct reading *r)
{
	const int64_t request = reading_number(r);

	builder_request_test(r->n->b, reading_place(r)->location, reading_own_time(r, r->enter),
			     request);
}

static void cancel(struct reading *r)
{
	const int64_t request = reading_number(r);

	builder_request_cancelled(r->n->b, reading_place(r)->location,
				  reading_own_time(r, r->enter), request);
}

/* Begin and end; no end (the earliest time) where only a begin is given. */
static void both_times(struct reading *r, int64_t *begin, int64_t *end)
{
	*begin = r->enter;
	*end = r->leave;
	if (reading_sign(r, "@")) {
		reading_place(r)->now = *begin = reading_time(r);
		*end = reading_sign(r, "-") ? reading_time(r) : INT64_MIN;
	} else if (!r->in_visit)
		reading_wrong(r, "times are missing");
}

static void collective(struct reading *r)
{
	struct attributes a = { .root = -1 };
	uint32_t of = r->region;
	int64_t begin, end;
	char text[NOTATION_WORD];

	if (reading_sign(r, ":"))
		of = reading_region(r, reading_name(r, text));
	else if (!r->in_visit)
		reading_wrong(r, "a collective outside of a visit needs a name");
	attributes(r, &a);
	both_times(r, &begin, &end);
	builder_collective_begin(r->n->b, reading_place(r)->location, reading_stamp(r, begin),
				 a.end.comm, of, a.root, a.sent, a.received);
	if (end != INT64_MIN)
		builder_collective_end(r->n->b, reading_place(r)->location, reading_stamp(r, end),
				       a.sent, a.received);
}

static void collective_end(struct reading *r)
{
	builder_collective_end(r->n->b, reading_place(r)->location, reading_own_time(r, r->leave),
			       UINT64_MAX, UINT64_MAX);
}

static void ask(struct reading *r)
{
	const int64_t request = reading_number(r);

	builder_collective_request(r->n->b, reading_place(r)->location,
				   reading_own_time(r, r->enter), request);
}

static void got(struct reading *r)
{
	struct attributes a = { .root = -1 };
	const int64_t request = reading_number(r);
	char text[NOTATION_WORD];
	const uint32_t of = reading_region(r, reading_name(r, text));

	attributes(r, &a);
	builder_collective_complete(r->n->b, reading_place(r)->location,
				    reading_own_time(r, r->leave), request, a.end.comm, of, a.root,
				    a.sent, a.received);
}

static void fence(struct reading *r)
{
	const uint64_t values[] = { 0, 0, reading_known(r, NOTATION_OBJECT), UINT64_MAX, 0, 0 };
	int64_t begin, end;

	both_times(r, &begin, &end);
	builder_detail(r->n->b, reading_place(r)->location, reading_stamp(r, begin),
		       DETAIL_RMA_COLLECTIVE_BEGIN, NULL, 0);
	if (end != INT64_MIN)
		builder_detail(r->n->b, reading_place(r)->location, reading_stamp(r, end),
			       DETAIL_RMA_COLLECTIVE_END, values, 6);
}

static void detail(struct reading *r)
{
	uint64_t values[MOST_VALUES] = { 0 };
	const struct detail_info *info;
	enum detail_type type;
	uint32_t n = 0;
	size_t length;
	int64_t t;

	reading_blanks(r);
	length = strcspn(r->at, " ]");
	type = detail_find(r->at, length);
	if (type == DETAIL_TYPES) {
		reading_wrong(r, "no detail has this name");
		return;
	}
	info = detail_info(type);
	r->at += length;
	for (; n < MOST_VALUES && (reading_at_number(r) || reading_at_name(r)); n++)
		values[n] = reading_at_number(r) ? (uint64_t)reading_number(r)
						 : reading_known(r, NOTATION_ANY);
	t = reading_own_time(r, r->enter);
	reading_need(r, "]");
	builder_detail(r->n->b, reading_place(r)->location, t, type, values,
		       n > info->fields ? n : info->fields);
}

static void gap(struct reading *r)
{
	const int64_t records = reading_number(r);
	const int64_t read = reading_at_number(r) ? reading_number(r) : 0;
	const int64_t noted = reading_at_number(r) ? reading_number(r) : -1;
	const uint32_t of = reading_region(r, "tview_gap");
	struct str text = STR_INIT;

	str_add_fmt(&text, "%d 2 %" PRId64 " %" PRId64, noted < 0 ? 2 : 3, records, read);
	if (noted >= 0)
		str_add_fmt(&text, " %" PRId64, noted);
	builder_record(r->n->b, reading_place(r)->location, reading_own_time(r, r->enter), EV_DATA,
		       &(struct record){ REC_GAP, builder_site(r->n->b, of, 0, 0, NOTATION_PICL),
					 builder_string(r->n->b, text.text, text.n) });
	str_fini(&text);
}

static void mark(struct reading *r)
{
	const uint32_t s = reading_site(r, NULL);

	builder_mark(r->n->b, reading_place(r)->location, reading_own_time(r, r->enter), s);
}

static void leave(struct reading *r)
{
	const uint32_t s = reading_site(r, NULL);

	builder_leave(r->n->b, reading_place(r)->location, reading_own_time(r, r->enter), s);
}

/* False where there is none. */
static bool operation(struct reading *r)
{
	static const struct {
		const char *name;
		void (*read)(struct reading *r);
	} table[] = {
		{ "post", post },     { "sent", sent },      { "test", test },
		{ "cancel", cancel }, { "all", collective }, { "end", collective_end },
		{ "ask", ask },       { "got", got },        { "fence", fence },
		{ "mark", mark },     { "leave", leave },    { "gap", gap },
	};

	if (reading_sign(r, "->"))
		return send(r), true;
	if (reading_sign(r, "<-"))
		return receive(r), true;
	if (reading_sign(r, "["))
		return detail(r), true;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (reading_word(r, table[i].name))
			return table[i].read(r), true;
	return false;
}

/* ---- visits ---- */

static void visit(struct reading *r)
{
	const uint32_t s = reading_site(r, &r->region), l = reading_place(r)->location;
	const uint32_t of = r->region;
	struct builder *b = r->n->b;
	int64_t enter, end;

	reading_need(r, "@");
	enter = reading_time(r);
	builder_enter(b, l, reading_stamp(r, enter), s);
	if (reading_sign(r, "{")) {
		r->in_visit = false;
		reading_items(r, true);
		reading_need(r, "}");
		if (reading_sign(r, "@"))
			builder_leave(b, l, reading_stamp(r, reading_time(r)), s);
		return;
	}
	/* "->" is a send, not a time. */
	reading_blanks(r);
	end = r->at[0] == '-' && r->at[1] != '>' && reading_sign(r, "-") ? reading_time(r)
									 : INT64_MIN;
	r->in_visit = true;
	r->region = of;
	r->enter = enter + r->n->inset;
	r->leave = end == INT64_MIN ? INT64_MIN : end - r->n->inset;
	while (operation(r))
		continue;
	if (end != INT64_MIN)
		builder_leave(b, l, reading_stamp(r, end), s);
	r->in_visit = false;
}

/* Outside of braces a line that begins with a blank goes on with the line before. */
static void continued(struct reading *r)
{
	reading_blanks(r);
	if (*r->at == '\n' && (r->at[1] == ' ' || r->at[1] == '\t'))
		r->at++;
}

void reading_items(struct reading *r, bool inside)
{
	r->in_visit = false;
	for (;;) {
		if (inside)
			reading_breaks(r);
		else
			continued(r);
		if (operation(r) || reading_sign(r, ","))
			continue;
		if (!reading_at_name(r))
			return;
		visit(r);
	}
}
