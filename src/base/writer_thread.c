#include "base/writer_thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "base/guard.h"
#include "base/mem.h"

struct writer_thread {
	FILE *stream;
	pthread_t thread;
	bool started;
	pthread_mutex_t lock; /* guards the fields below */
	pthread_cond_t changed;
	struct str portion; /* that is to be written; the thread's while `full` */
	bool full, over;
	int failed; /* errno, 0 none */
};

static int write_portion(const struct writer_thread *b)
{
	errno = 0;
	if (fwrite(b->portion.text, 1, b->portion.n, b->stream) == b->portion.n)
		return 0;
	return errno ? errno : EIO;
}

static void *work(void *arg)
{
	struct writer_thread *b = arg;

	pthread_mutex_lock(&b->lock);
	for (;;) {
		int failed = b->failed;
		while (!b->full && !b->over)
			pthread_cond_wait(&b->changed, &b->lock);
		if (!b->full)
			break;
		pthread_mutex_unlock(&b->lock);
		if (!failed)
			failed = write_portion(b);
		pthread_mutex_lock(&b->lock);
		b->failed = failed;
		b->full = false;
		pthread_cond_signal(&b->changed);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

struct writer_thread *writer_thread_new(FILE *stream)
{
	struct writer_thread *b = xcalloc(1, sizeof *b);
	sigset_t all, before;

	b->stream = stream;
	str_init(&b->portion);
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	/* It takes no signals. */
	guard_others(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	b->started = pthread_create(&b->thread, NULL, work, b) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return b;
}

bool writer_thread_put(struct writer_thread *b, struct str *text)
{
	struct str written;

	pthread_mutex_lock(&b->lock);
	while (b->full)
		pthread_cond_wait(&b->changed, &b->lock);
	written = b->portion;
	b->portion = *text;
	*text = written;
	if (b->started) {
		b->full = true;
		pthread_cond_signal(&b->changed);
	} else if (!b->failed) {
		b->failed = write_portion(b);
	}
	errno = b->failed;
	pthread_mutex_unlock(&b->lock);
	str_clear(text);
	return errno == 0;
}

bool writer_thread_end(struct writer_thread *b)
{
	int failed;

	pthread_mutex_lock(&b->lock);
	b->over = true;
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
	if (b->started)
		pthread_join(b->thread, NULL);
	failed = b->failed;
	str_fini(&b->portion);
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->changed);
	free(b);
	errno = failed;
	return failed == 0;
}
