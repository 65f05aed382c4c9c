#include "correct/correct_step.h"

#include <stdarg.h>
#include <stdio.h>

#include "model/trace/base_write.h"

void correct_note(struct corrections *corrections, const char *fmt, ...)
{
	va_list args;

	for (int i = 0; i < CORRECT_NOTES; i++) {
		if (corrections->notes[i][0])
			continue;
		va_start(args, fmt);
		vsnprintf(corrections->notes[i], CORRECT_NOTE, fmt, args);
		va_end(args);
		return;
	}
}

bool correct_check(struct correct_step *r, enum time_base base)
{
	check_fini(&r->out->check[base]);
	r->out->checked[base] =
		check_make(&r->out->check[base], r->logical, base, &r->out->lmin, r->progress);
	return r->out->checked[base];
}

void correct_drop(struct correct_step *r, enum time_base base)
{
	base_drop(r->trace, base);
	check_fini(&r->out->check[base]);
	r->out->checked[base] = false;
}
