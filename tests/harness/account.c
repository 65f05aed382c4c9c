#include "harness/account.h"

#include <inttypes.h>
#include <string.h>

#include "model/picl/picl_values.h"
#include "model/sums/shading.h"
#include "model/trace/detail.h"
#include "model/trace/message.h"
#include "model/trace/program.h"

struct account {
	const struct trace *t;
	enum account_part parts;
	struct str *out;
};

static bool of_store(const struct account *a)
{
	return (a->parts & ACCOUNT_STORE) == ACCOUNT_STORE;
}

static const char *text(const struct account *a, uint64_t string)
{
	return string < trace_string_count(a->t) ? trace_string(a->t, (uint32_t)string) : "?";
}

static void add_site(const struct account *a, uint64_t id)
{
	const struct site *s;

	if (id >= trace_site_count(a->t)) {
		str_add(a->out, " no-site");
		return;
	}
	s = trace_site(a->t, (uint32_t)id);
	str_add_fmt(a->out, " region %u at \"%s\":%u", s->region, text(a, s->file), s->line);
	if (a->parts & ACCOUNT_EVENT_TYPES)
		str_add_fmt(a->out, " type %d", s->picl);
}

static void add_event(const struct account *a, uint32_t id)
{
	struct cursor c;

	if (id == EVENT_NONE) {
		str_add(a->out, " none");
		return;
	}
	cursor_at(&c, a->t, BASE_MEASURED, id);
	str_add_fmt(a->out, " %u:%" PRIu64, c.location, cursor_ordinal(&c));
}

static void add_value(const struct account *a, enum picl_value sort, uint64_t value)
{
	switch (sort) {
	case VALUE_STRING: str_add_fmt(a->out, " \"%s\"", text(a, value)); break;
	case VALUE_SITE: add_site(a, value); break;
	case VALUE_SOURCE:
		str_add_fmt(a->out, " \"%s\":%u", text(a, value >> 32), (uint32_t)value);
		break;
	default: str_add_fmt(a->out, " %" PRId64, (int64_t)value); break;
	}
}

static void add_detail(const struct account *a, const struct detail *d)
{
	const uint64_t *v = trace_detail_values(a->t, d);

	str_add_fmt(a->out, " %s", detail_info((enum detail_type)d->type)->name);
	for (uint32_t i = 0; i < d->n; i++)
		add_value(a, picl_value_of((enum detail_type)d->type, i), v[i]);
}

/* ---- definitions ---- */

static void regions(const struct account *a)
{
	for (uint32_t i = 0; i < trace_region_count(a->t); i++) {
		const struct region *r = trace_region(a->t, i);
		str_add_fmt(a->out,
			    "region %u \"%s\" %s role %u paradigm %u flags %u \"%s\":%u-%u \"%s\" "
			    "\"%s\"",
			    i, text(a, r->name), region_class_name((enum region_class)r->cls),
			    r->role, r->paradigm, r->flags, text(a, r->file), r->line, r->end_line,
			    text(a, r->canonical), text(a, r->description));
		if (a->parts & ACCOUNT_EVENT_TYPES)
			str_add_fmt(a->out, " type %d", r->picl);
		str_add(a->out, "\n");
	}
}

static void ranks(const struct account *a, const int32_t *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		str_add_fmt(a->out, " %d", list[i]);
}

static void comms(const struct account *a)
{
	for (uint32_t i = 0; i < trace_comm_count(a->t); i++) {
		const struct comm *c = trace_comm(a->t, i);
		str_add_fmt(a->out, "comm %u \"%s\" kind %u flags %u parent %d:", i,
			    text(a, c->name), c->kind, c->flags, i ? (int)c->parent : -1);
		ranks(a, c->ranks, c->size);
		str_add(a->out, " /");
		ranks(a, c->remote, c->remote_size);
		str_add(a->out, "\n");
	}
	for (uint32_t i = 0; i < trace_topology_count(a->t); i++) {
		const struct topology *t = trace_topology(a->t, i);
		str_add_fmt(a->out, "topology \"%s\" comm %u:", text(a, t->name), t->comm);
		for (uint32_t d = 0; d < t->dims; d++)
			str_add_fmt(a->out, " %d%s", t->size[d], t->periodic[d] ? "p" : "");
		if (t->coords)
			ranks(a, t->coords, trace_comm(a->t, t->comm)->size * t->dims);
		str_add(a->out, "\n");
	}
}

