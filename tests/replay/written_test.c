/* An archive that several processes write together is byte for byte that of one, but for the number
 * that libotf2 draws for it: random traces, threads that complete requests of each other, all of it
 * and parts. */
#include <string.h>

#include <otf2/otf2.h>

#include "correct/correct.h"
#include "harness/built.h"
#include "harness/files.h"
#include "harness/owners.h"
#include "harness/processes.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/trace/message.h"
#include "ui/app/views.h"
#include "ui/options/converting.h"
#include "ui/options/correcting.h"

enum { MOST = 8, WORDS = 12 };

struct job {
	struct options options;
	struct err err[MOST];
};

static void convert(struct opened *opened, const struct options *options, struct err *err)
{
	struct correct_options correct;

	correcting_options(&correct, options, false);
	opened->corrections = correct_run(opened->trace, &correct, NULL, err);
	if (opened->corrections &&
	    choice_make(&opened->choice, opened->trace, opened->corrections, options, err))
		converting_write(opened, options, err);
	choice_fini(&opened->choice);
	corrections_free(opened->corrections);
}

static void body(struct exchange *x, void *context)
{
	struct job *job = context;
	struct err *err = &job->err[exchange_process(x)];
	const struct load_options how = { .exchange = x, .no_cache = true, .jobs = 1 };
	struct opened opened = { .trace = trace_load(job->options.args[0], &how, NULL, err) };

	if (!opened.trace)
		return;
	convert(&opened, &job->options, err);
	trace_free(opened.trace);
}

/* Where n processes write FOLDER/N/out.otf2; the number that is drawn for it is made 0. */
static void write_by(uint32_t n, const char *folder, const char *words)
{
	OWNED_STR text = STR_INIT;
	struct job job = { .err = { ERR_INIT } };
	struct err err = ERR_INIT;
	OTF2_ErrorCallback before;
	char *argv[WORDS], *rest = NULL;
	int argc = 0;

	str_add_fmt(&text, "convert %s/in.otf2 %s/%u/out.otf2 %s", folder, folder, n, words);
	for (char *word = strtok_r(text.text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	if (!options_parse(&job.options, &all_views, VERB_CONVERT, argc, argv, &err))
		fail_msg("%s", err.text);
	/* Each would give it back to one that has ended. */
	before = OTF2_Error_RegisterCallback(NULL, NULL);
	processes_run(n, body, &job);
	OTF2_Error_RegisterCallback(before, NULL);
	for (uint32_t p = 0; p < n; p++)
		if (err_is_set(&job.err[p]))
			fail_msg("process %u of %u: %s", p, n, job.err[p].text);
}

static void same(const char *folder, const char *words)
{
	const uint32_t numbers[] = { 1, 2, 3, MOST };

	write_by(numbers[0], folder, words);
	for (size_t i = 1; i < sizeof numbers / sizeof *numbers; i++) {
		OWNED_STR said = STR_INIT;
		write_by(numbers[i], folder, words);
		if (command_read(&said,
				 "cd %s && for n in 1 %u; do dd if=/dev/zero of=$n/out.otf2 bs=1 "
				 "seek=64 count=8 conv=notrunc 2>/dev/null || exit; done; "
				 "ls 1/out/*.evt >/dev/null && diff -r 1 %u",
				 folder, numbers[i], numbers[i]) != 0)
			fail_msg("%u processes, %s: %s", numbers[i], words, said.text);
	}
}

static void same_of(struct trace *trace, const char *words)
{
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT, said = STR_INIT;
	struct err err = ERR_INIT;

	folder_make(folder, "written");
	str_add_fmt(&path, "%s/in.otf2", folder);
	if (!trace_save(trace, SAVE_OTF2, path.text, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(command_read(&said, "cd %s && mkdir 1 2 3 %u", folder, MOST), 0);
	same(folder, words);
	folder_remove(folder);
}

/* All of it, a part of the time, some ranks. */
static const char *const words[] = { "-b measured", "-b measured -t 1us:20us",
				     "-b measured -r 1,2" };
enum { PARTS = sizeof words / sizeof *words };

TEST(everything)
{
	for (uint64_t seed = 3; seed < 7; seed++) {
		OWNED_TRACE *trace = random_trace(seed, 60, 1000000000);
		same_of(trace, words[seed % PARTS]);
	}
}

TEST(messages)
{
	for (uint64_t seed = 1; seed < 4; seed++) {
		OWNED_TRACE *trace = random_trace_of_messages(seed, 200, 1000000000, seed % 2);
		same_of(trace, words[seed % PARTS]);
	}
}

/* ---- threads that complete requests of each other ---- */

enum { RANKS = 3, BEGINS = RANKS, ENDS }; /* two more threads of the last rank */

static struct message_end end_of(int32_t rank, int64_t request, uint16_t flags)
{
	return (struct message_end){ .rank = rank,
				     .process = -1,
				     .tag = 7,
				     .bytes = 64,
				     .flags = flags,
				     .has_request = request > 0,
				     .request = request };
}

TEST(handed_over)
{
	struct builder *b = built_begin(0);
	const struct message_end to = end_of(RANKS - 1, 0, 0), from = end_of(1, 0, 0),
				 send = end_of(0, 5, MSG_SEND_REQUEST),
				 recv = end_of(0, 6, MSG_RECV_REQUEST),
				 at = end_of(RANKS - 1, 0, 0);
	uint32_t region;
	struct trace *trace;

	for (int32_t rank = 0; rank < RANKS; rank++)
		built_rank(b, rank, 0);
	built_rank(b, RANKS - 1, 1);
	built_rank(b, RANKS - 1, 2);
	region = builder_region(b, "MPI_Iallreduce", CLASS_COLLECTIVE, -785);
	for (int i = 0; i < 5; i++)
		builder_send(b, 1, 1 + i, &to);
	builder_send(b, 0, 5, &to);
	builder_recv(b, 0, 400, &at);
	builder_send(b, BEGINS, 10, &send);
	builder_recv_request(b, BEGINS, 20, &recv);
	builder_collective_request(b, BEGINS, 30, 8);
	builder_recv(b, BEGINS, 40, &from);
	builder_request_test(b, ENDS, 50, 6);
	builder_recv(b, ENDS, 60, &recv);
	builder_send_complete(b, ENDS, 70, 5, 0);
	builder_collective_complete(b, ENDS, 80, 8, 0, region, -1, 8, 16);
	builder_send_complete(b, ENDS, 90, 99, 0); /* which nobody began */
	trace = built_end(b);
	assert_true(trace_hands_over(trace));
	same_of(trace, words[0]);
	trace_free(trace);
}
