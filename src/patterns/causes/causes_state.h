/* causes_state: what the files that make the causes share. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "patterns/causes/causes.h"
#include "patterns/causes/critical.h"
#include "patterns/causes/delay.h"
#include "patterns/causes/stream_idle.h"
#include "patterns/iterations/iterations.h"

struct causes {
	struct analysis *analysis;
	struct points *points; /* the analysis' */
	struct stream_idle *idle;
	struct intervals *intervals;
	struct delays *delays;
	struct critical *critical;
	struct cube *whole; /* cells of the whole run */
	struct delay_account account;
	pthread_mutex_t lock; /* protects the fields below */
	int64_t ideal;        /* ticks: run time on an ideal network; -1: not computed yet */
	VEC(struct iterations *) iterations; /* by each name so far */
	/* Name of a region or a mark, NULL: iterations are found. Not under the lock: who computes
	 * under that asks its progress, whose lock is held by who sets the name. */
	_Atomic(const char *) iterated_by;
};

/* Is all of the run in [t0, t1)? */
bool causes_whole(const struct causes *causes, int64_t t0, int64_t t1);
