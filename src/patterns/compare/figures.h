/* figures: the severities of a whole run as a small text file, to compare later runs with when the
 * trace is gone (a baseline), and back.
 *
 * The file is UTF-8 text, fields between tabs; in names \t, \n and \\ stand for a tab, a line break
 * and a backslash. In this order:
 *
 *	tview-figures 1
 *	base NAME				time base of all times
 *	ticks N					a second
 *	efficiency P B C S T LENGTH		as in struct efficiency; nan: not known
 *	location RANK THREAD TYPE NAME		numbered from 0
 *	region CLASS ROLE PARADIGM NAME FILE LINE	from 0; numbers as in the store
 *	path PARENT REGION FILE LINE		from 1, depth first; 0 is the root
 *	value METRIC PATH LOCATION NUMBER	ticks, counts or bytes
 *	end N					of values
 *
 * What is read is a trace without times, whose call paths and locations the cube's cells name, and
 * that cube. Values are the same to the last bit. */
#pragma once

#include <stdio.h>

#include "patterns/causes/causes.h"
#include "patterns/severity/cube.h"

struct figures {
	struct trace *trace;
	struct cube *cube; /* settled */
	enum time_base base;
	struct efficiency efficiency;
};

/* Of a trace that is in this process alone. Errors of the stream are the caller's to see. */
void figures_write(FILE *out, const struct cube *cube, enum time_base base,
		   const struct efficiency *efficiency);
/* False with err: cannot be read, or the line that is wrong. */
bool figures_read(struct figures *figures, const char *path, struct err *err);
/* Frees what is still there (the trace may have been taken). */
void figures_fini(struct figures *figures);
