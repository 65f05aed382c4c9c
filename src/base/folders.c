#include "base/folders.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

void folders_make(const char *path)
{
	OWNED_STR s = STR_INIT;

	for (const char *p = path; *p; p++) {
		if (*p == '/' && s.n)
			mkdir(s.text, 0700);
		str_add_char(&s, *p);
	}
}

bool folder_is_private(const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return false;
	errno = EEXIST;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}
