/* theme_choose: the theme of a name: dark, light, mono, or a file of the user's. */
#pragma once

#include "base/err.h"
#include "ui/canvas/theme_file.h"

/* Before there is a screen: what is poor is told in `wrong`, too. What the command line gives must
 * be there; what the file of settings has and is not is told, and *theme NULL. False with err. */
bool theme_at_start(const char *name, bool given, const struct theme **theme, struct str *wrong,
		    struct err *err);
/* A name with a / is a path, which may begin with ~/; another one that is not built in is a file
 * in `themes` beside the file of settings. Appends to `wrong` and `poor` as theme_parse() does;
 * what is right in the file counts. NULL with err: there is no such theme, or it cannot be read;
 * else theme_free(). */
const struct theme *theme_choose(const char *name, struct str *wrong, struct str *poor,
				 struct err *err);
