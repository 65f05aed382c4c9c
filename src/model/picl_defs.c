#include "model/picl_defs.h"

#include <string.h>

#include "base/mem.h"
#include "model/picl_types.h"

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
	for (int i = 0; i < 6; i++)
		descriptor_fini(&defs->predefined[i]);
}

static bool same_scope(const struct picl_scope *a, const struct picl_scope *b)
{
	return a->evtype == b->evtype && a->processor == b->processor && a->process == b->process;
}

enum picl_define picl_defs_label(struct picl_defs *defs, const struct picl_scope *scope,
				 const char *text, size_t n)
{
	struct picl_label *label;

	vec_each (label, &defs->labels) {
		if (!same_scope(&label->scope, scope))
			continue;
		if (defs->first_only ||
		    (strlen(label->text) == n && (n == 0 || !memcmp(label->text, text, n))))
			return DEFINED_SAME;
		free(label->text);
		label->text = xstrndup(text, n);
		return DEFINED_CHANGED;
	}
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
	struct picl_alias *alias;

	vec_each (alias, &defs->aliases) {
		if (!same_scope(&alias->scope, scope) || alias->number != number)
			continue;
		if (defs->first_only || (strlen(alias->control) == n &&
					 (n == 0 || !memcmp(alias->control, control, n))))
			return DEFINED_SAME;
		free(alias->control);
		descriptor_fini(&alias->descriptor);
		alias_set(alias, control, n);
		return DEFINED_CHANGED;
	}
	alias = vec_add(&defs->aliases);
	alias->scope = *scope;
	alias->number = number;
	alias_set(alias, control, n);
	return DEFINED_NEW;
}

const struct picl_subset *picl_defs_subset_of(const struct picl_defs *defs, int32_t rectype,
					      int32_t id)
{
	const struct picl_subset *subset;

	vec_each (subset, &defs->subsets)
		if (subset->rectype == rectype && subset->id == id)
			return subset;
	return NULL;
}

enum picl_define picl_defs_subset(struct picl_defs *defs, int32_t rectype, int32_t id,
				  const int32_t *members, size_t n)
{
	struct picl_subset *subset = NULL;
	bool found = false;

	for (size_t i = 0; i < defs->subsets.n && !found; i++) {
		subset = &defs->subsets.data[i];
		found = subset->rectype == rectype && subset->id == id;
	}
	if (found && (defs->first_only ||
		      (subset->n == n &&
		       (n == 0 || memcmp(subset->members, members, n * sizeof *members) == 0))))
		return DEFINED_SAME;
	if (!found) {
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

const char *picl_defs_label_of(const struct picl_defs *defs, const struct picl_scope *scope)
{
	const struct picl_label *label;
	const char *best = NULL;
	int best_fit = -1;

	vec_each (label, &defs->labels) {
		const int f = fit_scope(defs, &label->scope, scope);
		/* A label for all event types names a place, not an event. */
		if (label->scope.evtype == TYPE_ALL && scope->evtype != TYPE_ALL)
			continue;
		if (f >= 0 && f >= best_fit) {
			best = label->text;
			best_fit = f;
		}
	}
	return best;
}

const struct descriptor *picl_defs_descriptor(const struct picl_defs *defs,
					      const struct picl_scope *scope, int64_t number,
					      bool *known)
{
	const struct picl_alias *alias, *best = NULL;
	int best_fit = -1;

	vec_each (alias, &defs->aliases) {
		const int f = alias->number == number ? fit_scope(defs, &alias->scope, scope) : -1;
		if (f >= 0 && f >= best_fit) {
			best = alias;
			best_fit = f;
		}
	}
	*known = best || descriptor_predefined(number);
	if (best)
		return best->understood ? &best->descriptor : NULL;
	return *known ? &defs->predefined[number] : NULL;
}
