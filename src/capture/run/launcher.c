#include "capture/run/launcher.h"

#include <stdlib.h>
#include <unistd.h>

static const char *first_set(const char *const *names)
{
	for (; *names; names++) {
		const char *value = getenv(*names);
		if (value && *value)
			return value;
	}
	return NULL;
}

static void add_host(struct str *out)
{
	char host[65] = "host";

	gethostname(host, sizeof host - 1);
	str_add(out, host);
}

/* Open MPI and SLURM name their jobs; the ranks that MPICH's launcher starts on a node have the
 * same parent. */
static void name_job(struct str *out)
{
	const char *slurm = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
	const char *space = getenv("PMIX_NAMESPACE");

	if (space && *space) {
		str_add(out, space);
	} else if (slurm && step) {
		str_add_fmt(out, "%s.%s", slurm, step);
	} else {
		add_host(out);
		str_add_fmt(out, "-%ld", (long)getppid());
	}
	for (size_t i = 0; i < out->n; i++)
		if (out->text[i] == '/')
			out->text[i] = '_';
}

void launcher_find(struct launcher *launcher)
{
	static const char *const ranks[] = { "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID",
					     NULL };
	const char *rank = first_set(ranks);

	*launcher = (struct launcher){ .rank = rank ? (int)strtol(rank, NULL, 10) : -1,
				       .job = STR_INIT };
	if (rank)
		name_job(&launcher->job);
}

void launcher_name(struct str *out, const char *pattern, const struct launcher *launcher)
{
	static const char *const jobs[] = { "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID",
					    NULL };
	const char *job = first_set(jobs);

	for (const char *p = pattern; *p; p++) {
		const char what = *p == '%' ? p[1] : '\0';
		p += what == 'p' || what == 'h' || what == 'r' || what == 'j' || what == '%';
		switch (what) {
		case 'p': str_add_fmt(out, "%ld", (long)getpid()); break;
		case 'h': add_host(out); break;
		case 'r': str_add_fmt(out, "%d", launcher->rank < 0 ? 0 : launcher->rank); break;
		case 'j':
			str_add(out, job ? job : launcher->job.n ? launcher->job.text : "0");
			break;
		default: str_add_char(out, *p);
		}
	}
}
