#include "capture/cc/fortran/fortran_unit.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "capture/cc/fortran/fortran_words.h"

/* A program, procedure or module that is open. */
struct opened {
	uint32_t site; /* FORTRAN_NONE: a module */
	bool pure;
	char name[128];
};

struct builder {
	struct fortran_unit *unit;
	VEC(struct opened) units;
	VEC(uint32_t) open;   /* loops */
	uint32_t last_advice; /* the directive that belongs to the next statement; FORTRAN_NONE */
	enum fortran_openmp openmp;
	bool acc_loop;
	uint32_t interfaces, targets, acc_regions;
	uint32_t ended; /* the loop that ended at the statement before, FORTRAN_NONE */
	bool broken;
};

static uint32_t add_string(struct fortran_unit *unit, const char *text, size_t n)
{
	const uint32_t at = (uint32_t)unit->strings.n;

	str_add_n(&unit->strings, text, n);
	str_add_char(&unit->strings, '\0');
	return at;
}

static const struct fortran_statement *statement(const struct fortran_unit *unit, uint32_t i)
{
	return &unit->lines->statements.data[i];
}

static uint32_t line_of(const struct fortran_unit *unit, uint32_t line)
{
	return unit->lines->lines.data[line].number;
}

static uint32_t add_site(struct fortran_unit *unit, enum tv_site_kind kind, uint32_t s,
			 uint32_t parent, const char *name, size_t n)
{
	const uint32_t first = statement(unit, s)->first, line = line_of(unit, first);
	const struct tv_site site = { .kind = (uint8_t)kind,
				      .line = line,
				      .end_line = line,
				      .parent = parent,
				      .name = add_string(unit, name, n),
				      .file = 1 + unit->lines->lines.data[first].file,
				      .callee = TV_NO_SITE };

	vec_push(&unit->sites, site);
	return (uint32_t)unit->sites.n - 1;
}

static void leave_alone(struct fortran_unit *unit, uint32_t site, const char *reason)
{
	const uint32_t text = add_string(unit, reason, strlen(reason));

	unit->sites.data[site].flags |= TV_SITE_ALONE;
	unit->sites.data[site].reason = text;
}

/* ---- procedures ---- */

static void open_unit(struct builder *b, uint32_t s, const struct fortran_meaning *m)
{
	struct opened *opened = vec_add(&b->units);
	const size_t n = m->length < sizeof opened->name ? m->length : sizeof opened->name - 1;

	opened->site = FORTRAN_NONE;
	opened->pure = m->pure;
	if (m->word == FORTRAN_MODULE)
		return;
	memcpy(opened->name, m->name, n);
	opened->name[n] = '\0';
	opened->site = add_site(b->unit, TV_SITE_PROCEDURE, s, TV_NO_SITE, m->name, m->length);
	if (m->program)
		b->unit->sites.data[opened->site].flags |= TV_SITE_MAIN;
	if (!rules_procedure(b->unit->options->rules, b->unit->options->file, opened->name))
		leave_alone(b->unit, opened->site, "the options exclude it");
}

static void close_unit(struct builder *b, uint32_t s)
{
	b->broken = b->broken || !b->units.n || b->open.n;
	if (b->broken)
		return;
	if (vec_last(&b->units)->site != FORTRAN_NONE)
		b->unit->sites.data[vec_last(&b->units)->site].end_line =
			line_of(b->unit, statement(b->unit, s)->last);
	(void)vec_pop(&b->units);
}

/* ---- loops ---- */

/* Why the loop that begins here can have no calls. */
static const char *reason_of(const struct builder *b, uint32_t s, const struct fortran_meaning *m)
{
	const struct fortran_statement *st = statement(b->unit, s);
	const struct opened *in = vec_last(&b->units);
	const char *file = b->unit->options->file;

	if (in->pure)
		return "in a pure or elemental procedure";
	if (m->how == FORTRAN_DO_CONCURRENT)
		return "DO CONCURRENT";
	if (st->shared)
		return "its line has several statements";
	if (st->label)
		return "its DO has a label";
	if (b->acc_loop || b->acc_regions)
		return "in code for an accelerator (OpenACC)";
	if (b->targets)
		return "in code for an accelerator (OpenMP)";
	if (b->openmp == OPENMP_UNKNOWN)
		return "under a directive that allows no calls between it and the loop";
	if (!rules_procedure(b->unit->options->rules, file, in->name))
		return "its procedure is excluded by a rule";
	if (rules_loops(b->unit->options->rules, file, in->name) == LOOPS_NONE)
		return "loops are excluded by a rule";
	return NULL;
}

