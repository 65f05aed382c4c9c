#define _GNU_SOURCE
#include "capture/lib/controls.h"

#include <stdlib.h>
#include <string.h>

#include "capture/lib/pause.h"
#include "capture/lib/recorder_chunks.h"

enum { VALUES_MOST = 255, TEXT_MOST = 4000 };

/* Never freed: another thread may be looking at it. */
struct tv_regions {
	int n;
	char *name[];
};

/* The calling thread, busy; NULL: nothing is recorded. tv_busy_end() follows. */
static struct tv_thread *begin(void)
{
	struct tv_thread *t = &tv_self;

	if (!tv_busy_begin(t, true))
		return NULL;
	if (t->live || tv_thread_start())
		return t;
	tv_busy_end(t);
	return NULL;
}

/* ---- levels ---- */

static void write_levels(struct tv_thread *t)
{
	int32_t level[TVIEW_KINDS] = { 0 };

	for (uint32_t kind = 0; kind < TVIEW_KINDS; kind++)
		level[kind] = !(tv.off >> kind & 1);
	if (level[TVIEW_REGIONS] && tv.regions)
		level[TVIEW_REGIONS] = TV_LEVEL_SOME;
	tv_define(t, TV_DEF_LEVELS, 0, level, sizeof level, NULL, 0);
}

/* `off`: bits of the kinds that are not recorded. */
static void set_off(struct tv_thread *t, uint32_t off)
{
	if (off == tv.off)
		return;
	__atomic_store_n(&tv.off, off, __ATOMIC_RELAXED);
	tv_pause_follow(t);
	tv_take(&tv.lock);
	for (struct tv_thread *at = tv.threads; at; at = at->next)
		tv_visits_follow(at);
	tv_give(&tv.lock);
	write_levels(t);
}

void tv_api_level(int kind, int level)
{
	struct tv_thread *t = kind >= 0 && kind < TVIEW_KINDS ? begin() : NULL;

	if (!t)
		return;
	set_off(t, level > 0 ? tv.off & ~(1u << kind) : tv.off | 1u << kind);
	tv_busy_end(t);
}

void tv_control(int level)
{
	static const uint32_t off[] = { [1] = 0,
					[3] = 1u << TVIEW_FUNCTIONS,
					[4] = 1u << TVIEW_FUNCTIONS | 1u << TVIEW_REGIONS };
	struct tv_thread *t;

	if (level == 2)
		tv_api_flush();
	if (level < 0 || level == 2 || level > 4)
		return;
	tv_pause(level == 0);
	t = level ? begin() : NULL;
	if (!t)
		return;
	set_off(t, off[level]);
	tv_busy_end(t);
}

/* ---- chosen regions ---- */

bool tv_region_kept_slow(const char *name)
{
	const struct tv_regions *chosen = __atomic_load_n(&tv.regions, __ATOMIC_ACQUIRE);

	if (tv.off & 1u << TVIEW_REGIONS)
		return false;
	for (int i = 0; chosen && i < chosen->n; i++)
		if (!strcmp(chosen->name[i], name))
			return true;
	return !chosen;
}

static struct tv_regions *copy_names(int n, const char *const *names)
{
	struct tv_regions *chosen = malloc(sizeof *chosen + (size_t)n * sizeof(char *));

	if (!chosen)
		return NULL;
	chosen->n = 0;
	for (int i = 0; i < n; i++) {
		char *name = names && names[i] ? strdup(names[i]) : NULL;
		if (name)
			chosen->name[chosen->n++] = name;
	}
	return chosen;
}

void tv_api_regions(int n, const char *const *names)
{
	struct tv_thread *t = begin();
	struct tv_regions *chosen;

	if (!t)
		return;
	chosen = n < 0 ? NULL : copy_names(n, names);
	if (n < 0 || chosen) {
		__atomic_store_n(&tv.regions, chosen, __ATOMIC_RELEASE);
		write_levels(t);
	}
	tv_busy_end(t);
}

/* ---- what the program has to say ---- */

