/* locks: of tables that all threads share; they cost nothing without MPI_THREAD_MULTIPLE. */
#pragma once

#include "capture/lib/recorder.h"

static inline void tv_lock(pthread_mutex_t *mutex)
{
	if (TV_UNLIKELY(tv.multi))
		pthread_mutex_lock(mutex);
}

static inline void tv_unlock(pthread_mutex_t *mutex)
{
	if (TV_UNLIKELY(tv.multi))
		pthread_mutex_unlock(mutex);
}
