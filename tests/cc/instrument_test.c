#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cc/invented.h"
#include "cc/workshop.h"
#include "harness/test.h"
#include "model/formats/site_tables.h"

/* ---- the prologue's types are those of sites.h ---- */

enum {
	OF_TYPES,
	OF_VARIABLES,
	OF_FRAME_X86_64,
	OF_FRAME_AARCH64,
	OF_FRAME_ANY,
	OF_FUNCTIONS,
	OF_CXX
};
#define TYPES_OF_TYPES(...) __VA_ARGS__
#define TYPES_OF_VARIABLES(...)
#define TYPES_OF_FRAME_X86_64(...)
#define TYPES_OF_FRAME_AARCH64(...)
#define TYPES_OF_FRAME_ANY(...)
#define TYPES_OF_FUNCTIONS(...)
#define TYPES_OF_CXX(...)
#define TVI_NOTHROW
#define PROLOGUE(name, ...) TYPES_OF_##name(__VA_ARGS__)
#include "capture/cc/instrument/prologue.inc"
#undef PROLOGUE

#define SAME(ours, theirs, field)                                                        \
	_Static_assert(offsetof(struct ours, field) == offsetof(struct theirs, field) && \
			       sizeof(((struct ours *)0)->field) ==                      \
				       sizeof(((struct theirs *)0)->field),              \
		       #field)
_Static_assert(sizeof(struct tvi_probes) == sizeof(struct tv_probes), "the prologue's probes");
_Static_assert(sizeof(struct tvi_site) == sizeof(struct tv_site), "the prologue's site");
SAME(tvi_probes, tv_probes, mode);
SAME(tvi_probes, tv_probes, enter);
SAME(tvi_probes, tv_probes, leave);
SAME(tvi_probes, tv_probes, enter_loop);
SAME(tvi_probes, tv_probes, leave_loop);
SAME(tvi_probes, tv_probes, iterate);
SAME(tvi_probes, tv_probes, statement);
SAME(tvi_probes, tv_probes, start);
SAME(tvi_probes, tv_probes, stop);
SAME(tvi_probes, tv_probes, reserved);
SAME(tvi_site, tv_site, kind);
SAME(tvi_site, tv_site, flags);
SAME(tvi_site, tv_site, column);
SAME(tvi_site, tv_site, line);
SAME(tvi_site, tv_site, end_line);
SAME(tvi_site, tv_site, parent);
SAME(tvi_site, tv_site, name);
SAME(tvi_site, tv_site, file);
SAME(tvi_site, tv_site, callee);
SAME(tvi_site, tv_site, reason);

/* ---- programs ---- */

#define OWNED_RESULT ENDED_BY(instrument_free) struct instrument_result

struct way {
	const char *compiler, *preprocessed, *options;
};

GROUP_FIXTURE(workshop_setup, workshop_teardown)

static const char *const c_flags[] = { "-std=gnu11", NULL };
static const char *const cxx_flags[] = { "-std=gnu++17", NULL };

static struct instrument_options options_of(bool cxx, const char *const *flags)
{
	return (struct instrument_options){ .language = cxx ? INSTRUMENT_CXX : INSTRUMENT_C,
					    .flags = flags,
					    .loops = true };
}

/* Compiles NAME.i and NAME.t.i, runs both: the same output and status; the account is read. */
static void compare(const struct workshop *w, const char *name, const struct way *way,
		    struct account *account)
{
	const char *folder = w->folder;

	workshop_must("%s -x %s %s %s/%s.i -o %s/plain -lm", way->compiler, way->preprocessed,
		      way->options, folder, name, folder);
	workshop_must(
		"%s -x %s %s -c %s/%s.t.i -o %s/probed.o && %s -rdynamic %s %s/probed.o %s/double.o -o %s/probed -lm",
		way->compiler, way->preprocessed, way->options, folder, name, folder, way->compiler,
		strstr(way->options, "-fopenmp") ? "-fopenmp" : "", folder, folder, folder);
	workshop_must("timeout 60 %s/plain >%s/plain.out; echo status $? >>%s/plain.out", folder,
		      folder, folder);
	workshop_must(
		"DOUBLE_OUT=%s/counts timeout 60 %s/probed >%s/probed.out; echo status $? >>%s/probed.out",
		folder, folder, folder, folder);
	workshop_must("cmp %s/plain.out %s/probed.out", folder, folder);
	workshop_account(w, NULL, account);
	assert_int_equal(account->bad, 0);
}

#if !defined(__SANITIZE_ADDRESS__) /* what the compilers and the programs do is the same again */

/* All of a folder's programs as one unit: what is in it is the function of the file's name. */
static void write_all(const struct workshop *w, const char *folder, const char *kind,
		      const char *unit)
{
	workshop_must(
		"{ echo '#include <stdio.h>'; for f in %s/*.%s; do echo \"#include \\\"$f\\\"\"; done; "
		"echo 'int main(void) {'; for f in %s/*.%s; do n=$(basename $f .%s); "
		"echo \"puts(\\\"== $n\\\"); $n();\"; done; echo 'return 7; }'; } >%s",
		folder, kind, folder, kind, kind, workshop_path(w, unit));
}

TEST_WITH(programs_in_c, const struct workshop *w)
{
	static const struct way ways[] = {
		{ "gcc", "cpp-output -fpreprocessed", "-w -Wno-psabi -std=gnu11 -O0" },
		{ "gcc", "cpp-output -fpreprocessed", "-w -Wno-psabi -std=gnu11 -O2" },
		{ "clang-14", "cpp-output", "-w -std=gnu11 -O2" },
	};
	const struct instrument_options options = options_of(false, c_flags);
	struct account account;

	write_all(w, "tests/cc/programs", "c", "all.c");
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		OWNED_RESULT result = { 0 };
		if (i != 1) {
			workshop_must("%s -std=gnu11 -w -I. -E %s >%s", ways[i].compiler,
				      workshop_path(w, "all.c"), workshop_path(w, "all.i"));
			workshop_instrument(w, "all", &options, &result);
			assert_true(result.kinds[TV_SITE_PROCEDURE] >= 180 &&
				    result.kinds[TV_SITE_LOOP] >= 100);
			assert_true(result.kinds[TV_SITE_CALL] >= 340 &&
				    result.excluded_count <= 20);
		}
		compare(w, "all", &ways[i], &account);
		assert_int_equal(account.open, 0);
		assert_int_equal(account.lost,
				 51); /* jumps_long.c: what its longjmps leave, counted by hand */
	}
}

