/* The static tables of programs: compiled, linked, archived and merged by the real tools; hostile
 * ones by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "harness/files.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/formats/site_tables.h"

/* ---- units by hand ---- */

enum { SITES = 5 };

/* main() { for { sweep(1); work(p); MPI_Send } } of a.c */
struct by_hand {
	struct tv_unit unit;
	struct tv_site sites[SITES];
	char text[96];
};

static uint32_t text_at(const struct by_hand *u, const char *text)
{
	for (uint32_t i = 0; i < sizeof u->text; i++)
		if (strcmp(u->text + i, text) == 0)
			return i;
	fail_msg("no text %s", text);
	return 0;
}

static struct by_hand sound_unit(void)
{
	static const char text[] = "\0a.c\0/src\0main\0for\0sweep\0MPI_Send\0left alone";
	struct by_hand u = { .unit = { TV_UNIT_MAGIC, TV_UNIT_VERSION, sizeof u, SITES,
				       sizeof u.unit + sizeof u.sites, sizeof u.text, 0, 0 } };

	memcpy(u.text, text, sizeof text);
	u.unit.source = text_at(&u, "a.c");
	u.unit.directory = text_at(&u, "/src");
	u.sites[0] =
		(struct tv_site){ TV_SITE_PROCEDURE, 0, 1, 3, 9, TV_NO_SITE, 0, 0, TV_NO_SITE, 0 };
	u.sites[1] = (struct tv_site){ TV_SITE_LOOP, 0, 2, 4, 8, 0, 0, 0, TV_NO_SITE, 0 };
	u.sites[2] = (struct tv_site){ TV_SITE_CALL, 0, 3, 5, 5, 1, 0, 0, TV_NO_SITE, 0 };
	u.sites[3] = (struct tv_site){
		TV_SITE_CALL, TV_SITE_POINTER | TV_SITE_ALONE, 3, 6, 6, 1, 0, 0, TV_NO_SITE, 0
	};
	u.sites[4] = (struct tv_site){ TV_SITE_COMMUNICATION, 0, 3, 7, 7, 1, 0, 0, TV_NO_SITE, 0 };
	u.sites[0].name = text_at(&u, "main");
	u.sites[1].name = text_at(&u, "for");
	u.sites[2].name = text_at(&u, "sweep");
	u.sites[3].reason = text_at(&u, "left alone");
	u.sites[4].name = text_at(&u, "MPI_Send");
	for (int i = 0; i < SITES; i++)
		u.sites[i].file = text_at(&u, "a.c");
	return u;
}

FREES(site_tables_free, struct site_tables)
#define OWNED_TABLES FREED_BY(site_tables_free) struct site_tables

static struct site_tables *parse(const void *bytes, size_t n)
{
	struct err err = ERR_INIT;
	struct site_tables *t = site_tables_parse("app", bytes, n, 4096, &err);

	if (!t)
		fail_msg("%s", err.text);
	return t;
}

TEST(a_unit_is_read)
{
	const struct by_hand u = sound_unit();
	OWNED_TABLES *t = parse(&u, sizeof u);
	OWNED_STR path = STR_INIT;

	assert_int_equal(site_tables_count(t), SITES);
	assert_int_equal(site_tables_section(t, 4096), 0);
	assert_int_equal(site_tables_section(t, 0), SITE_NONE);
	assert_string_equal(site_tables_unit(t, 0)->source, "a.c");
	assert_string_equal(site_tables_site(t, 4)->name, "MPI_Send");
	assert_int_equal(site_tables_site(t, 4)->parent, 1);
	assert_int_equal(site_tables_site(t, 1)->end_line, 8);
	assert_int_equal(site_tables_site(t, 0)->parent, SITE_NONE);
	assert_string_equal(site_tables_site(t, 3)->reason, "left alone");
	assert_int_equal(site_tables_site(t, 2)->callee, SITE_NONE);
	assert_int_equal(site_tables_find(t, 0, 0), SITE_NONE); /* the unit's head */
	for (uint32_t i = 0; i < SITES; i++) {
		assert_int_equal(site_tables_slot(t, i), i + 1);
		assert_int_equal(site_tables_find(t, 0, i + 1), i);
	}
	assert_int_equal(site_tables_find(t, 0, SITES + 1), SITE_NONE); /* its text */
	assert_int_equal(site_tables_find(t, 1, 1), SITE_NONE);
	site_tables_path(t, 2, &path);
	assert_string_equal(path.text, "/src/a.c");
}

/* Linkers may leave gaps, and a call by name leads into the other unit, unless what it names is
 * static there. */
