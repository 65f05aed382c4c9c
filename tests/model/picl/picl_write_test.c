/* What is read is written again: byte for byte where the file is sorted and in canonical form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/picl_aid.h"
#include "harness/random.h"
#include "harness/test.h"

static char *file_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = xcalloc(1, 1 << 20);

	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

/* Shows the first line that differs. */
static void comes_back(const char *text)
{
	OWNED char *again = aid_again(text);
	size_t line = 0, i = 0;

	for (; text[i] && text[i] == again[i]; i++)
		if (text[i] == '\n')
			line = i + 1;
	if (text[i] || again[i])
		fail_msg("%.*s\nbecame\n%.*s\nin\n%s", (int)strcspn(text + line, "\n"), text + line,
			 (int)strcspn(again + line, "\n"), again + line,
			 strlen(text) < 900 ? text : "");
}

TEST(canonical_traces_come_back)
{
	static const char *const paths[] = {
		"traces/picl-1992-table20.trc", "traces/mpicl.trc", "traces/ring.trc",
		"traces/collectives.trc",       "traces/farm.trc",  "traces/pi.trc",
		"traces/stencil.trc",           "traces/sweep.trc",
	};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		OWNED char *text = file_text(paths[i]);
		comes_back(text);
	}
}

/* A file that says nothing is written as one that can be read. */
TEST(nothing_comes_back)
{
	OWNED char *again = aid_again("-7 -1 0 -1 -1 17 \"%c\" tview:format=1.1\n");
	OWNED_TRACE *trace = aid_load(again);

	assert_int_equal(trace_location_count(trace), 0);
	assert_int_equal(trace_finding_count(trace), 0);
	comes_back(again);
}

/* What is kept of a damaged file is not taken for one of PICL 1.x, whose records have such types. */
TEST(records_of_types_of_picl_1_come_back)
{
	static const char damaged[] = "-5 0 0 -1 -1 4 \"%f\"n\n"
				      "3 1 00 -1 7 5 -52 1e9 40\n"
				      "3 1 00 -1 7 5 -52 1e9 40\n";
	OWNED char *once = aid_again(damaged), *twice = aid_again(once);

	assert_non_null(strstr(once, "\n3 1 00 -1 7 5 -52 1e9 40\n3 1 00 -1 7 5 -52 1e9 40\n"));
	assert_string_equal(once, twice);
}