TEST_WITH(programs_in_cxx, const struct workshop *w)
{
	static const struct way ways[] = {
		{ "g++", "c++-cpp-output -fpreprocessed",
		  "-Wall -Wextra -Werror -std=gnu++17 -O2" },
		{ "g++", "c++-cpp-output -fpreprocessed", "-w -std=gnu++14 -O0" },
	};
	const struct instrument_options options = options_of(true, cxx_flags);
	struct account account;

	write_all(w, "tests/cc/cxx", "cc", "all.cc");
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		OWNED_RESULT result;
		workshop_must("g++ %s -I. -E %s >%s", ways[i].options, workshop_path(w, "all.cc"),
			      workshop_path(w, "cxx.i"));
		workshop_instrument(w, "cxx", &options, &result);
		compare(w, "cxx", &ways[i], &account);
		assert_int_equal(account.open + account.lost, 0);
	}
}

/* Silent where users want everything said, in every standard. */
TEST_WITH(strict_standards, const struct workshop *w)
{
	static const struct {
		const char *compiler, *standard, *preprocessed;
		bool cxx;
	} rows[] = {
		{ "gcc", "c90", "cpp-output -fpreprocessed", false },
		{ "gcc", "c2x", "cpp-output -fpreprocessed", false },
		{ "clang-14", "c90", "cpp-output", false },
		{ "clang-14", "c11", "cpp-output", false },
		{ "g++", "c++98", "c++-cpp-output -fpreprocessed", true },
		{ "clang++-14", "c++11", "c++-cpp-output", true },
	};

	/* twice(), make(), and six calls of them elsewhere; the loops of total() and nothing(), and
	 * the last four of main(). */
	enum { SPARED = 2 + 6 + 6 };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char standard[32];
		snprintf(standard, sizeof standard, "-std=%s", rows[i].standard);
		const char *const flags[] = { standard, NULL };
		struct instrument_options options = options_of(rows[i].cxx, flags);
		const char *more =
			rows[i].cxx ? "" : "-Wdeclaration-after-statement -Wstrict-prototypes";
		OWNED_RESULT result;
		struct account account;
		char with[300];
		snprintf(
			with, sizeof with,
			"%s -O2 -pedantic -Wall -Wextra -Wshadow -Wconversion -Wcast-qual -Werror %s",
			standard, more);
		workshop_must("%s %s -x %s -E tests/cc/units/strict.c >%s", rows[i].compiler,
			      standard, rows[i].cxx ? "c++" : "c", workshop_path(w, "strict.i"));
		options.sparing = i % 2 == 0;
		workshop_instrument(w, "strict", &options, &result);
		/* In C++ what returns an object can be told nothing behind it. */
		assert_true(rows[i].cxx || result.excluded_count == (options.sparing ? SPARED : 0));
		compare(w, "strict", &(struct way){ rows[i].compiler, rows[i].preprocessed, with },
			&account);
	}
}

