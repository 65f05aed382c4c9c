/* trigger: traces of a run that goes on, as one of its ranks called tview_trigger(), or a visit
 * matched tvrun --trigger: run.1.trc, run.2.trc, ... beside run.trc. Each is made by a process of
 * its own, of low priority, while this one goes on watching.
 *
 * So that neither the disk nor the machine fills, there are at most --trigger-most, and from one to
 * the next passes --trigger-pause; what comes earlier is counted, and told at the end.
 *
 *	struct trigger *trigger = trigger_new(&options, &settings, folder, &err);
 *	while (...)
 *		trigger_look(trigger, watch, false);
 *	trigger_free(trigger);		waits for the trace under way */
#pragma once

#include "capture/run/run_folder.h"
#include "capture/run/watch.h"

struct trigger;

/* Borrows all. */
struct trigger *trigger_new(const struct run_options *options, const struct run_settings *settings,
			    const char *folder);
void trigger_free(struct trigger *trigger);
/* Looks whether there is something new; `ended`: the program has ended. NULL does nothing. */
void trigger_look(struct trigger *trigger, struct watch *watch, bool ended);