/* A directive forbids calls in all loops below its own. */
static const char *reason_above(const struct builder *b)
{
	const struct fortran_loop *above =
		b->open.n ? &b->unit->loops.data[*vec_last(&b->open)] : NULL;
	const char *reason = above ? above->reason : NULL;

	return reason && (strstr(reason, "directive") || strstr(reason, "accelerator") ||
			  strstr(reason, "CONCURRENT"))
		       ? reason
		       : NULL;
}

static void open_loop(struct builder *b, uint32_t s, const struct fortran_meaning *m)
{
	struct fortran_unit *unit = b->unit;
	const char *above = reason_above(b);
	struct fortran_loop loop = { .begin = b->last_advice == FORTRAN_NONE ? s : b->last_advice,
				     .head = s,
				     .end = FORTRAN_NONE,
				     .procedure = vec_last(&b->units)->site,
				     .up = b->open.n ? *vec_last(&b->open) : FORTRAN_NONE,
				     .holder = FORTRAN_NONE };
	uint32_t parent = loop.procedure;

	if (b->open.n) {
		unit->loops.data[loop.up].has_loops = true;
		parent = unit->loops.data[loop.up].site;
	}
	loop.reason = above ? above : reason_of(b, s, m);
	loop.team = b->openmp == OPENMP_PARALLEL;
	loop.counted = !loop.team;
	loop.has_directive = b->openmp != OPENMP_NOT_LOOP;
	loop.site = add_site(unit, TV_SITE_LOOP, s, parent,
			     m->how == FORTRAN_DO_WHILE ? "do while" : "do",
			     m->how == FORTRAN_DO_WHILE ? 8 : 2);
	vec_push(&b->open, (uint32_t)unit->loops.n);
	vec_push(&unit->loops, loop);
}

static void close_loop(struct builder *b, uint32_t s)
{
	struct fortran_unit *unit = b->unit;
	struct fortran_loop *loop;

	if (!b->open.n) {
		b->broken = true;
		return;
	}
	b->ended = vec_pop(&b->open);
	loop = &unit->loops.data[b->ended];
	loop->end = s;
	unit->sites.data[loop->site].end_line = line_of(unit, statement(unit, s)->last);
	if (statement(unit, s)->shared && !loop->reason)
		loop->reason = "its line has several statements";
	if (b->open.n && loop->has_calls)
		unit->loops.data[*vec_last(&b->open)].has_calls = true;
	loop->untimed = !loop->reason && !loop->has_calls && !loop->has_loops &&
			!loop->has_directive && !unit->options->all;
}

/* Loops that end at a label: one that has it for itself, at CONTINUE or END DO, or several. */
static bool close_labelled(struct builder *b, uint32_t s, const struct fortran_meaning *m)
{
	const uint32_t label = statement(b->unit, s)->label;
	uint32_t n = 0;

	for (size_t i = b->open.n; label && i-- > 0; n++) {
		const struct fortran_loop *loop = &b->unit->loops.data[b->open.data[i]];
		const char *text = fortran_text(b->unit->lines, statement(b->unit, loop->head));
		if (fortran_meaning(text).label != label)
			break;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct fortran_loop *loop = &b->unit->loops.data[*vec_last(&b->open)];
		if (!loop->reason && n > 1)
			loop->reason = "several loops end at its label";
		else if (!loop->reason && m->word != FORTRAN_CONTINUE && m->word != FORTRAN_END_DO)
			loop->reason = "it ends at another statement than CONTINUE or END DO";
		close_loop(b, s);
	}
	return n > 0;
}

/* A statement that may go out of loops: what their counters have then is lost. */
static void note_leaving(struct builder *b, const struct fortran_meaning *m)
{
	for (size_t i = b->open.n; i-- > 0;) {
		struct fortran_loop *loop = &b->unit->loops.data[b->open.data[i]];
		const char *text = fortran_text(b->unit->lines, statement(b->unit, loop->head));
		const struct fortran_meaning head = fortran_meaning(text);
		if (m->name && head.name && m->length == head.length &&
		    !memcmp(m->name, head.name, m->length))
			return;
		loop->counted = false;
	}
}

