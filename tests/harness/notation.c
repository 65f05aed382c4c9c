#include "harness/notation.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/notation_reading.h"
#include "harness/test.h"
#include "model/trace/detail.h"

enum { MOST_MEMBERS = 256 };

/* ---- locations ---- */

static size_t add_place(struct reading *r, int32_t rank, int32_t thread)
{
	const struct location location = { .rank = rank, .process = -1, .thread = thread };
	const struct notation_place new_place = { .location = builder_location(r->n->b, &location),
						  .rank = rank,
						  .thread = thread };

	vec_push(&r->n->places, new_place);
	return r->n->places.n - 1;
}

static size_t place_of(struct reading *r, int32_t rank, int32_t thread)
{
	for (size_t i = 0; i < r->n->places.n; i++)
		if (r->n->places.data[i].rank == rank && r->n->places.data[i].thread == thread)
			return i;
	return add_place(r, rank, thread);
}

static void events_of_rank(struct reading *r)
{
	const int32_t rank = (int32_t)reading_number(r);
	const int32_t thread = reading_word(r, "thread") ? (int32_t)reading_number(r) : 0;

	if (r->failed)
		return;
	r->place = place_of(r, rank, thread);
	reading_need(r, ":");
	reading_items(r, false);
}

static void events_of_location(struct reading *r)
{
	r->place = (size_t)reading_number(r);
	if (r->place >= r->n->places.n) {
		reading_wrong(r, "there is no such location");
		return;
	}
	reading_need(r, ":");
	reading_items(r, false);
}

static void events_of_host(struct reading *r)
{
	r->place = place_of(r, RANK_HOST, 0);
	reading_need(r, ":");
	reading_items(r, false);
}

static void ranks(struct reading *r)
{
	const int64_t n = reading_number(r);

	for (int32_t i = 0; i < n; i++)
		add_place(r, i, 0);
}

static void threads(struct reading *r)
{
	const struct process process = { .node = UINT32_MAX, .type = 1, .creator = UINT32_MAX };
	const int64_t n = reading_number(r);
	const int32_t rank = reading_word(r, "rank") ? (int32_t)reading_number(r) : RANK_UNKNOWN;
	const uint32_t owner = rank == RANK_UNKNOWN ? builder_process(r->n->b, &process) : 0;
	struct comm team = { .name = reading_string(r, "team"), .size = (uint32_t)n };
	int32_t members[MOST_MEMBERS];

	for (int32_t i = 0; i < n && i < MOST_MEMBERS; i++) {
		const size_t p = add_place(r, rank, i);
		const uint32_t l = r->n->places.data[p].location;
		if (rank == RANK_UNKNOWN)
			builder_location_owner(r->n->b, l, owner, LOCATION_CPU, (uint64_t)i);
		members[i] = (int32_t)l;
	}
	team.ranks = members;
	team.parent = UINT32_MAX;
	team.kind = COMM_THREADS;
	reading_define(r, NOTATION_COMM, "team", builder_comm_define(r->n->b, &team));
}

/* ---- settings ---- */

static uint32_t members(struct reading *r, int32_t *list)
{
	uint32_t n = 0;

	while (n < MOST_MEMBERS && reading_at_number(r))
		list[n++] = (int32_t)reading_number(r);
	return n;
}

static void ticks(struct reading *r)
{
	const int64_t per_second = reading_number(r);

	if (r->n->places.n || r->n->names.n)
		reading_wrong(r, "ticks come before anything else");
	notation_fini(r->n);
	notation_begin(r->n, per_second);
}

static enum region_class class_named(struct reading *r)
{
	char text[NOTATION_WORD];

	reading_name(r, text);
	for (int c = 0; c < CLASS_COUNT; c++)
		if (strcmp(text, region_class_name((enum region_class)c)) == 0)
			return (enum region_class)c;
	reading_wrong(r, "no class has this name");
	return CLASS_USER;
}

static void mpi(struct reading *r)
{
	r->n->mpi = class_named(r);
}

static void lines(struct reading *r, struct region *defined)
{
	defined->line = (uint32_t)reading_number(r);
	if (reading_sign(r, "-"))
		defined->end_line = (uint32_t)reading_number(r);
}

