#include "harness/cache_aid.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/built.h"
#include "harness/picl_aid.h"
#include "harness/test.h"

/* A test program has one. */
static char folder[FOLDER_NAME];

int cache_aid_setup(void **state)
{
	(void)state;
	folder_make(folder, "cache");
	setenv("TVIEW_CACHE_MIN", "0", 1);
	setenv("XDG_CACHE_HOME", folder, 1);
	return 0;
}

int cache_aid_teardown(void **state)
{
	(void)state;
	folder_remove(folder);
	return 0;
}

char *aid_path(const char *name)
{
	struct str path = STR_INIT;

	str_add_fmt(&path, "%s/%s", folder, name);
	return str_take(&path);
}

char *aid_cache(const char *path)
{
	struct str cache = STR_INIT;
	const char *name = strrchr(path, '/') + 1;

	str_add_n(&cache, path, (size_t)(name - path));
	str_add_fmt(&cache, ".%s.tvcache", name);
	return str_take(&cache);
}

char *aid_slurp(const char *path, size_t *n)
{
	struct str bytes = STR_INIT;

	file_read(path, &bytes);
	*n = bytes.n;
	return str_take(&bytes);
}

char *aid_copy(const char *from, const char *name)
{
	char *to = aid_path(name);
	OWNED_STR bytes = STR_INIT;

	file_read(from, &bytes);
	file_write(to, bytes.text, bytes.n);
	return to;
}

char *aid_large(const char *name, unsigned events)
{
	char *path = aid_path(name);
	FILE *file = fopen(path, "w");
	enum { RANKS = 8, LINES = 6 };

	assert_non_null(file);
	fputs("-5 1 -0.000000002 -1 -1 5 \"%c\" outer\n-5 2 -0.000000002 -1 -1 5 \"%c\" inner\n",
	      file);
	for (unsigned i = 0; i < events / RANKS / LINES; i++)
		for (unsigned r = 0; r < RANKS; r++) {
			const double t = i * 1e-6 + r * 1e-8;
			fprintf(file, "-3 1 %.9f %u 0 0\n-3 2 %.9f %u 0 0\n", t, r, t + 1e-7, r);
			fprintf(file, "-3 -21 %.9f %u 0 3 2 %u 7 %u\n", t + 2e-7, r, 8 + i % 99,
				(r + 1) % RANKS);
			fprintf(file, "-4 -21 %.9f %u 0 0\n", t + 3e-7, r);
			fprintf(file, "-4 2 %.9f %u 0 0\n-4 1 %.9f %u 0 0\n", t + 4e-7, r, t + 5e-7,
				r);
		}
	assert_int_equal(fclose(file), 0);
	return path;
}

bool aid_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

struct trace *aid_open(const char *path)
{
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(path, NULL, NULL, &err);

	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

void aid_keep(const struct trace *trace)
{
	struct err err = ERR_INIT;

	if (!cache_write(trace, &err))
		fail_msg("%s", err.text);
}

static char *findings_of(const struct trace *trace)
{
	struct str out = STR_INIT;

	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		str_add_fmt(&out, "%s %llu %s\n", f->code, (unsigned long long)f->count, f->text);
	}
	return str_take(&out);
}

void aid_same(struct trace *a, struct trace *b)
{
	char *texts[][2] = { { aid_write(a), aid_write(b) },
			     { aid_events(a), aid_events(b) },
			     { findings_of(a), findings_of(b) } };

	assert_sound(b);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_string_equal(texts[i][0], texts[i][1]);
		free(texts[i][0]);
		free(texts[i][1]);
	}
	assert_int_equal(trace_message_count(a), trace_message_count(b));
	assert_int_equal(trace_collective_count(a), trace_collective_count(b));
}

void aid_append(const char *path, const char *text)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

int aid_status(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

struct cached cached(char *take_path)
{
	char *cache = aid_cache(take_path);
	struct str draft = STR_INIT;

	str_add_fmt(&draft, "%s.part", cache);
	return (struct cached){ take_path, cache, str_take(&draft) };
}

void cached_fini(struct cached *f)
{
	unlink(f->path);
	unlink(f->cache);
	unlink(f->draft);
	free_all(f->path, f->cache, f->draft);
}
