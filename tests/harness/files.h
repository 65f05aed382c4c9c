/* files: what tests do with folders, files and commands of their own. What goes wrong fails the
 * test. */
#pragma once

#include <stddef.h>

#include "base/str.h"

enum { FOLDER_NAME = 64 };

/* Makes a folder in /tmp, "/tmp/tview-NAME-..." in folder[FOLDER_NAME]. */
void folder_make(char *folder, const char *name);
void folder_remove(const char *folder);

/* Appends a file's content. */
void file_read(const char *path, struct str *out);
void file_write(const char *path, const char *bytes, size_t n);

/* Runs a command in the shell and appends what it prints; its status, 128 where a signal ended
 * it. */
int command_read(struct str *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
