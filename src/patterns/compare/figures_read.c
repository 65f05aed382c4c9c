#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/vec.h"
#include "model/build/builder.h"
#include "patterns/compare/figures.h"

enum { FIELDS = 8, FILE_MOST = 1 << 28 };

struct figures_cell {
	enum cube_metric metric;
	uint32_t path, location;
	double value;
};

struct figures_path {
	uint32_t parent, site;
};

struct figures_reader {
	const char *path;
	FILE *in;
	char *line;
	size_t room;
	uint64_t number;
	char *fields[FIELDS];
	unsigned n;
	struct figures *figures;
	struct builder *builder;
	uint32_t locations;
	VEC(uint32_t) regions;
	VEC(struct figures_path) paths; /* [0] the root */
	VEC(uint32_t) open;             /* from the root to the path before */
	VEC(struct figures_cell) cells;
	bool ended;
	struct err *err;
};

static bool wrong(struct figures_reader *r, const char *what)
{
	return err_set(r->err, STATUS_IO, "%s:%llu: %s; add the run again", r->path,
		       (unsigned long long)r->number, what);
}

/* ---- fields ---- */

static void unescape(char *text)
{
	char *out = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1]) {
			text++;
			*out++ = *text == 't' ? '\t' : *text == 'n' ? '\n' : *text;
		} else {
			*out++ = *text;
		}
	}
	*out = '\0';
}

static bool next_line(struct figures_reader *r)
{
	const ssize_t n = getline(&r->line, &r->room, r->in);

	r->number++;
	r->n = 0;
	if (n < 0)
		return false;
	if (r->line[n - 1] == '\n')
		r->line[n - 1] = '\0';
	for (char *p = r->line; p && r->n < FIELDS;) {
		char *tab = strchr(p, '\t');
		if (tab)
			*tab++ = '\0';
		unescape(p);
		r->fields[r->n++] = p;
		p = tab;
	}
	return true;
}

static bool whole(const char *text, int64_t least, int64_t most, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	return end != text && !*end && !errno && *value >= least && *value <= most;
}

