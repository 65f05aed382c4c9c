#define _GNU_SOURCE
#include "capture/records_aid.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "capture/lib/record_words.h"
#include "capture/lib/sites.h"
#include "harness/test.h"

/* ---- the program's tables ---- */

struct text {
	char nothing[1];
	char source[8], folder[8], main[5], sweep[6], for_[4], while_[6], send[9], recv[9];
	char reason[16], header[11], twice[6];
	char fill[32 - (1 + 8 + 8 + 5 + 6 + 4 + 6 + 9 + 9 + 16 + 11 + 6) % 32];
};

#define T(field) ((uint32_t)offsetof(struct text, field))

struct made_unit {
	struct tv_unit head;
	struct tv_site site[SITES];
	struct text text;
};

#define SITE(kind, flags, column, line, end, parent, name, file, callee, reason)            \
	{                                                                                   \
		TV_SITE_##kind, flags, column, line, end, parent, T(name), T(file), callee, \
			T(reason)                                                           \
	}
#define NONE TV_NO_SITE
/* clang-format off */
#define UNIT { \
	{ TV_UNIT_MAGIC, TV_UNIT_VERSION, sizeof(struct made_unit), SITES, \
	  offsetof(struct made_unit, text), sizeof(struct text), T(source), T(folder) }, \
	{ SITE(PROCEDURE, 0, 5, 10, 30, NONE, main, source, NONE, nothing), \
	  SITE(LOOP, 0, 2, 12, 15, MAIN, for_, source, NONE, nothing), \
	  SITE(CALL, 0, 3, 13, 13, MAIN_FOR, sweep, source, SWEEP, nothing), \
	  SITE(COMMUNICATION, 0, 3, 14, 14, MAIN_FOR, send, source, NONE, nothing), \
	  SITE(PROCEDURE, TV_SITE_LOCAL, 13, 40, 50, NONE, sweep, source, NONE, nothing), \
	  SITE(LOOP, 0, 2, 42, 45, SWEEP, while_, source, NONE, nothing), \
	  SITE(CALL, 0, 3, 44, 44, SWEEP_WHILE, sweep, source, SWEEP, nothing), \
	  SITE(COMMUNICATION, TV_SITE_ALONE, 2, 46, 46, SWEEP, recv, source, NONE, reason), \
	  SITE(PROCEDURE, TV_SITE_LOCAL, 19, 3, 5, NONE, twice, header, NONE, nothing) }, \
	{ "", "grid.c", "/src", "main", "sweep", "for", "while", "MPI_Send", "MPI_Recv", \
	  "is in a macro", "/inc/two.h", "twice", "" } }
/* clang-format on */

/* Two units of the same text, as of a header in two files: what is the same is one statement. */
#define IN_SITES __attribute__((section(TV_SITES_SECTION), aligned(TV_SLOT_SIZE), used))
IN_SITES const struct made_unit made_unit = UNIT;
IN_SITES const struct made_unit made_other_unit = UNIT;
_Static_assert(sizeof(struct made_unit) % TV_SLOT_SIZE == 0, "units are slots");

extern const char __start_tview_sites[], __stop_tview_sites[];

static uint32_t slot_of(const struct made_unit *u, int site)
{
	return (uint32_t)(((const char *)&u->site[site] - __start_tview_sites) / TV_SLOT_SIZE);
}

static int first_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

/* ---- files of ranks ---- */

struct made *made_new(int rank, int world, uint32_t state)
{
	struct made *m = xcalloc(1, sizeof *m);

