/* tview.h: marks regions of your own program in a trace made by tvrun.
 *
 *	#include <tview.h>
 *
 *	tview_begin("assemble");
 *	...
 *	tview_end("assemble");
 *	tview_mark("step done");
 *
 * Of a program whose processes form a grid that MPI does not know of (MPI_Cart_create makes those
 * that tvrun sees by itself), it says which:
 *
 *	if (rank == 0)
 *		tview_topology("torus", 3, (int[]){ 4, 4, 4 }, (int[]){ 1, 0, 0 });
 *	tview_coords("torus", 3, (int[]){ x, y, z });
 *
 * Without tvrun the calls do nothing (one test of a pointer). Nothing has to be linked; with C
 * libraries older than glibc 2.34 add -ldl. Regions nest properly within a thread: what began last
 * ends first. Names are copied when a thread first uses them; keep them to string constants, a name
 * costs memory for good. */
#ifndef TVIEW_H
#define TVIEW_H

#include <dlfcn.h>
#include <stddef.h>

/* Not to be seen in the trace themselves, where the program's functions are
 * (-finstrument-functions); the caller is where a region is begun. */
#define TVIEW_INLINE static inline __attribute__((always_inline, no_instrument_function))

#ifdef __cplusplus
extern "C" {
#endif

/* The state of the guards in one program or library: `mode` is 0 where nothing is to be
 * recorded. */
struct tview_probes {
	int mode;
	void (*enter)(void *function);
	void (*leave)(void *function);
};

/* Kinds of events, for tview_level(). */
enum tview_kind {
	TVIEW_CALLS,     /* calls of MPI */
	TVIEW_REGIONS,   /* regions and marks that the program names */
	TVIEW_FUNCTIONS, /* functions and loops */
	TVIEW_KINDS
};

/* What is recorded now: all 0 without tvrun. */
struct tview_info {
	int recording;           /* 0 after tview_off() */
	int level[TVIEW_KINDS];  /* as tview_level() set them */
	int stopped;             /* 1: this thread's events stopped, as there is no room */
	unsigned long long room; /* bytes of records that this process may still write out */
};

/* What the library offers under the name tview_api; later versions only append. */
struct tview_api {
	unsigned version; /* 6 */
	void (*begin)(const char *name);
	void (*end)(const char *name);
	void (*mark)(const char *name);
	/* Since version 2: guards of a program or library that comes, and goes. */
	void (*join)(struct tview_probes *probes);
	void (*part)(struct tview_probes *probes);
	/* Since version 3. */
	void (*topology)(const char *name, int dims, const int *size, const int *periodic);
	void (*coords)(const char *name, int dims, const int *coords);
	/* Since version 4. */
	void (*record)(int on);
	/* Since version 5. */
	void (*begin_at)(const char *name, int location, int parameter);
	void (*end_at)(const char *name, int location, int parameter);
	void (*level)(int kind, int level);
	void (*regions)(int n, const char *const *names);
	void (*data)(const char *name, int n, const double *values);
	void (*message)(const char *text);
	void (*info)(struct tview_info *info);
	void (*flush)(void);
	/* Since version 6. */
	void (*trigger)(void);
};

static const struct tview_api tview_no_api = {
	0,    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
	NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
};

/* The library's functions, looked up once; tview_no_api where the program does not run under
 * tvrun. */
static inline __attribute__((no_instrument_function)) const struct tview_api *tview_api_find(void)
{
	static const struct tview_api *found;
	const struct tview_api *api = __atomic_load_n(&found, __ATOMIC_RELAXED);

	if (!api) {
		void *self = dlopen(NULL, RTLD_LAZY);
		api = self ? (const struct tview_api *)dlsym(self, "tview_api") : NULL;
		if (!api)
			api = &tview_no_api;
		__atomic_store_n(&found, api, __ATOMIC_RELAXED);
	}
	return api;
}

/* A region begins, in this thread. */
TVIEW_INLINE void tview_begin(const char *name)
{
	const struct tview_api *api = tview_api_find();

	if (api->begin)
		api->begin(name);
}

/* The region of that name that began last ends. */
TVIEW_INLINE void tview_end(const char *name)
{
	const struct tview_api *api = tview_api_find();

	if (api->end)
		api->end(name);
}

/* Something happened here, once. */
TVIEW_INLINE void tview_mark(const char *name)
{
	const struct tview_api *api = tview_api_find();

	if (api->mark)
		api->mark(name);
}

/* ---- switching recording ---- */

/* From here on, functions, regions and calls of MPI of this process are not recorded; the trace
 * shows the time as not recorded. Messages and collectives still are, so that those whose other end
 * is recorded find it. Outside of MPI calls, in any thread; MPI_Pcontrol(0) does the same. With
 * tvrun --off a program starts so. */
TVIEW_INLINE void tview_off(void)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 4)
		api->record(0);
}

