/* folders: makes the folders that a file needs. */
#pragma once

/* Makes all missing folders of a path, up to its last slash, with mode 0700. Reports no errors:
 * opening the file does. */
void folders_make(const char *path);
