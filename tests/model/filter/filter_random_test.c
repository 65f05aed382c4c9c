/* Random expressions on random traces, against an evaluator that looks at every event by itself:
 * fields by the plain functions of the store, expressions as trees, no tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "harness/built.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/filter/filter.h"

FREES(filter_free, struct filter)

/* ---- traces ---- */

enum { RANKS = 4, REGIONS = 6 };

static const char *const names[REGIONS] = { "main", "solve", "MPI_Send", "MPI_Recv", "io", "a b" };

/* Enters, leaves (some of an outer level, some of nothing), marks, sends and receives; some
 * regions stay open at the end. */
static void fill_rank(struct builder *b, uint64_t *seed, uint32_t location, int32_t rank,
		      const uint32_t *sites, int events)
{
	uint32_t open[64];
	unsigned depth = 0;
	int64_t time = draw(seed, 50);

	for (int i = 0; i < events; i++) {
		const uint32_t site = sites[draw(seed, REGIONS)];
		const struct message_end end = { .rank = (int32_t)draw(seed, RANKS),
						 .process = -1,
						 .tag = (int32_t)draw(seed, 3),
						 .bytes = draw(seed, 4) * 500 };
		time += draw(seed, 4);
		switch (draw(seed, 10)) {
		case 0:
		case 1:
		case 2:
		case 3:
			if (depth < 64) {
				builder_enter(b, location, time, site);
				open[depth++] = site;
			}
			break;
		case 4:
		case 5:
		case 6:
			if (depth)
				builder_leave(b, location, time, open[--depth]);
			break;
		case 7: builder_mark(b, location, time, site); break;
		case 8:
			if (end.rank != rank)
				builder_send(b, location, time, &end);
			break;
		default:
			if (end.rank != rank)
				builder_recv(b, location, time, &end);
		}
	}
}

static struct trace *random_trace(uint64_t *seed, int events)
{
	static const struct timescale scale = { 1000000, 6 };
	struct builder *const b = builder_new("random.trc", &scale, NULL);
	uint32_t sites[REGIONS];

	for (uint32_t i = 0; i < REGIONS; i++)
		sites[i] =
			builder_site(b,
				     builder_region(b, names[i], (enum region_class)(i % 3),
						    (int32_t)i),
				     i % 2 ? built_string(b, "x.c") : 0, i % 2 ? i : 0, (int32_t)i);
	for (int32_t rank = 0; rank < RANKS; rank++) {
		const struct location location = {
			.name = built_string(b, "r"),
			.rank = rank,
			.process = -1,
			.node = rank == 3 ? 0 : built_string(b, rank < 2 ? "alpha" : "beta"),
		};
		fill_rank(b, seed, builder_location(b, &location), rank, sites, events);
	}
	return built_end(b);
}

/* ---- one event, seen plainly ---- */

enum field {
	RANK,
	NODE,
	KIND,
	REGION,
	CLASS,
	CALLPATH,
	DEPTH,
	FILE_NAME,
	LINE,
	TIME,
	DUR,
	PEER,
	SRC,
	DST,
	TAG,
	BYTES,
	FIELDS
};

static const char *const field_names[FIELDS] = { "rank",  "node",     "kind",  "region",
						 "class", "callpath", "depth", "file",
						 "line",  "time",     "dur",   "peer",
						 "src",   "dst",      "tag",   "bytes" };

static bool is_text(enum field field)
{
	return field == NODE || field == KIND || field == REGION || field == CLASS ||
	       field == CALLPATH || field == FILE_NAME;
}

struct plain {
	bool has[FIELDS];
	int64_t number[FIELDS];
	char text[FIELDS][2000];
};

static void set_number(struct plain *p, enum field field, int64_t value)
{
	p->has[field] = true;
	p->number[field] = value;
}

static void set_text(struct plain *p, enum field field, const char *text)
{
	p->has[field] = true;
	snprintf(p->text[field], sizeof p->text[field], "%s", text);
}

static void look_at_site(struct plain *p, const struct trace *trace, uint32_t id)
{
	const struct site *const site = trace_site(trace, id);

	set_text(p, REGION, trace_region_name(trace, site->region));
	set_text(p, CLASS,
		 region_class_name((enum region_class)trace_region(trace, site->region)->cls));
	if (site->file)
		set_text(p, FILE_NAME, trace_string(trace, site->file));
	if (site->line)
		set_number(p, LINE, site->line);
}

static void look_at_message(struct plain *p, const struct trace *trace, const struct message *m,
			    bool sends)
{
	set_number(p, SRC, message_source(trace, m));
	set_number(p, DST, message_destination(trace, m));
	set_number(p, PEER, p->number[sends ? DST : SRC]);
	set_number(p, TAG, m->tag);
	set_number(p, BYTES, (int64_t)message_bytes(m));
	if (!(m->flags & (MSG_NO_SEND | MSG_NO_RECV)))
		set_number(p, DUR,
			   trace_event_time(trace, BASE_MEASURED, m->recv) -
				   trace_event_time(trace, BASE_MEASURED, m->send));
}

