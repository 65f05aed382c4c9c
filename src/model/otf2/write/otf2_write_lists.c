/* Long lists of numbers in properties of the system tree's root: what regions, sites, communicators
 * and objects are beyond OTF2, and the program's statements with their records. */
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
	struct str name = STR_INIT;

	if (!list->text.n)
		return;
	str_add(&name, list->name);
	if (++list->part > 1)
		str_add_fmt(&name, " (%u)", list->part);
	otf2_root_property(list->w, list->root, name.text,
			   otf2_out_string(list->w, list->text.text));
	str_fini(&name);
	str_clear(&list->text);
}

/* The end of a row of the list, which was added to its text. */
static void list_row(struct list *list)
{
	if (list->text.n >= LIST_MOST)
		list_flush(list);
}

static void list_end(struct list *list)
{
	list_flush(list);
	str_fini(&list->text);
}

static const char *comma(const struct list *list)
{
	return list->text.n ? ", " : "";
}

static void write_event_types(struct otf2_writer *w, uint32_t root)
{
	struct list list = { w, root, OTF2_PROPERTY_TYPES, 0, STR_INIT };

	for (uint32_t r = 0; r < trace_region_count(w->trace); r++) {
		str_add_fmt(&list.text, "%s%u %d", comma(&list), r,
			    trace_region(w->trace, r)->picl);
		list_row(&list);
	}
	list_end(&list);
}

static void write_site_list(struct otf2_writer *w, uint32_t root)
{
	struct list list = { w, root, OTF2_PROPERTY_SITES, 0, STR_INIT };

	for (uint32_t s = 0; s < trace_site_count(w->trace); s++) {
		const struct site *site = trace_site(w->trace, s);
		str_add_fmt(&list.text, "%s%u %d %u %u", comma(&list), site->region, site->picl,
			    site->file, site->line);
		list_row(&list);
	}
	list_end(&list);
}

/* OTF2 numbers each type by itself. */
static void write_object_list(struct otf2_writer *w, uint32_t root)
{
	struct list list = { w, root, OTF2_PROPERTY_OBJECTS, 0, STR_INIT };

	for (uint32_t i = 0; i < trace_object_count(w->trace); i++) {
		const enum detail_type type =
			(enum detail_type)trace_object(w->trace, i)->detail.type;
		str_add_fmt(&list.text, "%s%u %u", comma(&list),
			    (unsigned)(type - OBJECT_PARAMETER), w->object_refs[i]);
		list_row(&list);
	}
	list_end(&list);
	list = (struct list){ w, root, OTF2_PROPERTY_METRIC_SETS, 0, STR_INIT };
	for (uint32_t i = 0; i < trace_metric_set_count(w->trace); i++) {
		str_add_fmt(&list.text, "%s%u", comma(&list), w->metric_refs[i]);
		list_row(&list);
	}
	list_end(&list);
}

static void write_subsets(struct otf2_writer *w, uint32_t root)
{
	struct list list = { w, root, OTF2_PROPERTY_SUBSETS, 0, STR_INIT };

	for (uint32_t c = 0; c < trace_comm_count(w->trace); c++) {
		const struct comm *comm = trace_comm(w->trace, c);
		if (!comm->picl_subset || w->comms[c].ref == OTF2_UNDEFINED_COMM)
			continue;
		str_add_fmt(&list.text, "%s%u %d", comma(&list), w->comms[c].ref,
			    comm->picl_subset);
		list_row(&list);
	}
	list_end(&list);
}

static void write_members(struct otf2_writer *w, uint32_t root)
{
	for (uint32_t c = 0; c < trace_comm_count(w->trace); c++) {
		const struct comm *comm = trace_comm(w->trace, c);
		struct str name = STR_INIT;
		bool strangers = false;

		for (uint32_t i = 0; i < comm->size && comm->kind == COMM_PROCESSES; i++)
			strangers = strangers ||
				    otf2_out_place(w, 0, comm->ranks[i]) == OTF2_UNDEFINED_UINT32;
		if (!strangers)
			continue;
		str_add_fmt(&name, "%s%u", OTF2_PROPERTY_MEMBERS, w->comms[c].ref);
		struct list list = { w, root, name.text, 0, STR_INIT };
		for (uint32_t i = 0; i < comm->size; i++) {
			str_add_fmt(&list.text, "%s%d", comma(&list), comm->ranks[i]);
			list_row(&list);
		}
		list_end(&list);
		str_fini(&name);
	}
}

/* ---- statements ---- */

static void add_values(struct list *list, const int64_t *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		str_add_char(&list->text, ' ');
		str_add_int(&list->text, values[i]);
	}
}

static void write_statements(struct otf2_writer *w, uint32_t root)
{
	struct list list = { w, root, OTF2_PROPERTY_STATEMENTS, 0, STR_INIT };

	for (uint32_t i = 0; i < trace_statement_count(w->trace); i++) {
		const struct statement *s = trace_statement(w->trace, i);
		int64_t values[STATEMENT_VALUES];
		statement_values(s, values);
		str_add_fmt(&list.text, "%s%u %u %u", comma(&list), s->name, s->file, s->reason);
		add_values(&list, values, STATEMENT_VALUES);
		list_row(&list);
	}
	list_end(&list);
}

/* They are of the whole run. */
static void write_records(struct otf2_writer *w, uint32_t root)
{
	struct list list = { w, root, OTF2_PROPERTY_RECORDS, 0, STR_INIT };
	const struct save_options *o = w->options;
	const bool whole = o->t0 == INT64_MIN && o->t1 == INT64_MAX;

	for (size_t i = 0; whole && i < trace_statement_record_count(w->trace); i++) {
		const struct statement_record *r = trace_statement_record(w->trace, i);
		const enum statement_kind kind =
			(enum statement_kind)trace_statement(w->trace, r->statement)->kind;
		int64_t values[RECORD_VALUES];
		uint32_t n;
		if (o->locations && !o->locations[r->location])
			continue;
		n = record_values(kind, r, values);
		if (kind == STATEMENT_COMMUNICATION && r->comm != UINT32_MAX)
			values[RECORD_COMM] = w->comms[r->comm].ref;
		str_add_fmt(&list.text, "%s%llu %u", comma(&list),
			    (unsigned long long)w->locations[r->location].ref, r->statement);
		add_values(&list, values, n);
		list_row(&list);
	}
	list_end(&list);
}

void otf2_out_lists(struct otf2_writer *w, uint32_t root)
{
	write_event_types(w, root);
	write_site_list(w, root);
	write_subsets(w, root);
	write_object_list(w, root);
	write_members(w, root);
	if (trace_statement_count(w->trace) == 0 ||
	    trace_statement(w->trace, 0)->flags & STATEMENT_STATISTICS)
		return;
	write_statements(w, root);
	write_records(w, root);
}
