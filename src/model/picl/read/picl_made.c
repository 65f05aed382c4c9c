/* What the records of a divided file make: sites, regions, records of no place, texts. One
 * process alone makes them in the order of the file. So each process only notes what it needs,
 * with the line; then all make all of it, in the order of the lines. A line is interpreted in one
 * process. */
#include <string.h>

#include "base/order.h"
#include "model/picl/read/picl_divided.h"

/* After all lines of the file. */
#define FLUSHED ((uint64_t)1 << 62)

bool picl_divided_is_dealt(const struct picl_reader *r)
{
	return r->divided && r->divided->dealt;
}

static void tell(struct picl_divided *d, struct picl_told told, const char *text, size_t n)
{
	static const char nothing[8];

	told.line = d->line;
	told.n = (uint32_t)n;
	str_add_n(&d->told, (const char *)&told, sizeof told);
	str_add_n(&d->told, text, n);
	str_add_n(&d->told, nothing, 8 - n % 8);
}

static const struct picl_told *next_told(const char **p)
{
	const struct picl_told *told = (const struct picl_told *)(const void *)*p;

	*p += sizeof *told + told->n + (8 - told->n % 8);
	return told;
}

uint32_t picl_divided_site(struct picl_reader *r, const struct picl_kind *kind, uint32_t call)
{
	struct picl_divided *d = r->divided;

	tell(d, (struct picl_told){ .kind = TOLD_SITE, .evtype = kind->type, .call = call }, "", 0);
	vec_push(&d->sites, KEY_OF((uint32_t)kind->type, call, TOLD_SITE));
	return d->first_site + (uint32_t)d->sites.n - 1;
}

uint32_t picl_divided_region(struct picl_reader *r, const struct picl_kind *kind)
{
	struct picl_divided *d = r->divided;
	uint32_t row;

	if (keymap_new(&d->region_rows, KEY_OF((uint32_t)kind->type), d->regions.n, &row)) {
		tell(d, (struct picl_told){ .kind = TOLD_REGION, .evtype = kind->type }, "", 0);
		vec_push(&d->regions, KEY_OF((uint32_t)kind->type, 0, TOLD_REGION));
	}
	return d->first_region + row;
}

void picl_divided_loose(struct picl_reader *r, const struct picl_record *record, const char *text,
			size_t n)
{
	r->divided->line = record->line;
	tell(r->divided, (struct picl_told){ .kind = TOLD_LOOSE, .time = record->time }, text, n);
}

void picl_divided_flush(struct picl_reader *r, size_t i)
{
	picl_made_tell(r);
	r->divided->line = FLUSHED + i;
}

void picl_made_tell(struct picl_reader *r)
{
	struct picl_divided *d = r->divided;

	for (const size_t n = builder_fork_texts(r->feed); d->texts < n; d->texts++) {
		const char *text = builder_fork_text(r->feed, d->texts);
		tell(d, (struct picl_told){ .kind = TOLD_TEXT }, text, strlen(text));
	}
}

void picl_made_move(struct picl_divided *d, size_t from, uint64_t lines)
{
	for (const char *p = d->told.text + from, *end = d->told.text + d->told.n; p < end;) {
		struct picl_told *told = (struct picl_told *)(void *)(uintptr_t)p;
		next_told(&p);
		told->line += lines;
	}
}

void picl_made_begin(struct picl_reader *r)
{
	struct picl_divided *d = r->divided;

	d->first_site = builder_site_count(r->builder);
	d->first_region = builder_region_count(r->builder);
}

/* ---- all make all ---- */

struct told_list {
	VEC(const struct picl_told *) rows;
};

static int by_line(const void *a, const void *b)
{
	const struct picl_told *x = *(const struct picl_told *const *)a;
	const struct picl_told *y = *(const struct picl_told *const *)b;

	ORDER_BY(x->line, y->line);
	return ORDER(x, y); /* of one process, in its order */
}

static const char *text_of(const struct picl_told *told)
{
	return (const char *)(told + 1);
}

static void make(struct picl_reader *r, const struct picl_told *told, struct keymap *ids)
{
	const struct picl_kind *kind;
	uint32_t *id;

	if (told->kind == TOLD_LOOSE) {
		builder_loose(r->builder, told->time, told->line, text_of(told), told->n);
		return;
	}
	id = keymap_add(ids, KEY_OF((uint32_t)told->evtype, told->call, told->kind));
	if (*id != UINT32_MAX)
		return;
	kind = picl_kind(r, told->evtype);
	*id = told->kind == TOLD_SITE ? picl_make_site(r, NULL, kind, told->call)
				      : picl_region_of(r, NULL, kind);
}

static uint32_t *ids_of(const struct keymap *ids, const struct key *keys, size_t n)
{
	uint32_t *of = xmalloc((n + 1) * sizeof *of);

	for (size_t i = 0; i < n; i++)
		of[i] = *keymap_find(ids, keys[i]);
	return of;
}

void picl_made_end(struct picl_reader *r)
{
	struct picl_divided *d = r->divided;
	ENDED_BY(keymap_fini) struct keymap ids = { NULL, 0, 0 };
	struct told_list list = { VEC_INIT };
	struct exchange_parts parts;
	const struct picl_told **told;

	d->dealt = false;
	d->x->gather(d->x, d->told.text, d->told.n, &parts);
	for (const char *p = parts.data, *end = p + parts.first[d->x->processes]; p < end;)
		vec_push(&list.rows, next_told(&p));
	vec_sort(&list.rows, by_line);
	vec_each (told, &list.rows)
		if ((*told)->kind != TOLD_TEXT)
			make(r, *told, &ids);
	/* As where the texts of a child are joined. */
	vec_each (told, &list.rows)
		if ((*told)->kind == TOLD_TEXT)
			builder_string(r->builder, text_of(*told), (*told)->n);
	d->site_ids = ids_of(&ids, d->sites.data, d->sites.n);
	d->region_ids = ids_of(&ids, d->regions.data, d->regions.n);
	builder_stand_in(r->feed, &(struct builder_stand_ins){ d->first_site, d->first_region,
							       d->site_ids, d->region_ids });
	builder_share_records(r->builder, d->x);
	exchange_parts_fini(&parts);
	vec_fini(&list.rows);
}