static void tree(const struct account *a)
{
	for (uint32_t i = 0; i < trace_tree_node_count(a->t); i++) {
		const struct tree_node *n = trace_tree_node(a->t, i);
		str_add_fmt(a->out, "node %u of %d \"%s\" \"%s\"\n", i, (int)n->parent,
			    text(a, n->cls), text(a, n->name));
	}
	for (uint32_t i = 0; i < trace_process_count(a->t); i++) {
		const struct process *p = trace_process(a->t, i);
		str_add_fmt(a->out, "process %u \"%s\" node %d type %u creator %d\n", i,
			    text(a, p->name), (int)p->node, p->type, (int)p->creator);
	}
	for (uint32_t i = 0; i < trace_location_count(a->t); i++) {
		const struct location *l = trace_location(a->t, i);
		str_add_fmt(a->out,
			    "location %u \"%s\" %d/%d/%d node \"%s\" owner %d type %u id %" PRIu64
			    " \"%s\" %" PRIu64 " events %" PRId64 "%s-%" PRId64 "%s%s%s\n",
			    i, text(a, l->name), l->rank, l->process, l->thread, text(a, l->node),
			    (int)l->owner, l->type, l->source_id, text(a, l->source_name),
			    l->events, l->begin, l->begin_inferred ? "?" : "", l->end,
			    l->end_inferred ? "?" : "", l->cut_off ? " cut" : "",
			    l->unfinished ? " unfinished" : "");
	}
}

static void objects(const struct account *a)
{
	for (uint32_t i = 0; i < trace_object_count(a->t); i++) {
		const struct object *o = trace_object(a->t, i);
		str_add_fmt(a->out, "object %u \"%s\"", i, text(a, o->name));
		add_detail(a, &o->detail);
		str_add(a->out, "\n");
	}
	for (uint32_t i = 0; i < trace_metric_count(a->t); i++) {
		const struct metric *m = trace_metric(a->t, i);
		str_add_fmt(a->out, "metric %u \"%s\" \"%s\" \"%s\" %u %u %u %u^%" PRId64 "\n", i,
			    text(a, m->name), text(a, m->description), text(a, m->unit), m->type,
			    m->mode, m->value, m->base, m->exponent);
	}
	for (uint32_t i = 0; i < trace_metric_set_count(a->t); i++) {
		const struct metric_set *m = trace_metric_set(a->t, i);
		str_add_fmt(a->out, "metric set %u by %d, %u, scope %u %" PRIu64 ":", i,
			    (int)m->recorder, m->occurrence, m->scope_kind, m->scope);
		for (uint32_t k = 0; k < m->n; k++)
			str_add_fmt(a->out, " %u", m->metrics[k]);
		str_add(a->out, "\n");
	}
}

static void notes(const struct account *a)
{
	for (size_t i = 0; i < trace_marker_count(a->t); i++) {
		const struct marker *m = trace_marker(a->t, i);
		str_add_fmt(a->out,
			    "marker %" PRId64 " %" PRId64 " %u \"%s\" \"%s\" scope %u %" PRIu64
			    "\n",
			    m->time, m->duration, m->severity, text(a, m->category),
			    text(a, m->text), m->scope_kind, m->scope);
	}
	for (size_t i = 0; i < trace_offset_count(a->t); i++) {
		const struct offset *o = trace_offset(a->t, i);
		str_add_fmt(a->out, "offset of %u at %" PRId64 ": %" PRId64 " +- %" PRId64 "\n",
			    o->location, o->time, o->offset, o->rtt);
	}
	for (size_t i = 0; i < trace_property_count(a->t); i++) {
		const struct property *p = trace_property(a->t, i);
		str_add_fmt(a->out, "property \"%s\" = \"%s\"\n", text(a, p->key),
			    text(a, p->value));
	}
}

