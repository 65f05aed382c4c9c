/* folders: makes the folders that a file needs, and looks whose they are. */
#pragma once

#include <stdbool.h>

/* Makes all missing folders of a path, up to its last slash, with mode 0700. Reports no errors:
 * opening the file does. */
void folders_make(const char *path);

/* A folder of this user, no link, that no other may look into: no one else can have put it or what
 * is in it there. Else errno says EEXIST, or why it cannot be looked at. */
bool folder_is_private(const char *path);