TEST(records_come_back)
{
	static const char *const files[] = {
		"-3 7 0 0 0 0\n-4 7 12 0 0 0\n",
		/* negative, equal times; two processes of a processor; the host last */
		"-3 7 -0.5 0 1 0\n-4 7 -0.5 0 1 0\n-3 7 -0.5 0 2 0\n-4 7 0.0 0 2 0\n"
		"-3 7 0.0 32767 0 0\n",
		/* times that are not in the file's digits keep their text */
		"-3 7 0.5 0 0 0\n-4 7 0.75000 0 0 0\n-2 8 1e0 0 0 0\n-2 8 1.000000000000001 0 0 0\n",
		/* fields that are dropped, or unknown, or more than PICL writes */
		"-3 -21 0.1 0 0 1 2 8\n-4 -21 0.2 0 0 0\n-3 -21 0.3 0 0 4 2 8 1 1 0\n"
		"-4 -21 0.4 0 0 0\n-3 -21 0.5 0 0 3 2 -1 1 -1\n-4 -21 0.6 0 0 0\n",
		"-3 -51 0.1 0 0 0\n-4 -51 0.2 0 0 2 2 8 1\n-3 -51 0.3 0 0 1 2 -1\n"
		"-4 -51 0.4 0 0 3 2 8 1 0\n-3 -51 0.5 0 0 3 2 1 2 0\n-4 -51 0.6 0 0 4 2 8 1 2 0\n",
		/* requests: by ordinal, by type, nested overhead in between, tests, cancels */
		"-3 -27 0.1 0 0 3 2 8 5 1\n-4 -27 0.2 0 0 1 2 1\n-3 -30 0.3 0 0 1 2 1\n"
		"-4 -30 0.4 0 0 0\n",
		"-3 -27 0.1 0 0 3 2 8 5 1\n-4 -27 0.2 0 0 1 2 5\n-3 -31 0.3 0 0 1 2 5\n"
		"-4 -31 0.4 0 0 0\n",
		"-3 -57 0.1 0 0 1 2 5\n-3 -912 0.2 0 0 0\n-4 -912 0.3 0 0 1 2 4096\n"
		"-4 -57 0.4 0 0 1 2 1\n-3 -59 0.5 0 0 1 2 1\n-4 -59 0.6 0 0 0\n"
		"-3 -60 0.7 0 0 1 2 1\n-3 -912 0.8 0 0 0\n-4 -912 0.9 0 0 0\n"
		"-4 -60 1.0 0 0 3 2 8 5 1\n",
		"-3 -57 0.1 0 0 1 2 5\n-4 -57 0.2 0 0 1 2 1\n-3 -62 0.3 0 0 1 2 1\n-4 -62 0.4 0 0 0\n",
		/* marks */
		"-2 -21 0.1 0 0 3 2 8 5 1\n-2 -51 0.2 1 0 4 2 5 8 5 0\n-2 -27 0.3 0 0 4 2 8 6 1 1\n"
		"-2 -30 0.4 0 0 1 2 1\n-2 -57 0.5 1 0 2 2 6 1\n-2 -61 0.6 1 0 4 2 1 8 6 0\n"
		"-2 -28 0.7 0 0 1 2 9\n-2 -402 0.8 0 0 0\n-2 -12 0.9 0 0 0\n",
		/* files: text, numbers */
		"-3 -201 0.1 0 0 5 \"%c\" a b c\n-4 -201 0.2 0 0 1 \"%d\" 3\n-3 -221 0.3 0 0 2 2 100 3\n"
		"-4 -221 0.4 0 0 0\n-3 -251 0.5 0 0 0\n-4 -251 0.6 0 0 2 2 100 3\n"
		"-2 -202 0.7 0 0 1 2 3\n",
		/* collectives with and without subset */
		"-202 -812 0.0 -1 -1 3 2 0 0 1\n-3 -785 0.1 0 0 3 2 64 0 0\n-3 -785 0.1 1 0 3 2 -1 0 0\n"
		"-4 -785 0.2 0 0 1 2 64\n-4 -785 0.2 1 0 1 2 64\n-3 -402 0.3 0 0 1 2 0\n"
		"-3 -402 0.3 1 0 1 2 0\n-4 -402 0.4 0 0 0\n-4 -402 0.4 1 0 0\n-3 -782 0.5 0 0 1 2 8\n"
		"-3 -782 0.5 1 0 2 2 8 0\n-4 -782 0.6 0 0 2 2 1 2\n-4 -782 0.6 1 0 1 2 8\n"
		"-3 -402 0.7 0 0 2 2 -1 -1\n-4 -402 0.8 0 0 0\n",
		/* definitions and records to everybody, in their places */
		"-6 -1 -1.0 -1 -1 1 \"%d%s\" 7 \"%d%lf\"\n-5 3 -1.0 -1 -1 5 \"%c\" hello\n"
		"-5 3 -1.0 1 -1 5 0 there\n-203 -1 -1.0 -1 -1 3 2 -2000 3 4\n-3 3 0.1 0 0 0\n"
		"-4 3 0.2 0 0 0\n-3 3 0.3 1 0 1 7 1 2.50\n-7 -1 0.4 -1 -1 2 \"%c\" ho\n"
		"-4 3 0.5 1 0 0\n-7 3 0.6 0 0 4 \"%c\" text\n-7 3 0.7 0 0 4 0 text\n",
		/* unknown types of records and events */
		"42 7 0.1 0 0 2 5 0.1 0.2\n-77 -5000 0.2 0 0 1 \"%x\" ff\n-88 1 0.3 -2 -1 0\n"
		"-3 -5000 0.4 0 0 0\n-4 -5000 0.5 0 0 0\n2147483647 2147483647 0.6 0 0 0\n",
		/* exits that nothing entered, entries that nothing leaves */
		"-4 7 0.1 0 0 0\n-3 8 0.2 0 0 0\n-3 9 0.3 0 0 0\n-4 8 0.4 0 0 0\n-4 -21 0.5 0 0 0\n"
		"-4 10 0.6 0 0 1 2 1\n",
		/* wildcard as lifetime, spans, records behind the end */
		"-3 -1 0.1 0 0 0\n-4 -1 0.2 0 0 0\n-3 -901 0.3 0 0 0\n-4 -901 0.4 0 0 0\n"
		"-3 7 0.5 0 0 0\n-4 7 0.6 0 0 0\n-101 -1 0.6 0 0 1 \"%d%lf\" 7 0.1\n",
	};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		comes_back(files[i]);
}

