/* picl_plain: entries and exits of which only the time differs from record to record; the rest of
 * them is kept as text, by site and by place. Most records of most traces.
 *
 *	picl_plain_init(w);		when sites and places are known
 *	if (!picl_plain_compose(w, place))
 *		picl_compose(w, place);
 *	picl_plain_fini(w); */
#pragma once

#include "model/picl/write/picl_writer.h"

void picl_plain_init(struct picl_writer *w);
void picl_plain_fini(struct picl_writer *w);
/* Appends the record of the event at the place's cursor and moves the cursor after it; false, and
 * nothing is done, where it is not such a one. */
bool picl_plain_compose(struct picl_writer *w, struct picl_out_place *place);