	m->size = TV_HEADER_SIZE + (size_t)CHUNKS * TV_CHUNK_SIZE;
	m->bytes = xcalloc(1, m->size);
	m->head = (void *)m->bytes;
	memcpy(m->head->magic, TV_MAGIC, sizeof m->head->magic);
	*m->head = (struct tv_file){ .version = TV_VERSION,
				     .header_size = TV_HEADER_SIZE,
				     .chunk_size = TV_CHUNK_SIZE,
				     .chunks = CHUNKS,
				     .clock = TV_CLOCK_MONOTONIC,
				     .state = state | TV_INITIALISED | TV_FINALISED,
				     .rank = rank,
				     .world = world,
				     .pid = 100 + rank,
				     .first_tick = 1000,
				     .first_nano = 1000,
				     .last_tick = 900000,
				     .last_nano = 900000,
				     .calls = CALLS,
				     .call = { { "MPI_Send", TV_MPI }, { "MPI_Recv", TV_MPI } } };
	memcpy(m->head->magic, TV_MAGIC, sizeof m->head->magic);
	for (uint32_t i = 0; i < CHUNKS; i++)
		m->chunk[i] = (void *)(m->bytes + TV_HEADER_SIZE + (size_t)i * TV_CHUNK_SIZE);
	m->chunk[0]->used = sizeof(struct tv_chunk);
	m->time = 2000;
	return m;
}

static void *made_add(struct made *m, size_t size)
{
	uint64_t *at = (void *)((char *)m->chunk[0] + m->chunk[0]->used);

	*at = tv_word(TV_WORD_WHOLE, 0);
	m->chunk[0]->used += sizeof *at + size;
	return at + 1;
}

void made_define(struct made *m, uint32_t what, uint32_t id, const void *payload, size_t n,
		 const char *text)
{
	const size_t length = n + strlen(text) + 1,
		     size = (sizeof(struct tv_define) + length + 15) & ~(size_t)15;
	struct tv_define *d = made_add(m, size);

	d->head = (struct tv_head){ .kind = TV_DEFINE, .call = (uint16_t)what, .id = id };
	d->size = (uint32_t)size;
	d->length = (uint32_t)length;
	memcpy(d + 1, payload, n);
	memcpy((char *)(d + 1) + n, text, strlen(text) + 1);
}

static void made_define_sites(struct made *m, const char *path)
{
	struct tv_def_sites where = { .start = (uintptr_t)__start_tview_sites,
				      .stop = (uintptr_t)__stop_tview_sites };

	dl_iterate_phdr(first_bias, &where.bias);
	made_define(m, TV_DEF_SITES, 3, &where, sizeof where, path);
}

void made_define_world(struct made *m, int world)
{
	const struct tv_def_comm comm = { .flags = TV_COMM_WORLD, .size = world };

	made_define(m, TV_DEF_COMM, 0, &comm, sizeof comm, "");
}

void made_site_event(struct made *m, enum tv_kind kind, int site, int from, uint64_t time)
{
	struct tv_function *f = made_add(m, sizeof *f);

	f->time = time;
	f->what = tv_site_make(kind, 3, slot_of(&made_unit, site),
			       from < 0 ? 0 : slot_of(&made_unit, from));
}

void made_mpi_event(struct made *m, uint32_t call, uint64_t place, uint64_t from, uint64_t to)
{
	struct tv_enter *enter = made_add(m, sizeof *enter);
	struct tv_head *leave;

	*enter = (struct tv_enter){ { from, TV_ENTER, 0, (uint16_t)call, 0 }, place, 0 };
	leave = made_add(m, sizeof *leave);
	*leave = (struct tv_head){ to, TV_LEAVE, 0, (uint16_t)call, 0 };
}

uint64_t made_place(const struct made_unit *u, int site)
{
	return tv_place_site(3, slot_of(u, site));
}

struct tv_statistic *made_row(struct made *m, int chunk, uint32_t thread, uint8_t kind, uint64_t at,
			      uint64_t from)
{
	struct tv_chunk *c = m->chunk[chunk];
	struct tv_statistic *s;

	if (!c->used) {
		c->used = TV_STATISTIC_SIZE;
		c->thread = thread;
		c->serial = (uint32_t)chunk;
		c->holds = TV_HOLDS_ROWS;
	}
	s = (void *)((char *)c + c->used);
	c->used += TV_STATISTIC_SIZE;
	s->seq = 2;
	s->kind = kind;
	s->place = at;
	s->from = from;
	return s;
}