static void program(const struct account *a)
{
	int64_t v[RECORD_VALUES];

	for (uint32_t i = 0; i < trace_statement_count(a->t); i++) {
		const struct statement *s = trace_statement(a->t, i);
		statement_values(s, v);
		str_add_fmt(a->out, "statement %u \"%s\" in \"%s\" (%s)", i, text(a, s->name),
			    text(a, s->file), text(a, s->reason));
		for (int k = 0; k < STATEMENT_VALUES; k++)
			str_add_fmt(a->out, " %" PRId64, v[k]);
		str_add(a->out, "\n");
	}
	for (size_t i = 0; i < trace_statement_record_count(a->t); i++) {
		const struct statement_record *r = trace_statement_record(a->t, i);
		const uint32_t n = record_values(
			(enum statement_kind)trace_statement(a->t, r->statement)->kind, r, v);
		str_add_fmt(a->out, "record of %u on %u", r->statement, r->location);
		for (uint32_t k = 0; k < n; k++)
			str_add_fmt(a->out, " %" PRId64, v[k]);
		str_add(a->out, "\n");
	}
}

/* ---- events ---- */

static void add_message(const struct account *a, enum event_kind kind, uint32_t id)
{
	const struct message *m;

	if (id == ID_NONE) {
		str_add(a->out, " unknown");
		return;
	}
	m = trace_message(a->t, id);
	str_add_fmt(a->out, " %d to %d tag %d comm %u bytes %" PRIu64 " flags %x",
		    message_source(a->t, m), message_destination(a->t, m),
		    m->flags & MSG_NO_TAG ? -1 : m->tag, m->comm,
		    m->flags & MSG_NO_BYTES ? 0 : message_bytes(m), m->flags);
	if (!(m->flags & MSG_NO_SEND) && kind != EV_SEND)
		add_event(a, m->send);
	if (!(m->flags & MSG_NO_RECV) && kind != EV_RECV)
		add_event(a, m->recv);
}

static void add_member(const struct account *a, uint32_t id)
{
	const struct collective *c;
	const struct member *m;

	if (id == ID_NONE) {
		str_add(a->out, " unknown");
		return;
	}
	m = trace_member(a->t, id);
	c = trace_collective(a->t, trace_member_collective(a->t, id));
	str_add_fmt(a->out, " comm %u region %u root %d flags %x, %u members, %" PRId64 " %" PRId64,
		    c->comm, c->region, c->root, c->flags, c->members, (int64_t)m->sent,
		    (int64_t)m->received);
	add_event(a, m->begin);
	add_event(a, m->end);
	/* Which of its kind: that of its first member. */
	add_event(a, trace_member(a->t, c->first)->begin);
}

static void add_path(const struct account *a, uint32_t path)
{
	for (int i = 0; path && i < 8; i++) {
		str_add(a->out, " <");
		add_site(a, trace_callpath(a->t, path)->site);
		path = trace_callpath(a->t, path)->parent;
	}
}

static void add_attributes(const struct account *a, uint32_t event)
{
	uint32_t n;
	const struct event_attribute *list = trace_event_attributes(a->t, event, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct object *o = trace_object(a->t, list[i].object);
		str_add_fmt(a->out, " @%u", list[i].object);
		add_value(a, picl_value_of_attribute(trace_detail_values(a->t, &o->detail)[1]),
			  list[i].value);
	}
}

static void event(const struct account *a, const struct cursor *c)
{
	const enum event_kind kind = what_kind(cursor_what(c));
	const uint32_t id = what_id(cursor_what(c));
	const char *extra = trace_event_extra(a->t, c->id);
	const char *time = trace_event_time_text(a->t, c->id);

	str_add_fmt(a->out, "%u:%" PRIu64 " %" PRId64 " %s", c->location, cursor_ordinal(c),
		    cursor_time(c), event_kind_name(kind));
	if (of_store(a))
		str_add_fmt(a->out, " %u in %u", id, cursor_path(c));
	if (kind >= EV_SEND && kind <= EV_REQUEST_CANCELLED)
		add_message(a, kind, id);
	else if (kind == EV_COLLECTIVE_BEGIN || kind == EV_COLLECTIVE_END)
		add_member(a, id);
	else if (kind >= EV_DATA && kind <= EV_IO)
		str_add_fmt(a->out, " %d \"%s\"", trace_record(a->t, id)->rectype,
			    text(a, trace_record(a->t, id)->text));
	else if (kind >= EV_THREAD_BEGIN && kind <= EV_OTHER)
		add_detail(a, trace_detail(a->t, id));
	else if (kind == EV_MARK || kind == EV_STRAY_LEAVE)
		add_site(a, id);
	if (kind == EV_ENTER || kind == EV_LEAVE)
		add_path(a, id);
	else
		add_path(a, cursor_path(c));
	if (extra && a->parts & ACCOUNT_TEXTS)
		str_add_fmt(a->out, " extra \"%s\"", extra);
	if (time && a->parts & ACCOUNT_TEXTS)
		str_add_fmt(a->out, " at \"%s\"", time);
	add_attributes(a, c->id);
	str_add(a->out, "\n");
}

