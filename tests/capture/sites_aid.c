#include "capture/sites_aid.h"

#include <stdlib.h>

#include "base/mem.h"
#include "capture/traced.h"
#include "harness/test.h"

glob_t site_files(const char *folder)
{
	OWNED_STR pattern = STR_INIT;
	glob_t files = { 0 };

	str_add_fmt(&pattern, "%s/*.tvrank", folder);
	glob(pattern.text, 0, NULL, &files);
	return files;
}

void site_ranks_open(struct site_ranks *r)
{
	ENDED_BY(globfree) glob_t files = site_files(r->folder);

	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct rankfile *file = rankfile_open(files.gl_pathv[i], NULL);
		assert_non_null(file);
		assert_in_range(file->head->rank, 0, 7);
		assert_null(r->file[file->head->rank]);
		r->file[file->head->rank] = file;
	}
}

struct site_ranks *site_ranks_run_to(int wanted, int n, const char *settings, const char *arguments)
{
	struct site_ranks *r = xcalloc(1, sizeof *r);
	int status;

	if (!traced_possible())
		skip();
	folder_make(r->folder, "sites");
	status = command_read(
		&r->said,
		"env %s TVIEW_DIR=%s LD_PRELOAD=$PWD/%s/lib/tview/libtvcapture.so:$PWD/%s/lib/tview/"
		"libtvyield.so timeout 60 mpiexec.mpich -n %d %s/tests/capture/programs/sites %s",
		settings, r->folder, TEST_BUILD, TEST_BUILD, n, TEST_BUILD, arguments);
	assert_int_equal(status, wanted);
	site_ranks_open(r);
	return r;
}

struct site_ranks *site_ranks_run(int n, const char *settings, const char *arguments)
{
	return site_ranks_run_to(0, n, settings, arguments);
}

void site_ranks_free(struct site_ranks *r)
{
	for (int i = 0; i < 8; i++)
		rankfile_close(r->file[i]);
	folder_remove(r->folder);
	str_fini(&r->said);
	free(r);
}

uint64_t site_place(int site)
{
	return site == NOBODY ? 0 : tv_place_site(0, (uint32_t)site + 1);
}

bool site_row_find(const struct site_ranks *r, int rank, int thread, int site, int from,
		   struct tv_statistic *found)
{
	struct rank_rows rows;
	struct tv_statistic row;
	uint32_t of;
	int n = 0;

	assert_non_null(r->file[rank]);
	rank_rows_begin(&rows, r->file[rank]);
	while (rank_rows_next(&rows, &row, &of)) {
		if (row.kind == TV_STAT_COMMUNICATION || row.place != site_place(site) ||
		    row.from != site_place(from) || (thread >= 0 && (int)of != thread))
			continue;
		*found = row;
		n++;
	}
	assert_true(n <= 1);
	return n == 1;
}

struct tv_statistic site_row(const struct site_ranks *r, int thread, int site, int from)
{
	struct tv_statistic row = { .seq = 0 };

	assert_true(site_row_find(r, 0, thread, site, from, &row));
	return row;
}
