/* What patterns read from an analysis, and the findings that they add to it. */
#include "base/mem.h"
#include "patterns/analysis/analysis_state.h"

bool stage_step(struct stage *stage, unsigned worker, size_t done, size_t all)
{
	if (worker == 0 && !progress_step(stage->progress, stage->what, done, all))
		stage->stopped = true;
	return !stage->stopped;
}

void analysis_publish(struct analysis *a, const struct notice *notice)
{
	const struct listeners *listeners = notice->subject == SUBJECT_EVENT
						    ? &a->events[what_kind(notice->what)]
						    : &a->subjects[notice->subject];
	const bool of_walk = notice->subject < SUBJECT_GATHERED;

	for (unsigned i = 0; i < listeners->n; i++) {
		const struct pattern *p = a->registry[listeners->of[i]];
		char *states = a->local[listeners->of[i]];
		p->on_notice(a, of_walk && states ? states + notice->location * p->local : NULL,
			     notice);
	}
}

struct wait *analysis_found(struct analysis *a, uint32_t location, const struct wait *wait)
{
	struct location_findings *place = &a->places[location];
	struct wait_chunk *chunk = place->chunks;

	if (!chunk || chunk->n == WAITS_CHUNK) {
		chunk = xmalloc(sizeof *chunk);
		chunk->before = place->chunks;
		chunk->n = 0;
		place->chunks = chunk;
	}
	place->n++;
	chunk->waits[chunk->n] = *wait;
	return &chunk->waits[chunk->n++];
}

void analysis_elsewhere(struct analysis *a, uint32_t location, uint32_t event, uint64_t number)
{
	vec_push(&a->elsewhere, ((struct elsewhere){ location, event, number }));
}

void analysis_count(struct analysis *a, uint32_t location, int64_t time, enum cube_metric metric,
		    uint32_t path, double amount)
{
	vec_push(&a->places[location].marks, ((struct metric_mark){ time, amount, path, metric }));
}

void analysis_nested(struct analysis *a, uint32_t location)
{
	a->places[location].nested = true;
}

struct analysis_counts *analysis_counters(struct analysis *a, uint32_t location)
{
	return &a->places[location].counts;
}

const struct calls *analysis_calls(const struct analysis *a)
{
	return a->calls;
}

static unsigned index_of(const struct analysis *a, const struct pattern *pattern)
{
	unsigned i = 0;

	while (a->registry[i] != pattern)
		i++;
	return i;
}

void *analysis_local(const struct analysis *a, const struct pattern *pattern, uint32_t location)
{
	return a->local[index_of(a, pattern)] + location * pattern->local;
}

void *analysis_whole(const struct analysis *a, const struct pattern *pattern)
{
	return a->whole[index_of(a, pattern)];
}

void *analysis_made(struct analysis *a, const struct pattern *pattern,
		    const struct progress *progress, struct err *err)
{
	void **made = &a->made[index_of(a, pattern)];

	pthread_mutex_lock(&a->lock);
	if (!*made)
		*made = pattern->make(a, progress, err);
	pthread_mutex_unlock(&a->lock);
	return *made;
}

void event_vec_release(void *events)
{
	vec_fini((event_vec *)events);
}
