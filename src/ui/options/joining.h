/* joining: which traces of a command line are files of one run.
 *
 * They can be so if all are JSON, one file a process as profilers of training jobs write them.
 * --join yes says that they are, --join no that they are not. Else three and more are one run, and
 * two are if each names another rank: in distributedInfo before its events, or as "rank3" in names
 * that are alike otherwise. Two others are an older run and a newer one. */
#pragma once

#include "ui/options/option.h"

/* Makes one argument of the files, and reading.files. The heads of files are read. False with err:
 * --join yes of stdin. */
bool joining_take(struct options *options, enum verb verb, struct err *err);

/* As they were given: the files of a run; else the arguments but for the first `skip`. */
char *const *joining_traces(const struct options *options, int skip, int *n);