/* They are recorded again, as after MPI_Pcontrol(1). */
TVIEW_INLINE void tview_on(void)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 4)
		api->record(1);
}

/* The same for one kind of events (enum tview_kind), 0 off, 1 on; PICL's tracelevel. Statistics by
 * statement go on for functions and regions, and messages and collectives are recorded even if
 * calls of MPI are not. MPI_Pcontrol(3) is without functions, (4) without functions and regions,
 * (1) with all. */
TVIEW_INLINE void tview_level(int kind, int level)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 5)
		api->level(kind, level);
}

/* From here on, only regions and marks of these `n` names are recorded; -1: all; PICL's
 * traceevents. The names are copied; each such call costs memory for good. */
TVIEW_INLINE void tview_regions(int n, const char *const *names)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 5)
		api->regions(n, names);
}

/* ---- what PICL's library has beside ---- */

/* As tview_begin() and tview_end(), with two numbers of the program's that the trace keeps beside
 * them; PICL's traceblockbegin, traceblockend. */
TVIEW_INLINE void tview_begin_at(const char *name, int location, int parameter)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 5)
		api->begin_at(name, location, parameter);
}

TVIEW_INLINE void tview_end_at(const char *name, int location, int parameter)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 5)
		api->end_at(name, location, parameter);
}

/* 1 to 255 values of now: a counter of that name (name[0], name[1], ... of several), which holds
 * them until the next call; PICL's tracedata. */
TVIEW_INLINE void tview_data(const char *name, int n, const double *values)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 5)
		api->data(name, n, values);
}

/* Text for the trace, at most 4000 bytes; PICL's tracemsg. */
TVIEW_INLINE void tview_message(const char *text)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 5)
		api->message(text);
}

/* PICL's traceinfo. */
TVIEW_INLINE void tview_get_info(struct tview_info *info)
{
	static const struct tview_info nothing;
	const struct tview_api *api = tview_api_find();

	*info = nothing;
	if (api->version >= 5)
		api->info(info);
}

/* This thread's buffer is written out now, if it is at least half full, and not in the part of the
 * program that follows; the trace has the time as tview_buffer. PICL's traceflush, and
 * MPI_Pcontrol(2). Records are safe without it: they stay however the process ends. */
TVIEW_INLINE void tview_flush(void)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 5)
		api->flush();
}

/* tvrun makes a trace of the run up to now, while the program goes on: run.1.trc, run.2.trc, ...
 * beside run.trc; with tvrun --last of each rank's last seconds. It has a mark tview_trigger here.
 * At most one in ten seconds, and ten a run (tvrun --trigger-pause, --trigger-most): tvrun counts
 * the other calls, and says so. Costs this process a mark and a counter; it does not wait. Only
 * processes on the machine of tvrun are heard. */
TVIEW_INLINE void tview_trigger(void)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 6)
		api->trigger();
}

/* ---- Cartesian topologies ---- */

