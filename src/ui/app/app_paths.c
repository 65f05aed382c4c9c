/* Completion of paths: what is in the folder that is typed, folders with a '/' at the end. */
#define _GNU_SOURCE /* d_type */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/order.h"
#include "ui/app/application.h"

enum {
	READ_MOST = 4096, /* entries of a folder that are looked at */
	FRESH_MS = 2000   /* a folder is read again after that */
};

struct path_words {
	char *folder; /* as typed, "" or with its '/' */
	bool hidden;  /* names that begin with a dot */
	int64_t read_at;
	VEC(char *) words; /* owned, sorted */
};

static void forget(struct path_words *p)
{
	char **word;

	vec_each (word, &p->words)
		free(*word);
	p->words.n = 0;
	free(p->folder);
	p->folder = NULL;
}

void app_paths_free(struct path_words *p)
{
	if (!p)
		return;
	forget(p);
	vec_fini(&p->words);
	free(p);
}

static bool is_folder(const char *path, const struct dirent *entry)
{
	struct stat s;

	if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)
		return entry->d_type == DT_DIR;
	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Names that can be typed, and shown as they are. */
static bool is_plain(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_folder(struct path_words *p)
{
	DIR *folder = opendir(*p->folder ? p->folder : ".");
	const struct dirent *entry;

	for (int n = 0; folder && n < READ_MOST && (entry = readdir(folder)); n++) {
		OWNED_STR path = STR_INIT;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    (*entry->d_name == '.') != p->hidden || !is_plain(entry->d_name))
			continue;
		str_add_fmt(&path, "%s%s", p->folder, entry->d_name);
		if (is_folder(path.text, entry))
			str_add_char(&path, '/');
		vec_push(&p->words, xstrdup(path.text));
	}
	if (folder)
		closedir(folder);
	vec_sort(&p->words, by_text);
}

/* Reads the folder of the typed path, unless that was done just now. */
static void look(struct path_words *p, const char *typed)
{
	const char *slash = strrchr(typed, '/');
	const size_t n = slash ? (size_t)(slash + 1 - typed) : 0;
	const bool hidden = typed[n] == '.';
	const int64_t now = clock_ms();

	if (p->folder && strlen(p->folder) == n && strncmp(p->folder, typed, n) == 0 &&
	    p->hidden == hidden && now - p->read_at < FRESH_MS)
		return;
	forget(p);
	p->folder = xstrndup(typed, n);
	p->hidden = hidden;
	p->read_at = now;
	read_folder(p);
}

const char *app_path_word(const struct app *app, unsigned i)
{
	const char *line = app->line.completing ? app->line.complete_of : app->line.prompt.text;
	const char *space = strchr(line, ' ');
	struct path_words *p = app->line.paths;

	if (!space || !p)
		return NULL;
	if (i == 0)
		look(p, space + 1);
	return i < p->words.n ? p->words.data[i] : NULL;
}

struct path_words *app_paths_new(void)
{
	return xcalloc(1, sizeof(struct path_words));
}
