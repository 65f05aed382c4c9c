/* controls: what a program says of its own recording beside regions (tview.h): which kinds of
 * events are kept, data and text, Cartesian topologies, and when the buffer is written out.
 *
 * What is switched is the process's; where a thread switched it, its stream says so
 * (TV_DEF_LEVELS). */
#pragma once

#include "capture/lib/recorder.h"
#define TVIEW_NO_PROBES
#include <tview.h>

/* MPI_Pcontrol(level): what tview.h says of each; others change nothing. */
void tv_control(int level);

/* The thread and the number of a name, by which records refer to it (hooks.c); NULL: nothing to
 * record. Ends a gap, as records with a time of their own follow. */
struct tv_thread *tv_named(const char *name, uint32_t *id);

/* tv_region_kept() where regions are switched off, or chosen. */
bool tv_region_kept_slow(const char *name);

/* Whether regions and marks of that name are recorded. */
static inline bool tv_region_kept(const char *name)
{
	return TV_LIKELY(!(tv.off & 1u << TVIEW_REGIONS) && !tv.regions) ||
	       tv_region_kept_slow(name);
}

/* Right after the record of a region's begin or end. */
void tv_write_block(struct tv_thread *t, int location, int parameter);

/* The calls of struct tview_api. */
void tv_api_level(int kind, int level);
void tv_api_regions(int n, const char *const *names);
void tv_api_data(const char *name, int n, const double *values);
void tv_api_message(const char *text);
void tv_api_info(struct tview_info *info);
void tv_api_flush(void);
void tv_api_trigger(void);
void tv_api_topology(const char *name, int dims, const int *size, const int *periodic);
void tv_api_coords(const char *name, int dims, const int *coords);
