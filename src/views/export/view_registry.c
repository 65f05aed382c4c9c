#include "views/export/view_registry.h"

#include <assert.h>
#include <string.h>

const struct view_info *view_of_name(const struct view_registry *registry, const char *name)
{
	for (unsigned i = 0; i < registry->n; i++)
		if (registry->views[i].panel && strcmp(registry->views[i].name, name) == 0)
			return &registry->views[i];
	return NULL;
}

const struct view_info *view_of_key(const struct view_registry *registry, const char *key)
{
	for (unsigned i = 0; i < registry->n; i++)
		if (registry->views[i].key && strcmp(registry->views[i].key, key) == 0)
			return &registry->views[i];
	return NULL;
}

const struct view_info *view_of_export(const struct view_registry *registry, const char *name)
{
	for (unsigned i = 0; i < registry->n; i++) {
		const char *exported = view_export_name(&registry->views[i]);
		if (exported && strcmp(exported, name) == 0)
			return &registry->views[i];
	}
	return NULL;
}

const char *view_command(const struct view_info *view)
{
	return view->command ? view->command : view->name;
}

const struct view_info *view_of_command(const struct view_registry *registry, const char *command)
{
	for (unsigned i = 0; i < registry->n; i++)
		if (registry->views[i].panel &&
		    strcmp(view_command(&registry->views[i]), command) == 0)
			return &registry->views[i];
	return NULL;
}

const char *view_export_name(const struct view_info *view)
{
	if (!view->table && !view->text)
		return NULL;
	return view->export_name ? view->export_name : view->name;
}

void view_names(const struct view_registry *registry, const char *names[VIEWS_MOST + 1])
{
	assert(registry->n <= VIEWS_MOST);
	for (unsigned i = 0; i < registry->n; i++)
		if (registry->views[i].panel)
			*names++ = registry->views[i].name;
	*names = NULL;
}

void view_export_names(const struct view_registry *registry, const char *names[VIEWS_MOST + 1])
{
	assert(registry->n <= VIEWS_MOST);
	for (unsigned i = 0; i < registry->n; i++)
		if (view_export_name(&registry->views[i]))
			*names++ = view_export_name(&registry->views[i]);
	*names = NULL;
}