void tv_api_data(const char *name, int n, const double *values)
{
	struct tv_thread *t;
	uint32_t id = 0;

	if (n < 1 || n > VALUES_MOST || !values || !begin())
		return;
	t = tv_named(name, &id);
	if (t && t->keep && !t->paused)
		tv_define(t, TV_DEF_DATA, id, values, (size_t)n * sizeof *values, NULL, 0);
	tv_busy_end(&tv_self);
}

void tv_api_message(const char *text)
{
	struct tv_thread *t = text ? begin() : NULL;

	if (!t)
		return;
	if (tv_in_gap(t))
		tv_gap_stop(t);
	if (t->mode == TV_PAUSED)
		tv_pause_holds(t);
	if (t->keep && !t->paused)
		tv_define(t, TV_DEF_MESSAGE, 0, text, strnlen(text, TEXT_MOST), "", 1);
	tv_busy_end(t);
}

void tv_write_block(struct tv_thread *t, int location, int parameter)
{
	const int32_t block[2] = { location, parameter };

	if (t->keep)
		tv_define(t, TV_DEF_BLOCK, 0, block, sizeof block, NULL, 0);
}

/* ---- the buffer ---- */

/* A chunk that has room for as much again is left as it is: its records are in a file already, and
 * each copy takes a whole place there. */
void tv_api_flush(void)
{
	struct tv_thread *t = begin();
	const uint64_t from = tv_now();

	if (!t)
		return;
	if (tv_in_gap(t))
		tv_gap_stop(t);
	if (t->keep && t->chunk->used >= TV_CHUNK_SIZE / 2 && tv_chunk_next(t))
		tv_write_own(t, CALL_buffer, from);
	tv_busy_end(t);
}

void tv_api_info(struct tview_info *info)
{
	struct tv_thread *t = begin();
	uint64_t used;

	memset(info, 0, sizeof *info);
	if (!t)
		return;
	used = __atomic_load_n(&tv.written, __ATOMIC_RELAXED);
	info->recording = !tv.paused;
	for (uint32_t kind = 0; kind < TVIEW_KINDS; kind++)
		info->level[kind] = !(tv.off >> kind & 1);
	info->stopped = t->full;
	info->room = used < tv.most ? tv.most - used : 0;
	tv_busy_end(t);
}

/* tvrun looks at the number, and then finds the mark. */
void tv_api_trigger(void)
{
	static const char name[] = "tview_trigger";
	struct tv_thread *t;
	uint32_t id = 0;

	if (!tv_busy_begin(&tv_self, true))
		return;
	t = tv_named(name, &id);
	if (t && !t->paused && tv_region_kept(name))
		tv_write(t, tv_now(), TV_USER_MARK, 0, 0, id);
	if (tv.file)
		__atomic_fetch_add(&tv.file->triggers, 1, __ATOMIC_RELEASE);
	tv_busy_end(&tv_self);
}

/* ---- topologies by hand ---- */

_Static_assert((int)TV_GRID_DIMS == (int)TVIEW_DIMS,
	       "tview.h promises as many dimensions as are kept");

/* The values of both arrays, one after the other. tvrun checks them, because it knows all ranks. */
static void define_grid(enum tv_definition what, const char *name, int dims, const int *first,
			const int *second)
{
	struct tv_thread *t = tv_self.live ? &tv_self : tv_thread_start();
	int32_t text[2 + 2 * TV_GRID_DIMS];
	struct tv_def_grid def = { dims, 0 };

	if (!t)
		return;
	if (first && dims >= 1 && dims <= TV_GRID_DIMS)
		def.values = what == TV_DEF_GRID ? 2 * dims : dims;
	for (int i = 0; i < def.values; i++)
		text[2 + i] = i < dims ? first[i] : second && second[i - dims] != 0;
	memcpy(text, &def, sizeof def);
	name = name ? name : "";
	if (!tv_busy_begin(t, true))
		return;
	tv_define(t, what, 0, text, sizeof def + (size_t)def.values * sizeof *text, name,
		  strlen(name) + 1);
	tv_busy_end(t);
}

void tv_api_topology(const char *name, int dims, const int *size, const int *periodic)
{
	define_grid(TV_DEF_GRID, name, dims, size, periodic);
}

void tv_api_coords(const char *name, int dims, const int *coords)
{
	define_grid(TV_DEF_PLACE, name, dims, coords, NULL);
}
