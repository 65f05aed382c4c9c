/* Statements of a trace that has PICL's statistics (-101 to -105) and no events beside them: what
 * ran inside which event type, how often, how long, how many bytes. Event types of users become
 * procedures, those of communication become communication statements.
 *
 * Statistics say what was inside an event type at whatever depth. A type of which all was inside
 * another is in it; what an event type contains itself is its statistics without those of the types
 * inside it. What is entered from several has a call statement in each; what is inside of it
 * is not distinguished from their own contents. */
#include "model/formats/statements_found.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/build.h"
#include "model/meaning/picl_types.h"
#include "model/picl/read/picl_stats.h"
#include "model/trace/record_type.h"
#include "model/trace/store.h"

enum { WHOLE = -1 }; /* relative: the whole run */

/* What records of the types REC_STAT_TIME down to REC_STAT_SIZE say. */
enum { TIME, COUNT, SENT, RECEIVED, MOVED, SAID };

/* A type inside another, on one location or (EVERYWHERE) on all. */
#define EVERYWHERE UINT32_MAX
struct sum {
	uint32_t location;
	int32_t relative, type;
	int64_t said[SAID]; /* -1 not said */
	int64_t nested[SAID];
};

/* An event type of a user. */
struct user {
	int32_t type;
	uint32_t statement; /* of the same number as its row */
	uint32_t depth;     /* so many contain all of it */
	uint32_t parent;    /* the innermost of them: row, UINT32_MAX none */
};

struct finder {
	struct trace *trace;
	VEC(struct sum) sums;
	struct keymap rows; /* location, relative, type: row of sums */
	VEC(struct user) users;
	struct keymap user_rows;  /* type: row of users */
	struct keymap labels;     /* type: string */
	struct keymap regions;    /* type: region */
	struct keymap statements; /* kind, container's row of users, type: statement */
};

static struct sum *find(const struct finder *f, uint32_t location, int32_t relative, int32_t type)
{
	const uint32_t *row =
		keymap_find(&f->rows, KEY_OF(location, (uint32_t)relative, (uint32_t)type));

	return row ? &f->sums.data[*row] : NULL;
}

static struct sum *sum_of(struct finder *f, uint32_t location, int32_t relative, int32_t type)
{
	uint32_t row;

	if (keymap_new(&f->rows, KEY_OF(location, (uint32_t)relative, (uint32_t)type), f->sums.n,
		       &row))
		vec_push(&f->sums,
			 ((struct sum){ location, relative, type, { -1, -1, -1, -1, -1 }, { 0 } }));
	return &f->sums.data[row];
}

/* ---- reading ---- */

static int64_t plus(int64_t a, int64_t b)
{
	if (b < 0)
		return a;
	return a < 0 ? b : a > TIME_LIMIT - b ? TIME_LIMIT : a + b;
}

/* Statistics are cumulative: a later one replaces an earlier one. */
static void take_pair(struct finder *f, uint32_t location, int32_t relative,
		      const struct statistic_pairs *p)
{
	struct sum *sum = sum_of(f, location, relative, p->type);

	sum->said[REC_STAT_TIME - p->rectype] = p->value < TIME_LIMIT ? p->value : TIME_LIMIT;
}

static void add_user(struct finder *f, int32_t type)
{
	uint32_t row;

	if (keymap_new(&f->user_rows, KEY_OF((uint32_t)type), f->users.n, &row))
		vec_push(&f->users, ((struct user){ .type = type, .parent = UINT32_MAX }));
}

static void take_record(struct finder *f, uint32_t location, const struct record *record)
{
	const int32_t type = f->trace->sites.data[record->site].picl;
	const int32_t relative = type == TYPE_TRACING ? WHOLE : type;
	struct statistic_pairs pairs;

	if (record->rectype < REC_STAT_SIZE || relative < WHOLE)
		return;
	if (relative >= 0)
		add_user(f, relative);
	statistic_pairs_init(&pairs, f->trace, record);
	while (statistic_pairs_next(&pairs)) {
		if (pairs.value < 0)
			continue;
		if (pairs.type >= 0)
			add_user(f, pairs.type);
		take_pair(f, location, relative, &pairs);
	}
}

static void read_statistics(struct finder *f)
{
	struct cursor c;

	for (uint32_t l = 0; l < f->trace->locations.n; l++)
		for (bool ok = cursor_first(&c, f->trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c))
			if (what_kind(cursor_what(&c)) == EV_STATISTICS)
				take_record(f, l,
					    &f->trace->records.data[what_id(cursor_what(&c))]);
}

static void add_everywhere(struct finder *f)
{
	const size_t n = f->sums.n;

	for (size_t i = 0; i < n; i++) {
		const struct sum sum = f->sums.data[i];
		struct sum *all = sum_of(f, EVERYWHERE, sum.relative, sum.type);
		for (int k = 0; k < SAID; k++)
			all->said[k] = plus(all->said[k], sum.said[k]);
	}
}

/* ---- what is in what ---- */

