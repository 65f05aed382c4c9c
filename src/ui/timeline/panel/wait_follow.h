/* wait_follow: moves the session's cursor to wait states. */
#pragma once

#include "ui/session/session.h"

/* To the next (1) or previous (-1) wait state of the cursor's location: of the session's metric
 * where that is one of waiting. False, with a notice, if there is none. */
bool wait_follow(struct session *session, int direction);
/* To a wait of a location's list. */
void wait_go(struct session *session, uint32_t location, uint32_t wait);
