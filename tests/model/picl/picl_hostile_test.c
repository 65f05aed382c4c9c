/* Files that are damaged or meant to do damage: a clear answer, and no memory to speak of. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "harness/built.h"
#include "harness/picl_aid.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/formats/load.h"

static size_t published(char *text, size_t size)
{
	FILE *file = fopen("traces/picl-1992-table20.trc", "rb");
	size_t n;

	assert_non_null(file);
	n = fread(text, 1, size, file);
	fclose(file);
	return n;
}

/* Loads or says why not, in clean text; what loads can be written. */
static void survives(const char *text, size_t n)
{
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = aid_read(text, n, false, &err);

	if (!trace) {
		assert_int_not_equal(err.status, 0);
		assert_true(strncmp(err.text, "test.trc", 8) == 0);
		for (const char *p = err.text; *p; p++)
			assert_true((unsigned char)*p >= ' ');
		return;
	}
	free(aid_write(trace));
}

TEST(truncated_anywhere)
{
	char text[8192];
	const size_t n = published(text, sizeof text);

	for (size_t i = 0; i <= n; i++)
		survives(text, i);
}

TEST(bytes_changed_anywhere)
{
	static const char bytes[] = "\0\n \"%\\-.0129e\xff\x1b";
	struct rng rng = { 4711 };
	char text[8192], changed[8192];
	const size_t n = published(text, sizeof text);

	for (int i = 0; i < 3000; i++) {
		memcpy(changed, text, n);
		for (uint32_t k = 1 + rng_below(&rng, 8); k > 0; k--)
			changed[rng_below(&rng, (uint32_t)n)] =
				bytes[rng_below(&rng, sizeof bytes - 1)];
		survives(changed, n);
	}
}

TEST(binary)
{
	struct rng rng = { 99 };
	char text[4096];

	for (int i = 0; i < 200; i++) {
		for (size_t k = 0; k < sizeof text; k++)
			text[k] = (char)rng_below(&rng, 256);
		survives(text, sizeof text);
		/* ... behind a good start */
		memcpy(text, "-3 7 0.1 0 0 0\n", 15);
		survives(text, sizeof text);
	}
}

TEST(hostile_lines)
{
	static const char *const lines[] = {
		"-3 7 0.2 0 0 1000000000 2 1 2 3\n",
		"-3 7 0.2 0 0 999999 2 1 2 3\n",
		"-3 7 0.2 0 0 1 \"%n%n%n%s\" 1\n",
		"-3 7 0.2 0 0 1 \"%1000000000d\" 1\n",
		"-3 7 0.2 0 0 100000 \"%*d\" 1\n",
		"-3 7 0.2 0 0 3 \"\" 1\n",
		"-3 7 0.2 0 0 3 \"%[\" 1\n",
		"-3 7 0.2 0 0 3 \"%\" 1\n",
		"-3 7 0.2 0 0 3 \"%d\n",
		"-3 7 0.2 0 0 3\n",
		"-3 7 0.2 0 0\n",
		"-3 7 0.2\n-3\n",
		"-6 -1 0 -1 -1 1 \"%d%s\" 2 \"%c\"\n-3 7 0.2 0 0 1 2 1\n",
		"-6 -1 0 -1 -1 1 \"%d%s\"\n-6 -1 0 -1 -1 1 \"%d%s\" -4 \"%d\"\n",
		"-202 -1 0 -1 -1 0\n-202 -1 0 -1 -1 1 \"%c\" x\n-202 -1 0 -1 -1 2 2 99999999999 1\n",
		"-2147483648 -2147483648 0.2 2147483647 2147483647 0\n",
		"-3 99999999999 0.2 0 0 0\n-3 7 0.2 99999999999 0 0\n",
		"-3 7 1e999999999 0 0 0\n-4 7 -1e-999999999 0 0 0\n",
		"-3 7 1e99999999999999999999 0 0 0\n-3 7 . 0 0 0\n-3 7 - 0 0 0\n-3 7 1e 0 0 0\n",
		"-4 -27 0.2 0 0 1 2 -9223372036854775807\n",
		"-4 -60 0.2 0 0 3 2 9223372036854775807 9223372036854775807 9223372036854775807\n",
		"-5 7 0.0 -1 -1 12 \"%c\" \x1b[31mred\x1b[0m\n-3 7 0.2 0 0 0\n",
		"-7 -1 0 -1 -1 16 \"%c\" tview:format=1.0\n-7 -1 0 -1 -1 27 \"%c\" "
		"tview:site=16777217 1 file\n-7 -1 0 -1 -1 20 \"%c\" tview:coords=0 1 2 3\n"
		"-7 -1 0 -1 -1 33 \"%c\" tview:topology=-2 99 1 1 1 1 name\n"
		"-7 -1 0 -1 -1 30 \"%c\" tview:offset=0 0 nan 0.1 0.25\n"
		"-7 -1 0 -1 -1 24 \"%c\" tview:region=1 nothing 1\n-7 -1 0 -1 -1 12 \"%c\" tview:world=\n"
		"-3 7 0.2 0 0 1 2 99\n",
		"\\\n\\\n\\",
		"\"\"\"\"\"\"\n%c%c%c\n",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		OWNED_STR text = STR_INIT;
		str_add(&text, "-3 5 0.1 0 0 0\n");
		str_add(&text, lines[i]);
		survives(text.text, text.n);
		survives(lines[i], strlen(lines[i]));
	}
}

