#include "model/picl/read/picl_defs.h"

#include <string.h>

#include "base/mem.h"
#include "model/meaning/picl_types.h"
#include "model/trace/record_type.h"

/* Numbers from here down represent subsets of event types (the report's table 4). */
enum { PICL_SUBSETS_FROM = -1001 };

void picl_defs_init(struct picl_defs *defs)
{
	*defs = (struct picl_defs){ 0 };
	for (int i = 0; i < 6; i++) {
		const char *control = descriptor_predefined(i);
		descriptor_parse(&defs->predefined[i], control, strlen(control));
	}
}

void picl_defs_fini(struct picl_defs *defs)
{
	for (size_t i = 0; i < defs->labels.n; i++)
		free(defs->labels.data[i].text);
	for (size_t i = 0; i < defs->aliases.n; i++) {
		free(defs->aliases.data[i].control);
		descriptor_fini(&defs->aliases.data[i].descriptor);
	}
	for (size_t i = 0; i < defs->subsets.n; i++)
		free(defs->subsets.data[i].members);
	vec_fini(&defs->labels);
	vec_fini(&defs->aliases);
	vec_fini(&defs->subsets);
	keymap_fini(&defs->label_index.exact);
	keymap_fini(&defs->alias_index.exact);
	keymap_fini(&defs->subset_index);
	vec_fini(&defs->label_index.loose);
	vec_fini(&defs->alias_index.loose);
	for (int i = 0; i < 6; i++)
		descriptor_fini(&defs->predefined[i]);
}

static struct key scope_key(int32_t number, int32_t evtype, int32_t processor, int32_t process)
{
	return KEY_OF((uint32_t)number, (uint32_t)evtype, (uint32_t)processor, (uint32_t)process);
}

/* The row of a definition, or UINT32_MAX in *row where it is new: the caller sets it. */
static uint32_t *index_add(struct picl_index *index, int32_t number, const struct picl_scope *scope,
			   size_t rows)
{
	uint32_t *const row =
		keymap_add(&index->exact,
			   scope_key(number, scope->evtype, scope->processor, scope->process));

	if (*row == UINT32_MAX &&
	    (scope->processor < -1 || scope->process < -1 || scope->evtype <= PICL_SUBSETS_FROM)) {
		const struct picl_loose loose = { number, (uint32_t)rows };
		vec_push(&index->loose, loose);
	}
	return row;
}

enum picl_define picl_defs_label(struct picl_defs *defs, const struct picl_scope *scope,
				 const char *text, size_t n)
{
	uint32_t *const row = index_add(&defs->label_index, 0, scope, defs->labels.n);
	struct picl_label *label;

	if (*row != UINT32_MAX) {
		label = &defs->labels.data[*row];
		if (defs->first_only ||
		    (strlen(label->text) == n && (n == 0 || !memcmp(label->text, text, n))))
			return DEFINED_SAME;
		free(label->text);
		label->text = xstrndup(text, n);
		return DEFINED_CHANGED;
	}
	*row = (uint32_t)defs->labels.n;
	vec_push(&defs->labels, ((struct picl_label){ *scope, xstrndup(text, n) }));
	defs->scoped_labels += scope->processor != -1 || scope->process != -1;
	return DEFINED_NEW;
}

static void alias_set(struct picl_alias *alias, const char *control, size_t n)
{
	alias->control = xstrndup(control, n);
	alias->understood = descriptor_parse(&alias->descriptor, control, n);
}

enum picl_define picl_defs_alias(struct picl_defs *defs, const struct picl_scope *scope,
				 int32_t number, const char *control, size_t n)
{
	uint32_t *const row = index_add(&defs->alias_index, number, scope, defs->aliases.n);
	struct picl_alias *alias;

	if (*row != UINT32_MAX) {
		alias = &defs->aliases.data[*row];
		if (defs->first_only || (strlen(alias->control) == n &&
					 (n == 0 || !memcmp(alias->control, control, n))))
			return DEFINED_SAME;
		free(alias->control);
		descriptor_fini(&alias->descriptor);
		alias_set(alias, control, n);
		return DEFINED_CHANGED;
	}
	*row = (uint32_t)defs->aliases.n;
	alias = vec_add(&defs->aliases);
	alias->scope = *scope;
	alias->number = number;
	alias_set(alias, control, n);
	return DEFINED_NEW;
}

const struct picl_subset *picl_defs_subset_of(const struct picl_defs *defs, int32_t rectype,
					      int32_t id)
{
	const uint32_t *const row = keymap_find(&defs->subset_index, scope_key(rectype, id, 0, 0));

	return row ? &defs->subsets.data[*row] : NULL;
}

