/* Waiting for a device: how long, and for which work where that is certain; by numbers worked out by
 * hand. */
#include "harness/made_run.h"
#include "harness/test.h"
#include "model/trace/detail.h"

/* A host's thread, two streams of its first device, one of its second, one of another process. */
enum { HOST, STREAM, SECOND_STREAM, SECOND_DEVICE, STRANGER, LOCATIONS };

/* Paradigm 5 is CUDA. */
static int setup(void **state)
{
	return made_run_setup(state, "threads 4 rank 0; rank 1: main@0-1\n"
				     "region one = cudaStreamSynchronize role 1 paradigm 5\n"
				     "region whole = cudaDeviceSynchronize role 1 paradigm 5\n"
				     "region kernel role 1 paradigm 5");
}

FIXTURE(setup, made_run_teardown)

static void analyse(struct made_run *f)
{
	enum { PROCESS = 1, ACCELERATOR = 2 };
	const struct process own = { .type = PROCESS, .creator = UINT32_MAX };
	uint32_t host, other, contexts[3];

	host = builder_process(f->b, &own);
	other = builder_process(f->b, &own);
	for (int i = 0; i < 3; i++)
		contexts[i] =
			builder_process(f->b, &(struct process){ .type = ACCELERATOR,
								 .creator = i < 2 ? host : other });
	builder_location_owner(f->b, f->location[HOST], host, LOCATION_CPU, 0);
	for (uint32_t l = STREAM; l < LOCATIONS; l++)
		builder_location_owner(f->b, f->location[l],
				       contexts[l <= SECOND_STREAM ? 0 : l - SECOND_STREAM],
				       LOCATION_ACCELERATOR, l);
	made_run_analyse(f);
}

/* The only wait of the host: from 10 on, for a leave at `time` of a device, LOCATIONS: unknown. */
static void assert_wait(const struct made_run *f, int64_t length, uint32_t device, int64_t time)
{
	size_t n;
	const struct wait *w = analysis_waits(f->analysis, f->location[HOST], &n);

	assert_int_equal(n, 1);
	assert_int_equal(w->metric, CUBE_DEVICE_WAIT);
	assert_int_equal(w->begin, 10);
	assert_int_equal(w->length, length);
	assert_true(cube_total(f->cube, CUBE_DEVICE_WAIT, NULL) == (double)length);
	assert_string_equal(trace_region_name(f->t, trace_callpath_region(f->t, w->path)),
			    trace_region_name(f->t,
					      trace_callpath_region(f->t,
								    trace_event_path(f->t,
										     w->event))));
	if (device == LOCATIONS) {
		assert_int_equal(w->partner, EVENT_NONE);
		return;
	}
	assert_int_equal(trace_event_location(f->t, w->partner), f->location[device]);
	assert_int_equal(trace_event_time(f->t, BASE_MEASURED, w->partner), time);
}

TEST_WITH(the_only_stream_at_work_is_waited_for, struct made_run *f)
{
	made_run_write(f, "location 0: one@10-100\n"
			  "location 1: kernel@5-40 kernel@50-90 kernel@200-210\n"
			  "location 2: kernel@1-10 kernel@100-150\n" /* not in the call */
			  "location 4: kernel@20-95");               /* not the host's */
	analyse(f);
	assert_wait(f, 80, STREAM, 90);
}

/* The work that went on when the call returned was not waited for. */
TEST_WITH(what_begins_in_the_call_may_go_on, struct made_run *f)
{
	made_run_write(f, "location 0: one@10-100\n"
			  "location 1: kernel@20-70 kernel@80-120");
	analyse(f);
	assert_wait(f, 60, STREAM, 70);
}

TEST_WITH(one_of_several_streams_is_not_known, struct made_run *f)
{
	made_run_write(f, "location 0: one@10-100\n"
			  "location 1: kernel@20-90\n"
			  "location 2: kernel@30-60");
	analyse(f);
	assert_wait(f, 90, LOCATIONS, 0);
}

TEST_WITH(all_streams_of_a_device_are_waited_for, struct made_run *f)
{
	made_run_write(f, "location 0: whole@10-100\n"
			  "location 1: kernel@20-60\n"
			  "location 2: kernel@30-85");
	analyse(f);
	assert_wait(f, 75, SECOND_STREAM, 85);
}

/* Which of two devices a call is for, no record says. */
TEST_WITH(one_of_several_devices_is_not_known, struct made_run *f)
{
	made_run_write(f, "location 0: whole@10-100\n"
			  "location 1: kernel@20-60\n"
			  "location 3: kernel@30-85");
	analyse(f);
	assert_wait(f, 90, LOCATIONS, 0);
}

TEST_WITH(work_that_outlasts_the_call_is_not_the_cause, struct made_run *f)
{
	made_run_write(f, "location 0: whole@10-100\n"
			  "location 1: kernel@5-130");
	analyse(f);
	assert_wait(f, 90, LOCATIONS, 0);
}

/* Devices that were not recorded are waited for all the same; a device itself waits for none. */
TEST_WITH(the_call_is_waiting_without_a_device, struct made_run *f)
{
	made_run_write(f, "location 0: one@10-100\n"
			  "location 1: one@110-120");
	analyse(f);
	assert_wait(f, 90, LOCATIONS, 0);
}

/* Copies are work, too: the one that ends at 95 is waited for, not the kernel that ends at 70. */
TEST_WITH(a_copy_is_waited_for, struct made_run *f)
{
	uint64_t window;

	made_run_write(f, "location 0: one@10-100\n"
			  "location 1: kernel@20-70");
	window = builder_object(f->b, OBJECT_RMA_WINDOW, 0, (uint64_t[]){ UINT64_MAX, 0 }, 2);
	builder_detail(f->b, f->location[STREAM], 75, DETAIL_RMA_PUT,
		       (uint64_t[]){ window, 0, 512, 42 }, 4);
	builder_detail(f->b, f->location[STREAM], 95, DETAIL_RMA_OP_COMPLETE_BLOCKING,
		       (uint64_t[]){ window, 42 }, 2);
	analyse(f);
	assert_wait(f, 85, STREAM, 95);
	assert_true(cube_total(f->cube, CUBE_BYTES_PUT, NULL) == 0);
}

/* One that goes on when the call returns is not known to be the one that was waited for. */
TEST_WITH(a_copy_may_go_on, struct made_run *f)
{
	uint64_t window;

	made_run_write(f, "location 0: one@10-100\n"
			  "location 1: kernel@20-70");
	window = builder_object(f->b, OBJECT_RMA_WINDOW, 0, (uint64_t[]){ UINT64_MAX, 0 }, 2);
	builder_detail(f->b, f->location[STREAM], 75, DETAIL_RMA_GET,
		       (uint64_t[]){ window, 0, 512, 42 }, 4);
	builder_detail(f->b, f->location[STREAM], 120, DETAIL_RMA_OP_COMPLETE_BLOCKING,
		       (uint64_t[]){ window, 42 }, 2);
	analyse(f);
	assert_wait(f, 60, STREAM, 70);
}