TEST(a_time_of_400_digits_is_saturated)
{
	OWNED_STR text = STR_INIT;
	OWNED_TRACE *trace;

	str_add(&text, "-3 7 0.100000 0 0 0\n-4 7 ");
	for (int i = 0; i < 400; i++)
		str_add_char(&text, '9');
	str_add(&text, ".5 0 0 0\n-2 7 0.");
	for (int i = 0; i < 400; i++)
		str_add_char(&text, '3');
	str_add(&text, " 1 0 0\n");
	trace = aid_load(text.text);
	assert_int_equal(found(trace, "time-range"), 1);
	assert_int_equal(found(trace, "time-too-fine"), 1);
	assert_int_equal(trace_event_count(trace), 3);
	free(aid_write(trace));
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* 100 MB without a line feed between two good records. */
TEST(a_line_of_100_mb)
{
	static const char first[] = "-3 7 0.10 0 0 0\n", last[] = "\n-4 7 0.20 0 0 0\n";
	const size_t portion = 1 << 20;
	OWNED char *digits = xmalloc(portion);
	FILE *file = tmpfile();
	struct err err = ERR_INIT;
	OWNED_TRACE *trace;
	long before;

	assert_non_null(file);
	memset(digits, '7', portion);
	fputs(first, file);
	for (int i = 0; i < 100; i++)
		assert_int_equal(fwrite(digits, 1, portion, file), portion);
	fputs(last, file);
	fflush(file);
	before = peak_kib();
	trace = picl_read("test.trc", fileno(file), NULL, NULL, &err);
	fclose(file);
	assert_non_null(trace);
	assert_int_equal(trace_event_count(trace), 2);
	assert_int_equal(found(trace, "line-too-long"), 1);
#ifndef __SANITIZE_ADDRESS__
	assert_true(peak_kib() - before < 64 << 10);
#else
	(void)before;
#endif
}

/* Every file of traces/bad loads or is refused with a sentence. */
TEST(the_corpus)
{
	DIR *folder = opendir("traces/bad");
	struct dirent *entry;
	unsigned files = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		struct err err = ERR_INIT;
		OWNED_TRACE *trace = NULL;
		char path[512];
		if (!strstr(entry->d_name, ".trc"))
			continue;
		files++;
		snprintf(path, sizeof path, "traces/bad/%s", entry->d_name);
		trace = trace_load(path, NULL, NULL, &err);
		if (trace)
			assert_true(trace_finding_sum(trace, FINDING_DAMAGE) +
					    trace_finding_sum(trace, FINDING_ODDITY) >
				    0);
		else
			assert_non_null(strstr(err.text, path));
	}
	closedir(folder);
	assert_true(files >= 10);
}