static bool number_below(const char *text, size_t limit, uint32_t *value)
{
	int64_t number;

	if (!limit || !whole(text, 0, (int64_t)limit - 1, &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

static bool real(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end && !isinf(*value);
}

/* ---- lines ---- */

static bool read_base(struct figures_reader *r)
{
	r->figures->base = time_base_find(r->fields[1]);
	return r->figures->base != BASE_COUNT || wrong(r, "no such time base");
}

static bool read_ticks(struct figures_reader *r)
{
	struct timescale scale = { 0, 12 };

	if (r->builder || !whole(r->fields[1], 1, 1000000000000, &scale.per_second))
		return wrong(r, "no number of ticks a second");
	r->builder = builder_new(r->path, &scale, r->err);
	return r->builder != NULL;
}

static bool read_efficiency(struct figures_reader *r)
{
	struct efficiency *e = &r->figures->efficiency;

	return (real(r->fields[1], &e->parallel) && real(r->fields[2], &e->load_balance) &&
		real(r->fields[3], &e->communication) && real(r->fields[4], &e->serialisation) &&
		real(r->fields[5], &e->transfer) && real(r->fields[6], &e->run_time)) ||
	       wrong(r, "an efficiency is not a number");
}

static bool read_location(struct figures_reader *r)
{
	int64_t rank, thread, type;

	if (!whole(r->fields[1], INT32_MIN, INT32_MAX, &rank) ||
	    !whole(r->fields[2], 0, INT32_MAX, &thread) ||
	    !whole(r->fields[3], 0, LOCATION_METRICS, &type))
		return wrong(r, "a location's rank, thread and type should follow");
	const struct location location = {
		.name = builder_string(r->builder, r->fields[4], strlen(r->fields[4])),
		.rank = (int32_t)rank,
		.process = -1,
		.thread = (int32_t)thread,
		.type = (uint8_t)type,
		.source_id = r->locations,
	};
	return builder_location(r->builder, &location) == r->locations++ ||
	       wrong(r, "the same location again");
}

static uint32_t text_of(struct figures_reader *r, unsigned field)
{
	return *r->fields[field]
		       ? builder_string(r->builder, r->fields[field], strlen(r->fields[field]))
		       : 0;
}

static bool read_region(struct figures_reader *r)
{
	int64_t cls, role, paradigm, line;

	if (!whole(r->fields[1], 0, CLASS_COUNT - 1, &cls) ||
	    !whole(r->fields[2], 0, UINT8_MAX, &role) ||
	    !whole(r->fields[3], 0, UINT8_MAX, &paradigm) ||
	    !whole(r->fields[6], 0, UINT32_MAX, &line))
		return wrong(r,
			     "a region's class, role, paradigm, name, file and line should follow");
	const struct region region = {
		.name = text_of(r, 4),
		.file = text_of(r, 5),
		.line = (uint32_t)line,
		.picl = 0,
		.cls = (uint8_t)cls,
		.role = (uint8_t)role,
		.paradigm = (uint8_t)paradigm,
	};
	vec_push(&r->regions, builder_region_define(r->builder, &region));
	return true;
}

/* The trace gets its call paths from visits, in this order. */
static bool read_path(struct figures_reader *r)
{
	uint32_t parent, region;
	int64_t line;

	if (!r->locations)
		return wrong(r, "locations come before call paths");
	if (!number_below(r->fields[1], r->paths.n, &parent) ||
	    !number_below(r->fields[2], r->regions.n, &region) ||
	    !whole(r->fields[4], 0, UINT32_MAX, &line))
		return wrong(r, "a call path's parent, region, file and line should follow");
	while (r->open.n > 1 && r->open.data[r->open.n - 1] != parent)
		builder_leave(r->builder, 0, 0, r->paths.data[r->open.data[--r->open.n]].site);
	if (r->open.data[r->open.n - 1] != parent)
		return wrong(r, "this call path's parent is not the one before, or above that");
	const uint32_t site =
		builder_site(r->builder, r->regions.data[region], text_of(r, 3), (uint32_t)line, 0);
	builder_enter(r->builder, 0, 0, site);
	vec_push(&r->open, (uint32_t)r->paths.n);
	vec_push(&r->paths, ((struct figures_path){ parent, site }));
	return true;
}

static bool read_value(struct figures_reader *r)
{
	struct figures_cell cell = { .metric =
					     cube_metric_find(r->fields[1], strlen(r->fields[1])) };

	if (!number_below(r->fields[2], r->paths.n, &cell.path) ||
	    !number_below(r->fields[3], r->locations, &cell.location) ||
	    !real(r->fields[4], &cell.value) || isnan(cell.value))
		return wrong(r, "a metric, call path, location and number should follow");
	/* Another version's metric has no counterpart here. */
	if (cell.metric == CUBE_NONE)
		cell.value = 0;
	vec_push(&r->cells, cell);
	return true;
}

static bool read_end(struct figures_reader *r)
{
	int64_t n;

	r->ended = whole(r->fields[1], 0, INT64_MAX, &n) && (uint64_t)n == r->cells.n;
	return r->ended || wrong(r, "values are missing");
}

static bool read_line(struct figures_reader *r)
{
	static const struct {
		const char *word;
		unsigned fields;
		bool before_ticks;
		bool (*read)(struct figures_reader *r);
	} lines[] = {
		{ "base", 2, true, read_base },
		{ "ticks", 2, true, read_ticks },
		{ "efficiency", 7, true, read_efficiency },
		{ "location", 5, false, read_location },
		{ "region", 7, false, read_region },
		{ "path", 5, false, read_path },
		{ "value", 5, false, read_value },
		{ "end", 2, false, read_end },
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		if (strcmp(r->fields[0], lines[i].word) != 0)
			continue;
		if (r->n != lines[i].fields)
			return wrong(r, "this line has another number of fields");
		if (!r->builder && !lines[i].before_ticks)
			return wrong(r, "'ticks' comes before");
		return lines[i].read(r);
	}
	return wrong(r, "unknown line");
}

/* ---- the trace and its cube ---- */

static bool finish(struct figures_reader *r)
{
	const struct builder_options how = { 0 };
	struct figures *f = r->figures;

	while (r->open.n > 1)
		builder_leave(r->builder, 0, 0, r->paths.data[r->open.data[--r->open.n]].site);
	f->trace = builder_finish(r->builder, &how, NULL, r->err);
	r->builder = NULL;
	if (!f->trace)
		return false;
	if (trace_callpath_count(f->trace) != r->paths.n)
		return wrong(r, "the same call path again");
	f->cube = cube_new(f->trace);
	for (size_t i = 0; i < r->cells.n; i++) {
		const struct figures_cell *c = &r->cells.data[i];
		if (c->value != 0)
			cube_add(f->cube, c->metric, c->path, c->location, c->value);
	}
	cube_settle(f->cube);
	return true;
}

static bool read_all(struct figures_reader *r)
{
	if (!next_line(r) || r->n != 2 || strcmp(r->fields[0], "tview-figures") != 0 ||
	    strcmp(r->fields[1], "1") != 0)
		return wrong(r, "not the figures of a run, or those of a newer tview");
	vec_push(&r->paths, ((struct figures_path){ 0, 0 }));
	vec_push(&r->open, 0u);
	while (!r->ended)
		if (!next_line(r))
			return wrong(r, "the file ends too early");
		else if (!read_line(r))
			return false;
	return finish(r);
}

bool figures_read(struct figures *figures, const char *path, struct err *err)
{
	struct figures_reader r = { .path = path, .figures = figures, .err = err };
	struct stat is;
	bool ok;

	*figures = (struct figures){ .base = BASE_MEASURED };
	r.in = fopen(path, "re");
	if (!r.in || fstat(fileno(r.in), &is))
		return err_errno(err, STATUS_IO, "cannot open %s", path);
	ok = is.st_size <= FILE_MOST
		     ? read_all(&r)
		     : err_set(err, STATUS_IO, "%s: larger than %d MiB", path, FILE_MOST >> 20);
	fclose(r.in);
	if (r.builder)
		builder_abandon(r.builder);
	free(r.line);
	vec_fini(&r.regions);
	vec_fini(&r.paths);
	vec_fini(&r.open);
	vec_fini(&r.cells);
	if (!ok)
		figures_fini(figures);
	return ok;
}