enum { TVIEW_DIMS = 8 }; /* at most */

/* The processes of MPI_COMM_WORLD form a grid of `dims` dimensions (1 to TVIEW_DIMS), `size` (above
 * 0) in each; `periodic` is 1 in those that are rings, NULL: in none. One process has to say it,
 * any; if several do, their calls must agree. There may be several grids, distinguished by their
 * names. Before, after and without MPI_Init alike. The arrays and the name are copied. What is
 * wrong with tvrun prints a wrong call when it makes the trace, and ignores it. */
TVIEW_INLINE void tview_topology(const char *name, int dims, const int *size, const int *periodic)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 3)
		api->topology(name, dims, size, periodic);
}

/* Where this process is on the grid of that name: from 0 on in each dimension, x first. Several
 * processes may be at one place, and places may stay empty; a process that does not say it is not
 * on the grid. Once for each grid. */
TVIEW_INLINE void tview_coords(const char *name, int dims, const int *coords)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 3)
		api->coords(name, dims, coords);
}

/* ---- functions, after an inline guard ----
 *
 *	double relax(struct grid *g)
 *	{
 *		TVIEW_FUNCTION(relax);		first in the function; it is left by every return
 *
 *	void step(void)
 *	{
 *		TVIEW_ENTER(step);		or by hand, on every way out
 *		...
 *		TVIEW_LEAVE(step);
 *
 * They record what -finstrument-functions does, for the functions that bear them: compile with
 * -DTVIEW_PROBES and without -finstrument-functions. Without TVIEW_PROBES they are nothing. A probe
 * that is off (no tvrun, or a segment in which tvrun leaves probes out) is a load and a branch, and
 * no call: the function's registers and inlining stay what they were. Each program and library has
 * guards of its own, so that nothing has to be exported or linked. */
#if defined(TVIEW_PROBES) && !defined(TVIEW_NO_PROBES)

/* One in each program or library, whichever of its files include this; NULL and 0 until tvrun's
 * library is found. */
__attribute__((weak, visibility("hidden"))) struct tview_probes tview_probes = { 0, NULL, NULL };
__attribute__((weak, visibility("hidden"))) int tview_probes_joined = 0;

__attribute__((constructor, no_instrument_function, unused)) static void tview_probes_join(void)
{
	const struct tview_api *api = tview_api_find();

	if (api->version >= 2 && !tview_probes_joined) {
		tview_probes_joined = 1;
		api->join(&tview_probes);
	}
}

__attribute__((destructor, no_instrument_function, unused)) static void tview_probes_part(void)
{
	const struct tview_api *api = tview_api_find();

	if (tview_probes_joined) {
		tview_probes_joined = 0;
		api->part(&tview_probes);
	}
}

TVIEW_INLINE void tview_function_left(void *const *function)
{
	if (__builtin_expect(tview_probes.mode != 0, 0))
		tview_probes.leave(*function);
}

#define TVIEW_ADDRESS(function) ((void *)(size_t)(function))
#define TVIEW_ENTER(function)                                  \
	((void)(__builtin_expect(tview_probes.mode != 0, 0) && \
		(tview_probes.enter(TVIEW_ADDRESS(function)), 0)))
#define TVIEW_LEAVE(function)                                  \
	((void)(__builtin_expect(tview_probes.mode != 0, 0) && \
		(tview_probes.leave(TVIEW_ADDRESS(function)), 0)))
#define TVIEW_FUNCTION(function)                                                       \
	void *const tview_this __attribute__((cleanup(tview_function_left), unused)) = \
		TVIEW_ADDRESS(function);                                               \
	TVIEW_ENTER(function)

#else
#define TVIEW_ENTER(function)    ((void)0)
#define TVIEW_LEAVE(function)    ((void)0)
#define TVIEW_FUNCTION(function) ((void)0)
#endif

#ifdef __cplusplus
}
#endif

#endif