TEST_WITH(threads_of_openmp, const struct workshop *w)
{
	const struct instrument_options options = options_of(false, c_flags);
	OWNED_RESULT result;
	struct account account;

	workshop_must("gcc -std=gnu11 -fopenmp -E tests/cc/units/openmp.c >%s",
		      workshop_path(w, "openmp.i"));
	workshop_instrument(w, "openmp", &options, &result);
	compare(w, "openmp",
		&(struct way){ "gcc", "cpp-output -fpreprocessed", "-Wall -Wextra -fopenmp -O2" },
		&account);
	assert_int_equal(account.open + account.lost, 0);
}

/* Loops that pragmas apply to: the program's own numbers, or that they are not known. */
static void compare_annotated(const struct workshop *w, const struct account *account)
{
	OWNED_STR out = STR_INIT;
	struct err err = ERR_INIT;
	struct site_tables *tables = site_tables_read(workshop_path(w, "probed.o"), &err);
	unsigned counted = 0, unknown = 0, never = 0, loops = 0;

	file_read(workshop_path(w, "plain.out"), &out);
	if (!tables)
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < site_tables_count(tables); i++) {
		const struct static_site *site = site_tables_site(tables, i);
		char line[64];
		const char *found;
		if (site->kind != TV_SITE_LOOP || (site->flags & TV_SITE_ALONE))
			continue;
		loops++;
		snprintf(line, sizeof line, "\nL %u ", site->line);
		found = strstr(out.text, line);
		if (site->flags & TV_SITE_UNCOUNTED) {
			snprintf(line, sizeof line, "U %u\n", site->line);
			if (found || !strstr(out.text, line))
				fail_msg("line %u: its iterations are not counted", site->line);
			assert_int_equal(account->by_line[1][site->line], 0);
			unknown++;
		} else if (found) {
			if (account->by_line[1][site->line] !=
			    strtoul(found + strlen(line), NULL, 10))
				fail_msg("line %u: %lu%s", site->line,
					 account->by_line[1][site->line], found);
			counted++;
		} else {
			never += account->by_line[1][site->line] == 0;
		}
	}
	site_tables_free(tables);
	assert_int_equal(counted, 27);
	assert_int_equal(unknown, 6);
	assert_int_equal(never, 1);
	assert_int_equal(loops, 27 + 6 + 1 + 2); /* two of main() */
}

TEST_WITH(loops_with_pragmas, const struct workshop *w)
{
	static const struct {
		const char *preprocess;
		struct way way;
		bool cxx;
	} rows[] = {
		{ "gcc -std=gnu11",
		  { "gcc", "cpp-output -fpreprocessed",
		    "-Wall -Wextra -Wno-sign-compare -fopenmp -O3" },
		  false },
		{ "gcc -std=gnu11", { "gcc", "cpp-output -fpreprocessed", "-w -O0" }, false },
		{ "clang-14 -std=gnu11", { "clang-14", "cpp-output", "-w -fopenmp -O2" }, false },
		{ "g++ -x c++",
		  { "g++", "c++-cpp-output -fpreprocessed", "-w -fopenmp -O2" },
		  true },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct instrument_options options =
			options_of(rows[i].cxx, rows[i].cxx ? cxx_flags : c_flags);
		OWNED_RESULT result;
		struct account account;
		options.sparing = i % 2 == 1;
		workshop_must("%s -fopenmp -E tests/cc/units/annotated.c >%s", rows[i].preprocess,
			      workshop_path(w, "annotated.i"));
		workshop_instrument(w, "annotated", &options, &result);
		compare(w, "annotated", &rows[i].way, &account);
		assert_int_equal(account.open + account.lost, 0);
		compare_annotated(w, &account);
	}
}

