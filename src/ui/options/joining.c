#define _GNU_SOURCE /* strcasestr */
#include "ui/options/joining.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "model/chrome/chrome.h"

/* Where a verb has its traces: after so many arguments, and before so many. */
struct trace_places {
	int before, after;
};

static bool places_of(enum verb verb, struct trace_places *places)
{
	*places = (struct trace_places){ verb == VERB_EXPORT,
					 verb == VERB_QUERY || verb == VERB_CONVERT };
	return verb == VERB_OPEN || verb == VERB_EXPORT || verb == VERB_QUERY ||
	       verb == VERB_REPORT || verb == VERB_CHECK || verb == VERB_CONVERT ||
	       verb == VERB_MCP;
}

/* The number after the last "rank" of a name; the end of it, NULL: there is none. */
static const char *number_of_rank(const char *name, long *rank)
{
	const char *at = NULL;
	char *end;

	for (const char *p = strcasestr(name, "rank"); p; p = strcasestr(p + 4, "rank")) {
		const char *digits = p + 4 + strspn(p + 4, "-_.");
		if (*digits >= '0' && *digits <= '9')
			at = digits;
	}
	if (!at)
		return NULL;
	*rank = strtol(at, &end, 10);
	return end;
}

/* "rank0.json" and "rank1.json". */
static bool names_differ_by_rank(const char *a, const char *b)
{
	const char *const names[2] = { path_name(a), path_name(b) };
	const char *end[2];
	long rank[2];
	size_t begin[2];

	for (int i = 0; i < 2; i++) {
		end[i] = number_of_rank(names[i], &rank[i]);
		if (!end[i])
			return false;
		for (begin[i] = (size_t)(end[i] - names[i]);
		     names[i][begin[i] - 1] >= '0' && names[i][begin[i] - 1] <= '9';)
			begin[i]--;
	}
	return rank[0] != rank[1] && begin[0] == begin[1] &&
	       memcmp(names[0], names[1], begin[0]) == 0 && strcmp(end[0], end[1]) == 0;
}

/* Or it is damaged: named as `whole`, which is not. */
static bool is_of_run(const char *path, const char *whole, struct chrome_head *head)
{
	return chrome_look(path, head) || (whole && names_differ_by_rank(path, whole));
}

static bool are_one_run(char *const *files, int n, bool asked, struct err *err)
{
	struct chrome_head first = { .rank = -1 }, head = { .rank = -1 };
	const char *whole = NULL;

	for (int i = 0; i < n && !whole; i++)
		whole = chrome_look(files[i], &head) ? files[i] : NULL;
	for (int i = 0; i < n; i++) {
		first = i == 1 ? head : first;
		if (!is_of_run(files[i], whole, &head) && !asked)
			return false;
		if (asked && strcmp(files[i], "-") == 0)
			return err_set(err, STATUS_USAGE, "--join yes is for files, not for stdin");
	}
	return asked || n > 2 || (first.rank >= 0 && head.rank >= 0 && first.rank != head.rank) ||
	       names_differ_by_rank(files[0], files[1]);
}

bool joining_take(struct options *options, enum verb verb, struct err *err)
{
	const char *how = options->join;
	struct trace_places places;
	char *const *files;
	int n;

	if (!places_of(verb, &places))
		return true;
	files = options->args + places.before;
	n = options->n_args - places.before - places.after;
	if (n < 2 || (how && strcmp(how, "no") == 0) ||
	    !are_one_run(files, n, how && strcmp(how, "yes") == 0, err))
		return !err_is_set(err);
	options->reading.files = (const char *const *)files;
	options->reading.n_files = (size_t)n;
	if (places.after)
		options->args += n - 1;
	options->n_args -= n - 1;
	return true;
}

char *const *joining_traces(const struct options *options, int skip, int *n)
{
	if (options->reading.n_files > 1) {
		*n = (int)options->reading.n_files;
		return (char *const *)(uintptr_t)options->reading.files;
	}
	*n = options->n_args - skip;
	return options->args + skip;
}