TEST(units_are_linked_over_gaps)
{
	struct {
		struct by_hand a;
		char gap[64];
		struct by_hand b;
		char end[7];
	} s = { .a = sound_unit(), .b = sound_unit() };
	OWNED_TABLES *t, *local, *twice;

	s.b.sites[0].name = text_at(&s.b, "sweep");
	t = parse(&s, sizeof s);
	assert_int_equal(site_tables_count(t), 2 * SITES);
	assert_int_equal(site_tables_site(t, 2)->callee, SITES);
	assert_int_equal(site_tables_site(t, SITES + 2)->callee, SITES);
	assert_int_equal(site_tables_site(t, SITES + 1)->parent, SITES);
	assert_int_equal(site_tables_slot(t, SITES),
			 (sizeof s.a + sizeof s.gap) / TV_SLOT_SIZE + 1);

	s.b.sites[0].flags = TV_SITE_LOCAL;
	local = parse(&s, sizeof s);
	assert_int_equal(site_tables_site(local, 2)->callee, SITE_NONE);

	/* Two of one name: which one the linker took is not known. */
	s.b.sites[0].flags = 0;
	s.a.sites[0].name = text_at(&s.a, "sweep");
	twice = parse(&s, sizeof s);
	assert_int_equal(site_tables_site(twice, 2)->callee, SITE_NONE);
}

/* ---- damage ---- */

static void refused(struct by_hand u, size_t n, const char *why)
{
	struct err err = ERR_INIT;
	struct site_tables *t = site_tables_parse("app", &u, n, 0, &err);

	if (t)
		fail_msg("taken, although %s", why);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

#define REFUSED(change, why)                     \
	do {                                     \
		struct by_hand u = sound_unit(); \
		change;                          \
		refused(u, sizeof u, why);       \
	} while (0)

TEST(damage_is_told)
{
	REFUSED(u.unit.magic++, "does not begin as units do");
	REFUSED(u.unit.version = 2, "version 2, this program knows 1");
	REFUSED(u.unit.size++, "size");
	REFUSED(u.unit.size = 0, "size");
	REFUSED(u.unit.size = 0xffffffe0u, "size");
	REFUSED(u.unit.sites = 8, "no room for its text");
	REFUSED(u.unit.sites = 0x08000000u, "no room for its sites");
	REFUSED(u.unit.text = 32, "no room for its text");
	REFUSED(u.unit.text_size = UINT32_MAX, "no room for its text");
	REFUSED(u.unit.text_size = 0, "no room for its text");
	REFUSED(memset(u.text, 'x', sizeof u.text), "NUL");
	REFUSED(u.unit.source = sizeof u.text, "source");
	REFUSED(u.sites[0].kind = 0, "kind of a site is not known");
	REFUSED(u.sites[0].kind = 5, "kind of a site is not known");
	REFUSED(u.sites[2].name = sizeof u.text, "name");
	REFUSED(u.sites[1].parent = 1, "does not come before");
	REFUSED((u.sites[1].parent = 2, u.sites[2].parent = 1), "does not come before");
	REFUSED(u.sites[4].parent = 2, "cannot contain sites");
	REFUSED((u.sites[1].kind = TV_SITE_PROCEDURE), "a procedure is inside");
	REFUSED(u.sites[2].callee = 1, "not a procedure");
	REFUSED(u.sites[2].callee = SITES, "not a procedure");
	REFUSED(u.sites[1].callee = 0, "not a procedure");
	refused(sound_unit(), 31, "cut off");
	refused(sound_unit(), sizeof(struct by_hand) - 1, "size");
}

/* Any bytes changed: taken whole or refused with a sentence. */
TEST(no_change_of_bytes_breaks_it)
{
	struct rng rng = { 17 };

	for (int i = 0; i < 20000; i++) {
		struct by_hand u = sound_unit();
		struct err err = ERR_INIT;
		OWNED_TABLES *t;
		for (uint32_t n = 1 + rng_below(&rng, 3); n > 0; n--)
			((unsigned char *)&u)[rng_below(&rng, sizeof u)] =
				(unsigned char)rng_next(&rng);
		t = site_tables_parse("app", &u, rng_below(&rng, sizeof u) + 1, 0, &err);
		assert_true(t || err.text[0]);
	}
}

/* ---- many ---- */

TEST(many_sites_are_no_burden)
{
	enum { N = 100000 };
	const size_t size =
		(sizeof(struct tv_unit) + N * sizeof(struct tv_site) + 1 + 31) / 32 * 32;
	OWNED struct tv_unit *u = xcalloc(1, size);
	struct tv_site *sites = (struct tv_site *)(void *)(u + 1);
	OWNED_TABLES *t;

	*u = (struct tv_unit){
		TV_UNIT_MAGIC, TV_UNIT_VERSION, (uint32_t)size, N, 32 + N * 32, 1, 0, 0
	};
	for (uint32_t i = 0; i < N; i++)
		sites[i] = (struct tv_site){ i ? TV_SITE_LOOP : TV_SITE_PROCEDURE,
					     0,
					     0,
					     i,
					     i,
					     i ? i - 1 : TV_NO_SITE,
					     0,
					     0,
					     TV_NO_SITE,
					     0 };
	t = parse(u, size);
	assert_int_equal(site_tables_count(t), N);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(site_tables_find(t, 0, site_tables_slot(t, i)), i);
}

/* ---- real files ---- */

static char folder[FOLDER_NAME];

/* In that folder. */
static void run(const char *command)
{
	OWNED_STR said = STR_INIT;

	if (command_read(&said, "cd %s && %s", folder, command) != 0)
		fail_msg("%s", command);
}

static const char *path_of(const char *file)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	return path;
}