/* Whether all of a type was inside another. */
static bool holds_all(const struct finder *f, const struct sum *inside)
{
	const struct sum *all = find(f, EVERYWHERE, WHOLE, inside->type);

	if (inside->location != EVERYWHERE || inside->relative < 0 || inside->type < 0 ||
	    inside->type == inside->relative || !all)
		return false;
	if (all->said[COUNT] > 0 && inside->said[COUNT] >= 0)
		return inside->said[COUNT] >= all->said[COUNT];
	return all->said[TIME] > 0 && inside->said[TIME] >= all->said[TIME];
}

static struct user *user_of(const struct finder *f, int32_t type)
{
	return &f->users.data[*keymap_find(&f->user_rows, KEY_OF((uint32_t)type))];
}

static void find_parents(struct finder *f)
{
	for (size_t i = 0; i < f->sums.n; i++)
		if (holds_all(f, &f->sums.data[i]))
			user_of(f, f->sums.data[i].type)->depth++;
	for (size_t i = 0; i < f->sums.n; i++) {
		const struct sum *sum = &f->sums.data[i];
		struct user *in, *user;
		if (!holds_all(f, sum))
			continue;
		in = user_of(f, sum->relative);
		user = user_of(f, sum->type);
		/* Only a less deep type can contain it, so there is no cycle. */
		if (in->depth < user->depth &&
		    (user->parent == UINT32_MAX || f->users.data[user->parent].depth < in->depth))
			user->parent = (uint32_t)(in - f->users.data);
	}
}

/* Subtracts the sums of nested types from the types that contain them. */
static void note_nested(struct finder *f)
{
	for (size_t i = 0; i < f->sums.n; i++) {
		const struct sum *sum = &f->sums.data[i];
		const struct user *user;
		struct sum *out;
		if (sum->relative < 0)
			continue;
		user = user_of(f, sum->relative);
		out = find(f, sum->location,
			   user->parent == UINT32_MAX ? WHOLE : f->users.data[user->parent].type,
			   sum->type);
		if (!out)
			continue;
		for (int k = 0; k < SAID; k++)
			out->nested[k] = plus(out->nested[k], sum->said[k]);
	}
}

static int64_t less(int64_t all, int64_t nested)
{
	return all > nested ? all - nested : 0;
}

/* ---- names ---- */

static const char *word(const char *text, int n)
{
	while (n-- && text) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text;
}

/* Labels of the file, and the regions that it has nevertheless. */
static void find_names(struct finder *f)
{
	for (size_t i = 0; i < f->trace->loose.n; i++) {
		const char *text = strings_get(&f->trace->strings, f->trace->loose.data[i].text);
		const char *type = word(text, 1), *label = word(text, 7);
		if (strtol(text, NULL, 10) != REC_LABEL || !type || !label)
			continue;
		*keymap_add(&f->labels, KEY_OF((uint32_t)strtol(type, NULL, 10))) = (uint32_t)i;
	}
	for (size_t i = 0; i < f->trace->sites.n; i++)
		*keymap_add(&f->regions, KEY_OF((uint32_t)f->trace->sites.data[i].picl)) =
			f->trace->sites.data[i].region;
}

static uint32_t add_string(struct finder *f, const char *text)
{
	const uint32_t id = strings_add(&f->trace->strings, text, strlen(text), NULL);

	return id == UINT32_MAX ? 0 : id;
}

static uint32_t name_of(struct finder *f, int32_t type)
{
	const struct key key = { { (uint32_t)type } };
	const uint32_t *region = keymap_find(&f->regions, key);
	const uint32_t *label = keymap_find(&f->labels, key);
	char text[32];

	if (region)
		return f->trace->regions.data[*region].name;
	/* A copy: strings move when they grow. */
	if (label) {
		OWNED_STR copy = STR_INIT;
		str_add(&copy,
			word(strings_get(&f->trace->strings, f->trace->loose.data[*label].text),
			     7));
		return add_string(f, copy.text);
	}
	if (picl_type_name(type))
		return add_string(f, picl_type_name(type));
	snprintf(text, sizeof text, "event %d", type);
	return add_string(f, text);
}

/* ---- statements ---- */

static uint32_t add_statement(struct finder *f, enum statement_kind kind, uint32_t parent,
			      int32_t type, uint32_t callee)
{
	const uint32_t *region = keymap_find(&f->regions, KEY_OF((uint32_t)type));
	const struct statement s = {
		.kind = (uint8_t)kind,
		.flags = STATEMENT_FOUND | STATEMENT_STATISTICS,
		.parent = parent,
		.callee = callee,
		.name = name_of(f, type),
		.region = region && kind != STATEMENT_CALL ? *region : UINT32_MAX,
	};

	vec_push(&f->trace->statements, s);
	return (uint32_t)f->trace->statements.n - 1;
}

static bool is_communication(int32_t type)
{
	const enum region_class cls = picl_type_class(type);

	return type < 0 && picl_type_find(type) &&
	       (cls == CLASS_P2P || cls == CLASS_COLLECTIVE || cls == CLASS_SYNC);
}

