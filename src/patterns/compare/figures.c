#include "patterns/compare/figures.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

/* ---- writing ---- */

struct figures_writer {
	FILE *out;
	const struct trace *trace;
	uint32_t *path_of;   /* [call paths] number in the file */
	uint32_t *region_of; /* [regions] */
};

static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '\t': fputs("\\t", out); break;
		case '\n': fputs("\\n", out); break;
		case '\\': fputs("\\\\", out); break;
		default: putc(*text, out);
		}
}

static void put_place(const struct figures_writer *w, uint32_t file, uint32_t line)
{
	putc('\t', w->out);
	put_text(w->out, trace_string(w->trace, file));
	fprintf(w->out, "\t%u\n", line);
}

static void put_locations(const struct figures_writer *w)
{
	for (uint32_t l = 0; l < trace_location_count(w->trace); l++) {
		const struct location *location = trace_location(w->trace, l);
		fprintf(w->out, "location\t%d\t%d\t%d\t", location->rank, location->thread,
			location->type);
		put_text(w->out, trace_string(w->trace, location->name));
		putc('\n', w->out);
	}
}

static bool is_kept(const struct trace *trace, uint32_t path)
{
	return path > 0 && trace_callpath(trace, path)->canon == path;
}

static void put_regions(const struct figures_writer *w)
{
	OWNED bool *used = xcalloc((size_t)trace_region_count(w->trace) + 1, sizeof *used);
	uint32_t n = 0;

	for (uint32_t p = 0; p < trace_callpath_count(w->trace); p++)
		if (is_kept(w->trace, p))
			used[trace_callpath_region(w->trace, p)] = true;
	for (uint32_t r = 0; r < trace_region_count(w->trace); r++) {
		const struct region *region = trace_region(w->trace, r);
		if (!used[r])
			continue;
		w->region_of[r] = n++;
		fprintf(w->out, "region\t%d\t%d\t%d\t", region->cls, region->role,
			region->paradigm);
		put_text(w->out, trace_region_name(w->trace, r));
		put_place(w, region->file, region->line);
	}
}

/* Depth first: `next` links the call paths with one parent, `first` the parent to them. */
static void put_paths(const struct figures_writer *w)
{
	const struct trace *trace = w->trace;
	const uint32_t n = trace_callpath_count(trace);
	OWNED uint32_t *first = xcalloc((size_t)n + 1, sizeof *first);
	OWNED uint32_t *next = xcalloc((size_t)n + 1, sizeof *next);
	uint32_t written = 0;

	for (uint32_t p = n; p-- > 1;)
		if (is_kept(trace, p)) {
			const uint32_t parent =
				trace_callpath(trace, trace_callpath(trace, p)->parent)->canon;
			next[p] = first[parent];
			first[parent] = p;
		}
	for (uint32_t p = first[0]; p;) {
		const struct callpath *path = trace_callpath(trace, p);
		const struct site *site = trace_site(trace, path->site);
		w->path_of[p] = ++written;
		fprintf(w->out, "path\t%u\t%u",
			w->path_of[trace_callpath(trace, path->parent)->canon],
			w->region_of[site->region]);
		put_place(w, site->file, site->line);
		if (first[p]) {
			p = first[p];
			continue;
		}
		while (p && !next[p])
			p = trace_callpath(trace, trace_callpath(trace, p)->parent)->canon;
		p = p ? next[p] : 0;
	}
}

static uint64_t put_values(const struct figures_writer *w, const struct cube *cube)
{
	uint64_t written = 0;

	for (int m = 0; m < CUBE_METRICS; m++) {
		size_t n;
		const struct cube_cell *cells = cube_cells(cube, (enum cube_metric)m, &n);
		for (size_t i = 0; i < n; i++)
			fprintf(w->out, "value\t%s\t%u\t%u\t%.17g\n",
				cube_metric_info((enum cube_metric)m)->name,
				w->path_of[cells[i].path], cells[i].location, cells[i].value);
		written += n;
	}
	return written;
}

void figures_write(FILE *out, const struct cube *cube, enum time_base base,
		   const struct efficiency *e)
{
	const struct trace *trace = cube_trace(cube);
	OWNED uint32_t *path_of = xcalloc((size_t)trace_callpath_count(trace) + 1, sizeof *path_of);
	OWNED uint32_t *region_of =
		xcalloc((size_t)trace_region_count(trace) + 1, sizeof *region_of);
	const struct figures_writer w = { out, trace, path_of, region_of };

	fprintf(out, "tview-figures\t1\nbase\t%s\nticks\t%lld\n", time_base_name(base),
		(long long)trace_scale(trace)->per_second);
	fprintf(out, "efficiency\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\n", e->parallel,
		e->load_balance, e->communication, e->serialisation, e->transfer, e->run_time);
	put_locations(&w);
	put_regions(&w);
	put_paths(&w);
	fprintf(out, "end\t%llu\n", (unsigned long long)put_values(&w, cube));
}

void figures_fini(struct figures *f)
{
	cube_free(f->cube);
	trace_free(f->trace);
	*f = (struct figures){ 0 };
}
