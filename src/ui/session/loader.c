#define _GNU_SOURCE /* pipe2, pthread_timedjoin_np */
#include "ui/session/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/guard.h"
#include "base/mem.h"
#include "views/facts/overview_facts.h"

/* How often the thread notifies, and is asked for a picture; how long a rate must have been
 * watched; how long a thread may take to notice that it should end. */
enum { TELL_MS = 50, PICTURE_MS = 100, RATE_MS = 700, END_MS = 2000 };

struct loader {
	pthread_t thread;
	pthread_mutex_t lock;
	int pipe[2];
	char *path;
	struct load_options options;
	bool corrects;
	struct correct_options correct;
	struct loader_state state; /* this and the following fields: under the lock */
	bool stop, dropped;
	int64_t told_ms;
	int64_t step_ms; /* start of the current step, with `step_done` done by then */
	uint64_t step_done;
	struct preview *preview;
	int64_t asked_ms; /* time of the last request for a picture; the watcher's own */
	struct trace *trace;
	struct corrections *corrections;
	char why[WHY_BYTES]; /* reason why there are no corrections */
	struct err err;
};

static void tell(struct loader *loader)
{
	/* A full pipe has the same effect. */
	if (write(loader->pipe[1], "", 1) < 0)
		errno = 0;
}

/* Under the lock. Uses the mean since the step began: a momentary rate would make the remaining
 * time jump. */
static void estimate(struct loader *loader, int64_t now)
{
	struct loader_state *s = &loader->state;
	const int64_t passed = now - loader->step_ms;
	const uint64_t got = s->done - loader->step_done;
	s->left_ms = -1;
	if (passed >= RATE_MS && s->done < s->all && got >= s->all / 64 && got)
		s->left_ms = (int64_t)((double)passed * (double)(s->all - s->done) / (double)got);
}

static bool step(void *context, const char *what, uint64_t done, uint64_t all)
{
	struct loader *loader = context;
	const int64_t now = clock_ms();
	pthread_mutex_lock(&loader->lock);
	struct loader_state *s = &loader->state;
	if (strcmp(s->what, what) != 0 || done < loader->step_done) {
		snprintf(s->what, sizeof s->what, "%s", what);
		s->reading = strcmp(what, "reading") == 0;
		/* The pass over the definitions starts in the middle of reading, which begins again
		 * after it. */
		if (strcmp(what, "looking through") == 0)
			preview_reset(loader->preview);
		loader->step_ms = now;
		loader->step_done = done;
	}
	s->done = done;
	s->all = all;
	estimate(loader, now);
	const bool go_on = !loader->stop;
	const bool due = now - loader->told_ms >= TELL_MS;
	if (due)
		loader->told_ms = now;
	pthread_mutex_unlock(&loader->lock);
	if (due)
		tell(loader);
	return go_on;
}

static void look(void *context, const void *work)
{
	const struct loader *loader = context;
	preview_look(loader->preview, work);
}

static bool dropped(void *context)
{
	struct loader *loader = context;
	pthread_mutex_lock(&loader->lock);
	const bool is = loader->dropped;
	pthread_mutex_unlock(&loader->lock);
	return is;
}

/* A stop that ended the reading must not end the correction as well. */
static void begin_correcting(struct loader *loader)
{
	pthread_mutex_lock(&loader->lock);
	loader->state.correcting = true;
	loader->state.reading = false;
	loader->stop = loader->dropped;
	pthread_mutex_unlock(&loader->lock);
	tell(loader);
}

/* False with err if the trace must not be shown because the offsets asked for could not be read. */
static bool correct(struct loader *loader, struct trace *trace, struct err *err)
{
	const struct progress progress = { .step = step, .context = loader };
	struct err failure = ERR_INIT;
	struct corrections *corrections;

	if (!loader->corrects)
		return true;
	begin_correcting(loader);
	corrections = correct_run(trace, &loader->correct, &progress, &failure);
	pthread_mutex_lock(&loader->lock);
	loader->corrections = corrections;
	if (!corrections)
		snprintf(loader->why, sizeof loader->why, "%.*s", (int)sizeof loader->why - 1,
			 err_is_set(&failure) ? failure.text : "correcting the times was stopped");
	loader->state.correcting = false;
	pthread_mutex_unlock(&loader->lock);
	if (!err_is_set(&failure) || !loader->correct.offsets)
		return true;
	return err_set(err, failure.status, "%s", failure.text);
}

