/* run_folder: the folder in which the ranks of a run write their buffers. A file beside them
 * describes the run, so that another tvrun can merge them later.
 *
 *	run_folder_make(&folder, &options, &err);
 *	run_settings_write(folder.text, &settings);     // before the program starts
 *	...
 *	run_folder_remove(folder.text);                 // when all is in a trace */
#pragma once

#include "capture/run/launcher.h"
#include "capture/run/runopts.h"

/* What a merge must know of a run. Owns its texts. */
struct run_settings {
	struct str output; /* absolute */
	struct str command, options, directory, date;
	enum clock_domain domain;
	bool anonymous, insitu;
	uint64_t limit;
	uint64_t compact_from;      /* events; UINT64_MAX never, 0: the trace's name was chosen */
	struct reading first, last; /* as in merge_options */
};

/* Beside the trace, where the ranks of other machines may see it too; else in memory. */
bool run_folder_make(struct str *folder, const struct run_options *options,
		     const struct launcher *launcher, struct err *err);
/* Waits until all processes that write there have ended, but not longer than `seconds`. */
void run_folder_settle(const char *folder, int seconds);
/* Whether there are files of an MPI job's ranks but not of its rank 0, so that not all ranks can
 * be merged here. */
bool run_folder_is_apart(const char *folder);
/* Removes what tvrun and the ranks wrote, and the folder where it is then empty. */
void run_folder_remove(const char *folder);

/* Appends the present time as "2024-05-01T12:00:00Z"; nothing if there is no calendar for it. */
void run_add_date(struct str *out);
/* The settings of the run that argv asks for. */
void run_settings_of(struct run_settings *settings, const struct run_options *options, char **argv);
void run_settings_fini(struct run_settings *settings);
/* Failures do not matter as long as this tvrun lives. */
void run_settings_write(const char *folder, const struct run_settings *settings);
/* False: there are none, and `settings` are those of no options. */
bool run_settings_read(const char *folder, struct run_settings *settings);
/* How its first job is to be merged; borrows the settings. */
struct merge_options run_settings_merging(const struct run_settings *settings, const char *folder);
