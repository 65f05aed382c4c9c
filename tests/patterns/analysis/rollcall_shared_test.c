/* Where each rank was, who waits for whom, and which calls do not fit together: of random runs that
 * ended inside of calls the same for any number of processes. */
#include <stdio.h>
#include <string.h>

#include "harness/files.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/processes.h"
#include "harness/random.h"
#include "harness/rounds.h"
#include "harness/seeds.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "patterns/analysis/rollcall.h"
#include "views/facts/rollcall_text.h"

enum { RANKS = 11, MOST = 13 };

/* A call that does not end, and what is posted before a wait. */
static void get_stuck(struct notation *n, int rank, uint64_t *seed)
{
	static const char *const collectives[] = {
		"MPI_Barrier:50@200 all",
		"MPI_Bcast:51@200 all root 0 4B/4B",
		"MPI_Bcast:51@200 all root 1 4B/4B",
		"MPI_Reduce:52@200 all root 0 16B/0B",
		"MPI_Reduce:52@200 all root 0 24B/0B",
		"MPI_Barrier:53@200 all comm half",
		"MPI_Barrier:50@200-210 all compute:60@220",
	};
	const int other = (int)draw(seed, RANKS);
	const uint32_t what = draw(seed, 12);

	if (what == 0)
		notation_write(n, "rank %d: compute:20@100", rank);
	else if (what == 1)
		notation_write(n, "rank %d: MPI_Finalize:99@%u", rank, 300 + draw(seed, 9));
	else if (what == 2)
		notation_write(n, "rank %d: MPI_Recv:20@%u post <-%d tag 9 4B req 1", rank,
			       100 + draw(seed, 50), other);
	else if (what < 5)
		notation_write(n, "rank %d: MPI_Ssend:30@%u ->%d tag %u 4B", rank,
			       100 + draw(seed, 50), other, 7 + draw(seed, 3));
	else if (what < 7) {
		for (unsigned k = 0; k < 1 + draw(seed, 3); k++)
			notation_write(n,
				       "rank %d: MPI_Irecv:39@%u-+1 post <-%d tag %u 0B req %u "
				       "@%u",
				       rank, 50 + 2 * k, (int)draw(seed, RANKS), 7 + draw(seed, 3),
				       k, 50 + 2 * k);
		notation_write(n, "rank %d: MPI_Waitall:40@100", rank);
	} else
		notation_write(n, "rank %d: %s", rank,
			       collectives[draw(seed, sizeof collectives / sizeof *collectives)]);
}

static struct trace *stuck(uint64_t seed)
{
	struct notation n;

	notation_begin(&n, 1000000);
	notation_write(&n,
		       "file 'x.c'; mpi collective; comm half 0 2 4 6 8 10\n"
		       "region MPI_Init class mpi picl 0; region MPI_Finalize class mpi picl 0");
	for (int i = 0; i < RANKS; i++)
		notation_write(&n, "rank %d: main:1@0 %s", i,
			       draw(&seed, 40) ? "MPI_Init:2@1-5" : "MPI_Init:2@1");
	for (int i = 0; i < RANKS; i++)
		if (draw(&seed, 20))
			notation_write(&n, "rank %d: MPI_Barrier:10@10-20 all", i);
	for (int i = 0; i < RANKS; i++)
		if (draw(&seed, 3))
			notation_write(&n, "rank %d: MPI_Send:11@30-40 ->%d tag 9 4B", i,
				       (int)draw(&seed, RANKS));
	for (int i = 0; i < RANKS; i++)
		get_stuck(&n, i, &seed);
	return notation_finish(&n);
}

/* ---- what is said ---- */

struct job {
	const char *path;
	char *said[MOST]; /* by each process */
};

static void add_sentence(void *context, const struct roll_group *group, bool warning,
			 const char *text)
{
	(void)group;
	(void)warning;
	fprintf(context, "%s\n", text);
}

static void describe(const struct trace *trace, FILE *out)
{
	ENDED_BY(rollcall_fini) struct rollcall roll;

	if (!rollcall_make(&roll, trace, BASE_MEASURED, NULL))
		return;
	rollcall_sentences(&roll, trace, add_sentence, out);
	for (uint32_t l = 0; l < roll.n; l++) {
		const struct roll *r = &roll.rolls[l];
		fprintf(out, "%u: %s %u %lld peer %d tag %d comm %d pending %u group %u\n", l,
			roll_state_name(r->state), r->path, (long long)r->since, r->peer,
			r->tag_known ? r->tag : -1, (int)r->comm, r->pending, r->group);
	}
	for (uint32_t i = 0; i < roll.n_blamed; i++)
		fprintf(out, "%u waits for %u\n", roll.waiters[i], roll.blamed[i]);
	fprintf(out, "%lld %lld\n", (long long)roll.last, (long long)roll.still);
}

static void body(struct exchange *x, void *context)
{
	struct job *job = context;
	const struct load_options how = { .exchange = x, .no_cache = true, .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(job->path, &how, NULL, &err);
	size_t size;
	FILE *out = open_memstream(&job->said[exchange_process(x)], &size);

	if (trace)
		describe(trace, out);
	else
		fprintf(out, "%s\n", err.text);
	trace_free(trace);
	fclose(out);
}

static void compare(struct job *job, uint32_t n, uint64_t seed, const char *alone)
{
	processes_run(n, body, job);
	for (uint32_t p = 0; p < n; p++) {
		if (strcmp(job->said[p], alone) != 0)
			fail_msg("seed %llu: process %u of %u says\n%s\ninstead of\n%s",
				 (unsigned long long)seed, p, n, job->said[p], alone);
		free(job->said[p]);
	}
}

/* Each run in one of the numbers of processes, and some in as many as there are at most. */
static void same_of(struct trace *trace, uint64_t seed, struct str *alone)
{
	static const uint32_t numbers[] = { 2, 3, 5 };
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT;
	struct job job = { .path = NULL };
	struct err err = ERR_INIT;

	folder_make(folder, "stuck");
	str_add_fmt(&path, "%s/run.otf2", folder);
	if (!trace_save(trace, SAVE_OTF2, path.text, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
	job.path = path.text;
	processes_run(1, body, &job);
	str_add(alone, job.said[0]);
	free(job.said[0]);
	compare(&job, numbers[seed % 3], seed, alone->text);
	if (seed % 25 == 0)
		compare(&job, MOST, seed, alone->text);
	folder_remove(folder);
}

TEST(random_runs)
{
	static const char *const sentences[] = { "Deadlock: ",      "Mismatch in ",
						 " root ",          " 24 B ",
						 " wait for rank ", ", waiting for rank ",
						 " pending 2 " };
	const struct seeds seeds = seeds_or(1, rounds(50));
	unsigned with[sizeof sentences / sizeof *sentences] = { 0 };

	for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
		OWNED_TRACE *trace = stuck(seed);
		OWNED_STR text = STR_INIT;

		same_of(trace, seed, &text);
		for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
			with[i] += strstr(text.text, sentences[i]) != NULL;
	}
	for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
		if (with[i] < 3 && seeds.last - seeds.first >= 49)
			fail_msg("only %u runs have \"%s\"", with[i], sentences[i]);
}
