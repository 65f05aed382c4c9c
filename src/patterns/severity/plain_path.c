#include "patterns/severity/plain_path.h"

#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "base/str.h"

enum { ROLE_LOOP = 3 }; /* OTF2_REGION_ROLE_LOOP */

#define UNRECORDED "tview_unrecorded"

static bool is_loop(const struct region *region)
{
	return region->cls == CLASS_USER && region->role == ROLE_LOOP;
}

bool path_is_unrecorded(const struct trace *trace, uint32_t path)
{
	const uint32_t region = trace_callpath_region(trace, path);

	return trace_region(trace, region)->cls == CLASS_USER &&
	       strcmp(trace_region_name(trace, region), UNRECORDED) == 0;
}

static bool is_hidden(const struct trace *trace, uint32_t path)
{
	const struct region *region = trace_region(trace, trace_callpath_region(trace, path));

	return region->cls == CLASS_OVERHEAD || is_loop(region);
}

static uint32_t plain_of(const struct plain_paths *p, struct keymap *map, const struct trace *trace,
			 uint32_t path)
{
	const struct callpath *c = trace_callpath(trace, path);
	const uint32_t parent = p->of[c->parent];
	const struct site *site;
	bool own;
	uint32_t plain;

	if (p->hidden[path] || p->unrecorded[path])
		return parent;
	site = trace_site(trace, c->site);
	own = trace_region(trace, site->region)->cls == CLASS_USER;
	if (own && parent && trace_callpath_region(trace, parent) == site->region)
		return parent; /* it calls itself */
	keymap_new(map, KEY_OF(parent, site->region, own ? 0 : site->file, own ? 0 : site->line),
		   path, &plain);
	return plain;
}

void plain_paths_init(struct plain_paths *p, const struct trace *trace)
{
	struct keymap map = { 0 };

	p->n = trace_callpath_count(trace);
	p->of = xcalloc((size_t)p->n + 1, sizeof *p->of);
	p->hidden = xcalloc((size_t)p->n + 1, sizeof *p->hidden);
	p->unrecorded = xcalloc((size_t)p->n + 1, sizeof *p->unrecorded);
	p->sampled = false;
	for (uint32_t i = 1; i < p->n; i++) {
		p->unrecorded[i] = path_is_unrecorded(trace, i);
		p->sampled = p->sampled || p->unrecorded[i];
		p->hidden[i] = is_hidden(trace, i);
		p->of[i] = plain_of(p, &map, trace, i);
	}
	keymap_fini(&map);
}

void plain_paths_fini(struct plain_paths *p)
{
	free_all(p->of, p->hidden, p->unrecorded);
}

void plain_path_text(const struct trace *trace, uint32_t path, struct str *out)
{
	uint32_t levels[CALLPATH_LEVELS];
	unsigned n = 0;

	for (; path && n < CALLPATH_LEVELS; path = trace_callpath(trace, path)->parent)
		if (!is_hidden(trace, path))
			levels[n++] = path;
	if (path)
		str_add(out, "... > ");
	while (n-- > 0) {
		const char *name =
			trace_region_name(trace, trace_callpath_region(trace, levels[n]));
		str_add_clean(out, name, strlen(name));
		str_add(out, n ? " > " : "");
	}
}
