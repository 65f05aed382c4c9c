/* Frames of Python as regions, and as places of calls. */
#include <string.h>

#include "capture/run/merge_job.h"

const struct rank_frame *rank_frame_at(const struct rank *rank, uint64_t place)
{
	const uint32_t id = (uint32_t)place;

	if (!(place & TV_PLACE_FRAME) || !id || id > rank->frames.n ||
	    !rank->frames.data[id - 1].def)
		return NULL;
	return &rank->frames.data[id - 1];
}

void job_name_frame(const struct job *job, const struct rank_frame *frame, struct str *out)
{
	/* The line it begins in is the same on every rank. */
	if (job->options->anonymous)
		str_add_fmt(out, "function %u", frame->def->first);
	else
		str_add(out, frame->name);
}

void job_frame_source(const struct job *job, const struct rank_frame *frame, uint32_t *file,
		      uint32_t *line)
{
	const bool known = !job->options->anonymous && *frame->file;

	*file = known ? builder_string(job->builder, frame->file, strlen(frame->file)) : 0;
	*line = known ? frame->def->line : 0;
}

/* One for each function: that of the same name in another file is another one. */
static struct named_region frame_region(struct job *job, const struct rank_frame *frame)
{
	struct named_region fresh;
	struct region region = { .cls = CLASS_USER, .paradigm = PARADIGM_SAMPLING };
	OWNED_STR name = STR_INIT;
	uint32_t *known, line;

	job_name_frame(job, frame, &name);
	region.name = builder_string(job->builder, name.text, name.n);
	job_frame_source(job, frame, &region.file, &line);
	region.line = region.file ? frame->def->first : 0;
	known = keymap_add(&job->region_of, KEY_OF(region.name, region.file, region.line, 1));
	if (*known == UINT32_MAX) {
		fresh.picl = region.picl = job->next_user++;
		fresh.region = builder_region_define(job->builder, &region);
		*known = (uint32_t)job->regions.n;
		vec_push(&job->regions, fresh);
	}
	return job->regions.data[*known];
}

uint32_t job_frame_site(struct job *job, struct rank *rank, uint64_t place, uint64_t caller)
{
	const struct rank_frame *frame = rank_frame_at(rank, place);
	const struct rank_frame *around = rank_frame_at(rank, caller);
	uint32_t *site = keymap_add(&rank->frame_sites, KEY_OF((uint32_t)place, (uint32_t)caller));
	struct named_region region;
	uint32_t file = 0, line = 0;

	if (*site != UINT32_MAX)
		return *site;
	if (!frame)
		return *site = job_function_site(job, rank, 0);
	region = frame_region(job, frame);
	if (around)
		job_frame_source(job, around, &file, &line);
	return *site = builder_site(job->builder, region.region, file, line, region.picl);
}