/* ---- what was counted is what happened ---- */

static bool is_excluded(const struct instrument_result *result, unsigned kind, unsigned line)
{
	for (size_t i = 0; i < result->excluded_count; i++)
		if (result->excluded[i].kind == kind && result->excluded[i].line == line &&
		    !result->excluded[i].counted)
			return true;
	return false;
}

static unsigned compare_counts(const struct workshop *w, const struct instrument_result *result,
			       const struct account *account)
{
	static const enum tv_site_kind kinds[3] = { TV_SITE_PROCEDURE, TV_SITE_LOOP, TV_SITE_CALL };
	static unsigned long own[3][WORKSHOP_LINES];
	FILE *in = fopen(workshop_path(w, "plain.out"), "r");
	char line[256];
	unsigned compared = 0;

	assert_non_null(in);
	memset(own, 0, sizeof own);
	while (fgets(line, sizeof line, in)) {
		char kind;
		unsigned at;
		unsigned long count;
		if (sscanf(line, "%c %u %lu", &kind, &at, &count) == 3 && at < WORKSHOP_LINES)
			own[kind == 'P' ? 0 : kind == 'L' ? 1 : 2][at] = count;
	}
	fclose(in);
	for (unsigned kind = 0; kind < 3; kind++)
		for (unsigned at = 0; at < WORKSHOP_LINES; at++) {
			if (is_excluded(result, kinds[kind], at))
				continue;
			if (own[kind][at] != account->by_line[kind][at])
				fail_msg("line %u: %lu and not %lu of kind %u", at,
					 account->by_line[kind][at], own[kind][at], kind);
			compared += own[kind][at] > 0;
		}
	return compared;
}

TEST_WITH(invented_programs, const struct workshop *w)
{
	static const struct way ways[] = {
		{ "gcc", "cpp-output -fpreprocessed", "-w -O2" },
		{ "gcc", "cpp-output -fpreprocessed", "-w -O0" },
		{ "clang-14", "cpp-output", "-w -O1" },
	};
	unsigned compared = 0;

	for (unsigned seed = 1; seed <= 3; seed++) {
		struct instrument_options options = options_of(false, c_flags);
		OWNED_RESULT result;
		struct account account;
		OWNED_STR text = STR_INIT;
		options.iterations = seed % 2 == 0;
		options.sparing = seed == 3;
		invented_program(&text, seed, 60);
		file_write(workshop_path(w, "invented.c"), text.text, text.n);
		workshop_must("cd %s && %s -E invented.c >invented.i", w->folder,
			      ways[seed % 3].compiler);
		workshop_instrument(w, "invented", &options, &result);
		compare(w, "invented", &ways[seed % 3], &account);
		assert_int_equal(account.open + account.lost, 0);
		compared += compare_counts(w, &result, &account);
		for (unsigned at = 0; at < WORKSHOP_LINES; at++)
			assert_int_equal(account.by_line[4][at],
					 options.iterations ? account.by_line[1][at] : 0);
	}
	assert_true(compared > 500);
}

TEST_WITH(large_headers, const struct workshop *w)
{
	const struct instrument_options options = options_of(false, c_flags);
	OWNED_RESULT result;
	struct account account;

	workshop_must("gcc -std=gnu11 -O2 -mavx2 -D_FORTIFY_SOURCE=2 -E tests/cc/units/headers.c "
		      "$(pkg-config --cflags-only-I mpich) >%s",
		      workshop_path(w, "headers.i"));
	workshop_instrument(w, "headers", &options, &result);
	if (result.excluded_count)
		fail_msg("%s:%u %s: %s", result.excluded[0].file, result.excluded[0].line,
			 result.excluded[0].name, result.excluded[0].reason);
	assert_int_equal(result.kinds[TV_SITE_COMMUNICATION], 1);
	workshop_must("sed -i 's/$/ /' %s", workshop_path(w, "headers.i"));
	compare(w, "headers",
		&(struct way){ "gcc", "cpp-output -fpreprocessed", "-w -std=gnu11 -O2 -mavx2" },
		&account);
}

