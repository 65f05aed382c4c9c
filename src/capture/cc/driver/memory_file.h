/* memory_file: files without a name, so that a signal leaves none (memfd). */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* A new one; -1: it cannot be. */
int memory_file(const char *name);
void memory_rewind(int fd);
void memory_empty(int fd);
bool memory_is_empty(int fd);
/* Copies what follows in `from`. False where the reader or the disk fails. */
bool memory_copy(int from, int to);
/* Appends its first kilobyte as one clean text without the last line break; all of it as it is. */
void memory_words(int fd, struct str *text);
void memory_text(int fd, struct str *text);