static void region_set(struct reading *r)
{
	char text[NOTATION_WORD], other[NOTATION_WORD];
	struct region defined = { .name = reading_string(r, reading_name(r, text)),
				  .picl = NOTATION_PICL };

	if (reading_sign(r, "="))
		defined.name = reading_string(r, reading_name(r, other));
	for (;;) {
		if (reading_word(r, "class"))
			defined.cls = (uint8_t)class_named(r);
		else if (reading_word(r, "role"))
			defined.role = (uint8_t)reading_number(r);
		else if (reading_word(r, "paradigm"))
			defined.paradigm = (uint8_t)reading_number(r);
		else if (reading_word(r, "picl"))
			defined.picl = (int32_t)reading_number(r);
		else if (reading_word(r, "file"))
			defined.file = reading_string(r, reading_name(r, other));
		else if (reading_word(r, "line"))
			lines(r, &defined);
		else
			break;
	}
	reading_define(r, NOTATION_REGION, text, builder_region_define(r->n->b, &defined));
	vec_last(&r->n->names)->picl = defined.picl;
}

static void file_set(struct reading *r)
{
	char text[NOTATION_WORD];

	free(r->n->file);
	r->n->file = xstrdup(reading_name(r, text));
}

static void inset(struct reading *r)
{
	r->n->inset = reading_number(r);
}

static void comm(struct reading *r)
{
	int32_t list[MOST_MEMBERS], remote[MOST_MEMBERS];
	char text[NOTATION_WORD];
	struct comm c = { .name = reading_string(r, reading_name(r, text)), .parent = UINT32_MAX };

	c.kind = reading_word(r, "self") ? COMM_SELF : 0;
	c.size = members(r, list);
	c.ranks = list;
	if (c.kind == 0 && !reading_sign(r, "|")) {
		reading_define(r, NOTATION_COMM, text,
			       builder_comm(r->n->b, text, list, c.size, 0));
		return;
	}
	if (c.kind == 0) {
		c.remote_size = members(r, remote);
		c.remote = remote;
		c.kind = COMM_INTER;
	}
	reading_define(r, NOTATION_COMM, text, builder_comm_define(r->n->b, &c));
}

static void grid(struct reading *r)
{
	int32_t size[MOST_MEMBERS], coords[MOST_MEMBERS], world[MOST_MEMBERS];
	const uint8_t periodic[MOST_MEMBERS] = { 0 };
	struct topology t = { .dims = members(r, size), .size = size, .periodic = periodic };
	int32_t n = 1;

	for (uint32_t d = 0; d < t.dims; d++)
		n *= size[d];
	if (t.dims == 0 || n <= 0 || n * (int32_t)t.dims > MOST_MEMBERS) {
		reading_wrong(r, "such a grid cannot be made");
		return;
	}
	for (int32_t i = 0; i < n; i++) {
		world[i] = i;
		for (int32_t d = (int32_t)t.dims - 1, rest = i; d >= 0; rest /= size[d--])
			coords[i * (int32_t)t.dims + d] = rest % size[d];
	}
	t.coords = coords;
	builder_world(r->n->b, world, (uint32_t)n);
	builder_topology(r->n->b, &t, (uint32_t)n);
}

static void window(struct reading *r)
{
	char text[NOTATION_WORD];
	const uint64_t values[] = { 0, 0 };
	const uint32_t id = reading_string(r, reading_name(r, text));

	reading_define(r, NOTATION_OBJECT, text,
		       builder_object(r->n->b, OBJECT_RMA_WINDOW, id, values, 2));
}

static void group(struct reading *r)
{
	enum { GROUP_OF_RANKS = 4 };
	uint64_t values[3 + MOST_MEMBERS] = { 0, GROUP_OF_RANKS, 0 };
	int32_t list[MOST_MEMBERS];
	char text[NOTATION_WORD];
	const uint32_t id = reading_string(r, reading_name(r, text)), n = members(r, list);

	for (uint32_t i = 0; i < n; i++)
		values[3 + i] = (uint64_t)list[i];
	reading_define(r, NOTATION_OBJECT, text,
		       builder_object(r->n->b, OBJECT_GROUP, id, values, 3 + n));
}

