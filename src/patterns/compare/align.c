#include "patterns/compare/align.h"

#include "base/mem.h"
#include "patterns/compare/align_steps.h"

struct alignment *align_new(const struct cube *old, const struct cube *new)
{
	const struct cube *const cubes[ALIGN_SIDES] = { old, new };
	struct alignment *a = xcalloc(1, sizeof *a);

	for (int s = 0; s < ALIGN_SIDES; s++)
		a->trace[s] = cube_trace(cubes[s]);
	align_paths_make(a, cubes);
	align_places_make(a);
	return a;
}

void align_free(struct alignment *a)
{
	if (!a)
		return;
	for (int s = 0; s < ALIGN_SIDES; s++)
		free_all(a->path_of[s], a->place_of[s]);
	free_all(a->paths, a->places, a);
}

void align_path_text(const struct alignment *a, uint32_t node, struct str *out)
{
	const struct aligned_path *p = &a->paths[node];
	const int s = p->path[ALIGN_NEW] != ALIGN_NONE ? ALIGN_NEW : ALIGN_OLD;

	if (p->path[s] == 0)
		str_add(out, "(none)");
	else
		trace_callpath_text(a->trace[s], p->path[s], out);
}

struct align_counts align_counts(const struct alignment *a)
{
	struct align_counts counts = { 0 };

	for (uint32_t i = 1; i < a->n_paths; i++) {
		const struct aligned_path *p = &a->paths[i];
		if (p->path[ALIGN_OLD] == ALIGN_NONE)
			counts.added++;
		else if (p->path[ALIGN_NEW] == ALIGN_NONE)
			counts.gone++;
		else if (p->likeness < 1)
			counts.likely++;
		else
			counts.both++;
	}
	return counts;
}

static void places_sentence(const struct alignment *a, struct str *out)
{
	uint32_t gone = 0, added = 0;

	for (uint32_t i = 0; i < a->n_places; i++) {
		gone += a->places[i].n[ALIGN_NEW] == 0;
		added += a->places[i].n[ALIGN_OLD] == 0;
	}
	switch (a->rule) {
	case ALIGN_BY_LOCATION: str_add(out, "locations by rank and thread"); break;
	case ALIGN_BY_RANK: str_add(out, "locations by rank, threads of a rank together"); break;
	case ALIGN_BY_POSITION:
		str_add_fmt(out,
			    "%u locations before and %u now are compared by their position in the "
			    "range of ranks",
			    trace_location_count(a->trace[ALIGN_OLD]),
			    trace_location_count(a->trace[ALIGN_NEW]));
		break;
	}
	if (gone)
		str_add_fmt(out, ", %u of them gone", gone);
	if (added)
		str_add_fmt(out, ", %u of them new", added);
	str_add(out, ".");
}

void align_sentence(const struct alignment *a, struct str *out)
{
	const struct align_counts counts = align_counts(a);

	str_add_fmt(out, "Call paths: %u by name", counts.both);
	if (counts.likely)
		str_add_fmt(out, ", %u by likeness", counts.likely);
	if (counts.gone)
		str_add_fmt(out, ", %u gone", counts.gone);
	if (counts.added)
		str_add_fmt(out, ", %u new", counts.added);
	str_add(out, "; ");
	places_sentence(a, out);
}