/* ---- the store ---- */

static void paths(const struct account *a)
{
	for (uint32_t i = 1; i < trace_callpath_count(a->t); i++) {
		const struct callpath *p = trace_callpath(a->t, i);
		str_add_fmt(a->out, "path %u: %u %u %u %u", i, p->parent, p->site, p->canon,
			    p->depth);
		add_site(a, p->site);
		str_add(a->out, "\n");
	}
}

static void classes(const struct account *a)
{
	uint64_t sums[SHADING_SLOTS];
	int64_t t0, t1;

	trace_span(a->t, BASE_MEASURED, &t0, &t1);
	for (uint32_t l = 0; l < trace_location_count(a->t); l++) {
		shading_window(trace_class_shading(a->t, BASE_MEASURED), l, t0 + (t1 - t0) / 3, t1,
			       sums);
		for (unsigned k = 0; k < CLASS_COUNT; k++)
			str_add_fmt(a->out, "%" PRIu64 "%s", sums[k],
				    k + 1 < CLASS_COUNT ? " " : "\n");
	}
}

static void rows(const struct account *a)
{
	struct span_query q;
	uint32_t row;

	messages_in_window(&q, a->t, BASE_MEASURED, INT64_MIN, INT64_MAX);
	while (span_query_next(&q, &row)) {
		str_add_fmt(a->out, "message %u", row);
		add_message(a, EV_KINDS, row);
		str_add(a->out, "\n");
	}
	for (uint32_t i = 0; i < trace_collective_count(a->t); i++) {
		const struct collective *c = trace_collective(a->t, i);
		for (uint32_t k = c->first; k < c->first + c->members; k++) {
			str_add_fmt(a->out, "member %u of %u", k, i);
			add_member(a, k);
			str_add(a->out, "\n");
		}
	}
}

static void findings(const struct account *a)
{
	for (size_t i = 0; i < trace_finding_count(a->t); i++) {
		const struct finding *f = trace_finding(a->t, i);
		str_add_fmt(a->out, "%d %s %" PRIu64 " \"%s\" %" PRIu64 " %" PRIu64 "\n", f->kind,
			    f->code, f->count, f->text, f->lines[0], f->lines[4]);
	}
}

static void store(const struct account *a)
{
	paths(a);
	classes(a);
	rows(a);
	findings(a);
}

void trace_account(const struct trace *trace, enum account_part parts, struct str *out)
{
	const struct account a = { trace, parts, out };
	struct cursor c;

	str_add_fmt(out, "%" PRId64 " ticks a second\n", trace_scale(trace)->per_second);
	regions(&a);
	comms(&a);
	tree(&a);
	objects(&a);
	notes(&a);
	program(&a);
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok; ok = cursor_next(&c))
			event(&a, &c);
	if (of_store(&a))
		store(&a);
	str_add_fmt(out, "%u messages, %u collectives\n", trace_message_count(trace),
		    trace_collective_count(trace));
}

bool account_differs(const struct str *was, const struct str *is, struct str *out)
{
	size_t line = 0, i = 0;

	for (; was->text[i] && was->text[i] == is->text[i]; i++)
		if (was->text[i] == '\n')
			line = i + 1;
	if (!was->text[i] && !is->text[i])
		return false;
	str_add_fmt(out, "was %.*s\nis  %.*s\n", (int)strcspn(was->text + line, "\n"),
		    was->text + line, (int)strcspn(is->text + line, "\n"), is->text + line);
	return true;
}
