/* Which part of an archive is loaded (load_part): ranks by their locations, a window of time by the
 * clock of each. */
#include "base/exchange.h"
#include "model/build/part.h"
#include "model/otf2/read/otf2_archive.h"

bool otf2_part_has(const struct otf2_archive *a, const struct otf2_place *place)
{
	return load_part_has_rank(&a->options->part, place->rank) &&
	       place->process == exchange_process(a->options->exchange);
}

bool otf2_part_window(const struct otf2_archive *a, const struct otf2_place *place, int64_t *from,
		      int64_t *until)
{
	part_window(&a->options->part, &a->scale, place->offsets.data, place->offsets.n, from,
		    until);
	return a->options->part.timed;
}
