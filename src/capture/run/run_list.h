/* run_list: the runs of this user on this machine, for those who look at them while they last.
 *
 * Every tvrun keeps a symbolic link to the folder of its ranks' buffers, named by its process, in a
 * folder that only this user can write to. Without that folder a run is found by its own one. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"
#include "base/vec.h"
#include "capture/lib/record.h"

struct run_entry {
	pid_t tvrun;
	bool has_tvrun;    /* which goes on */
	bool running;      /* it does, or a process that writes there */
	struct str folder; /* absolute */
};

struct run_list {
	VEC(struct run_entry) runs; /* by process */
};

void run_list_add(const char *folder);
/* Of whichever process: the run in that folder is not to be found any more. */
void run_list_remove(const char *folder);

/* Those whose folder is there; the links of others are removed. */
void run_list_read(struct run_list *list);
void run_list_fini(struct run_list *list);

/* Whether the process that wrote the header still lives, as far as this machine can tell: of those
 * on other machines only what they write themselves is known. */
bool rank_lives(const struct tv_file *head);
bool rank_is_here(const struct tv_file *head); /* it runs, or ran, on this machine */
/* Calls `look` with each rank's header in the folder until it is true; whether it was. */
bool run_folder_any(const char *folder, bool (*look)(const struct tv_file *head, void *context),
		    void *context);
/* Such a function: a process that writes there still lives. */
bool rank_is_alive(const struct tv_file *head, void *context);
