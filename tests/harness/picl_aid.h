/* picl_aid: PICL files as strings, for tests. */
#pragma once

#include "model/picl/picl.h"
#include "model/trace/message.h"

/* Reads text as a file named "test.trc"; NULL with err. */
struct trace *aid_read(const char *text, size_t n, bool strict, struct err *err);
/* Reads; fails the test where it cannot. */
struct trace *aid_load(const char *text);
/* Writes; the caller frees. */
char *aid_write(struct trace *trace);
/* Reads and writes; the caller frees. */
char *aid_again(const char *text);
/* The events of all locations, one a line: "time kind path [extra]". The caller frees. */
char *aid_events(const struct trace *trace);
