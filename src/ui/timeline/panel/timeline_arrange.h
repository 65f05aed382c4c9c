/* timeline_arrange: the grouping of rows, for all panels that have the timeline's rows. */
#pragma once

#include "ui/session/session.h"
#include "ui/timeline/picture/timeline_rows.h"

/* Groups the rows by the next key that says anything about them; with a notice where none does. */
void timeline_regroup(const struct timeline_rows *rows, struct timeline_shades *shades,
		      struct session *session);
/* Where there are more locations than rows on the screen, and the user has chosen no grouping: by
 * the first key that says anything about them, and fits. */
void timeline_group_to_fit(struct timeline_shades *shades, struct session *session, uint32_t fit);