/* Threads begin: each has its own variables of blocks in it, and shares those of loops around. */
static void note_team(struct builder *b)
{
	for (size_t i = 0; i < b->open.n; i++)
		b->unit->loops.data[b->open.data[i]].team = true;
}

/* ---- statements ---- */

static void read_openmp(struct builder *b, uint32_t s)
{
	const enum fortran_openmp what =
		fortran_openmp(fortran_text(b->unit->lines, statement(b->unit, s)));

	if (what == OPENMP_TEAM) {
		note_team(b);
	} else if (what == OPENMP_END_DO && b->ended != FORTRAN_NONE) {
		b->unit->loops.data[b->ended].end = s;
	} else if (what == OPENMP_TARGET) {
		b->targets++;
	} else if (what == OPENMP_END_TARGET) {
		b->targets -= b->targets > 0;
	} else if (what != OPENMP_NOT_LOOP && what != OPENMP_END_DO) {
		b->last_advice = b->last_advice == FORTRAN_NONE ? s : b->last_advice;
		b->openmp = what;
	}
}

static void read_openacc(struct builder *b, uint32_t s)
{
	const char *text = fortran_text(b->unit->lines, statement(b->unit, s));
	static const char *const regions[] = { "parallel", "kernels", "serial" };
	const bool end = !strncmp(text, "end", 3);

	for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
		const char *p = end ? text + 3 : text;
		const size_t n = strlen(regions[i]);
		if (strncmp(p, regions[i], n) != 0)
			continue;
		if (!strncmp(p + n, "loop", 4))
			b->acc_loop = !end;
		else if (end)
			b->acc_regions -= b->acc_regions > 0;
		else
			b->acc_regions++;
	}
	b->acc_loop = b->acc_loop || !strncmp(text, "loop", 4);
}

static void read_statement(struct builder *b, uint32_t s)
{
	const struct fortran_meaning m =
		fortran_meaning(fortran_text(b->unit->lines, statement(b->unit, s)));

	if (m.word == FORTRAN_INTERFACE || m.word == FORTRAN_END_INTERFACE || b->interfaces) {
		b->interfaces += m.word == FORTRAN_INTERFACE;
		b->interfaces -= m.word == FORTRAN_END_INTERFACE && b->interfaces;
		return;
	}
	if (m.word == FORTRAN_PROCEDURE || m.word == FORTRAN_MODULE) {
		b->broken = b->broken || b->open.n;
		open_unit(b, s, &m);
		return;
	}
	if (!b->units.n) {
		static const char name[] = "MAIN__";
		const struct fortran_meaning program = { .word = FORTRAN_PROCEDURE,
							 .name = name,
							 .length = sizeof name - 1 };
		open_unit(b, s, &program);
	}
	if (m.word == FORTRAN_END)
		close_unit(b, s);
	else if (m.word == FORTRAN_DO && vec_last(&b->units)->site != FORTRAN_NONE)
		open_loop(b, s, &m);
	if (m.word == FORTRAN_CALL && b->open.n)
		b->unit->loops.data[*vec_last(&b->open)].has_calls = true;
	if (m.leaves)
		note_leaving(b, &m);
	b->ended = FORTRAN_NONE;
	if (!close_labelled(b, s, &m) && m.word == FORTRAN_END_DO)
		close_loop(b, s);
}

static void read_one(struct builder *b, uint32_t s)
{
	switch (statement(b->unit, s)->kind) {
	case FORTRAN_OPENMP: read_openmp(b, s); return;
	case FORTRAN_OPENACC: read_openacc(b, s); return;
	case FORTRAN_ADVICE:
		b->last_advice = b->last_advice == FORTRAN_NONE ? s : b->last_advice;
		return;
	default: read_statement(b, s);
	}
	b->last_advice = FORTRAN_NONE;
	b->openmp = OPENMP_NOT_LOOP;
	b->acc_loop = false;
}

