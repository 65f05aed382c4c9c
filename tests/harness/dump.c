#include "harness/dump.h"

#include <inttypes.h>
#include <string.h>

#include "model/sums/shading.h"
#include "model/trace/detail.h"
#include "model/trace/message.h"

/* "2:17", the location and the place in it. */
static void event(const struct trace *t, uint32_t id, struct str *out)
{
	struct cursor c;

	if (id == EVENT_NONE) {
		str_add(out, " none");
		return;
	}
	cursor_at(&c, t, BASE_MEASURED, id);
	str_add_fmt(out, " %u:%" PRIu64, c.location, cursor_ordinal(&c));
}

static void detail(const struct trace *t, const struct detail *d, struct str *out)
{
	const struct detail_info *info = detail_info((enum detail_type)d->type);
	const uint64_t *v = trace_detail_values(t, d);

	str_add_fmt(out, " %s", info->name);
	for (uint32_t i = 0; i < d->n; i++) {
		const bool text = (i < info->fields && info->field[i].kind == FIELD_STRING) ||
				  d->type == DETAIL_PROGRAM_BEGIN;
		if (text && v[i] < trace_string_count(t))
			str_add_fmt(out, " \"%s\"", trace_string(t, (uint32_t)v[i]));
		else
			str_add_fmt(out, " %" PRIu64, v[i]);
	}
}

static void dump_attributes(const struct trace *t, uint32_t id, struct str *out)
{
	uint32_t n;
	const struct event_attribute *a = trace_event_attributes(t, id, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct object *object = trace_object(t, a[i].object);
		if (trace_detail_values(t, &object->detail)[1] == 11)
			str_add_fmt(out, " @%u=\"%s\"", a[i].object,
				    trace_string(t, (uint32_t)a[i].value));
		else
			str_add_fmt(out, " @%u=%" PRIu64, a[i].object, a[i].value);
	}
}

static void dump_event(const struct cursor *c, struct str *out)
{
	const struct trace *t = c->trace;
	const enum event_kind kind = what_kind(cursor_what(c));
	const uint32_t id = what_id(cursor_what(c));

	str_add_fmt(out, "%" PRId64 " %s %u in %u", cursor_time(c), event_kind_name(kind), id,
		    cursor_path(c));
	if (kind >= EV_DATA && kind <= EV_IO)
		str_add_fmt(out, " %d %u \"%s\"", trace_record(t, id)->rectype,
			    trace_record(t, id)->site, trace_string(t, trace_record(t, id)->text));
	else if (kind >= EV_THREAD_BEGIN && kind <= EV_OTHER)
		detail(t, trace_detail(t, id), out);
	if (trace_event_extra(t, c->id))
		str_add_fmt(out, " extra \"%s\"", trace_event_extra(t, c->id));
	if (trace_event_time_text(t, c->id))
		str_add_fmt(out, " at \"%s\"", trace_event_time_text(t, c->id));
	dump_attributes(t, c->id, out);
	str_add(out, "\n");
}

static void dump_location(const struct trace *t, uint32_t i, struct str *out)
{
	const struct location *l = trace_location(t, i);
	uint64_t sums[SHADING_SLOTS];
	int64_t t0, t1;
	struct cursor c;

	str_add_fmt(out,
		    "location %u \"%s\" %d/%d/%d, %" PRIu64 " events, %" PRId64 "%s-%" PRId64
		    "%s%s%s, tree owner %u\n",
		    i, trace_string(t, l->name), l->rank, l->process, l->thread, l->events,
		    l->begin, l->begin_inferred ? "?" : "", l->end, l->end_inferred ? "?" : "",
		    l->cut_off ? " cut" : "", l->unfinished ? " unfinished" : "", l->owner);
	for (bool ok = cursor_first(&c, t, BASE_MEASURED, i); ok; ok = cursor_next(&c))
		dump_event(&c, out);
	trace_span(t, BASE_MEASURED, &t0, &t1);
	shading_window(trace_class_shading(t, BASE_MEASURED), i, t0 + (t1 - t0) / 3, t1, sums);
	for (unsigned k = 0; k < CLASS_COUNT; k++)
		str_add_fmt(out, "%" PRIu64 "%s", sums[k], k + 1 < CLASS_COUNT ? " " : "\n");
}

static void dump_messages(const struct trace *t, struct str *out)
{
	struct span_query q;
	uint32_t row;

	for (uint32_t i = 0; i < trace_message_count(t); i++) {
		const struct message *m = trace_message(t, i);
		str_add_fmt(out, "message %u: %d to %d, tag %d, comm %u, %" PRIu64 " bytes, %x", i,
			    message_source(t, m), message_destination(t, m), m->tag, m->comm,
			    message_bytes(m), m->flags);
		event(t, m->flags & MSG_NO_SEND ? EVENT_NONE : m->send, out);
		event(t, m->flags & MSG_NO_RECV ? EVENT_NONE : m->recv, out);
		str_add(out, "\n");
	}
	str_add(out, "in order:");
	messages_in_window(&q, t, BASE_MEASURED, INT64_MIN, INT64_MAX);
	while (span_query_next(&q, &row))
		str_add_fmt(out, " %u", row);
	str_add(out, "\n");
}

static void dump_collectives(const struct trace *t, struct str *out)
{
	for (uint32_t i = 0; i < trace_collective_count(t); i++) {
		const struct collective *c = trace_collective(t, i);
		str_add_fmt(out, "collective %u: comm %u region %u root %d flags %x:", i, c->comm,
			    c->region, c->root, c->flags);
		for (uint32_t k = c->first; k < c->first + c->members; k++) {
			const struct member *m = trace_member(t, k);
			event(t, m->begin, out);
			event(t, m->end, out);
			str_add_fmt(out, " %" PRIu64 " %" PRIu64, m->sent, m->received);
		}
		str_add(out, "\n");
	}
}

static void dump_definitions(const struct trace *t, struct str *out)
{
	for (uint32_t i = 0; i < trace_region_count(t); i++)
		str_add_fmt(out, "region %u \"%s\" %d %d\n", i, trace_region_name(t, i),
			    trace_region(t, i)->cls, trace_region(t, i)->picl);
	for (uint32_t i = 0; i < trace_site_count(t); i++)
		str_add_fmt(out, "site %u %u %d\n", i, trace_site(t, i)->region,
			    trace_site(t, i)->picl);
	for (uint32_t i = 1; i < trace_callpath_count(t); i++) {
		const struct callpath *p = trace_callpath(t, i);
		str_add_fmt(out, "path %u: %u %u %u %u\n", i, p->parent, p->site, p->canon,
			    p->depth);
	}
	for (uint32_t i = 0; i < trace_object_count(t); i++) {
		str_add_fmt(out, "object %u \"%s\"", i, trace_string(t, trace_object(t, i)->name));
		detail(t, &trace_object(t, i)->detail, out);
		str_add(out, "\n");
	}
}

void trace_dump(const struct trace *t, struct str *out)
{
	dump_definitions(t, out);
	for (uint32_t i = 0; i < trace_location_count(t); i++)
		dump_location(t, i, out);
	dump_messages(t, out);
	dump_collectives(t, out);
	for (size_t i = 0; i < trace_finding_count(t); i++) {
		const struct finding *f = trace_finding(t, i);
		str_add_fmt(out, "%d %s %" PRIu64 " \"%s\" %" PRIu64 " %" PRIu64 "\n", f->kind,
			    f->code, f->count, f->text, f->lines[0], f->lines[4]);
	}
}
