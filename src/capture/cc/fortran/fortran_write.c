#include <stdlib.h>
#include <string.h>

#include "capture/cc/fortran/fortran_include.h"
#include "capture/cc/fortran/fortran_unit.h"
#include "capture/cc/instrument/site_table.h"

#define PROLOGUE(name, ...) static const char prologue_##name[] = #__VA_ARGS__;
#include "capture/cc/instrument/prologue.inc"
#undef PROLOGUE

/* ---- the text with calls ---- */

/* What is put before a line: of the loops that begin or go on there. */
struct writer {
	const struct fortran_unit *unit;
	struct str *out;
};

static void mark(const struct writer *w, uint32_t line)
{
	const struct fortran_line *at = &w->unit->lines->lines.data[line];

	fortran_mark_write(at->number, w->unit->lines->files.text + at->file, 0, w->out);
}

/* A statement that is at a line of the source for those who look for errors. */
static void add(const struct writer *w, uint32_t line, const char *text)
{
	mark(w, line);
	str_add_fmt(w->out, "      %s\n", text);
}

static void add_numbered(const struct writer *w, uint32_t line, const char *fmt, uint32_t site)
{
	OWNED_STR text = STR_INIT;

	for (const char *p = fmt; *p; p++) {
		if (*p == '#')
			str_add_fmt(&text, "%u", site);
		else
			str_add_char(&text, *p);
	}
	add(w, line, text.text);
}

/* The loop that the counters of the next loop after `i` are in, up to the end of `holder`. */
static uint32_t next_held(const struct fortran_unit *unit, uint32_t holder, uint32_t i)
{
	const struct fortran_loop *loops = unit->loops.data;

	for (i++; i < unit->loops.n && loops[i].head <= loops[holder].end; i++)
		if (loops[i].holder == holder && !loops[i].reason)
			return i;
	return FORTRAN_NONE;
}

static void begin_timed(const struct writer *w, uint32_t i, uint32_t line)
{
	const struct fortran_loop *loops = w->unit->loops.data, *loop = &loops[i];

	add(w, line, "block");
	add_numbered(w, line, "integer(4) :: tviewt#", loop->site);
	if (loop->counted)
		add_numbered(w, line, "integer(8) :: tviewn#", loop->site);
	for (uint32_t k = i; (k = next_held(w->unit, i, k)) != FORTRAN_NONE;)
		add_numbered(w, line, "integer(8) :: tviewx#, tviewn#", loops[k].site);
	add(w, line, "integer(4), external :: tviewenter");
	if (loop->counted)
		add_numbered(w, line, "tviewn#=0_8", loop->site);
	for (uint32_t k = i; (k = next_held(w->unit, i, k)) != FORTRAN_NONE;) {
		add_numbered(w, line, "tviewx#=0_8", loops[k].site);
		add_numbered(w, line, "tviewn#=0_8", loops[k].site);
	}
	add_numbered(w, line, "tviewt#=tviewenter(#_4)", loop->site);
}

static void end_timed(const struct writer *w, uint32_t i, uint32_t line)
{
	const struct fortran_loop *loops = w->unit->loops.data, *loop = &loops[i];

	for (uint32_t k = i; (k = next_held(w->unit, i, k)) != FORTRAN_NONE;)
		add_numbered(w, line, "call tviewcount(#_4,(tviewx#),(tviewn#))", loops[k].site);
	add_numbered(w, line,
		     loop->counted ? "call tviewleave(#_4,(tviewt#),(tviewn#))"
				   : "call tviewleave(#_4,(tviewt#),0_8)",
		     loop->site);
	add(w, line, "end block");
}

static void begin_loop(const struct writer *w, uint32_t i, uint32_t line)
{
	const struct fortran_loop *loop = &w->unit->loops.data[i];

	if (!loop->untimed) {
		begin_timed(w, i, line);
	} else if (loop->holder == i) {
		add(w, line, "block");
		add_numbered(w, line, "integer(8) :: tviewn#", loop->site);
		add_numbered(w, line, "tviewn#=0_8", loop->site);
	} else {
		add_numbered(w, line, "tviewx#=tviewx#+1_8", loop->site);
	}
	mark(w, line);
}

static void end_loop(const struct writer *w, uint32_t i, uint32_t line)
{
	const struct fortran_loop *loop = &w->unit->loops.data[i];

	if (!loop->untimed) {
		end_timed(w, i, line);
	} else if (loop->holder == i) {
		add_numbered(w, line, "call tviewcount(#_4,1_8,(tviewn#))", loop->site);
		add(w, line, "end block");
	}
}

/* What is added at lines, in the order of the text: an end or a count after `line`, or a begin
 * before it. */
struct place {
	uint32_t line;
	enum { AFTER_END, AFTER_HEAD, BEFORE } kind;
	uint32_t loop;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->loop != y->loop)
		return (x->loop < y->loop) == (x->kind != AFTER_END) ? -1 : 1;
	return 0;
}