TEST(odd_forms_become_canonical)
{
	OWNED char *again = aid_again("-4 7 0.20 0 0 0 99\n  -3   7 0.10  0 0   1 2  5  \n"
				      "-101 -1 0.20 0 0 2 \"%d%lf\" 7 0.1 \\\n8 0.2\n");

	assert_string_equal(again, "-3 7 0.10 0 0 1 2 5\n-4 7 0.20 0 0 0\n"
				   "-101 -1 0.20 0 0 2 \"%d%lf\" 7 0.1 8 0.2\n");
}

/* ---- random files ---- */

static void add_data(struct str *out, struct rng *random)
{
	const uint32_t n = rng_below(random, 7);

	switch (rng_below(random, 10)) {
	case 0: str_add(out, "0"); return;
	case 1:
		str_add_fmt(out, "%u \"%%d\"", n + 1);
		for (uint32_t i = 0; i <= n; i++)
			str_add_fmt(out, " %d", (int)rng_below(random, 20) - 2);
		return;
	case 2: str_add(out, "1 \"%d %lf\" 7 0.50"); return;
	case 3: str_add_fmt(out, "%u \"%%c\" %.*s", n + 1, (int)n + 1, "a b\"c%d\\"); return;
	default:
		if (n == 0) {
			str_add(out, "0");
			return;
		}
		str_add_fmt(out, "%u 2", n);
		for (uint32_t i = 0; i < n; i++)
			str_add_fmt(out, " %d", (int)rng_below(random, 12) - 1);
		return;
	}
}

/* A sorted file of records that need not make sense together. */
static void random_file(struct str *out, struct rng *random)
{
	/* One type of each name: an exit closes the innermost region of its name. */
	static const int32_t types[] = { -1,   -11,  -21,  -23,  -27,  -28,  -30,  -32,  -51,
					 -53,  -56,  -57,  -58,  -60,  -201, -221, -251, -401,
					 -402, -503, -601, -782, -804, -901, -904, -911, -913,
					 0,    1,    2,    7,    5000, -333, -9000 };
	const uint32_t records = 1 + rng_below(random, 60);
	uint32_t time = 0;

	str_clear(out);
	if (rng_below(random, 3) == 0)
		str_add(out, "-202 -812 -1.000 -1 -1 4 2 3 0 1 2\n");
	for (uint32_t i = 0; i < records; i++) {
		static const int32_t kinds[] = { -3, -3, -3, -4, -4, -4, -4, -2, -2, 5, -7, -102 };
		const int32_t rectype = kinds[rng_below(random, sizeof kinds / sizeof *kinds)];
		time += 1 + rng_below(random, 1500);
		str_add_fmt(out, "%d %d %u.%03u %d 0 ", rectype,
			    types[rng_below(random, sizeof types / sizeof *types)], time / 1000,
			    time % 1000, (int)rng_below(random, 3));
		add_data(out, random);
		str_add_char(out, '\n');
	}
}

TEST(random_files_come_back)
{
	struct rng random = { 20241121 };
	OWNED_STR text = STR_INIT;

	for (int i = 0; i < 1500; i++) {
		random_file(&text, &random);
		comes_back(text.text);
	}
}
