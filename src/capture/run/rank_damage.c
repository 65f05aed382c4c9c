/* What of a rank's buffer could not be read. */
#include <stdarg.h>

#include "capture/run/merge_job.h"

void job_damaged(struct job *job, struct rank *rank, const char *code, const char *format, ...)
{
	OWNED_STR text = STR_INIT;
	va_list args;

	str_add_fmt(&text, "the buffer of rank %d ", rank->number);
	va_start(args, format);
	str_add_fmt_v(&text, format, args);
	va_end(args);
	builder_finding(job->builder, FINDING_DAMAGE, code, 0, text.text);
	job->summary->damaged += !rank->damaged;
	rank->damaged = true;
}

void job_file_damaged(struct job *job, struct rank *rank)
{
	const struct rankfile *file = rank->file;

	if (file->strange_at)
		job_damaged(job, rank, "thread-damaged",
			    "names thread %u at byte %llu, which it did not have: the records "
			    "there are lost",
			    file->strange_thread, (unsigned long long)file->strange_at);
	if (file->gap)
		job_damaged(job, rank, "buffer-gap",
			    "lacks a part between others: the records there are lost");
	if (file->cut)
		job_damaged(job, rank, "buffer-cut",
			    "is cut off after %zu bytes: what was recorded beyond is lost",
			    file->size);
}
