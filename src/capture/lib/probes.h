/* probes: programs and libraries with probes of tvcc (sites.h), as the rest of the library sees
 * them. */
#pragma once

#include "capture/lib/recorder.h"

/* All their guards, of procedures and loops, up or down. */
void tv_sites_guards(bool up);

/* Writes TV_DEF_SITES of those that no stream knows yet; `t` has a buffer. */
void tv_sites_note(struct tv_thread *t);

/* In modes other than TV_ON and TV_GAP: whether the probe must record something (hooks.c), and at
 * which time; `now` is unchanged if the clock must still be read. */
bool tv_probe_slow(struct tv_thread *t, uint64_t site, uint64_t *now);

/* A procedure and a loop of a loaded program or library, to measure what its probes cost; NULL:
 * there is none. */
const struct tv_probes *tv_sites_sample(const struct tv_site **procedure,
					const struct tv_site **loop);

/* Whether tvrun's rules leave out the procedure of a site (chosen.h); never where t->mode is
 * TV_ON. */
bool tv_site_out(const struct tv_thread *t, const struct tv_site *site);
/* A procedure or loop that is out is entered: noted once. */
void tv_site_left_out(struct tv_thread *t, const struct tv_site *site);

/* Fills in the functions that probes call. */
void tv_probes_fill(struct tv_probes *probes);

/* The name of the source's PROGRAM in Fortran; NULL: none is known. */
const char *tv_site_main(void);

/* How many programs and libraries there have been. */
uint32_t tv_sites_modules(void);

/* Records what a gap's probe saw (hooks.c, probes.c). */
void tv_record_note(struct tv_thread *t, const struct tv_note *note);
void tv_record_site(struct tv_thread *t, const struct tv_note *note);
