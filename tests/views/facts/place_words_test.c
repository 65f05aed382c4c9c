/* Regions as sentences name them: functions have brackets, those of C++ no arguments. */
#include "views/facts/place_words.h"

#include <string.h>

#include "harness/files.h"
#include "harness/test.h"
#include "model/formats/load.h"

static const char *const names[][2] = {
	{ "main", "main()" },
	{ "gemm(float*, int)", "gemm()" },
	{ "a::f<int (*)(char)>(x, y)", "a::f<int (*)(char)>()" },
	{ "functor::operator()(int)", "functor::operator()()" },
	{ "train.py(12): main", "train.py(12): main" },
	{ "step (fast)", "step (fast)" },
	{ "MPI_Send", "MPI_Send" },
};

TEST(regions)
{
	char folder[FOLDER_NAME];
	OWNED_STR text = STR_INIT, path = STR_INIT;
	struct load_options options = { .jobs = 1, .no_cache = true };
	struct err err = ERR_INIT;
	struct trace *trace;
	unsigned found = 0;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		str_add_fmt(
			&text,
			"%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":0,\"tid\":0,"
			"\"ts\":%zu,\"dur\":1}",
			i ? "," : "[", names[i][0], 10 * i);
	str_add_char(&text, ']');
	folder_make(folder, "words");
	str_add_fmt(&path, "%s/t.json", folder);
	file_write(path.text, text.text, text.n);
	trace = trace_load(path.text, &options, NULL, &err);
	folder_remove(folder);
	if (!trace)
		fail_msg("%s", err.text);
	for (uint32_t region = 0; region < trace_region_count(trace); region++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			OWNED_STR words = STR_INIT;
			if (strcmp(trace_region_name(trace, region), names[i][0]) != 0)
				continue;
			words_region(trace, region, &words);
			assert_string_equal(words.text, names[i][1]);
			found++;
		}
	assert_int_equal(found, sizeof names / sizeof *names);
	trace_free(trace);
}