enum picl_define picl_defs_subset(struct picl_defs *defs, int32_t rectype, int32_t id,
				  const int32_t *members, size_t n)
{
	uint32_t *const row = keymap_add(&defs->subset_index, scope_key(rectype, id, 0, 0));
	const bool found = *row != UINT32_MAX;
	struct picl_subset *subset = found ? &defs->subsets.data[*row] : NULL;

	if (found && (defs->first_only ||
		      (subset->n == n &&
		       (n == 0 || memcmp(subset->members, members, n * sizeof *members) == 0))))
		return DEFINED_SAME;
	if (!found) {
		*row = (uint32_t)defs->subsets.n;
		defs->event_subsets += rectype == REC_SUBSET_EVENTS;
		subset = vec_add(&defs->subsets);
		subset->rectype = rectype;
		subset->id = id;
	}
	free(subset->members);
	subset->members = xmalloc((n + 1) * sizeof *members);
	if (n)
		memcpy(subset->members, members, n * sizeof *members);
	subset->n = n;
	return found ? DEFINED_CHANGED : DEFINED_NEW;
}

/* How well one part of a definition's scope fits a value: 2 exact, 1 subset, 0 all, -1 not. */
static int fit(const struct picl_defs *defs, int32_t rectype, int32_t scope, int32_t value)
{
	const struct picl_subset *subset;

	if (scope == value)
		return 2;
	if (scope == -1)
		return 0;
	if (scope > -1)
		return -1;
	subset = picl_defs_subset_of(defs, rectype, scope);
	for (size_t i = 0; subset && i < subset->n; i++)
		if (subset->members[i] == value)
			return 1;
	if (rectype == REC_SUBSET_EVENTS && picl_subset_holds(scope, value))
		return 1;
	return -1;
}

/* Event type before processor before process; -1 where the scope does not hold the place. */
static int fit_scope(const struct picl_defs *defs, const struct picl_scope *scope,
		     const struct picl_scope *place)
{
	const int evtype = fit(defs, REC_SUBSET_EVENTS, scope->evtype, place->evtype);
	const int processor = fit(defs, REC_SUBSET_PROCESSORS, scope->processor, place->processor);
	const int process = fit(defs, REC_SUBSET_PROCESSES, scope->process, place->process);

	if (evtype < 0 || processor < 0 || process < 0)
		return -1;
	return evtype * 9 + processor * 3 + process;
}

/* The best definition so far. */
struct best {
	uint32_t row; /* UINT32_MAX: none */
	int fit;
};

/* Of two that fit alike the later one counts. */
static void offer(struct best *best, uint32_t row, int fits)
{
	if (fits < best->fit || fits < 0)
		return;
	if (fits == best->fit && best->row != UINT32_MAX && row < best->row)
		return;
	best->row = row;
	best->fit = fits;
}

static void offer_exact(const struct picl_index *index, struct best *best, int32_t number,
			int32_t evtype, const struct picl_scope *place, int evtype_fit)
{
	for (int i = 0; i < 4; i++) {
		const int32_t processor = i & 2 ? place->processor : -1;
		const int32_t process = i & 1 ? place->process : -1;
		const uint32_t *const row =
			keymap_find(&index->exact, scope_key(number, evtype, processor, process));
		if (row)
			offer(best, *row,
			      evtype_fit * 9 + (i & 2 || place->processor == -1 ? 6 : 0) +
				      (i & 1 || place->process == -1 ? 2 : 0));
	}
}

/* Scopes are those of labels or aliases: the first member of each row. */
static uint32_t find_best(const struct picl_defs *defs, const struct picl_index *index,
			  const void *rows, size_t row_size, int32_t number,
			  const struct picl_scope *place, bool for_all)
{
	struct best best = { UINT32_MAX, -1 };
	const struct picl_loose *loose;
	const struct picl_subset *subset;

	offer_exact(index, &best, number, place->evtype, place, 2);
	if (for_all && place->evtype != -1)
		offer_exact(index, &best, number, -1, place, 0);
	if (defs->event_subsets)
		vec_each (subset, &defs->subsets)
			if (subset->rectype == REC_SUBSET_EVENTS &&
			    fit(defs, REC_SUBSET_EVENTS, subset->id, place->evtype) == 1)
				offer_exact(index, &best, number, subset->id, place, 1);
	vec_each (loose, &index->loose) {
		const struct picl_scope *const scope =
			(const void *)((const char *)rows + loose->row * row_size);
		if (loose->number == number &&
		    (for_all || scope->evtype != -1 || place->evtype == -1))
			offer(&best, loose->row, fit_scope(defs, scope, place));
	}
	return best.row;
}

const char *picl_defs_label_of(const struct picl_defs *defs, const struct picl_scope *scope)
{
	/* A label for all event types names a place, not an event. */
	const uint32_t row = find_best(defs, &defs->label_index, defs->labels.data,
				       sizeof *defs->labels.data, 0, scope, false);

	return row == UINT32_MAX ? NULL : defs->labels.data[row].text;
}

const struct descriptor *picl_defs_descriptor(const struct picl_defs *defs,
					      const struct picl_scope *scope, int64_t number,
					      bool *known)
{
	const uint32_t row =
		number < INT32_MIN || number > INT32_MAX || defs->aliases.n == 0
			? UINT32_MAX
			: find_best(defs, &defs->alias_index, defs->aliases.data,
				    sizeof *defs->aliases.data, (int32_t)number, scope, true);

	*known = row != UINT32_MAX || descriptor_predefined(number);
	if (row != UINT32_MAX)
		return defs->aliases.data[row].understood ? &defs->aliases.data[row].descriptor
							  : NULL;
	return *known ? &defs->predefined[number] : NULL;
}
