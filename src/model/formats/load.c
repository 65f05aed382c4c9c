#include "model/formats/load.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/slab.h"
#include "base/source.h"
#include "base/str.h"
#include "model/cache/cache.h"
#include "model/chrome/chrome.h"
#include "model/formats/statements_found.h"
#include "model/otf2/otf2.h"
#include "model/picl/picl.h"
#include "model/trace/store.h"

static struct trace *load_picl(const char *path, int fd, const struct load_options *options,
			       const struct progress *progress, struct err *err)
{
	const struct picl_options picl = { .strict = options->strict,
					   .jobs = options->jobs,
					   .part = &options->part,
					   .pool = options->pool,
					   .max_mem = options->max_mem,
					   .exchange = options->exchange };

	return picl_read(path, fd, &picl, progress, err);
}

static struct trace *load_otf2(const char *path, int fd, const struct load_options *options,
			       const struct progress *progress, struct err *err)
{
	(void)fd;
	return otf2_read(path, options, progress, err);
}

/* The formats, by the names that --as takes. The last one itself reports why a file is in
 * none of the formats. */
static const struct {
	const char *name;
	bool (*recognise)(const char *bytes, size_t n);
	struct trace *(*load)(const char *path, int fd, const struct load_options *options,
			      const struct progress *progress, struct err *err);
} formats[] = { { "otf2", otf2_recognise, load_otf2 },
		{ "json", chrome_recognise, chrome_read },
		{ "picl", NULL, load_picl } };

enum { FORMATS = sizeof formats / sizeof *formats, HEAD_BYTES = 64 };

static struct trace *load_as(const char *path, int fd, const struct load_options *options,
			     const struct progress *progress, struct err *err)
{
	OWNED_STR names = STR_INIT;

	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i].name, options->as) == 0)
			return formats[i].load(path, fd, options, progress, err);
	for (size_t i = 0; i < FORMATS; i++)
		str_add_fmt(&names, "%s--as %s", i ? " or " : "", formats[i].name);
	err_set(err, STATUS_USAGE, "unknown format '%s' (try %s)", options->as, names.text);
	return NULL;
}

/* A file of an OTF2 archive that is not its anchor. */
static void refuse_part(const char *path, struct err *err)
{
	OWNED char *anchor = otf2_anchor_of(path);

	if (anchor)
		err_set(err, STATUS_IO, "%s is part of an OTF2 archive: open its anchor, %s", path,
			anchor);
	else
		err_set(err, STATUS_IO,
			"%s is part of an OTF2 archive: open its anchor (NAME.otf2), which is "
			"not in its folder",
			path);
}

/* The first bytes of the text, decompressed; the file is at its start again. */
static size_t read_head(int fd, char head[HEAD_BYTES])
{
	const ssize_t n = pread(fd, head, HEAD_BYTES, 0);
	struct source *source;
	ssize_t text;

	if (n <= 0 || !source_is_compressed(head, (size_t)n))
		return n > 0 ? (size_t)n : 0;
	source = source_new(fd, false);
	text = source_read(source, head, HEAD_BYTES);
	source_free(source);
	lseek(fd, 0, SEEK_SET);
	return text > 0 ? (size_t)text : 0;
}

static struct trace *load_open(const char *path, int fd, const struct load_options *options,
			       const struct progress *progress, struct err *err)
{
	char head[HEAD_BYTES];
	size_t n;

	if (options->as)
		return load_as(path, fd, options, progress, err);
	n = read_head(fd, head);
	if (otf2_is_part(head, n)) {
		refuse_part(path, err);
		return NULL;
	}
	for (size_t i = 0; i < FORMATS; i++)
		if (!formats[i].recognise || formats[i].recognise(head, n))
			return formats[i].load(path, fd, options, progress, err);
	return NULL;
}

static struct trace *load_folder(const char *path, const struct load_options *options,
				 const struct progress *progress, struct err *err)
{
	OWNED char *anchor = otf2_anchor_in(path, err);
	struct trace *trace = anchor ? otf2_read(anchor, options, progress, err) : NULL;

	return trace;
}

