/* The clocks of several files. A profiler says when its time 0 was; files whose times are near each
 * other have one time 0; else each file begins at 0, and collectives and messages have to tell. */
#include "model/chrome/chrome_state.h"

/* Clocks set by the network's time are nearer than that, clocks that began with their machines are
 * not. */
#define NEAR INT64_C(3600000000000)

struct file_times {
	size_t row, rows, flow, flows; /* from, until */
	int64_t first;                 /* INT64_MAX: no events */
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t shifted(int64_t time, int64_t by)
{
	int64_t sum;

	return __builtin_add_overflow(time, by, &sum) ? by > 0 ? INT64_MAX : INT64_MIN : sum;
}

static struct file_times times_of(const struct chrome_reading *c, size_t f)
{
	const bool last = f + 1 == c->files.n;
	struct file_times t = { .row = c->files.data[f].first_row,
				.flow = c->files.data[f].first_flow,
				.rows = last ? c->rows.n : c->files.data[f + 1].first_row,
				.flows = last ? c->flows.n : c->files.data[f + 1].first_flow,
				.first = INT64_MAX };

	for (size_t i = t.row; i < t.rows; i++)
		t.first = least(t.first, c->rows.data[i].time);
	for (size_t i = t.flow; i < t.flows; i++)
		t.first = least(t.first, c->flows.data[i].time);
	return t;
}

static void shift_file(struct chrome_reading *c, const struct file_times *t, int64_t by)
{
	for (size_t i = t->row; i < t->rows; i++) {
		c->rows.data[i].time = shifted(c->rows.data[i].time, by);
		c->rows.data[i].end = shifted(c->rows.data[i].end, by);
	}
	for (size_t i = t->flow; i < t->flows; i++)
		c->flows.data[i].time = shifted(c->flows.data[i].time, by);
}

void chrome_join_clocks(struct chrome_reading *c)
{
	const size_t n = c->files.n;
	OWNED struct file_times *of = xmalloc((n + 1) * sizeof *of);
	int64_t low = INT64_MAX, high = INT64_MIN;
	size_t based = 0;
	bool near;

	if (n < 2)
		return;
	for (size_t f = 0; f < n; f++) {
		const struct chrome_source *file = &c->files.data[f];
		of[f] = times_of(c, f);
		if (of[f].first == INT64_MAX)
			continue;
		low = least(low, shifted(of[f].first, file->base));
		high = most(high, shifted(of[f].first, file->base));
		based += file->has_base;
	}
	if (low > high)
		return;
	near = high / 2 - low / 2 < NEAR / 2;
	for (size_t f = 0; f < n; f++)
		shift_file(c, &of[f], near ? c->files.data[f].base : -of[f].first);
	if (!near)
		builder_finding(c->builder, FINDING_GUESS, "clocks-unknown", 0,
				"the files' clocks have nothing in common: each file begins at 0, "
				"until clocks are fitted");
	else
		builder_finding(c->builder, FINDING_INFO, "clocks-of-files", 0,
				based == n ? "the files say when their times began "
					     "(baseTimeNanoseconds)"
					   : "the files' times are near each other: taken as times "
					     "since one moment");
}
