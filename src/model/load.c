#include "model/load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/cache.h"
#include "model/picl/picl.h"

static struct trace *load_picl(const char *path, int fd, const struct load_options *options,
			       const struct progress *progress, struct err *err)
{
	const struct picl_options picl = { .strict = options->strict, .jobs = options->jobs };

	return picl_read(path, fd, &picl, progress, err);
}

/* The formats, by the names that --as takes. Each reader says itself what is wrong with a file that
 * is none of its own; content decides as soon as there are several. */
static const struct {
	const char *name;
	struct trace *(*load)(const char *path, int fd, const struct load_options *options,
			      const struct progress *progress, struct err *err);
} formats[] = { { "picl", load_picl } };

enum { FORMATS = sizeof formats / sizeof *formats };

static struct trace *load_open(const char *path, int fd, const struct load_options *options,
			       const struct progress *progress, struct err *err)
{
	if (!options->as)
		return formats[0].load(path, fd, options, progress, err);
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i].name, options->as) == 0)
			return formats[i].load(path, fd, options, progress, err);
	err_set(err, STATUS_USAGE, "there is no format '%s' (try --as picl)", options->as);
	return NULL;
}

static struct trace *load_source(const char *path, const struct load_options *options,
				 const struct progress *progress, struct err *err)
{
	struct trace *trace = NULL;
	struct stat st;
	const bool is_stdin = strcmp(path, "-") == 0;
	const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		err_errno(err, STATUS_IO, "cannot open %s", path);
		return NULL;
	}
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		err_set(err, STATUS_IO, "%s is a folder: name the trace file in it", path);
	else
		trace = load_open(is_stdin ? "stdin" : path, fd, options, progress, err);
	if (!is_stdin)
		close(fd);
	return trace;
}

struct trace *trace_load(const char *path, const struct load_options *options,
			 const struct progress *progress, struct err *err)
{
	static const struct load_options defaults;
	struct cache_state *state;
	struct trace *trace;
	bool damaged;

	options = options ? options : &defaults;
	trace = cache_load(path, options, &damaged);
	if (trace)
		return trace;
	state = cache_prepare(path, options);
	trace = load_source(path, options, progress, err);
	if (trace)
		cache_remember(trace, state, damaged);
	else
		cache_state_free(state);
	return trace;
}
