#include "harness/program_sample.h"

#include <string.h>

#include "model/build/builder.h"

enum { MAIN, FOR, WORK_13, SEND, WORK_20, BARRIER, SETUP, WORK, WHILE };

static void define(struct builder *b)
{
	static const struct {
		const char *name;
		uint8_t kind;
		uint32_t line, parent, callee;
	} rows[] = {
		[MAIN] = { "main", STATEMENT_PROCEDURE, 10, NO_STATEMENT, NO_STATEMENT },
		[FOR] = { "for", STATEMENT_LOOP, 12, MAIN, NO_STATEMENT },
		[WORK_13] = { "work", STATEMENT_CALL, 13, FOR, WORK },
		[SEND] = { "MPI_Send", STATEMENT_COMMUNICATION, 14, FOR, NO_STATEMENT },
		[WORK_20] = { "work", STATEMENT_CALL, 20, MAIN, WORK },
		[BARRIER] = { "MPI_Barrier", STATEMENT_COMMUNICATION, 21, MAIN, NO_STATEMENT },
		[SETUP] = { "setup", STATEMENT_CALL, 22, MAIN, NO_STATEMENT },
		[WORK] = { "work", STATEMENT_PROCEDURE, 30, NO_STATEMENT, NO_STATEMENT },
		[WHILE] = { "while", STATEMENT_LOOP, 31, WORK, NO_STATEMENT },
	};
	static const char file[] = "src/app.c", reason[] = "it calls setjmp";

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *name = rows[i].name;
		struct statement s = { .kind = rows[i].kind,
				       .line = rows[i].line,
				       .end_line = rows[i].line,
				       .parent = rows[i].parent,
				       .name = builder_string(b, name, strlen(name)),
				       .file = builder_string(b, file, sizeof file - 1),
				       .callee = rows[i].callee,
				       .region = UINT32_MAX };
		if (i == SETUP) {
			s.flags = STATEMENT_ALONE;
			s.reason = builder_string(b, reason, sizeof reason - 1);
		}
		builder_statement(b, &s);
	}
}

static struct statement_record record(uint32_t statement, uint64_t count, int64_t time, int64_t own)
{
	return (struct statement_record){ .statement = statement,
					  .from = NO_STATEMENT,
					  .partner = RANK_UNKNOWN,
					  .comm = UINT32_MAX,
					  .count = count,
					  .time = time,
					  .exclusive = own,
					  .min = time / (int64_t)count,
					  .max = time / (int64_t)count };
}

static void put(struct builder *b, uint32_t location, struct statement_record r)
{
	r.location = location;
	builder_statement_record(b, &r);
}

static void put_called(struct builder *b, uint32_t location, uint32_t from, uint64_t count,
		       int64_t time, int64_t own)
{
	struct statement_record r = record(WORK, count, time, own);

	r.from = from;
	put(b, location, r);
}

static void put_loop(struct builder *b, uint32_t location, struct statement_record r,
		     uint64_t iterations)
{
	r.iterations = iterations;
	r.quickest = r.slowest = (double)r.time / (double)iterations;
	put(b, location, r);
}

static void put_talk(struct builder *b, uint32_t location, struct statement_record r,
		     int32_t partner, int64_t trans, uint64_t sent)
{
	r.partner = partner;
	r.comm = 0;
	r.trans = trans;
	r.sync = r.time - trans;
	r.carried = r.count;
	r.sent = sent;
	put(b, location, r);
}

struct trace *program_sample(void)
{
	struct builder *b = builder_new("program.trc", &units_nanoseconds, NULL);
	const struct builder_options options = { .jobs = 1 };
	uint32_t l[2];

	for (int32_t r = 0; r < 2; r++)
		l[r] = builder_location(b, &(struct location){ .rank = r, .process = -1 });
	define(b);
	put(b, l[0], record(MAIN, 1, 1000, 50));
	put(b, l[1], record(MAIN, 1, 1000, 150));
	put_loop(b, l[0], record(FOR, 1, 600, 100), 10);
	put_loop(b, l[1], record(FOR, 1, 500, 100), 10);
	put_called(b, l[0], WORK_13, 10, 400, 100);
	put_called(b, l[1], WORK_13, 10, 300, 60);
	put_called(b, l[0], WORK_20, 1, 200, 50);
	put_called(b, l[1], WORK_20, 1, 300, 90);
	put_loop(b, l[0], record(WHILE, 11, 450, 450), 110);
	put_loop(b, l[1], record(WHILE, 11, 450, 450), 110);
	put_talk(b, l[0], record(SEND, 10, 100, 100), 1, 60, 800);
	put_talk(b, l[1], record(SEND, 10, 100, 100), 0, 90, 800);
	put_talk(b, l[0], record(BARRIER, 1, 150, 150), PARTNER_MANY, 10, 0);
	put_talk(b, l[1], record(BARRIER, 1, 50, 50), PARTNER_MANY, 10, 0);
	return builder_finish(b, &options, NULL, NULL);
}
