#include "replay/account_report.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "base/text.h"

/* What a process tells the first one. */
struct account_row {
	struct account_figures figures;
	uint64_t peak_kib; /* memory */
};

static double seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

static double mega(uint64_t bytes)
{
	return (double)bytes / 1e6;
}

static void row_write(FILE *stream, uint32_t process, const struct account_row *row)
{
	const struct account_figures *f = &row->figures;

	fprintf(stream,
		"%7" PRIu32 " %9.3f %9.3f %9.3f %9.3f %9.3f %9" PRIu64 " %9.3f %9" PRIu64
		" %9.1f\n",
		process, seconds(f->work_ns[ACCOUNT_READING]),
		seconds(f->work_ns[ACCOUNT_COMPUTING]), seconds(f->exchange_ns),
		seconds(f->waiting_ns), mega(f->sent), f->records, mega(f->to_all), f->meetings,
		mega(row->peak_kib * 1024));
}

void account_report(struct exchange_account *account, FILE *stream)
{
	struct exchange *x = exchange_counted(account);
	struct account_row own = { .figures = exchange_account_figures(account) };
	VEC(struct account_row) rows = VEC_INIT;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	own.peak_kib = (uint64_t)usage.ru_maxrss;
	vec_push(&rows, own);
	exchange_rows(x, &rows);
	if (exchange_process(x) == 0) {
		fprintf(stream, "%7s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "process", "reading",
			"computing", "exchange", "waiting", "sent MB", "messages", "to all MB",
			"meetings", "memory MB");
		for (size_t i = 0; i < rows.n; i++)
			row_write(stream, (uint32_t)i, &rows.data[i]);
		fputs("Seconds: processor time, but waiting is elapsed time.\n", stream);
	}
	vec_fini(&rows);
}
