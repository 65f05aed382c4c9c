/* folders: makes the folders that a file is going to lie in. */
#pragma once

/* Makes all folders of a path that are missing, up to its last slash, for their owner alone. What
 * cannot be made shows when the file is opened. */
void folders_make(const char *path);