/* Loops around the lines of these messages stay alone. */
static void reject_loops(struct fortran_unit *unit, const char *messages)
{
	for (const char *p = messages, *end; *p; p = end + (*end == '\n')) {
		size_t n = strcspn(p, ":");
		uint32_t line = 0;
		end = p + strcspn(p, "\n");
		for (const char *q = p + n + 1; p + n < end && isdigit((unsigned char)*q); q++)
			line = line * 10 + (uint32_t)(*q - '0');
		for (size_t i = 0; line && i < unit->loops.n; i++) {
			struct fortran_loop *loop = &unit->loops.data[i];
			const struct tv_site *site = &unit->sites.data[loop->site];
			const char *file = unit->strings.text + site->file;
			if (strlen(file) == n && !memcmp(file, p, n) && line >= site->line &&
			    line <= site->end_line && !loop->reason)
				loop->reason = "the compiler rejects calls around it";
		}
	}
}

/* The counters of a loop are variables of the outermost loop around it that calls nothing, so that
 * they are reported seldom; else of a block of its own. */
static void choose_holder(struct fortran_unit *unit, uint32_t i)
{
	struct fortran_loop *loop = &unit->loops.data[i];

	loop->holder = loop->counted ? i : FORTRAN_NONE;
	for (uint32_t up = loop->up; up != FORTRAN_NONE; up = unit->loops.data[up].up) {
		const struct fortran_loop *around = &unit->loops.data[up];
		if (around->reason || around->team || around->has_calls)
			break;
		if (around->counted)
			loop->holder = up;
	}
	if (loop->holder == FORTRAN_NONE)
		loop->reason = "RETURN, GO TO, or EXIT or CYCLE with a name may leave it";
}

static void finish(struct fortran_unit *unit)
{
	reject_loops(unit, unit->options->rejected);
	for (uint32_t i = 0; i < unit->loops.n; i++) {
		const struct fortran_loop *loop = &unit->loops.data[i];
		struct tv_site *site = &unit->sites.data[loop->site];
		if (loop->untimed && !loop->reason)
			choose_holder(unit, i);
		if (loop->reason)
			leave_alone(unit, loop->site, loop->reason);
		if (loop->untimed && !loop->reason)
			site->flags |= TV_SITE_UNTIMED;
		else if (!loop->counted)
			site->flags |= TV_SITE_UNCOUNTED;
	}
}

bool fortran_unit_init(struct fortran_unit *unit, const struct fortran_lines *lines,
		       const struct fortran_options *options)
{
	struct builder b = { .unit = unit, .last_advice = FORTRAN_NONE, .ended = FORTRAN_NONE };

	*unit = (struct fortran_unit){ .lines = lines, .options = options, .strings = STR_INIT };
	add_string(unit, "", 0);
	str_add_n(&unit->strings, lines->files.text, lines->files.n);
	for (uint32_t i = 0; i < lines->statements.n && !b.broken; i++)
		read_one(&b, i);
	b.broken = b.broken || b.units.n || b.open.n;
	vec_fini(&b.units);
	vec_fini(&b.open);
	if (!b.broken)
		finish(unit);
	return !b.broken;
}

static const char *site_name(const struct fortran_unit *unit, size_t i)
{
	return unit->strings.text + unit->sites.data[i].name;
}

/* Whether a procedure is to have hooks whose name has this one in it. */
static bool is_part(const struct fortran_unit *unit, const char *name)
{
	if (strstr("main", name))
		return true;
	for (size_t i = 0; i < unit->sites.n; i++) {
		const struct tv_site *site = &unit->sites.data[i];
		if (site->kind == TV_SITE_PROCEDURE && !(site->flags & TV_SITE_ALONE) &&
		    strstr(site_name(unit, i), name))
			return true;
	}
	return false;
}

void fortran_unit_excluded(struct fortran_unit *unit, struct str *out, struct str *kept)
{
	for (size_t i = 0; i < unit->sites.n; i++) {
		struct tv_site *site = &unit->sites.data[i];
		struct str *list;
		bool part;
		if (site->kind != TV_SITE_PROCEDURE || !(site->flags & TV_SITE_ALONE))
			continue;
		part = is_part(unit, site_name(unit, i));
		if (part)
			site->flags &= (uint8_t)~TV_SITE_ALONE;
		list = part ? kept : out;
		str_add_fmt(list, "%s%s", list->n ? "," : "", site_name(unit, i));
	}
}

void fortran_unit_fini(struct fortran_unit *unit)
{
	vec_fini(&unit->loops);
	vec_fini(&unit->sites);
	str_fini(&unit->strings);
}
