#include "capture/run/run_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/order.h"
#include "capture/lib/proc_stat.h"

/* ---- the folder of links ---- */

/* The same place whatever TMPDIR is, as a batch job and a login have different ones. False if it
 * does not exist, or another user could have made it. */
static bool links_folder(struct str *out, bool make)
{
	str_add_fmt(out, "/tmp/tview-%lu", (unsigned long)geteuid());
	if (make)
		mkdir(out->text, 0700);
	return folder_is_private(out->text);
}

void run_list_add(const char *folder)
{
	struct str link = STR_INIT;

	if (links_folder(&link, true)) {
		str_add_fmt(&link, "/%ld", (long)getpid());
		unlink(link.text); /* of an earlier process of that number */
		if (symlink(folder, link.text) != 0)
			errno = 0;
	}
	str_fini(&link);
}

/* The folder that a link leads to; false: none. */
static bool target_of(DIR *links, const char *name, char folder[PATH_MAX])
{
	const ssize_t n = readlinkat(dirfd(links), name, folder, PATH_MAX - 1);

	if (n <= 0)
		return false;
	folder[n] = '\0';
	return true;
}

static DIR *open_links(void)
{
	struct str path = STR_INIT;
	DIR *links = links_folder(&path, false) ? opendir(path.text) : NULL;

	str_fini(&path);
	return links;
}

void run_list_remove(const char *folder)
{
	DIR *links = open_links();
	const struct dirent *link;
	char target[PATH_MAX];

	while (links && (link = readdir(links)))
		if (target_of(links, link->d_name, target) && !strcmp(target, folder))
			unlinkat(dirfd(links), link->d_name, 0);
	if (links)
		closedir(links);
}

/* ---- reading ---- */

bool rank_is_here(const struct tv_file *head)
{
	char host[sizeof head->host] = "host";

	gethostname(host, sizeof host - 1);
	return strncmp(host, head->host, sizeof host) == 0;
}

bool rank_lives(const struct tv_file *head)
{
	return rank_is_here(head) ? !tv_proc_is_dead(head->pid)
				  : !(head->state & (TV_EXITED | TV_ABORTED));
}

bool rank_is_alive(const struct tv_file *head, void *context)
{
	(void)context;
	return rank_lives(head);
}

bool run_folder_any(const char *folder, bool (*look)(const struct tv_file *head, void *context),
		    void *context)
{
	struct str path = STR_INIT;
	const struct dirent *entry;
	DIR *d = opendir(folder);
	bool found = false;

	while (d && !found && (entry = readdir(d))) {
		struct tv_file head;
		int fd;
		if (!str_ends_with(entry->d_name, ".tvrank"))
			continue;
		str_clear(&path);
		str_add_fmt(&path, "%s/%s", folder, entry->d_name);
		fd = open(path.text, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		found = read(fd, &head, sizeof head) == (ssize_t)sizeof head &&
			look(&head, context);
		close(fd);
	}
	if (d)
		closedir(d);
	str_fini(&path);
	return found;
}

/* False: the folder is gone. */
static bool read_link(DIR *links, const char *name, struct run_entry *entry)
{
	char folder[PATH_MAX];
	struct stat st;

	if (!target_of(links, name, folder) || stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
		return false;
	entry->tvrun = (pid_t)strtol(name, NULL, 10);
	entry->has_tvrun = !tv_proc_is_dead(entry->tvrun);
	entry->running = entry->has_tvrun || run_folder_any(folder, rank_is_alive, NULL);
	str_add(&entry->folder, folder);
	return true;
}

ORDERING(by_process, struct run_entry, tvrun)

void run_list_read(struct run_list *list)
{
	DIR *links = open_links();
	const struct dirent *link;

	*list = (struct run_list){ 0 };
	while (links && (link = readdir(links))) {
		struct run_entry entry = { .folder = STR_INIT };
		if (*link->d_name == '.')
			continue;
		if (read_link(links, link->d_name, &entry))
			vec_push(&list->runs, entry);
		else
			unlinkat(dirfd(links), link->d_name, 0);
	}
	if (links)
		closedir(links);
	vec_sort(&list->runs, by_process);
}

void run_list_fini(struct run_list *list)
{
	struct run_entry *entry;

	vec_each (entry, &list->runs)
		str_fini(&entry->folder);
	vec_fini(&list->runs);
}