/* The statement that a sum is of: one in what it is relative to. */
static uint32_t statement_in(struct finder *f, const struct sum *sum)
{
	const uint32_t parent =
		sum->relative < 0 ? NO_STATEMENT : user_of(f, sum->relative)->statement;
	uint32_t *row = keymap_add(&f->statements, KEY_OF(parent, (uint32_t)sum->type));

	if (*row == UINT32_MAX && sum->type >= 0)
		*row = parent == NO_STATEMENT ? NO_STATEMENT
					      : add_statement(f, STATEMENT_CALL, parent, sum->type,
							      user_of(f, sum->type)->statement);
	else if (*row == UINT32_MAX)
		*row = add_statement(f, STATEMENT_COMMUNICATION, parent, sum->type, NO_STATEMENT);
	return *row;
}

/* Bytes by direction; where the file does not tell, by what the type does. */
static void set_bytes(struct statement_record *r, const struct sum *sum)
{
	const struct picl_type *type = picl_type_find(sum->type);
	const bool receives = type && (type->role == ROLE_RECV || type->role == ROLE_RECV_DONE);
	const int64_t sent = plus(0, sum->said[SENT]), received = plus(0, sum->said[RECEIVED]);
	const int64_t moved =
		sum->said[SENT] < 0 && sum->said[RECEIVED] < 0 ? plus(0, sum->said[MOVED]) : 0;

	r->sent = (uint64_t)less(sent, sum->nested[SENT]);
	r->received = (uint64_t)less(received, sum->nested[RECEIVED]);
	if (receives && sum->said[RECEIVED] < 0) {
		r->received = r->sent;
		r->sent = 0;
	}
	*(receives ? &r->received : &r->sent) += (uint64_t)moved;
}

static void push_record(struct finder *f, const struct sum *sum)
{
	struct statement_record r = { .location = sum->location,
				      .from = NO_STATEMENT,
				      .partner = RANK_UNKNOWN,
				      .comm = UINT32_MAX,
				      .count = (uint64_t)less(sum->said[COUNT], sum->nested[COUNT]),
				      .time = less(sum->said[TIME], sum->nested[TIME]) };

	if (sum->type < 0 && !is_communication(sum->type))
		return;
	if (r.count == 0 && r.time == 0)
		return;
	r.statement = statement_in(f, sum);
	if (sum->type >= 0) {
		r.from = r.statement;
		r.statement = user_of(f, sum->type)->statement;
		if (sum->type == sum->relative)
			r.inner = r.count; /* of itself, inside itself */
	} else {
		set_bytes(&r, sum);
	}
	r.exclusive = r.time;
	if (r.count == 1)
		r.min = r.max = r.time;
	vec_push(&f->trace->statement_records, r);
}

/* ---- exclusive times ---- */

/* A procedure's time without what is in it: of several callers' records each has its share of
 * it. */
static void set_exclusive(struct finder *f)
{
	struct keymap inside = { NULL, 0, 0 }; /* location, statement: row of parts */
	OWNED_VEC(int64_t) parts = VEC_INIT;
	struct trace *t = f->trace;

	for (size_t i = 0; i < t->statement_records.n; i++) {
		const struct statement_record *r = &t->statement_records.data[i];
		const uint32_t place = r->from != NO_STATEMENT ? r->from : r->statement;
		const uint32_t in = t->statements.data[place].parent;
		uint32_t row;
		if (in == NO_STATEMENT)
			continue;
		if (keymap_new(&inside, KEY_OF(r->location, in), parts.n, &row))
			vec_push(&parts, 0);
		parts.data[row] = plus(parts.data[row], r->time);
	}
	for (size_t i = 0; i < t->statement_records.n; i++) {
		struct statement_record *r = &t->statement_records.data[i];
		const uint32_t *row = keymap_find(&inside, KEY_OF(r->location, r->statement));
		const struct sum *all;
		if (!row || r->statement >= f->users.n)
			continue;
		all = find(f, r->location, WHOLE, f->users.data[r->statement].type);
		if (all && all->said[TIME] > 0)
			r->exclusive = (int64_t)((double)r->time / (double)all->said[TIME] *
						 (double)less(all->said[TIME], parts.data[*row]));
	}
	keymap_fini(&inside);
}

void statements_find(struct trace *trace)
{
	struct finder f = { .trace = trace };
	size_t n;

	if (trace->statements.n || trace->paths.n > 1 || !trace->records.n)
		return;
	read_statistics(&f);
	add_everywhere(&f);
	find_parents(&f);
	note_nested(&f);
	find_names(&f);
	for (size_t i = 0; i < f.users.n; i++)
		f.users.data[i].statement = add_statement(&f, STATEMENT_PROCEDURE, NO_STATEMENT,
							  f.users.data[i].type, NO_STATEMENT);
	n = f.sums.n;
	for (size_t i = 0; i < n; i++)
		if (f.sums.data[i].location != EVERYWHERE)
			push_record(&f, &f.sums.data[i]);
	set_exclusive(&f);
	build_statements(trace);
	vec_fini(&f.sums);
	vec_fini(&f.users);
	keymap_fini(&f.rows);
	keymap_fini(&f.user_rows);
	keymap_fini(&f.labels);
	keymap_fini(&f.regions);
	keymap_fini(&f.statements);
}
