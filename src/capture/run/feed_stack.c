#include "capture/run/feed_stack.h"

void feed_stack_fini(struct stack_feed *feed)
{
	vec_fini(&feed->around);
	vec_fini(&feed->entered);
}

void feed_stack_hook(struct stack_feed *feed, const struct builder *b, uint32_t site, bool enter)
{
	const uint32_t region = builder_site_region(b, site);

	if (enter) {
		vec_push(&feed->around, site);
		return;
	}
	for (size_t i = feed->around.n; i-- > 0;) {
		if (builder_site_region(b, feed->around.data[i]) != region)
			continue;
		feed->around.n = i;
		return;
	}
}

/* Compares names: a hook gives the start of a function, the stack a place inside it, a probe what
 * the compiler's aid read in the source. */
static bool is_open(const struct stack_feed *feed, const struct builder *b, uint32_t site)
{
	const uint32_t name = builder_region_of(b, site)->name;

	for (size_t i = 0; i < feed->around.n; i++)
		if (builder_region_of(b, feed->around.data[i])->name == name)
			return true;
	return false;
}

static uint32_t frame_site(struct job *job, struct rank *rank, const struct rank_stack *stack,
			   uint32_t i)
{
	const uint64_t address = stack->address[i];

	/* The byte before a return address is the call's. */
	return address & TV_PLACE_FRAME
		       ? job_frame_site(job, rank, address,
					i + 1 < stack->n ? stack->address[i + 1] : 0)
		       : job_stack_site(job, rank, address - 1);
}

void feed_stack_enter(struct stack_feed *feed, struct job *job, struct rank *rank,
		      uint32_t location, int64_t time)
{
	const struct rank_stack *stack = feed->next && feed->next <= rank->stacks.n
						 ? &rank->stacks.data[feed->next - 1]
						 : NULL;
	uint32_t site[TV_STACK_MAX];
	uint32_t n = 0;

	feed->next = 0;
	feed->entered.n = 0;
	/* What is around an open function is around what is in it, too. */
	while (stack && n < stack->n && n < TV_STACK_MAX) {
		site[n] = frame_site(job, rank, stack, n);
		if (is_open(feed, job->builder, site[n]))
			break;
		n++;
	}
	while (n-- > 0) {
		builder_enter(job->builder, location, time, site[n]);
		vec_push(&feed->entered, site[n]);
	}
}

void feed_stack_leave(struct stack_feed *feed, struct job *job, uint32_t location, int64_t time)
{
	while (feed->entered.n)
		builder_leave(job->builder, location, time, vec_pop(&feed->entered));
}