static void look_at(struct plain *p, const struct trace *trace, uint32_t event)
{
	const uint32_t what = trace_event_what(trace, event);
	const struct location *const location =
		trace_location(trace, trace_event_location(trace, event));
	const uint32_t path = trace_event_path(trace, event);
	const uint32_t partner = trace_event_partner(trace, event);
	const int64_t time = trace_event_time(trace, BASE_MEASURED, event);
	struct str text = STR_INIT;

	memset(p->has, 0, sizeof p->has);
	set_number(p, RANK, location->rank);
	if (location->node)
		set_text(p, NODE, trace_string(trace, location->node));
	set_text(p, KIND, event_kind_name(what_kind(what)));
	set_number(p, TIME, time);
	set_number(p, DEPTH, trace_callpath(trace, path)->depth);
	if (path) {
		trace_callpath_text(trace, path, &text);
		set_text(p, CALLPATH, text.text);
		str_fini(&text);
	}
	if (what_kind(what) == EV_MARK || what_kind(what) == EV_STRAY_LEAVE)
		look_at_site(p, trace, what_id(what));
	else if (path)
		look_at_site(p, trace, trace_callpath(trace, path)->site);
	if (what_kind(what) == EV_SEND || what_kind(what) == EV_RECV)
		look_at_message(p, trace, trace_message(trace, what_id(what)),
				what_kind(what) == EV_SEND);
	if (partner != EVENT_NONE) {
		const int64_t other = trace_event_time(trace, BASE_MEASURED, partner);
		set_number(p, DUR, other > time ? other - time : time - other);
	}
}

/* ---- expressions ---- */

enum { OPS = 8 };
static const char *const number_ops[OPS] = { "==", "!=", "<", "<=", ">", ">=", "in", "!in" };

struct expression {
	enum { TEST, NOT, AND, OR } type;
	struct expression *left, *right;
	enum field field;
	uint32_t op;
	int64_t low, high;
	const char *text;
};

static const char *const texts[] = { "main", "solve",      "MPI_Send", "a b",          "alpha",
				     "beta", "enter",      "leave",    "send",         "user",
				     "p2p",  "collective", "x.c",      "main > solve", "none" };

/* Closed sets of names refuse others. */
static const char *text_for(uint64_t *seed, enum field field)
{
	static const char *const kinds[] = { "enter", "leave", "send", "recv", "mark" };
	static const char *const classes[] = { "user", "p2p", "collective", "io" };

	if (field == KIND)
		return kinds[draw(seed, 5)];
	if (field == CLASS)
		return classes[draw(seed, 4)];
	return texts[draw(seed, sizeof texts / sizeof *texts)];
}

/* A tree of three levels at most. */
struct expressions {
	struct expression nodes[15];
	unsigned n;
};

static struct expression *random_expression(struct expressions *all, uint64_t *seed, int depth)
{
	struct expression *const e = &all->nodes[all->n++];

	*e = (struct expression){ .type = depth ? draw(seed, 4) : TEST };
	if (e->type == TEST) {
		e->field = (enum field)draw(seed, FIELDS);
		e->op = draw(seed, is_text(e->field) ? 4 : OPS);
		e->text = text_for(seed, e->field);
		e->low = draw(seed, e->field == TIME ? 400 : e->field == BYTES ? 1600 : 8);
		e->high = e->low + draw(seed, 200);
		return e;
	}
	e->left = random_expression(all, seed, depth - 1);
	if (e->type != NOT)
		e->right = random_expression(all, seed, depth - 1);
	return e;
}

static void print(const struct expression *e, struct str *out)
{
	static const char *const text_ops[] = { "==", "!=", "=~", "!~" };
	const bool time = e->field == TIME || e->field == DUR;

	if (e->type == NOT) {
		str_add(out, "!");
		print(e->left, out);
	} else if (e->type != TEST) {
		str_add(out, "(");
		print(e->left, out);
		str_add(out, e->type == AND ? " && " : "||");
		print(e->right, out);
		str_add(out, ")");
	} else if (is_text(e->field)) {
		str_add_fmt(out, e->op < 2 ? "%s %s \"%s\"" : "%s %s /%s/", field_names[e->field],
			    text_ops[e->op], e->text);
	} else if (e->op < 6) {
		str_add_fmt(out, "%s %s %d%s", field_names[e->field], number_ops[e->op],
			    (int)e->low, time ? "us" : "");
	} else {
		str_add_fmt(out, "%s %s %d%s..%d%s", field_names[e->field], number_ops[e->op],
			    (int)e->low, time ? "us" : "", (int)e->high, time ? "us" : "");
	}
}

