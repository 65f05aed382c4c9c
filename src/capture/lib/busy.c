/* A thread that is busy in the library: what its signal handlers may not do, and what longjmp
 * leaves. */
#include "capture/lib/recorder.h"

void tv_take(pthread_mutex_t *mutex)
{
	pthread_mutex_t **held = &tv_self.held[tv_self.held[0] != NULL];

	*held = mutex;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pthread_mutex_lock(mutex);
}

/* Harmless if the mutex was not locked yet. */
void tv_give(pthread_mutex_t *mutex)
{
	pthread_mutex_unlock(mutex);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tv_self.held[tv_self.held[1] != NULL] = NULL;
}

static bool on_stack(const struct tv_rows *rows, uintptr_t at)
{
	return at >= rows->low && at < rows->high;
}

/* A signal handler's frame is below what it interrupted, or on a stack of its own. Otherwise
 * longjmp has left what was busy. */
bool tv_is_interrupting(struct tv_thread *t, uintptr_t stack, bool counted)
{
	const uintptr_t busy = t->busy ? t->busy : t->writing;

	if (on_stack(&t->rows, stack) && (!on_stack(&t->rows, busy) || stack >= busy)) {
		for (size_t i = sizeof t->held / sizeof *t->held; i-- > 0;)
			if (t->held[i])
				tv_give(t->held[i]);
		tv_rows_mend(&t->rows);
		tv_words_forget(&t->wording, false);
		t->segment.kind = NULL;
		if (t->mode == TV_GIVEN || t->mode == TV_LEARN)
			t->mode = tv.normal;
		t->busy = t->writing = 0;
		return false;
	}
	if (counted && tv.file)
		__atomic_fetch_add(&tv.file->interrupting, 1, __ATOMIC_RELAXED);
	return true;
}
