#include "base/folders.h"

#include <sys/stat.h>

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