static struct trace *load_joined(const struct load_options *options,
				 const struct progress *progress, struct err *err)
{
	struct trace *trace =
		chrome_read_files(options->files, options->n_files, options, progress, err);
	OWNED_STR name = STR_INIT;

	path_add_names(options->files, options->n_files, &name);
	if (trace)
		trace->name = xstrdup(name.text);
	return trace;
}

static struct trace *load_source(const char *path, const struct load_options *options,
				 const struct progress *progress, struct err *err)
{
	struct trace *trace = NULL;
	struct stat st;
	int fd;

	if (load_is_joined(path, options))
		return load_joined(options, progress, err);
	if (strcmp(path, "-") == 0 && options->exchange) {
		err_set(err, STATUS_USAGE, "stdin is one process' alone: give the file's name");
		return NULL;
	}
	if (strcmp(path, "-") == 0)
		return (options->as ? load_as : load_picl)("stdin", STDIN_FILENO, options, progress,
							   err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		err_errno(err, STATUS_IO, "cannot open %s", path);
		return NULL;
	}
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		trace = load_folder(path, options, progress, err);
	else
		trace = load_open(path, fd, options, progress, err);
	close(fd);
	return trace;
}

static struct slab_pool *make_pool(const char *path, const struct load_options *options)
{
	struct str folders[2] = { STR_INIT, STR_INIT };
	const char *list[3] = { NULL, NULL, NULL };
	struct slab_pool *pool;

	for (int i = 0, n = 0; i < 2 && !options->no_cache; i++)
		if (cache_room(path, i, &folders[i]))
			list[n++] = folders[i].text;
	pool = slab_pool_new(options->max_mem, list);
	str_fini(&folders[0]);
	str_fini(&folders[1]);
	return pool;
}

/* Processes that share a trace would not all see it. */
static uint64_t state_of(const char *path, const struct load_options *how)
{
	return how->exchange ? 0 : cache_source_state(path);
}

static void compare_states(struct trace *trace, uint64_t before, uint64_t after)
{
	if (!before || !after || before == after)
		return;
	store_finding(trace, FINDING_DAMAGE, LOAD_CHANGED, 0, 1,
		      "the trace was written to while it was read: read it again");
	store_finding_sort(trace);
}

bool load_is_live(const char *path)
{
	return strncmp(path, LOAD_LIVE, strlen(LOAD_LIVE)) == 0;
}

bool load_is_joined(const char *path, const struct load_options *options)
{
	return options->n_files > 1 && (strcmp(path, options->files[0]) == 0 ||
					strcmp(path, options->files[options->n_files - 1]) == 0);
}

bool load_is_tutor(const char *path)
{
	return strcmp(path, LOAD_TUTOR) == 0;
}

struct trace *trace_load(const char *path, const struct load_options *options,
			 const struct progress *progress, struct err *err)
{
	static const struct load_options defaults;
	struct load_options how = options ? *options : defaults;
	struct cache_state *state;
	struct trace *trace;
	uint64_t source;
	bool damaged;

	if (how.live && load_is_live(path)) {
		trace = how.live(how.live_context, path + strlen(LOAD_LIVE), err);
		if (trace)
			statements_find(trace);
		return trace;
	}
	if (how.tutor && load_is_tutor(path))
		return how.tutor(err);
	how.no_cache = how.no_cache || load_is_joined(path, &how);
	trace = cache_load(path, &how, &damaged);
	if (trace)
		return trace;
	state = cache_prepare(path, &how);
	how.pool = make_pool(path, &how);
	source = state_of(path, &how);
	trace = load_source(path, &how, progress, err);
	if (trace) {
		compare_states(trace, source, state_of(path, &how));
		statements_find(trace);
		cache_remember(trace, state, damaged);
	} else {
		cache_state_free(state);
	}
	slab_pool_free(how.pool);
	return trace;
}
