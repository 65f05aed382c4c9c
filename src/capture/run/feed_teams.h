/* feed_teams: records of threads and their teams become the regions and details that archives of
 * OTF2 bring, so that one set of patterns finds the waits of both.
 *
 *	struct team_feed f = { .job = job, .rank = rank, .thread = thread, .location = location };
 *	while ((head = next record of the thread)) {
 *		feed_teams_until(&f, head);
 *		... feed_teams(&f, head, time) if the record is of a team ...
 *	}
 *	feed_teams_end(&f); */
#pragma once

#include "capture/run/merge_job.h"

/* A team that a thread is in. */
struct team_visit {
	uint32_t team; /* its number in the process */
	uint32_t site; /* of the parallel region */
	uint32_t comm;
	bool first;   /* this thread began it */
	size_t depth; /* constructs that were open before */
};

struct open_construct {
	uint32_t construct; /* enum tv_construct, CONSTRUCT_INSIDE */
	uint32_t site;
	uint64_t address;
	uint32_t lock; /* of CONSTRUCT_INSIDE */
};

/* Of one thread. */
struct team_feed {
	struct job *job;
	struct rank *rank;
	uint32_t thread, location;
	VEC(struct team_visit) visits;
	VEC(struct open_construct) open;
	/* The function that the thread runs is a region, unless the next record shows that it is
	 * recorded by itself, or that the thread is a runtime's. */
	bool born, runs;
	int64_t birth;
	uint32_t start; /* its site */
};

/* Ends what was over when the record was written, but has no record of its end. Of threads that
 * are in no team that is nothing, for every record. */
void feed_teams_catch_up(struct team_feed *f, const struct tv_head *head);
static inline void feed_teams_until(struct team_feed *f, const struct tv_head *head)
{
	if (f->born || f->visits.n)
		feed_teams_catch_up(f, head);
}
/* TV_BORN to TV_UNLOCKED. */
void feed_teams(struct team_feed *f, const struct tv_head *head, int64_t time);
/* Recording stops, and everything has been left. */
void feed_teams_stop(struct team_feed *f);
/* After the last record; `ended`: the thread ended at `time`. */
void feed_teams_end(struct team_feed *f, bool ended, int64_t time);

/* Before the events: every record of a rank, thread by thread; `forked` is the thread's, empty at
 * first, and the caller's to free. */
typedef VEC(uint32_t) team_numbers;
void rank_survey_team(struct rank *rank, team_numbers *forked, uint32_t thread,
		      const struct tv_head *head);
