#include "harness/built.h"

#include <string.h>

#include "harness/invariants.h"
#include "harness/test.h"

struct builder *built_begin(int32_t ranks)
{
	struct builder *b = builder_new("test.trc", &units_nanoseconds, NULL);

	for (int32_t rank = 0; rank < ranks; rank++)
		built_rank(b, rank, 0);
	return b;
}

uint32_t built_rank(struct builder *b, int32_t rank, int32_t thread)
{
	return builder_location(b, &(struct location){
					   .rank = rank, .process = -1, .thread = thread });
}

uint32_t built_site(struct builder *b, const char *name, enum region_class cls, int32_t picl)
{
	return builder_site(b, builder_region(b, name, cls, picl), 0, 0, picl);
}

uint32_t built_string(struct builder *b, const char *text)
{
	return builder_string(b, text, strlen(text));
}

struct trace *built_end(struct builder *b)
{
	struct err err = ERR_INIT;
	struct trace *trace = builder_finish(b, NULL, NULL, &err);

	assert_string_equal(err.text, "");
	assert_non_null(trace);
	assert_sound(trace);
	return trace;
}

void assert_sound(struct trace *trace)
{
	const char *broken = trace_broken(trace);

	if (broken)
		fail_msg("%s", broken);
}

void assert_path(const struct trace *trace, uint32_t path, const char *expected)
{
	OWNED_STR text = STR_INIT;

	trace_callpath_text(trace, path, &text);
	assert_string_equal(text.text, expected);
}

uint64_t found(const struct trace *trace, const char *code)
{
	for (size_t i = 0; i < trace_finding_count(trace); i++)
		if (strcmp(trace_finding(trace, i)->code, code) == 0)
			return trace_finding(trace, i)->count;
	return 0;
}
