/* picl_look: looks at the first lines of a file: whether it is PICL, which version, and the form of
 * its times. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/picl/picl_time.h"

enum picl_look { LOOK_UNKNOWN, LOOK_PICL, LOOK_OLD };

enum picl_look picl_look_at(const char *bytes, size_t n);
/* Widens `times` by that of a line, if it is a record. */
void picl_look_at_times(struct picl_times *times, const char *text, size_t n);

/* Lines of a piece of memory. */
struct picl_head {
	const char *p, *end;
};

/* The next line; *complete: it ends with a line feed. False at the end. */
bool picl_look_line(struct picl_head *head, const char **text, size_t *n, bool *complete);