/* ---- a merge ---- */

struct merged merged_begin(void)
{
	struct merged m = { .trace = NULL };

	folder_make(m.folder, "records");
	return m;
}

/* One rank with the tables of the program at `path` (NULL: this executable). */
struct made *made_of_program(int world, uint32_t state, const char *path)
{
	struct made *rank = made_new(0, 1, state);
	char *self = path ? NULL : realpath("/proc/self/exe", NULL);

	made_define_sites(rank, path ? path : self);
	if (world)
		made_define_world(rank, world);
	free(self);
	return rank;
}

/* Writes the rank's file. */
void made_write(const struct merged *m, struct made *rank)
{
	char path[96];

	snprintf(path, sizeof path, "%s/%d.tvrank", m->folder, rank->head->rank);
	file_write(path, rank->bytes, rank->size);
	free(rank->bytes);
	free(rank);
}

void merged_make(struct merged *m, bool anonymous)
{
	const struct merge_options options = { .folder = m->folder, .anonymous = anonymous };
	struct err err = ERR_INIT;

	m->trace = merge_ranks("run.trc", &options, &m->summary, &err);
	assert_false(err_is_set(&err));
	assert_non_null(m->trace);
}

void merged_make_of(struct merged *m, struct made *rank)
{
	made_write(m, rank);
	merged_make(m, false);
}

/* As a look at a running job has it. */
void merged_look(struct merged *m)
{
	const struct merge_options options = { .folder = m->folder, .live = "now" };
	struct err err = ERR_INIT;

	m->trace = merge_ranks("run.trc", &options, &m->summary, &err);
	assert_false(err_is_set(&err));
	assert_non_null(m->trace);
}

void merged_end(struct merged *m)
{
	trace_free(m->trace);
	folder_remove(m->folder);
}

uint32_t merged_statement(const struct merged *m, enum statement_kind kind, uint32_t line)
{
	uint32_t id = NO_STATEMENT;

	for (uint32_t i = 0; i < trace_statement_count(m->trace); i++) {
		const struct statement *s = trace_statement(m->trace, i);
		if (s->kind != kind || s->line != line)
			continue;
		assert_int_equal(id, NO_STATEMENT);
		id = i;
	}
	assert_int_not_equal(id, NO_STATEMENT);
	return id;
}

/* The only record of a statement from somewhere, with somebody. */
const struct statement_record *merged_record(const struct merged *m, uint32_t id, uint32_t from,
					     int32_t partner)
{
	const struct statement_record *found = NULL;

	for (size_t i = 0; i < trace_statement_record_count(m->trace); i++) {
		const struct statement_record *r = trace_statement_record(m->trace, i);
		if (r->statement != id || r->from != from || r->partner != partner)
			continue;
		assert_null(found);
		found = r;
	}
	assert_non_null(found);
	return found;
}

/* Compares the fields of a record that are not 0. */
void merged_record_is(const struct merged *m, uint32_t id, uint32_t from, int32_t partner,
		      const char *wanted)
{
	const struct statement_record *r = merged_record(m, id, from, partner);
	OWNED_STR text = STR_INIT;
	const struct {
		const char *name;
		double value;
	} fields[] = { { "count", (double)r->count },
		       { "inner", (double)r->inner },
		       { "time", (double)r->time },
		       { "exclusive", (double)r->exclusive },
		       { "min", (double)r->min },
		       { "max", (double)r->max },
		       { "iterations", (double)r->iterations },
		       { "quickest", r->quickest },
		       { "slowest", r->slowest },
		       { "trans", (double)r->trans },
		       { "sync", (double)r->sync },
		       { "own", (double)r->own },
		       { "carried", (double)r->carried },
		       { "sent", (double)r->sent },
		       { "received", (double)r->received },
		       { "flags", r->flags } };

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i].value != 0)
			str_add_fmt(&text, "%s%s %.10g", text.n ? " " : "", fields[i].name,
				    fields[i].value);
	assert_string_equal(text.text, wanted);
}
