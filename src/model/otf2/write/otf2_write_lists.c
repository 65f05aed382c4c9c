/* Long lists of numbers in properties of the system tree's root: what OTF2 cannot say of regions,
 * sites, communicators and objects, and the program's statements with their records. */
#include "model/otf2/write/otf2_writer.h"
#include "model/trace/program.h"

/* A string must fit a chunk of definitions. */
enum { LIST_MOST = 1 << 20 };

struct list {
	struct otf2_writer *w;
	uint32_t root;
	const char *name;
	unsigned part;
	struct str text;
};

static void list_flush(struct list *list)
{
	OWNED_STR name = STR_INIT;

	if (!list->text.n)
		return;
	str_add(&name, list->name);
	if (++list->part > 1)
		str_add_fmt(&name, " (%u)", list->part);
	otf2_root_property(list->w, list->root, name.text,
			   otf2_out_string(list->w, list->text.text));
	str_clear(&list->text);
}

/* Ends the list at hand and begins the next. */
static void list_begin(struct list *list, const char *name)
{
	list_flush(list);
	list->name = name;
	list->part = 0;
}

static void list_row(struct list *list, const int64_t *numbers, size_t n)
{
	if (list->text.n >= LIST_MOST)
		list_flush(list);
	str_add(&list->text, list->text.n ? ", " : "");
	for (size_t i = 0; i < n; i++) {
		str_add(&list->text, i ? " " : "");
		str_add_int(&list->text, numbers[i]);
	}
}

#define LIST_ROW(list, ...)                              \
	list_row(list, (const int64_t[]){ __VA_ARGS__ }, \
		 sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static void write_event_types(struct list *list, const struct otf2_writer *w)
{
	list_begin(list, OTF2_PROPERTY_TYPES);
	for (uint32_t r = 0; r < trace_region_count(w->trace); r++)
		LIST_ROW(list, r, trace_region(w->trace, r)->picl);
}

static void write_sites(struct list *list, const struct otf2_writer *w)
{
	list_begin(list, OTF2_PROPERTY_SITES);
	for (uint32_t s = 0; s < trace_site_count(w->trace); s++) {
		const struct site *site = trace_site(w->trace, s);
		LIST_ROW(list, site->region, site->picl, site->file, site->line);
	}
}

static void write_subsets(struct list *list, const struct otf2_writer *w)
{
	list_begin(list, OTF2_PROPERTY_SUBSETS);
	for (uint32_t c = 0; c < trace_comm_count(w->trace); c++) {
		const int32_t subset = trace_comm(w->trace, c)->picl_subset;
		if (subset && w->comms[c].ref != OTF2_UNDEFINED_COMM)
			LIST_ROW(list, w->comms[c].ref, subset);
	}
}

/* OTF2 numbers each type by itself. */
static void write_objects(struct list *list, const struct otf2_writer *w)
{
	list_begin(list, OTF2_PROPERTY_OBJECTS);
	for (uint32_t i = 0; i < trace_object_count(w->trace); i++)
		LIST_ROW(list, (int64_t)trace_object(w->trace, i)->detail.type - OBJECT_PARAMETER,
			 w->object_refs[i]);
	list_begin(list, OTF2_PROPERTY_METRIC_SETS);
	for (uint32_t i = 0; i < trace_metric_set_count(w->trace); i++)
		LIST_ROW(list, w->metric_refs[i]);
}

/* The members of communicators that have members outside of the world. */
static void write_members(struct list *list, struct otf2_writer *w)
{
	for (uint32_t c = 0; c < trace_comm_count(w->trace); c++) {
		const struct comm *comm = trace_comm(w->trace, c);
		OWNED_STR name = STR_INIT;
		bool strangers = false;

		for (uint32_t i = 0; i < comm->size && comm->kind == COMM_PROCESSES; i++)
			strangers = strangers ||
				    otf2_out_place(w, 0, comm->ranks[i]) == OTF2_UNDEFINED_UINT32;
		if (!strangers)
			continue;
		str_add_fmt(&name, "%s%u", OTF2_PROPERTY_MEMBERS, w->comms[c].ref);
		list_begin(list, name.text);
		for (uint32_t i = 0; i < comm->size; i++)
			LIST_ROW(list, comm->ranks[i]);
		list_flush(list);
	}
}

/* ---- statements ---- */

static void write_statements(struct list *list, const struct otf2_writer *w)
{
	list_begin(list, OTF2_PROPERTY_STATEMENTS);
	for (uint32_t i = 0; i < trace_statement_count(w->trace); i++) {
		const struct statement *s = trace_statement(w->trace, i);
		int64_t row[3 + STATEMENT_VALUES] = { s->name, s->file, s->reason };
		statement_values(s, row + 3);
		list_row(list, row, 3 + STATEMENT_VALUES);
	}
}

/* Records cover the whole run. */
static void write_records(struct list *list, const struct otf2_writer *w)
{
	const struct save_options *o = w->options;
	const bool whole = o->t0 == INT64_MIN && o->t1 == INT64_MAX;

	list_begin(list, OTF2_PROPERTY_RECORDS);
	for (size_t i = 0; whole && i < trace_statement_record_count(w->trace); i++) {
		const struct statement_record *r = trace_statement_record(w->trace, i);
		const enum statement_kind kind =
			(enum statement_kind)trace_statement(w->trace, r->statement)->kind;
		int64_t row[2 + RECORD_VALUES] = { (int64_t)w->locations[r->location].ref,
						   r->statement };
		uint32_t n;
		if (o->locations && !o->locations[r->location])
			continue;
		n = record_values(kind, r, row + 2);
		if (kind == STATEMENT_COMMUNICATION && r->comm != UINT32_MAX)
			row[2 + RECORD_COMM] = w->comms[r->comm].ref;
		list_row(list, row, 2 + n);
	}
}

void otf2_out_lists(struct otf2_writer *w, uint32_t root)
{
	struct list list = { w, root, NULL, 0, STR_INIT };

	write_event_types(&list, w);
	write_sites(&list, w);
	write_subsets(&list, w);
	write_objects(&list, w);
	write_members(&list, w);
	if (trace_statement_count(w->trace) > 0 &&
	    !(trace_statement(w->trace, 0)->flags & STATEMENT_STATISTICS)) {
		write_statements(&list, w);
		write_records(&list, w);
	}
	list_flush(&list);
	str_fini(&list.text);
}
