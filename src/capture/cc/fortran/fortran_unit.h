/* fortran_unit: the loops of a file of Fortran, the same text with calls around those that can have
 * them, and its table of sites (capture/lib/sites.h).
 *
 * A loop is put into a BLOCK with a counter of its own; an innermost loop without CALL has only
 * counters, which are reported where the outermost loop around it ends that calls nothing. Marks
 * before and after what is added keep the numbers of the lines. What is called is in the C text of
 * fortran_unit_helpers(), which belongs into the same object. Procedures have no calls: they have
 * the compiler's hooks. */
#pragma once

#include "base/str.h"
#include "base/vec.h"
#include "capture/cc/fortran/fortran_lines.h"
#include "capture/cc/options/rules.h"
#include "capture/lib/sites.h"

struct fortran_options {
	const char *file, *directory; /* the source as the compiler was given it, and where */
	const struct rules *rules;
	const char *helper_end; /* what the compiler appends to names: "_" */
	const char *rejected;   /* what the compiler said of an earlier text: FILE:LINE:COLUMN: */
	bool all;               /* innermost loops without calls are timed, too */
};

enum { FORTRAN_NONE = UINT32_MAX };

struct fortran_loop {
	uint32_t begin, end; /* statements: DO, or the directive before it; the last one */
	uint32_t head;       /* the DO */
	uint32_t site, procedure;
	uint32_t up;        /* the loop around; FORTRAN_NONE */
	const char *reason; /* why it gets no calls; NULL: it gets them */
	bool counted;       /* its end is always reached, so that its iterations are known */
	bool team;          /* threads begin in it */
	bool untimed;       /* it only counts visits and iterations; its counters are variables */
	uint32_t holder;    /* of this loop, itself or one around it; FORTRAN_NONE */
	bool has_calls, has_loops, has_directive;
};

struct fortran_unit {
	const struct fortran_lines *lines;
	const struct fortran_options *options;
	VEC(struct fortran_loop) loops; /* by their heads */
	VEC(struct tv_site) sites;
	struct str strings;
};

/* False if it is not clear where a procedure or loop ends: then nothing is known of it. */
bool fortran_unit_init(struct fortran_unit *unit, const struct fortran_lines *lines,
		       const struct fortran_options *options);
void fortran_unit_fini(struct fortran_unit *unit);

/* Appends the procedures that the rules exclude, as gfortran takes them: separated by commas. It
 * excludes every procedure whose name has such a name in it; `kept` gets those that cannot be
 * excluded because another one would be, too. */
void fortran_unit_excluded(struct fortran_unit *unit, struct str *out, struct str *kept);

/* Appends the text with calls; a text in C that defines their procedures, and the table. */
void fortran_unit_text(const struct fortran_unit *unit, struct str *out);
void fortran_unit_helpers(struct fortran_unit *unit, struct str *out);
