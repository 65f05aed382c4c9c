#include "harness/picl_aid.h"

#include <stdio.h>
#include <string.h>

#include "harness/built.h"
#include "harness/test.h"
#include "model/formats/statements_found.h"

struct trace *aid_read(const char *text, size_t n, bool strict, struct err *err)
{
	const struct picl_options options = { .strict = strict };
	struct trace *trace;
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, n, file), n);
	assert_int_equal(fflush(file), 0);
	trace = picl_read("test.trc", fileno(file), &options, NULL, err);
	if (trace)
		statements_find(trace);
	fclose(file);
	return trace;
}

struct trace *aid_load(const char *text)
{
	struct err err = ERR_INIT;
	struct trace *trace = aid_read(text, strlen(text), false, &err);

	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

char *aid_write(struct trace *trace)
{
	struct err err = ERR_INIT;
	char *text = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&text, &n);

	assert_non_null(file);
	assert_true(picl_write(trace, file, NULL, NULL, &err));
	fclose(file);
	return text;
}

char *aid_again(const char *text)
{
	OWNED_TRACE *trace = aid_load(text);

	return aid_write(trace);
}

char *aid_events(const struct trace *trace)
{
	struct str out = STR_INIT;
	struct cursor c;

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			const char *extra = trace_event_extra(trace, c.id);
			units_seconds(&out, cursor_time(&c), trace_scale(trace),
				      trace_scale(trace)->digits);
			str_add_fmt(&out, " %s ", event_kind_name(what_kind(cursor_what(&c))));
			trace_callpath_text(trace, trace_event_path(trace, c.id), &out);
			if (extra)
				str_add_fmt(&out, " [%s]", extra);
			str_add_char(&out, '\n');
		}
	}
	return str_take(&out);
}
