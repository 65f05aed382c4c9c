/* Events, location by location, by several threads. Each has a writer of its own, made of the
 * archive's; refs that the events need are given in the order of the locations, so that the
 * archive does not depend on which thread wrote which (otf2_writer.c). */
#include <stdlib.h>

#include <otf2/OTF2_Pthread_Locks.h>

#include "base/exchange.h"
#include "base/jobs.h"
#include "base/mem.h"
#include "model/otf2/write/otf2_writer.h"
#include "model/trace/halo.h"

enum { EVENTS_A_THREAD = 100000 };

struct team {
	struct otf2_writer *whole;
	struct otf2_writer writers[JOBS_MOST];
	struct err errors[JOBS_MOST];
	uint8_t *over; /* [location] */
	uint32_t done;
	bool look; /* only at what the events need */
};

static bool is_written(const struct otf2_writer *w, uint32_t location)
{
	return !w->options->locations || w->options->locations[location];
}

static void worker_init(struct team *team, unsigned worker)
{
	struct otf2_writer *w = &team->writers[worker];
	const size_t regions = (size_t)trace_region_count(team->whole->trace) + 1;

	*w = *team->whole;
	w->whole = team->whole;
	team->errors[worker] = (struct err)ERR_INIT;
	w->err = &team->errors[worker];
	w->list = OTF2_AttributeList_New();
	w->operations = xcalloc(regions, sizeof *w->operations);
	w->modes = xcalloc(regions, sizeof *w->modes);
	w->contexts = w->source_places = (struct keymap){ NULL, 0, 0 };
}

static void worker_fini(struct otf2_writer *w)
{
	free_all(w->operations, w->modes);
	keymap_fini(&w->collective_request);
	keymap_fini(&w->contexts);
	keymap_fini(&w->source_places);
	OTF2_AttributeList_Delete(w->list);
}

static void write_location(struct otf2_writer *w, uint32_t location, bool look)
{
	if (!trace_has_location(w->trace, location))
		return;
	w->turn = location;
	w->requests = w->unknown = 0;
	w->events = look ? NULL : OTF2_Archive_GetEvtWriter(w->archive, w->locations[location].ref);
	if (!w->events && !look) {
		otf2_check(w, OTF2_ERROR_INVALID_CALL);
		return;
	}
	if (is_written(w, location))
		otf2_out_events(w, location);
	if (!w->broken && !look)
		otf2_check(w, OTF2_Archive_CloseEvtWriter(w->archive, w->events));
}

/* The error of a worker ends the archive; false: some worker has failed. */
static bool take_error(struct otf2_writer *whole, const struct otf2_writer *w)
{
	whole->broken |= w->broken;
	if (w->failed && !whole->failed) {
		whole->failed = true;
		if (err_is_set(w->err))
			err_set(whole->err, w->err->status, "%s", w->err->text);
	}
	return !whole->failed;
}

static void cancel(struct otf2_writer *whole)
{
	whole->failed = true;
	err_set(whole->err, STATUS_NO, "writing was cancelled");
}

static void write_one(void *context, unsigned worker, size_t location)
{
	struct team *team = context;
	struct otf2_writer *whole = team->whole, *w = &team->writers[worker];
	const uint32_t n = trace_location_count(w->trace);
	bool go_on;

	pthread_mutex_lock(&whole->lock);
	go_on = !whole->failed;
	pthread_mutex_unlock(&whole->lock);
	if (go_on)
		write_location(w, (uint32_t)location, team->look);
	pthread_mutex_lock(&whole->lock);
	team->over[location] = 1;
	while (whole->turn < n && team->over[whole->turn])
		whole->turn++;
	pthread_cond_broadcast(&whole->moved);
	team->done++;
	if (take_error(whole, w) && worker == 0 &&
	    !progress_step(whole->progress, "writing", team->done, n))
		cancel(whole);
	pthread_mutex_unlock(&whole->lock);
}

/* As many threads as there are processors, unless other processes write beside this one. */
static unsigned count_jobs(const struct otf2_writer *w)
{
	const uint32_t n = trace_location_count(w->trace);
	const uint64_t most = 1 + trace_event_count(w->trace) / EVENTS_A_THREAD;
	unsigned jobs = trace_exchange(w->trace) ? 1 : jobs_count(0);

	jobs = jobs > most ? (unsigned)most : jobs;
	return jobs > n ? n : jobs;
}

/* Goes over the events of all locations. */
static void go_over(struct otf2_writer *w, bool look)
{
	const uint32_t n = trace_location_count(w->trace);
	const unsigned jobs = count_jobs(w);
	struct team *team = xcalloc(1, sizeof *team);

	team->whole = w;
	team->look = look;
	team->over = xcalloc((size_t)n + 1, 1);
	for (unsigned i = 0; i < jobs; i++)
		worker_init(team, i);
	if (jobs)
		jobs_run(jobs, n, write_one, team);
	for (unsigned i = 0; i < jobs; i++)
		worker_fini(&team->writers[i]);
	free_all(team->over, team);
}

/* Those in the world that have no location here have no events. */
static void write_absent(struct otf2_writer *w)
{
	for (size_t i = 0; i < w->absent.n && !w->failed; i++) {
		OTF2_EvtWriter *out = OTF2_Archive_GetEvtWriter(w->archive, w->first_absent + i);
		if (out)
			otf2_check(w, OTF2_Archive_CloseEvtWriter(w->archive, out));
	}
}

void otf2_out_locations(struct otf2_writer *w)
{
	otf2_check(w, OTF2_Pthread_Archive_SetLockingCallbacks(w->archive, NULL));
	if (trace_exchange(w->trace)) {
		go_over(w, true);
		otf2_shared_needs(w);
	}
	otf2_check(w, OTF2_Archive_OpenEvtFiles(w->archive));
	go_over(w, false);
	if (exchange_process(trace_exchange(w->trace)) == 0)
		write_absent(w);
	otf2_shared_failed(w);
	if (!w->broken)
		otf2_check(w, OTF2_Archive_CloseEvtFiles(w->archive));
	otf2_shared_failed(w);
	otf2_shared_counts(w);
}
