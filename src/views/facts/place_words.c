#include "views/facts/place_words.h"

#include <string.h>

#include "base/name_text.h"
#include "correct/overhead/overhead_paths.h"
#include "views/facts/source_place.h"

void words_location(const struct trace *trace, uint32_t location, bool node, struct str *out)
{
	const struct location *l = trace_location(trace, location);
	const char *name = trace_string(trace, l->name);

	if (*name)
		str_add_clean(out, name, strlen(name));
	else if (l->rank == RANK_HOST)
		str_add(out, "host");
	else
		str_add_fmt(out, "rank %d", l->rank);
	if (!*name && l->thread > 0)
		str_add_fmt(out, " thread %d", l->thread);
	if (node && l->node) {
		const char *text = trace_string(trace, l->node);

		str_add_char(out, ' ');
		str_add_clean(out, text, strlen(text));
	}
}

bool words_source(const struct trace *trace, uint32_t file, uint32_t line, struct str *out)
{
	const char *path = trace_string(trace, file), *slash = strrchr(path, '/');

	if (!line && str_ends_with(path, "()")) {
		str_add(out, "in ");
		str_add_clean(out, path, strlen(path));
		return true;
	}
	if (!source_is_file(trace, file, line))
		return false;
	path = slash && slash[1] ? slash + 1 : path;
	str_add_clean(out, path, strlen(path));
	if (line)
		str_add_fmt(out, ":%u", line);
	return true;
}

/* True if a region replaces functions that were not recorded. */
static bool is_unrecorded(const struct trace *trace, uint32_t region)
{
	return trace_region(trace, region)->cls == CLASS_USER &&
	       strcmp(trace_region_name(trace, region), UNRECORDED_REGION) == 0;
}

static void add_name(const struct trace *trace, uint32_t region, struct str *out)
{
	const char *name = trace_region_name(trace, region);

	str_add_clean(out, name, strlen(name));
}

/* Empty brackets mark a function of the program; in a name of C++ they replace its arguments:
 * `gemm(float*, int)` is gemm(). Of `train.py(12): main` nothing is left out. */
static void add_function(const struct trace *trace, uint32_t region, struct str *out)
{
	const char *name = trace_region_name(trace, region);
	const size_t all = strlen(name), bare = name_text_bare(name);
	const bool has_arguments = bare < all && name[all - 1] == ')' && name[bare - 1] != ' ';

	str_add_clean(out, name, has_arguments ? bare : all);
	if (has_arguments ||
	    (trace_region(trace, region)->cls == CLASS_USER && !strpbrk(name, "( ")))
		str_add(out, "()");
}

void words_region(const struct trace *trace, uint32_t region, struct str *out)
{
	if (is_unrecorded(trace, region)) {
		str_add(out, "functions not recorded");
		return;
	}
	if (trace_region(trace, region)->cls == CLASS_OVERHEAD) {
		str_add(out, "tool overhead (");
		add_name(trace, region, out);
		str_add_char(out, ')');
		return;
	}
	add_function(trace, region, out);
}

void words_caller(const struct trace *trace, uint32_t region, struct str *out)
{
	const char *name = trace_region_name(trace, region);

	str_add_clean_text(out, name);
	/* Names of C++ have their arguments. */
	if (!strchr(name, '('))
		str_add(out, "()");
}

/* Names the function that contains stretches that were not recorded. */
static void add_unrecorded(const struct trace *trace, uint32_t path, struct str *out)
{
	uint32_t around = trace_callpath(trace, path)->parent;

	while (around && is_unrecorded(trace, trace_callpath_region(trace, around)))
		around = trace_callpath(trace, around)->parent;
	if (!around) {
		str_add(out, "functions not recorded");
		return;
	}
	words_region(trace, trace_callpath_region(trace, around), out);
	str_add(out, " (parts not recorded)");
}

static void add_source(const struct trace *trace, const struct site *site, struct str *out)
{
	const struct region *region = trace_region(trace, site->region);
	const bool called = site->file != 0;
	OWNED_STR source = STR_INIT;

	if (words_source(trace, called ? site->file : region->file,
			 called ? site->line : region->line, &source))
		str_add_fmt(out, " (%s)", source.text);
}

void words_path(const struct trace *trace, uint32_t path, struct str *out)
{
	uint32_t region;

	if (!path) {
		str_add(out, "code outside all recorded functions");
		return;
	}
	region = trace_callpath_region(trace, path);
	if (is_unrecorded(trace, region)) {
		add_unrecorded(trace, path, out);
		return;
	}
	words_region(trace, region, out);
	if (trace_region(trace, region)->cls != CLASS_OVERHEAD)
		add_source(trace, trace_site(trace, trace_callpath(trace, path)->site), out);
}

const char *words_base(enum time_base base)
{
	static const char *const texts[BASE_COUNT] = {
		[BASE_MEASURED] = "as recorded",
		[BASE_LINEAR] = "clock offsets interpolated",
		[BASE_FITTED] = "clocks fitted to the messages",
		[BASE_CLC] = "corrected by the logical clock",
		[BASE_COMPENSATED] = "without measurement overhead",
		[BASE_LOWER] = "without the largest possible overhead",
		[BASE_UPPER] = "without the smallest possible overhead",
		[BASE_VIRTUAL] = "virtual time, kept while it ran",
	};

	return texts[base];
}
