/* timeline_hits: the messages and collectives that cross a picture. Part of timeline_picture. */
#ifndef TVIEW_UI_TIMELINE_HITS_H
#define TVIEW_UI_TIMELINE_HITS_H

#include "ui/timeline_picture.h"

/* Messages inside one group are not drawn, nor are collectives between groups. */
void timeline_hits_add(struct timeline_picture *picture, const struct query *query);

#endif
