/* Delays between processes: the one that was waited for tells the waiters what it did in their
 * intervals, once where several began together; they compare, keep what it did more, and answer
 * with the scale of their waiting. */
#include <pthread.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "patterns/causes/delay_make.h"
#include "patterns/causes/points_far.h"

/* A call path in the interval of the one that was waited for. */
struct profile_row {
	uint32_t path;
	bool estimated; /* the estimated part, else what it did */
	int64_t ticks;
};

/* Of a delay. */
struct profile_head {
	int64_t waited;
	uint32_t first, n; /* rows of those for the same process */
};

/* The profile that was last noted for a process. */
struct noted_profile {
	uint32_t other, other_point, other_from;
	uint32_t first, n;
};

struct delay_share {
	const struct delays *delays;
	const struct far_points *far;
	struct profile_head *heads; /* [told] */
	pthread_mutex_t lock;       /* of `rows` and `last`: workers note profiles at once */
	struct profile_list {
		struct profile_row *data;
		size_t n, cap;
	} * rows;                   /* [processes] */
	struct noted_profile *last; /* [processes] */
};

struct delay_share *delay_share_new(const struct delays *delays)
{
	const struct far_points *far = delays->points->far;
	struct delay_share *share;
	uint32_t processes;

	if (!far)
		return NULL;
	share = xcalloc(1, sizeof *share);
	processes = far->exchange->processes;
	share->delays = delays;
	share->far = far;
	pthread_mutex_init(&share->lock, NULL);
	share->heads = xcalloc(far->told_first[processes] + 1, sizeof *share->heads);
	share->rows = xcalloc(processes, sizeof *share->rows);
	share->last = xmalloc(processes * sizeof *share->last);
	for (uint32_t p = 0; p < processes; p++)
		share->last[p].other = UINT32_MAX;
	return share;
}

void delay_share_free(struct delay_share *share)
{
	if (!share)
		return;
	for (uint32_t p = 0; p < share->far->exchange->processes; p++)
		vec_fini(&share->rows[p]);
	pthread_mutex_destroy(&share->lock);
	free_all(share->heads, share->rows, share->last, share);
}

/* ---- the one that was waited for ---- */

static void add_rows(struct profile_list *rows, const struct path_sheet *sheet,
		     const struct path_sheet *within, bool estimated)
{
	for (uint32_t i = 0; i < sheet->n; i++) {
		const uint32_t path = sheet->touched[i];
		if (sheet->of[path] > 0 && (!within || within->of[path] > 0))
			vec_push(rows, ((struct profile_row){ path, estimated, sheet->of[path] }));
	}
}

void delay_share_add(struct delay_share *share, const struct delay *delay,
		     const struct path_sheet *theirs, const struct path_sheet *longest,
		     const struct path_sheet *estimated, int64_t waited)
{
	const size_t told = (size_t)(delay - share->delays->data) - share->delays->own;
	const uint32_t process = trace_process_of(share->far->trace, delay->location);
	struct noted_profile *last = &share->last[process];
	struct profile_list *rows = &share->rows[process];

	pthread_mutex_lock(&share->lock);
	if (last->other != delay->other || last->other_point != delay->other_point ||
	    last->other_from != delay->other_from) {
		*last = (struct noted_profile){ delay->other, delay->other_point, delay->other_from,
						(uint32_t)rows->n, 0 };
		add_rows(rows, theirs, longest, false);
		add_rows(rows, estimated, NULL, true);
		last->n = (uint32_t)rows->n - last->first;
	}
	share->heads[told] = (struct profile_head){ waited, last->first, last->n };
	pthread_mutex_unlock(&share->lock);
}

static void send_rows(const struct delay_share *share, struct exchange_parts *theirs)
{
	struct exchange *x = share->far->exchange;
	OWNED size_t *first = xcalloc(x->processes + 1u, sizeof *first);
	OWNED struct profile_row *all = NULL;

	for (uint32_t p = 0; p < x->processes; p++)
		first[p + 1] = first[p] + share->rows[p].n;
	all = xmalloc((first[x->processes] + 1) * sizeof *all);
	for (uint32_t p = 0; p < x->processes; p++)
		if (share->rows[p].n)
			memcpy(all + first[p], share->rows[p].data, share->rows[p].n * sizeof *all);
	exchange_swap(x, all, sizeof *all, first, theirs);
}

/* ---- those that waited ---- */

/* Puts a profile into the sheets of the worker that compares. */
static void take_profile(struct delay_maker *m, const struct profile_row *rows, uint32_t n)
{
	path_sheet_clear(&m->theirs[0]);
	path_sheet_clear(&m->estimated[0]);
	for (uint32_t i = 0; i < n; i++)
		path_sheet_add(rows[i].estimated ? &m->estimated[0] : &m->theirs[0], rows[i].path,
			       rows[i].ticks);
}

static uint32_t row_of(const struct delays *d, const struct asked_point *asked)
{
	return d->points->of[asked->location].data[asked->point].delay;
}

static void compare_all(struct delay_maker *m, const struct exchange_parts *heads,
			const struct exchange_parts *profiles)
{
	struct delays *d = m->delays;
	const struct far_points *far = m->share->far;

	delay_sheets(m, 0);
	for (uint32_t p = 0; p < far->exchange->processes; p++)
		for (size_t i = far->asked_first[p]; i < far->asked_first[p + 1]; i++) {
			const uint32_t row = row_of(d, &far->asked[i]);
			const struct profile_head *head =
				(const struct profile_head *)(const void *)heads->data + i;
			const void *rows = profiles->data + profiles->first[p] +
					   head->first * sizeof(struct profile_row);
			if (row == POINT_NONE)
				continue;
			take_profile(m, rows, head->n);
			delay_compare(m, 0, &d->data[row], &m->theirs[0], NULL, head->waited);
		}
}

/* ---- their scales ---- */

static void share_scales(struct delays *d, const struct far_points *far)
{
	struct exchange *x = far->exchange;
	const size_t n = far->asked_first[x->processes];
	OWNED struct far_delay *mine = xcalloc(n + 1, sizeof *mine);
	struct exchange_parts theirs;

	for (size_t i = 0; i < n; i++) {
		const struct asked_point *asked = &far->asked[i];
		const uint32_t row = row_of(d, asked);
		mine[i].cls = d->points->of[asked->location].data[asked->point].cls;
		if (row != POINT_NONE)
			mine[i].scale = delay_scale(d, &d->data[row]);
	}
	exchange_swap(x, mine, sizeof *mine, far->asked_first, &theirs);
	d->far = (struct far_delay *)(void *)theirs.data;
	free(theirs.first);
}

void delay_share_compare(struct delay_maker *m)
{
	const struct delay_share *share = m->share;
	struct exchange_parts heads, profiles;

	if (!share)
		return;
	exchange_swap(share->far->exchange, share->heads, sizeof *share->heads,
		      share->far->told_first, &heads);
	send_rows(share, &profiles);
	compare_all(m, &heads, &profiles);
	exchange_parts_fini(&heads);
	exchange_parts_fini(&profiles);
	share_scales(m->delays, share->far);
}
