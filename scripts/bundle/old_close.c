/* old_close: closing descriptors as glibc does since 2.34, for programs of the bundle. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

/* Calls `each` for every open descriptor from `from` on. */
static void open_from(int from, void (*each)(int fd, void *data), void *data)
{
	DIR *folder = opendir("/proc/self/fd");

	for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
		const int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && fd >= from && fd != dirfd(folder))
			each(fd, data);
	}
	if (folder)
		closedir(folder);
}

static void close_one(int fd, void *data)
{
	(void)data;
	close(fd);
}

void closefrom(int from)
{
	open_from(from, close_one, NULL);
}

static void add_close(int fd, void *data)
{
	posix_spawn_file_actions_addclose(data, fd);
}

/* Those that are open now. */
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from)
{
	if (from < 0)
		return EBADF;
	open_from(from, add_close, actions);
	return 0;
}