#endif

/* ---- the table ---- */

static const char table_text[] = "# 1 \"table.c\"\n"
				 "int MPI_Send(int to);\n"
				 "static int leaf(int x)\n"
				 "{ return x; }\n"
				 "int (*pointer)(int);\n"
				 "int top(int n)\n"
				 "{\n"
				 "	for (int i = 0; i < n; i++) {\n"
				 "		while (leaf(i))\n"
				 "			MPI_Send(leaf(n));\n"
				 "		pointer(i);\n"
				 "	}\n"
				 "	goto in;\n"
				 "	do { n--; leaf(n);\n"
				 "in:	; } while (n > 0);\n"
				 "	return top(n);\n"
				 "}\n";

TEST_WITH(static_table, const struct workshop *w)
{
	/* Kind, line, end, parent, callee, flags, name: by hand from the text above. */
	static const struct {
		unsigned kind, line, end, parent, callee, flags;
		const char *name;
	} want[] = {
		{ TV_SITE_PROCEDURE, 2, 3, TV_NO_SITE, TV_NO_SITE, TV_SITE_LOCAL, "leaf" },
		{ TV_SITE_PROCEDURE, 5, 16, TV_NO_SITE, TV_NO_SITE, 0, "top" },
		{ TV_SITE_LOOP, 7, 11, 1, TV_NO_SITE, 0, "for" },
		{ TV_SITE_LOOP, 8, 9, 2, TV_NO_SITE, 0, "while" },
		{ TV_SITE_CALL, 8, 8, 3, 0, 0, "leaf" },
		{ TV_SITE_COMMUNICATION, 9, 9, 3, TV_NO_SITE, 0, "MPI_Send" },
		{ TV_SITE_CALL, 9, 9, 3, 0, 0, "leaf" },
		{ TV_SITE_CALL, 10, 10, 2, TV_NO_SITE, TV_SITE_POINTER, "" },
		{ TV_SITE_LOOP, 13, 14, 1, TV_NO_SITE, TV_SITE_ALONE, "do" },
		{ TV_SITE_CALL, 13, 13, 1, 0, 0, "leaf" },
		{ TV_SITE_CALL, 15, 15, 1, 1, 0, "top" },
	};
	struct instrument_options options = options_of(false, NULL);
	OWNED_RESULT result;
	struct err err = ERR_INIT;

	options.source = "table.c";
	options.directory = "/a\"b?\?/\\c";
	assert_true(instrument(table_text, sizeof table_text - 1, &options, &result, &err));
	workshop_check(table_text, sizeof table_text - 1, &result);
	assert_int_equal(result.sites, sizeof want / sizeof *want);
	assert_int_equal(result.probes, result.sites - 1);
	assert_int_equal(result.excluded_count, 1);
	assert_string_equal(result.excluded[0].reason, "a goto from outside leads into it");
	assert_string_equal(result.excluded[0].file, "table.c");
	file_write(workshop_path(w, "table.i"), result.text, result.size);
	workshop_must("gcc -c -x cpp-output %s -o %s", workshop_path(w, "table.i"),
		      workshop_path(w, "table.o"));
	struct site_tables *tables = site_tables_read(workshop_path(w, "table.o"), &err);
	if (!tables)
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < result.sites; i++) {
		const struct static_site *site = site_tables_site(tables, i);
		assert_int_equal(site->kind, want[i].kind);
		assert_int_equal(site->line, want[i].line);
		assert_int_equal(site->end_line, want[i].end);
		assert_int_equal(site->parent, want[i].parent);
		assert_int_equal(site->callee, want[i].callee);
		assert_int_equal(site->flags, want[i].flags);
		assert_string_equal(site->name, want[i].name);
	}
	site_tables_free(tables);
}