/* A unit with the procedure `name` at `line`, and a call of `callee` behind it. */
static void write_source(const char *file, const char *name, int line, const char *callee)
{
	OWNED_STR text = STR_INIT;
	char cwd[512];

	assert_non_null(getcwd(cwd, sizeof cwd));
	str_add_fmt(
		&text,
		"#include \"%s/src/capture/lib/sites.h\"\n"
		"static const struct { struct tv_unit u; struct tv_site s[2]; char text[64]; } table\n"
		"__attribute__((section(TV_SITES_SECTION), used, aligned(32))) = {\n"
		"{ TV_UNIT_MAGIC, 1, sizeof table, 2, 96, 64, 1, 0 },\n"
		"{ { 1, 0, 1, %d, %d, TV_NO_SITE, 32, 1, TV_NO_SITE, 0 },\n"
		"  { 3, 0, 1, %d, %d, 0, 48, 1, TV_NO_SITE, 0 } },\n"
		"\"\\0%-30.30s\" \"\\0%-15.15s\" \"\\0%-15.15s\" };\n"
		"int %s(void) { return 0; }\n",
		cwd, line, line + 9, line + 1, line + 1, file, name, callee, name);
	file_write(path_of(file), text.text, text.n);
}

static int make_files(void **state)
{
	(void)state;
	folder_make(folder, "sites");
	/* Names are filled up with blanks, which names of procedures may well have in C++. */
	write_source("a.c", "main", 10, "helper");
	write_source("b.c", "helper", 20, "main");
	run("gcc -g -fPIC -c a.c && gcc -g -fPIC -c b.c");
	run("gcc -o app a.o b.o && gcc -shared -o lib.so b.o && ld -r -o both.o a.o b.o && "
	    "ar rc all.a a.o b.o && cp app stripped && strip stripped && gcc -x c -c -o none.o "
	    "/dev/null");
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	folder_remove(folder);
	return 0;
}

GROUP_FIXTURE(make_files, remove_files)

static struct site_tables *read_made(const char *file)
{
	struct err err = ERR_INIT;
	struct site_tables *t = site_tables_read(path_of(file), &err);

	if (!t)
		fail_msg("%s", err.text);
	return t;
}

/* The address of the section, by readelf. */
static uint64_t address_of(const char *file)
{
	OWNED_STR line = STR_INIT;

	command_read(&line,
		     "readelf -WS %s | sed -n 's/.*tview_sites *PROGBITS *\\([0-9a-f]*\\).*/\\1/p'",
		     path_of(file));
	assert_true(line.n > 0);
	return strtoull(line.text, NULL, 16);
}

static uint32_t last_section(const struct site_tables *t)
{
	return site_tables_unit(t, site_tables_unit_count(t) - 1)->section;
}

TEST(linked_files_have_one_table)
{
	static const char *const files[] = { "app", "stripped", "both.o" };

	for (size_t i = 0; i < 3; i++) {
		OWNED_TABLES *t = read_made(files[i]);
		assert_int_equal(last_section(t), 0);
		assert_int_equal(site_tables_count(t), 4);
		assert_int_equal(site_tables_section_at(t, 0)->address, address_of(files[i]));
		assert_int_equal(site_tables_site(t, 0)->line, 10);
		assert_int_equal(site_tables_site(t, 1)->callee, 2); /* main calls helper */
		assert_int_equal(site_tables_site(t, 3)->callee, 0);
	}
}

TEST(parts_have_their_own)
{
	OWNED_TABLES *object = read_made("a.o"), *library = read_made("lib.so"),
		     *archive = read_made("all.a"), *none = read_made("none.o");

	assert_int_equal(site_tables_count(object), 2);
	assert_int_equal(site_tables_site(object, 1)->callee, SITE_NONE);
	assert_int_equal(site_tables_count(library), 2);
	assert_int_equal(site_tables_section(library, address_of("lib.so")), 0);
	assert_int_equal(last_section(archive), 1);
	assert_string_equal(site_tables_section_at(archive, 1)->member, "b.o");
	assert_int_equal(site_tables_count(archive), 4);
	assert_int_equal(site_tables_site(archive, 2)->line, 20);
	assert_int_equal(site_tables_find(archive, 1, 1), 2);
	assert_int_equal(site_tables_count(none), 0);
}

static void no_program(const char *path, const char *why)
{
	struct err err = ERR_INIT;

	assert_null(site_tables_read(path, &err));
	assert_non_null(strstr(err.text, why));
}

TEST(what_is_no_program_is_told)
{
	struct err err = ERR_INIT;
	OWNED_TABLES *t;

	no_program("/nonexistent/app", "/nonexistent/app: cannot be opened");
	no_program("Makefile", "not a program, library or object file");
	no_program(".", "not a regular file");
	run("head -c 5000 app >cut");
	t = site_tables_read(path_of("cut"), &err);
	assert_true(!t ? err.text[0] != '\0' : site_tables_count(t) == 0);
}
