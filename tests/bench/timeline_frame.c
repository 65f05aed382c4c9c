/* What a frame of the timeline costs, from the key to the cells of the canvas, at random zooms and
 * pans of a made-up trace of any size. (Cells to bytes is the screen's part.)
 *
 *	timeline_frame [EVENTS [RANKS]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "model/builder.h"
#include "ui/panel.h"

enum { FRAMES = 400, WIDTH = 200, HEIGHT = 50 };

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint32_t random_next(uint32_t limit)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % limit;
}

/* A ring of ranks: compute with a small function inside, send right, receive from the left, now and
 * then a reduction of all. Lengths vary, so that cells are mixed. */
static struct trace *make_trace(uint64_t events, uint32_t ranks)
{
	const struct timescale scale = { 1000000000, 9 };
	struct err err = ERR_INIT;
	struct builder *b = builder_new("made", &scale, &err);
	const uint32_t reduce_region = builder_region(b, "MPI_Allreduce", CLASS_COLLECTIVE, 5);
	const uint32_t compute =
		builder_site(b, builder_region(b, "compute", CLASS_USER, 1), 0, 0, 1);
	const uint32_t inner =
		builder_site(b, builder_region(b, "get_coords", CLASS_USER, 2), 0, 0, 2);
	const uint32_t send = builder_site(b, builder_region(b, "MPI_Send", CLASS_P2P, 3), 0, 0, 3);
	const uint32_t recv = builder_site(b, builder_region(b, "MPI_Recv", CLASS_P2P, 4), 0, 0, 4);
	const uint32_t reduce = builder_site(b, reduce_region, 0, 0, 5);
	const uint64_t turns = events / ranks / 10;

	for (uint32_t r = 0; r < ranks; r++)
		builder_location(b, &(struct location){ .rank = (int32_t)r, .process = -1 });
	for (uint64_t i = 0; i < turns; i++) {
		for (uint32_t r = 0; r < ranks; r++) {
			const int32_t right = (int32_t)((r + 1) % ranks);
			const int32_t left = (int32_t)((r + ranks - 1) % ranks);
			int64_t t = (int64_t)i * 2000 + random_next(100);

			builder_enter(b, r, t, compute);
			builder_enter(b, r, t += 100, inner);
			builder_leave(b, r, t += 100 + random_next(300), inner);
			builder_leave(b, r, t += 50 + random_next(200), compute);
			builder_enter(b, r, t += 5, send);
			builder_send(b, r, t += 5,
				     &(struct message_end){
					     .rank = right, .process = -1, .tag = 7, .bytes = 1 });
			builder_leave(b, r, t += 20 + random_next(100), send);
			builder_enter(b, r, t += 5, recv);
			t = (int64_t)i * 2000 + 1200;
			builder_recv(b, r, t,
				     &(struct message_end){
					     .rank = left, .process = -1, .tag = 7, .bytes = 1 });
			builder_leave(b, r, t + 5, recv);
			if (i % 16 != 15)
				continue;
			builder_enter(b, r, t + 20, reduce);
			builder_collective_begin(b, r, t + 21, 0, reduce_region, -1, 8, 8);
			builder_collective_end(b, r, t + 600, 8, 8);
			builder_leave(b, r, t + 601, reduce);
		}
	}
	return builder_finish(b, NULL, NULL, &err);
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const enum action actions[] = { ACTION_ZOOM_IN,  ACTION_ZOOM_IN,   ACTION_ZOOM_OUT,
					       ACTION_PAN_LEFT, ACTION_PAN_RIGHT, ACTION_PAGE_DOWN,
					       ACTION_PAGE_UP };
	const uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	const uint32_t ranks = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 64;
	struct trace *trace = make_trace(events, ranks ? ranks : 1);
	static double cost[FRAMES];
	struct session session;
	struct canvas canvas;
	struct panel *panel;
	struct err err = ERR_INIT;
	double begin;

	if (!trace)
		return 1;
	session_init(&session, trace, BASE_MEASURED);
	canvas_init(&canvas, WIDTH, HEIGHT, false);
	begin = cpu_ms();
	panel = panel_new(&timeline_panel_ops, &session, &err);
	if (!panel)
		return 1;
	panel->area = (struct rect){ 0, 0, WIDTH, HEIGHT };
	panel->ops->requery(panel);
	panel->ops->draw(panel, &canvas, panel->area);
	printf("timeline %dx%d: %" PRIu64 " events, %u ranks: first %.2f ms", WIDTH, HEIGHT,
	       trace_event_count(trace), ranks, cpu_ms() - begin);
	for (int i = 0; i < FRAMES; i++) {
		begin = cpu_ms();
		if (i % 40 == 0)
			session_set_cursor(&session, random_next(ranks),
					   session.run.t0 + (int64_t)((double)(session.run.t1 -
									       session.run.t0) *
								      random_next(1000) / 1000),
					   EVENT_NONE);
		panel->ops->act(panel, actions[random_next(sizeof actions / sizeof *actions)], 1);
		panel->ops->requery(panel);
		canvas_clear(&canvas);
		panel->ops->draw(panel, &canvas, panel->area);
		cost[i] = cpu_ms() - begin;
	}
	qsort(cost, FRAMES, sizeof *cost, ascending);
	printf(", then median %.2f ms, 95 %% %.2f ms, worst %.2f ms\n", cost[FRAMES / 2],
	       cost[FRAMES * 95 / 100], cost[FRAMES - 1]);
	panel_free(panel);
	canvas_fini(&canvas);
	session_fini(&session);
	return 0;
}
