#include "capture/run/feed_stack.h"

void feed_stack_fini(struct stack_feed *feed)
{
	vec_fini(&feed->around);
	vec_fini(&feed->entered);
}

void feed_stack_hook(struct stack_feed *feed, uint32_t site, bool enter)
{
	if (enter) {
		vec_push(&feed->around, site);
		return;
	}
	for (size_t i = feed->around.n; i-- > 0;) {
		if (feed->around.data[i] != site)
			continue;
		feed->around.n = i;
		return;
	}
}

/* Compares regions: a hook gives the start of a function, the stack a place inside it. */
static bool is_open(const struct stack_feed *feed, const struct builder *b, uint32_t site)
{
	const uint32_t region = builder_site_region(b, site);

	for (size_t i = 0; i < feed->around.n; i++)
		if (builder_site_region(b, feed->around.data[i]) == region)
			return true;
	return false;
}

void feed_stack_enter(struct stack_feed *feed, struct job *job, struct rank *rank,
		      uint32_t location, int64_t time)
{
	const struct rank_stack *stack = feed->next && feed->next <= rank->stacks.n
						 ? &rank->stacks.data[feed->next - 1]
						 : NULL;

	feed->next = 0;
	feed->entered.n = 0;
	for (uint32_t i = stack ? stack->n : 0; i-- > 0;) {
		const uint64_t address = stack->address[i];
		/* The byte before a return address is the call's. */
		const uint32_t site =
			address & TV_PLACE_FRAME
				? job_frame_site(job, rank, address,
						 i + 1 < stack->n ? stack->address[i + 1] : 0)
				: job_stack_site(job, rank, address - 1);
		if (is_open(feed, job->builder, site))
			continue;
		builder_enter(job->builder, location, time, site);
		vec_push(&feed->entered, site);
	}
}

void feed_stack_leave(struct stack_feed *feed, struct job *job, uint32_t location, int64_t time)
{
	while (feed->entered.n)
		builder_leave(job->builder, location, time, vec_pop(&feed->entered));
}