static void *load(void *context)
{
	struct loader *loader = context;
	const struct progress progress = {
		.step = step, .context = loader, .dropped = dropped, .look = look
	};
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(loader->path, &loader->options, &progress, &err);
	/* The first view shows this; otherwise the overview would compute it while keys wait. */
	const struct progress whole = progress_whole(&progress);
	if (trace && correct(loader, trace, &err)) {
		overview_prepare_with(trace, &whole);
	} else {
		trace_free(trace);
		trace = NULL;
	}
	pthread_mutex_lock(&loader->lock);
	loader->trace = trace;
	loader->err = err;
	loader->state.ended = true;
	pthread_mutex_unlock(&loader->lock);
	tell(loader);
	return NULL;
}

/* Called when there is no thread. */
static void release(struct loader *loader)
{
	preview_free(loader->preview);
	pthread_mutex_destroy(&loader->lock);
	close(loader->pipe[0]);
	close(loader->pipe[1]);
	free_all(loader->path, loader);
}

struct loader *loader_new(const char *path, const struct load_options *options,
			  const struct correct_options *correct, struct err *err)
{
	struct loader *loader = xcalloc(1, sizeof *loader);
	if (pipe2(loader->pipe, O_NONBLOCK | O_CLOEXEC) != 0) {
		err_errno(err, STATUS_IO, "cannot make a pipe");
		free(loader);
		return NULL;
	}
	pthread_mutex_init(&loader->lock, NULL);
	loader->preview = preview_new();
	preview_ask(loader->preview);
	loader->state.reading = true;
	loader->state.left_ms = -1;
	loader->path = xstrdup(path);
	loader->options = *options;
	loader->corrects = correct != NULL;
	if (correct)
		loader->correct = *correct;
	/* The main thread handles signals. */
	sigset_t all, before;
	guard_others(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int failed = pthread_create(&loader->thread, NULL, load, loader);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		errno = failed;
		err_errno(err, STATUS_IO, "cannot start a thread");
		release(loader);
		return NULL;
	}
	return loader;
}

void loader_free(struct loader *loader)
{
	if (!loader)
		return;
	loader_stop(loader, false);
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += END_MS / 1000;
	if (pthread_timedjoin_np(loader->thread, NULL, &until) != 0) {
		pthread_detach(loader->thread);
		return;
	}
	corrections_free(loader->corrections);
	trace_free(loader->trace);
	release(loader);
}

struct preview *loader_preview(const struct loader *loader)
{
	return loader->preview;
}

int loader_fd(const struct loader *loader)
{
	return loader->pipe[0];
}

struct loader_state loader_state(struct loader *loader)
{
	char bytes[64];
	while (read(loader->pipe[0], bytes, sizeof bytes) > 0)
		;
	pthread_mutex_lock(&loader->lock);
	const struct loader_state state = loader->state;
	pthread_mutex_unlock(&loader->lock);
	const int64_t now = clock_ms();
	if (now - loader->asked_ms >= PICTURE_MS) {
		loader->asked_ms = now;
		preview_ask(loader->preview);
	}
	return state;
}

void loader_stop(struct loader *loader, bool keep)
{
	pthread_mutex_lock(&loader->lock);
	loader->stop = true;
	if (!keep)
		loader->dropped = true;
	pthread_mutex_unlock(&loader->lock);
}

struct trace *loader_take(struct loader *loader, struct corrections **corrections, char *why,
			  struct err *err)
{
	pthread_mutex_lock(&loader->lock);
	struct trace *trace = loader->trace;
	loader->trace = NULL;
	*corrections = loader->corrections;
	loader->corrections = NULL;
	memcpy(why, loader->why, sizeof loader->why);
	if (!trace && err_is_set(&loader->err))
		err_set(err, loader->err.status, "%s", loader->err.text);
	pthread_mutex_unlock(&loader->lock);
	return trace;
}