static void node(struct reading *r)
{
	char text[NOTATION_WORD];
	const uint32_t id = reading_string(r, reading_name(r, text));

	while (reading_at_number(r)) {
		const int32_t rank = (int32_t)reading_number(r);
		place_of(r, rank, 0);
		for (size_t p = 0; p < r->n->places.n; p++)
			if (r->n->places.data[p].rank == rank)
				builder_location_node(r->n->b, r->n->places.data[p].location, id);
	}
}

static void clock_set(struct reading *r)
{
	r->place = place_of(r, (int32_t)reading_number(r), 0);
	reading_place(r)->clock_offset = reading_number(r);
	reading_place(r)->clock_ppm = reading_at_number(r) ? (double)reading_number(r) : 0;
}

static void offset(struct reading *r)
{
	const size_t p = place_of(r, (int32_t)reading_number(r), 0);
	struct offset o = { .location = r->n->places.data[p].location, .rtt = -1 };

	o.time = reading_number(r);
	o.offset = reading_number(r);
	if (reading_at_number(r))
		o.rtt = reading_number(r);
	builder_offset(r->n->b, &o);
}

static void property(struct reading *r)
{
	char key[NOTATION_WORD], value[NOTATION_WORD];

	reading_name(r, key);
	builder_property(r->n->b, key, reading_name(r, value));
}

static void line(struct reading *r)
{
	static const struct {
		const char *name;
		void (*read)(struct reading *r);
	} table[] = {
		{ "rank", events_of_rank },
		{ "location", events_of_location },
		{ "host", events_of_host },
		{ "ranks", ranks },
		{ "threads", threads },
		{ "ticks", ticks },
		{ "mpi", mpi },
		{ "region", region_set },
		{ "file", file_set },
		{ "inset", inset },
		{ "comm", comm },
		{ "grid", grid },
		{ "window", window },
		{ "group", group },
		{ "node", node },
		{ "clock", clock_set },
		{ "offset", offset },
		{ "property", property },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (reading_word(r, table[i].name)) {
			table[i].read(r);
			reading_blanks(r);
			if (*r->at && *r->at != '\n' && *r->at != ';')
				reading_wrong(r, "this is not understood");
			return;
		}
	reading_wrong(r, "a line begins with a place or a setting");
}

bool notation_read(struct notation *n, const char *text, struct err *err)
{
	struct reading r = { .n = n, .text = text, .at = text, .err = err };

	for (reading_breaks(&r); *r.at; reading_breaks(&r))
		line(&r);
	return !r.failed;
}

/* ---- for tests ---- */

void notation_begin(struct notation *n, int64_t per_second)
{
	const int digits = per_second > 1000000000 ? 12 : per_second > 1000000 ? 9 : 6;
	const struct timescale scale = { per_second, digits };

	*n = (struct notation){ .b = builder_new("test.trc", &scale, NULL), .mpi = CLASS_P2P };
}

void notation_fini(struct notation *n)
{
	builder_abandon(n->b);
	for (size_t i = 0; i < n->names.n; i++)
		free(n->names.data[i].name);
	vec_fini(&n->names);
	vec_fini(&n->places);
	free(n->file);
	*n = (struct notation){ 0 };
}

void notation_write_v(struct notation *n, const char *format, va_list args)
{
	struct str text = STR_INIT;
	struct err err = ERR_INIT;

	str_add_fmt_v(&text, format, args);
	if (!notation_read(n, text.text, &err))
		fail_msg("%s", err.text);
	str_fini(&text);
}

void notation_write(struct notation *n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	notation_write_v(n, format, args);
	va_end(args);
}

uint32_t notation_id(const struct notation *n, enum notation_kind kind, const char *name)
{
	const struct notation_name *found = notation_find(n, kind, name);

	if (!found)
		fail_msg("'%s' is not known", name);
	return found->id;
}

struct trace *notation_finish(struct notation *n)
{
	struct err err = ERR_INIT;
	struct trace *trace =
		builder_finish(n->b, &(struct builder_options){ .jobs = 1 }, NULL, &err);

	n->b = NULL;
	notation_fini(n);
	if (!trace || err_is_set(&err))
		fail_msg("%s", err.text);
	return trace;
}

struct trace *notation_trace(const char *text)
{
	struct notation n;

	notation_begin(&n, 1000000000);
	notation_write(&n, "%s", text);
	return notation_finish(&n);
}
