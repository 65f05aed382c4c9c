/* Findings about a file. All other files of the reader report theirs through this one. */
#include "model/picl/read/picl_reader.h"

void picl_note(void *context, enum finding_kind kind, const char *code, uint64_t line,
	       const char *text)
{
	struct picl_reader *r = context;

	if (r->surveying || r->again)
		return;
	if (r->builder && r->options->exchange && !picl_divided_is_dealt(r))
		vec_push(&r->noted, ((struct picl_noted){ kind, line, code, text }));
	else if (r->builder)
		builder_finding(r->feed, kind, code, line, text);
	if (!r->options->strict || kind == FINDING_INFO || kind == FINDING_GUESS)
		return;
	r->stop = true;
	err_set(r->err, STATUS_NO, "%s:%llu: %s (strict reading: try without --strict)", r->path,
		(unsigned long long)line, text);
}