static void add_place(const struct writer *w, const struct place *place)
{
	const struct fortran_unit *unit = w->unit;
	const struct fortran_loop *loop = &unit->loops.data[place->loop];
	const struct fortran_statement *statements = unit->lines->statements.data;

	if (place->kind == BEFORE)
		begin_loop(w, place->loop, statements[loop->begin].first);
	else if (place->kind == AFTER_HEAD)
		add_numbered(w, statements[loop->head].last, "tviewn#=tviewn#+1_8", loop->site);
	else
		end_loop(w, place->loop, statements[loop->end].last);
}

void fortran_unit_text(const struct fortran_unit *unit, struct str *out)
{
	const struct writer w = { unit, out };
	const struct fortran_statement *statements = unit->lines->statements.data;
	OWNED_VEC(struct place) places = VEC_INIT;
	size_t next = 0;

	for (uint32_t i = 0; i < unit->loops.n; i++) {
		const struct fortran_loop *loop = &unit->loops.data[i];
		if (loop->reason)
			continue;
		vec_push(&places, ((struct place){ statements[loop->begin].first, BEFORE, i }));
		vec_push(&places, ((struct place){ statements[loop->end].last + 1, AFTER_END, i }));
		if (loop->counted || loop->untimed)
			vec_push(&places, ((struct place){ statements[loop->head].last + 1,
							   AFTER_HEAD, i }));
	}
	if (places.n)
		qsort(places.data, places.n, sizeof *places.data, compare_places);
	/* The first one names the file; gfortran 12 spoils a statement right after it. */
	for (int i = 0; i < 2; i++)
		fortran_mark_write(1, unit->lines->files.text, 0, out);
	for (uint32_t i = 0; i <= unit->lines->lines.n; i++) {
		const struct fortran_line *line = &unit->lines->lines.data[i];
		const bool any = next < places.n && places.data[next].line == i;
		while (next < places.n && places.data[next].line == i)
			add_place(&w, &places.data[next++]);
		if (i == unit->lines->lines.n)
			break;
		if (any)
			mark(&w, i);
		str_add_n(out, unit->lines->source + line->at, line->length);
		str_add_char(out, '\n');
	}
}

/* ---- what is called, and the table ---- */

static const char helpers[] =
	"#define HELPER static __attribute__((used, noinline, no_instrument_function))\n"
	"HELPER unsigned tviewenter(const int *site) __asm__(\"tviewenter"
	"%s"
	"\");\n"
	"HELPER unsigned tviewenter(const int *site)\n"
	"{ return __builtin_expect(tvi_probes.mode != 0, 0)\n"
	"? tvi_probes.enter_loop(&tvi_unit.sites[*site], __builtin_frame_address(0)) : 0; }\n"
	"HELPER void tviewcount(const int *site, const long long *x, const long long *n)\n"
	"__asm__(\"tviewcount"
	"%s"
	"\");\n"
	"HELPER void tviewcount(const int *site, const long long *x, const long long *n)\n"
	"{ if (__builtin_expect(tvi_probes.mode != 0, 0) && tvi_probes.count)\n"
	"tvi_probes.count(&tvi_unit.sites[*site], (unsigned long)*x, (unsigned long)*n); }\n"
	"HELPER void tviewleave(const int *site, const unsigned *token, const long long *n)\n"
	"__asm__(\"tviewleave"
	"%s"
	"\");\n"
	"HELPER void tviewleave(const int *site, const unsigned *token, const long long *n)\n"
	"{ if (__builtin_expect(tvi_probes.mode != 0, 0))\n"
	"tvi_probes.leave_loop(&tvi_unit.sites[*site], *token, (unsigned long)*n); }\n";

/* The prologue's placeholders; here it is compiled as C. */
static const char placeholders[] =
	"#define TVI_INLINE static inline __attribute__((unused, no_instrument_function))\n"
	"#define TVI_NOTHROW __attribute__((nothrow))\n";

static void add_part(struct str *out, const char *part)
{
	str_add(out, part);
	str_add_char(out, '\n');
}

void fortran_unit_helpers(struct fortran_unit *unit, struct str *out)
{
	const uint32_t directory = (uint32_t)unit->strings.n;

	str_add_n(&unit->strings, unit->options->directory, strlen(unit->options->directory) + 1);
	str_add(out, placeholders);
	add_part(out, prologue_TYPES);
	site_table_write(unit->sites.data, unit->sites.n, &unit->strings, 1, directory, out);
	add_part(out, prologue_VARIABLES);
	add_part(out, prologue_FRAME_ANY);
	add_part(out, prologue_FUNCTIONS);
	str_add_fmt(out, helpers, unit->options->helper_end, unit->options->helper_end,
		    unit->options->helper_end);
}