static bool only_leaf(void *data, const char *file, const char *procedure)
{
	return !strcmp(data, "x") && !strcmp(file, "table.c") && !strcmp(procedure, "leaf");
}

TEST(choices)
{
	struct instrument_options options = options_of(false, NULL);
	struct instrument_result result;
	char data[] = "x";

	options.loops = false;
	assert_true(instrument(table_text, sizeof table_text - 1, &options, &result, NULL));
	assert_int_equal(result.kinds[TV_SITE_LOOP], 0);
	assert_int_equal(result.excluded_count, 0);
	assert_int_equal(result.sites, 8); /* without three loops */
	instrument_free(&result);
	options.wanted = only_leaf;
	options.data = data;
	assert_true(instrument(table_text, sizeof table_text - 1, &options, &result, NULL));
	assert_int_equal(result.probes, 1);
	assert_int_equal(result.excluded_count, 1);
	assert_string_equal(result.excluded[0].name, "top");
	assert_string_equal(result.excluded[0].reason, "the options exclude it");
	instrument_free(&result);
}

/* ---- hostile text, large text ---- */

TEST_WITH(hostile_text, const struct workshop *w)
{
	const struct instrument_options c = options_of(false, c_flags);
	const struct instrument_options cxx = options_of(true, cxx_flags);
	OWNED_STR text = STR_INIT;
	unsigned seed = 7;
	unsigned taken = 0;

	workshop_must(
		"cat tests/cc/programs/s*.c tests/cc/programs/l*.c tests/cc/programs/[cd]*.c >%s",
		workshop_path(w, "hostile"));
	file_read(workshop_path(w, "hostile"), &text);
	for (unsigned i = 0; i < 30; i++) {
		OWNED_RESULT result;
		struct err err = ERR_INIT;
		char *bad = xmalloc(text.n);
		memcpy(bad, text.text, text.n);
		for (unsigned k = 0; k < 1 + i / 2; k++) {
			static const char marks[] = "{}()[];,#\"'\\/*\n:?<=a0\0\377 ";
			seed = seed * 1103515245u + 12345u;
			bad[(seed >> 8) % text.n] = marks[(seed >> 3) % (sizeof marks - 1)];
		}
		const size_t size = i % 5 == 0 ? (seed >> 4) % text.n : text.n;
		if (instrument(bad, size, i % 3 ? &c : &cxx, &result, &err)) {
			workshop_check(bad, size, &result);
			taken++;
		} else if (strstr(err.text, "signal")) {
			file_write("/tmp/tview-hostile.c", bad, size);
			fail_msg("%s: /tmp/tview-hostile.c", err.text);
		}
		free(bad);
	}
	assert_true(taken > 20);
}

/* A sum of ten thousand calls, a ladder of three hundred branches, an empty text. */
TEST_WITH(deep_text, const struct workshop *w)
{
	const struct instrument_options options = options_of(false, NULL);
	OWNED_STR text = STR_INIT;
	struct instrument_result result;
	struct account account;

	assert_true(instrument("", 0, &options, &result, NULL));
	assert_int_equal(result.size, 0);
	instrument_free(&result);
	str_add(&text,
		"# 1 \"deep.c\"\nstatic int f(int x) { return x & 1; }\nint main(void) {\nint s = 0");
	for (unsigned i = 0; i < 10000; i++)
		str_add_fmt(&text, "+f(%u)", i);
	str_add(&text, ";\n");
	for (unsigned i = 0; i < 300; i++)
		str_add_fmt(&text, "if (s == %u) while (s < 10) s++; else\n", i);
	str_add(&text, "s += f(f(f(f(s)))); return s == 5000 ? 0 : 9; }\n");
	file_write(workshop_path(w, "deep.i"), text.text, text.n);
	workshop_instrument(w, "deep", &options, &result);
	assert_int_equal(result.excluded_count, 0);
	assert_int_equal(result.kinds[TV_SITE_CALL], 10004);
	assert_int_equal(result.kinds[TV_SITE_LOOP], 300);
	instrument_free(&result);
	compare(w, "deep", &(struct way){ "gcc", "cpp-output -fpreprocessed", "-w -O0" }, &account);
}
