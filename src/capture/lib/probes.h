/* probes: programs and libraries with probes of tvcc (sites.h), as the rest of the library sees
 * them. */
#pragma once

#include "capture/lib/recorder.h"

/* All their guards, of procedures and loops, up or down. */
void tv_sites_guards(bool up);

/* Writes TV_DEF_SITES of those that no stream knows yet; `t` has a buffer. */
void tv_sites_note(struct tv_thread *t);

/* In modes other than TV_ON: whether the probe is to record something (hooks.c). */
bool tv_probe_slow(struct tv_thread *t);