static bool compare(const struct expression *e, const struct plain *p)
{
	const int64_t x = p->number[e->field];

	if (!p->has[e->field])
		return false;
	if (is_text(e->field)) {
		/* None of the texts holds what is special in a pattern but the point of x.c. */
		const bool equal = strcmp(p->text[e->field], e->text) == 0;
		const bool inside = strstr(p->text[e->field], e->text) != NULL;
		return (e->op < 2 ? equal : inside) == (e->op % 2 == 0);
	}
	switch (e->op) {
	case 0: return x == e->low;
	case 1: return x != e->low;
	case 2: return x < e->low;
	case 3: return x <= e->low;
	case 4: return x > e->low;
	case 5: return x >= e->low;
	case 6: return x >= e->low && x <= e->high;
	default: return x < e->low || x > e->high;
	}
}

static bool evaluate(const struct expression *e, const struct plain *p)
{
	switch (e->type) {
	case NOT: return !evaluate(e->left, p);
	case AND: return evaluate(e->left, p) && evaluate(e->right, p);
	case OR: return evaluate(e->left, p) || evaluate(e->right, p);
	default: return compare(e, p);
	}
}

/* ---- the test ---- */

static void check_expression(const struct trace *trace, const struct expression *e)
{
	OWNED_STR text = STR_INIT;
	struct err err = ERR_INIT;
	FREED_BY(filter_free) struct filter *filter = NULL;
	static struct plain plain;
	struct cursor c;

	print(e, &text);
	filter = filter_compile(text.text, trace, &err);
	if (!filter)
		fail_msg("%s", err.text);
	assert_string_equal(filter_text(filter), text.text);
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			const bool matches = filter_event(filter, BASE_MEASURED, c.id);
			const enum event_kind kind = what_kind(cursor_what(&c));
			look_at(&plain, trace, c.id);
			if (matches != evaluate(e, &plain))
				fail_msg("event %u (%s): '%s' gives %d", c.id,
					 event_kind_name(kind), text.text, matches);
			/* What matches could have matched. */
			if (matches && (kind == EV_ENTER || kind == EV_LEAVE)) {
				assert_true(
					filter_callpath(filter, l, cursor_what(&c) & WHAT_ID_MASK));
				assert_true(filter_location(filter, l));
			}
		}
	for (uint32_t path = 0; path < trace_callpath_count(trace); path++) {
		bool anywhere = false;
		for (uint32_t l = 0; l < trace_location_count(trace); l++)
			anywhere = anywhere || filter_callpath(filter, l, path);
		assert_int_equal(filter_callpath_anywhere(filter, path), anywhere);
	}
}

TEST(as_the_plain_evaluator)
{
	uint64_t seed = 42;

	for (int round = 0; round < 12; round++) {
		OWNED_TRACE *const trace = random_trace(&seed, round < 8 ? 60 : 500);
		for (int i = 0; i < 60; i++) {
			struct expressions all = { .n = 0 };
			check_expression(trace, random_expression(&all, &seed, i % 4));
		}
	}
}

/* Rubbish, compiled against a trace: a filter or a sentence. */
TEST(rubbish_is_answered)
{
	static const char *const pieces[] = {
		"rank",  "region", "callpath", "time", "dur", "bytes", "kind",        "tag",
		"==",    "!=",     "<",        ">=",   "=~",  "!~",    "in",          "!in",
		"!",     "(",      ")",        "&&",   "||",  "/a/",   "/(a|b)*\\1/", "/(/",
		"\"x\"", "..",     ",",        "1",    "-7",  "10us",  "64k",         "main",
		"enter", "host",   "\xc3\xa4", " ",
	};
	uint64_t seed = 7;
	OWNED_TRACE *const trace = random_trace(&seed, 30);
	unsigned accepted = 0;
	struct cursor c;

	for (int round = 0; round < 10000; round++) {
		OWNED_STR text = STR_INIT;
		struct err err = ERR_INIT;
		FREED_BY(filter_free) struct filter *filter = NULL;
		const uint32_t n = 1 + draw(&seed, 9);

		for (uint32_t i = 0; i < n; i++) {
			if (round % 4 == 0)
				str_add_char(&text, (char)(1 + draw(&seed, 255)));
			else
				str_add_fmt(&text, "%s ",
					    pieces[draw(&seed, sizeof pieces / sizeof *pieces)]);
		}
		filter = filter_compile(text.text, trace, &err);
		assert_true((filter != NULL) == (err.status == 0));
		if (filter && cursor_first(&c, trace, BASE_MEASURED, 0)) {
			filter_event(filter, BASE_MEASURED, c.id);
			accepted++;
		}
	}
	assert_true(accepted > 20);
}
