/* Which sections of a cache file several processes write, and what each of them has of it. All
 * other sections are the same in all processes: the first one writes them. */
#include <string.h>

#include "model/cache/cache_shared.h"
#include "model/sums/profile_sums.h"
#include "model/sums/shade.h"

void shared_sections_add(struct shared_sections *sections, const struct shared_rows *rows)
{
	vec_push(&sections->list, *rows);
}

bool shared_sections_find(const struct shared_sections *sections, const char *name, uint32_t index,
			  uint32_t element, uint64_t *n)
{
	const struct shared_rows *rows;

	if (!sections)
		return false;
	vec_each (rows, &sections->list)
		if (rows->index == index && strcmp(rows->name, name) == 0) {
			*n = rows->rows * (rows->row / element);
			return true;
		}
	return false;
}

/* Rows of `kind`, of a section that has as many as all processes count. */
static void add_all(struct shared *s, const char *name, uint32_t index, enum counted kind,
		    uint64_t rows, size_t row, const void *data)
{
	shared_sections_add(&s->sections, &(struct shared_rows){ .name = name,
								 .index = index,
								 .row = (uint32_t)row,
								 .data = data,
								 .stretches = &s->at[kind],
								 .rows = rows });
}

static void add(struct shared *s, const char *name, uint32_t index, int kind, size_t row,
		const void *data)
{
	add_all(s, name, index, (enum counted)kind, s->all[kind], row, data);
}

static void add_tables(struct shared *s)
{
	const struct trace *t = s->trace;

	add(s, "blocks", 0, COUNT_BLOCK, sizeof(struct block), t->blocks.data);
	add(s, "details", 0, COUNT_DETAIL, sizeof(struct detail), t->details.data);
	add(s, "values", 0, COUNT_VALUE, sizeof(uint64_t), t->values.data);
	add(s, "records", 0, COUNT_RECORD, sizeof(struct record), t->records.data);
	add(s, "extras", 0, COUNT_EXTRA, sizeof(struct event_text), t->extras.rows.data);
	add(s, "time-texts", 0, COUNT_TIME_TEXT, sizeof(struct event_text),
	    t->time_texts.rows.data);
	add(s, "attributes", 0, COUNT_ATTRIBUTE, sizeof(struct event_attribute),
	    t->attributes.data);
	add(s, "gaps", 0, COUNT_GAP, sizeof(struct gap), t->gaps.data);
	add(s, "copies", 0, COUNT_COPY, sizeof(struct copy), t->copies.data);
	add(s, "gap_parts", 0, COUNT_GAP_PART, sizeof(struct gap_part), t->gap_parts.data);
	/* Receives without a send come after all sends, members of no collective after others. */
	for (int kind = COUNT_SEND; kind <= COUNT_UNMATCHED; kind++)
		add_all(s, "messages", 0, (enum counted)kind, s->all[COUNT_UNMATCHED],
			sizeof(struct message), t->messages.data);
	add(s, "collectives", 0, COUNT_COLLECTIVE, sizeof(struct collective), s->collectives);
	add_all(s, "members", 0, COUNT_MEMBER, s->all[COUNT_ALONE], sizeof(struct member),
		s->members);
}

static void add_shading(struct shared *s, uint32_t base, const struct shading *shading)
{
	const int supers = COUNT_SHADED + (int)base;

	add(s, "shading-sums", base, COUNT_BLOCK, shading->slots * sizeof(uint32_t),
	    shading->sums.data);
	add(s, "shading-supers", base, supers, shading->slots * sizeof(uint64_t),
	    shading->supers.data);
	add(s, "shading-wide", base, COUNT_SHADED_WIDE + (int)base,
	    (size_t)SUPER_BLOCKS * shading->slots * sizeof(uint64_t), shading->wide.data);
	add(s, "shading-wide-rows", base, supers, sizeof *shading->wide_row, shading->wide_row);
}

static void add_base(struct shared *s, uint32_t base)
{
	const struct trace *t = s->trace;
	const struct profile_sums *p = t->profile_sums[base];

	if (!t->columns[base].made)
		return;
	add(s, "times", base, COUNT_BLOCK, sizeof(struct times), t->columns[base].times.data);
	add(s, "wide-times", base, COUNT_WIDE + (int)base, sizeof(int64_t[BLOCK_EVENTS]),
	    t->columns[base].wide.data);
	if (t->class_shading[base])
		add_shading(s, base, t->class_shading[base]);
	if (!p)
		return;
	add(s, "profile-sums", base, COUNT_SUM + (int)base, sizeof(struct profile_sum),
	    p->sums.data);
	add(s, "profile-ends", base, COUNT_END + (int)base, sizeof(int64_t), p->ends.data);
	add(s, "profile-supers", base, COUNT_PROFILED + (int)base, sizeof(struct super),
	    p->supers.data);
}

/* The blocks of the locations are all blocks in their order. */
static void add_lists(struct shared *s)
{
	const struct stretch *at;
	uint64_t here = 0;

	vec_each (at, &s->at[COUNT_BLOCK].list) {
		stretches_add(&s->listed, here, at->to, at->n);
		here += at->n;
	}
	shared_sections_add(&s->sections, &(struct shared_rows){ .name = "lists",
								 .row = sizeof(uint32_t),
								 .data = s->lists.data,
								 .stretches = &s->listed,
								 .rows = s->all[COUNT_BLOCK] });
}

void shared_sections_make(struct shared *s)
{
	add_tables(s);
	add_lists(s);
	for (uint32_t base = 0; base < BASE_COUNT; base++)
		add_base(s, base);
}
