/* Writes a PICL trace of about N records for the benchmarks, sorted by time as a merge leaves it:
 * user regions, a ring of messages, a collective each turn.
 *
 *	gen_picl RECORDS RANKS >FILE
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A record of a turn: offset in ns, record type, event type, and its data for a rank. */
struct line {
	int64_t at;
	int rectype, type;
	enum { NOTHING, SEND, WANT, GOT, REDUCE, REDUCED } data;
};

static const struct line turn[] = {
	{ 0, -3, 1, NOTHING },      { 100, -3, 2, NOTHING }, { 400, -4, 2, NOTHING },
	{ 500, -4, 1, NOTHING },    { 510, -3, -21, SEND },  { 530, -4, -21, NOTHING },
	{ 540, -3, -51, WANT },     { 600, -4, -51, GOT },   { 610, -3, -782, REDUCE },
	{ 700, -4, -782, REDUCED },
};
enum { LINES = sizeof turn / sizeof *turn };

static void write_record(const struct line *line, int64_t t, unsigned rank, unsigned ranks)
{
	const unsigned left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;

	printf("%d %d %" PRId64 ".%09" PRId64 " %u 0", line->rectype, line->type, t / 1000000000,
	       t % 1000000000, rank);
	switch (line->data) {
	case NOTHING: puts(" 0"); break;
	case SEND: printf(" 3 2 1024 7 %u\n", right); break;
	case WANT: puts(" 1 2 7"); break;
	case GOT: printf(" 3 2 1024 7 %u\n", left); break;
	case REDUCE: puts(" 1 2 8"); break;
	case REDUCED: puts(" 1 2 8"); break;
	}
}

int main(int argc, char **argv)
{
	const uint64_t records = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	const unsigned ranks = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	const uint64_t turns = records / LINES / (ranks ? ranks : 1);

	if (turns == 0) {
		fputs("usage: gen_picl RECORDS RANKS >FILE\n", stderr);
		return 2;
	}
	puts("-5 1 -0.000000002 -1 -1 7 \"%c\" compute");
	puts("-5 2 -0.000000002 -1 -1 5 \"%c\" inner");
	for (unsigned r = 0; r < ranks; r++)
		printf("-3 -901 -0.000000001 %u 0 0\n", r);
	for (uint64_t i = 0; i < turns; i++)
		for (int k = 0; k < LINES; k++)
			for (unsigned r = 0; r < ranks; r++)
				write_record(&turn[k], (int64_t)i * 1000 + turn[k].at, r, ranks);
	for (unsigned r = 0; r < ranks; r++)
		printf("-4 -901 %" PRIu64 ".%09" PRIu64 " %u 0 0\n", turns / 1000000,
		       turns % 1000000 * 1000, r);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
