#include "harness/windows.h"

#include "model/sums/profile.h"

static bool is_limited(const struct profile_row *row)
{
	return row->exclusive == INT64_MAX || row->inclusive == INT64_MAX;
}

static const char *row_broken(const struct profile_row *all, const struct profile_row *before,
			      const struct profile_row *after)
{
	if (is_limited(all) || is_limited(before) || is_limited(after))
		return NULL;
	if (before->exclusive + after->exclusive != all->exclusive)
		return "exclusive times of two windows are those of both";
	if (before->inclusive + after->inclusive != all->inclusive)
		return "inclusive times of two windows are those of both";
	if (before->count + after->count != all->count)
		return "visits of two windows are those of both";
	return NULL;
}

const char *windows_broken(const struct trace *trace, int64_t middle)
{
	const int64_t ends[3][2] = { { INT64_MIN, INT64_MAX },
				     { INT64_MIN, middle },
				     { middle, INT64_MAX } };
	struct profile p[3] = { { 0 } };
	const char *broken = NULL;
	bool ok = true;

	for (int i = 0; i < 3 && ok; i++)
		ok = profile_make(&p[i], trace, BASE_MEASURED, PROFILE_REGION, NULL, 0, ends[i][0],
				  ends[i][1], NULL, NULL);
	for (uint32_t r = 0; ok && r < p[0].n && !broken; r++)
		broken = row_broken(&p[0].rows[r], &p[1].rows[r], &p[2].rows[r]);
	for (int i = 0; i < 3; i++)
		profile_fini(&p[i]);
	return broken;
}
