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

static void definitions_fini(struct picl_definitions *list)
{
	struct picl_definition *d;

	vec_each (d, &list->rows) {
		free(d->text);
		descriptor_fini(&d->descriptor);
	}
	vec_fini(&list->rows);
	vec_fini(&list->loose);
	keymap_fini(&list->exact);
}

void picl_defs_fini(struct picl_defs *defs)
{
	definitions_fini(&defs->labels);
	definitions_fini(&defs->aliases);
	for (size_t i = 0; i < defs->subsets.n; i++)
		free(defs->subsets.data[i].members);
	vec_fini(&defs->subsets);
	keymap_fini(&defs->subset_index);
	for (int i = 0; i < 6; i++)
		descriptor_fini(&defs->predefined[i]);
}

static struct key scope_key(int32_t number, int32_t evtype, int32_t processor, int32_t process)
{
	return KEY_OF((uint32_t)number, (uint32_t)evtype, (uint32_t)processor, (uint32_t)process);
}

static bool has_subsets(const struct picl_scope *scope)
{
	return scope->processor < -1 || scope->process < -1 || scope->evtype <= PICL_SUBSETS_FROM;
}

static enum picl_define define(struct picl_defs *defs, struct picl_definitions *list,
			       const struct picl_scope *scope, int32_t number, const char *text,
			       size_t n)
{
	struct picl_definition *d;
	uint32_t row;
	const bool is_new =
		keymap_new(&list->exact,
			   scope_key(number, scope->evtype, scope->processor, scope->process),
			   list->rows.n, &row);

	if (is_new) {
		vec_push(&list->rows,
			 ((struct picl_definition){ .scope = *scope, .number = number }));
		if (has_subsets(scope))
			vec_push(&list->loose, row);
	}
	d = &list->rows.data[row];
	if (!is_new && (defs->first_only || (strlen(d->text) == n && !memcmp(d->text, text, n))))
		return DEFINED_SAME;
	free(d->text);
	d->text = xstrndup(text, n);
	descriptor_fini(&d->descriptor);
	if (list == &defs->aliases)
		descriptor_parse(&d->descriptor, text, n);
	return is_new ? DEFINED_NEW : DEFINED_CHANGED;
}

enum picl_define picl_defs_label(struct picl_defs *defs, const struct picl_scope *scope,
				 const char *text, size_t n)
{
	const enum picl_define result = define(defs, &defs->labels, scope, 0, text, n);

	if (result == DEFINED_NEW)
		defs->scoped_labels += scope->processor != -1 || scope->process != -1;
	return result;
}

enum picl_define picl_defs_alias(struct picl_defs *defs, const struct picl_scope *scope,
				 int32_t number, const char *control, size_t n)
{
	return define(defs, &defs->aliases, scope, number, control, n);
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

/* The event type weighs most, then processor, then process; -1 if the scope excludes the place. */
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

/* Of two equally good fits the later one wins. */
static void offer(struct best *best, uint32_t row, int fits)
{
	if (fits < best->fit || fits < 0)
		return;
	if (fits == best->fit && best->row != UINT32_MAX && row < best->row)
		return;
	best->row = row;
	best->fit = fits;
}

static void offer_exact(const struct picl_definitions *list, struct best *best, int32_t number,
			int32_t evtype, const struct picl_scope *place, int evtype_fit)
{
	for (int i = 0; i < 4; i++) {
		const int32_t processor = i & 2 ? place->processor : -1;
		const int32_t process = i & 1 ? place->process : -1;
		const uint32_t *const row =
			keymap_find(&list->exact, scope_key(number, evtype, processor, process));
		if (row)
			offer(best, *row,
			      evtype_fit * 9 + (i & 2 || place->processor == -1 ? 6 : 0) +
				      (i & 1 || place->process == -1 ? 2 : 0));
	}
}

/* The definition that fits a place best, or NULL; `for_all` admits those for all event types. */
static const struct picl_definition *find(const struct picl_defs *defs,
					  const struct picl_definitions *list, int32_t number,
					  const struct picl_scope *place, bool for_all)
{
	struct best best = { UINT32_MAX, -1 };
	const struct picl_subset *subset;
	const uint32_t *row;

	offer_exact(list, &best, number, place->evtype, place, 2);
	if (for_all && place->evtype != -1)
		offer_exact(list, &best, number, -1, place, 0);
	if (defs->event_subsets)
		vec_each (subset, &defs->subsets)
			if (subset->rectype == REC_SUBSET_EVENTS &&
			    fit(defs, REC_SUBSET_EVENTS, subset->id, place->evtype) == 1)
				offer_exact(list, &best, number, subset->id, place, 1);
	vec_each (row, &list->loose) {
		const struct picl_definition *d = &list->rows.data[*row];
		if (d->number == number &&
		    (for_all || d->scope.evtype != -1 || place->evtype == -1))
			offer(&best, *row, fit_scope(defs, &d->scope, place));
	}
	return best.row == UINT32_MAX ? NULL : &list->rows.data[best.row];
}

const char *picl_defs_label_of(const struct picl_defs *defs, const struct picl_scope *scope)
{
	/* A label for all event types names a place, not an event. */
	const struct picl_definition *label = find(defs, &defs->labels, 0, scope, false);

	return label ? label->text : NULL;
}

const struct descriptor *picl_defs_descriptor(const struct picl_defs *defs,
					      const struct picl_scope *scope, int64_t number,
					      bool *known)
{
	const struct picl_definition *alias = NULL;

	if (number >= INT32_MIN && number <= INT32_MAX && defs->aliases.rows.n)
		alias = find(defs, &defs->aliases, (int32_t)number, scope, true);
	*known = alias || descriptor_predefined(number);
	if (alias)
		return alias->descriptor.values ? &alias->descriptor : NULL;
	return *known ? &defs->predefined[number] : NULL;
}
