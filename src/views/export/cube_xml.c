#include "views/export/cube_xml.h"

#include "base/xml_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/output.h"
#include "base/version.h"
#include "model/trace/program.h"
#include "patterns/analysis/analysis.h"
#include "patterns/topology/topology.h"
#include "views/facts/severity_rows.h"
#include "views/query/analyses.h"

struct xml {
	const struct query *query;
	const struct trace *trace;
	struct severity_rows rows;
	FILE *out;
	uint32_t *threads; /* [n]: location by id of the thread */
	uint32_t *thread;  /* [location]: id of its thread, UINT32_MAX: not chosen */
	uint32_t n;
	struct str text; /* scratch */
};

/* Text of the trace, good until the next call. */
static const char *escaped(struct xml *x, const char *text)
{
	str_clear(&x->text);
	xml_text_add(&x->text, text);
	return x->text.text;
}

/* ---- metrics ---- */

/* Metrics below the chosen one and it; a file has one at least. */
static bool is_written(const struct xml *x, enum cube_metric metric)
{
	const enum cube_metric chosen = (enum cube_metric)x->query->metric;

	if (chosen != CUBE_NONE && !cube_metric_within(metric, chosen))
		return false;
	return metric == (chosen == CUBE_NONE ? CUBE_TIME : chosen) ||
	       (x->rows.cubes[0] && severity_rows_has(&x->rows, metric));
}

static enum cube_metric parent_of(const struct xml *x, enum cube_metric metric)
{
	return metric == (enum cube_metric)x->query->metric ? CUBE_NONE
							    : cube_metric_info(metric)->parent;
}

/* The metrics are in the order of their tree, each after its parent: tags are closed up to the
 * parent of the next one. */
static void close_metrics(struct xml *x, enum cube_metric *open, enum cube_metric until)
{
	for (; *open != until; *open = parent_of(x, *open))
		fputs("    </metric>\n", x->out);
}

static void write_metric(struct xml *x, enum cube_metric m)
{
	static const char *const units[] = { "sec", "occ", "bytes" };
	const struct cube_metric_info *info = cube_metric_info(m);

	fprintf(x->out, "    <metric id=\"%d\">\n", (int)m);
	fprintf(x->out, "      <disp_name>%s</disp_name>\n", escaped(x, info->title));
	fprintf(x->out, "      <uniq_name>%s</uniq_name>\n", info->name);
	fprintf(x->out, "      <dtype>%s</dtype>\n",
		info->unit == UNIT_TICKS ? "FLOAT" : "INTEGER");
	fprintf(x->out, "      <uom>%s</uom>\n      <val></val>\n      <url></url>\n",
		units[info->unit]);
	fprintf(x->out, "      <descr>%s</descr>\n", escaped(x, info->text));
}

static void write_metrics(struct xml *x)
{
	enum cube_metric open = CUBE_NONE;

	fputs("  <metrics>\n", x->out);
	for (int m = 0; m < CUBE_METRICS; m++) {
		if (!is_written(x, (enum cube_metric)m))
			continue;
		close_metrics(x, &open, parent_of(x, (enum cube_metric)m));
		write_metric(x, (enum cube_metric)m);
		open = (enum cube_metric)m;
	}
	close_metrics(x, &open, CUBE_NONE);
	fputs("  </metrics>\n", x->out);
}

/* ---- program ---- */

static void write_region(struct xml *x, uint32_t id, const char *name, const char *file,
			 uint32_t line, uint32_t end)
{
	fprintf(x->out, "    <region id=\"%u\" mod=\"%s\"", id, escaped(x, file));
	fprintf(x->out, " begin=\"%ld\" end=\"%ld\">\n", line ? (long)line : -1L,
		end ? (long)end : -1L);
	fprintf(x->out, "      <name>%s</name>\n      <url></url>\n      <descr></descr>\n",
		escaped(x, name));
	fputs("    </region>\n", x->out);
}

static void open_cnode(struct xml *x, uint32_t path)
{
	const struct trace *t = x->trace;
	const struct site *site =
		path ? trace_site(t, trace_callpath(t, path)->site) : &(const struct site){ 0 };
	const uint32_t region = path ? site->region : trace_region_count(t);

	fprintf(x->out, "    <cnode id=\"%u\" line=\"%ld\" mod=\"%s\" calleeId=\"%u\">\n", path,
		site->line ? (long)site->line : -1L, escaped(x, trace_string(t, site->file)),
		region);
}

static void write_program(struct xml *x)
{
	const struct trace *t = x->trace;
	uint32_t n, depth = 0, *tree = callpath_tree(t, &n);

	fputs("  <program>\n", x->out);
	for (uint32_t r = 0; r < trace_region_count(t); r++) {
		const struct region *region = trace_region(t, r);
		write_region(x, r, trace_region_name(t, r), trace_string(t, region->file),
			     region->line, region->end_line);
	}
	write_region(x, trace_region_count(t), "(no region)", "", 0, 0);
	open_cnode(x, 0);
	fputs("    </cnode>\n", x->out);
	for (uint32_t i = 1; i < n; i++) {
		const uint32_t at = trace_callpath(t, tree[i])->depth;
		for (; depth >= at; depth--)
			fputs("    </cnode>\n", x->out);
		open_cnode(x, tree[i]);
		depth = at;
	}
	for (; depth; depth--)
		fputs("    </cnode>\n", x->out);
	fputs("  </program>\n", x->out);
	free(tree);
}

/* ---- system ---- */

struct seat {
	uint32_t node, location;
	int32_t rank, thread;
};

ORDERING(compare_seats, struct seat, node, rank, thread, location)

/* Threads are numbered as the tree has them: by node, then by rank. */
static struct seat *number_threads(struct xml *x)
{
	struct seat *seats;

	x->n = query_location_count(x->query);
	seats = xcalloc(x->n, sizeof *seats);
	x->threads = xcalloc(x->n, sizeof *x->threads);
	x->thread = xcalloc(trace_location_count(x->trace), sizeof *x->thread);
	for (uint32_t l = 0; l < trace_location_count(x->trace); l++)
		x->thread[l] = UINT32_MAX;
	for (uint32_t i = 0; i < x->n; i++) {
		const uint32_t l = query_location(x->query, i);
		const struct location *location = trace_location(x->trace, l);
		seats[i] = (struct seat){ location->node, l, location->rank, location->thread };
	}
	SORT(seats, x->n, compare_seats);
	for (uint32_t i = 0; i < x->n; i++) {
		x->threads[i] = seats[i].location;
		x->thread[seats[i].location] = i;
	}
	return seats;
}

/* Locations without a rank are processes of their own. */
static bool same_process(const struct seat *a, const struct seat *b)
{
	return a->node == b->node && a->rank == b->rank && a->rank >= 0;
}

static void write_process(struct xml *x, const struct seat *seats, uint32_t first, uint32_t end,
			  uint32_t process)
{
	const int32_t rank = seats[first].rank >= 0 ? seats[first].rank : (int32_t)first;
	const char *name =
		trace_string(x->trace, trace_location(x->trace, seats[first].location)->name);

	fprintf(x->out, "        <process id=\"%u\">\n          <name>%s</name>\n", process,
		escaped(x, name));
	fprintf(x->out, "          <rank>%d</rank>\n", (int)rank);
	for (uint32_t i = first; i < end; i++) {
		name = trace_string(x->trace, trace_location(x->trace, seats[i].location)->name);
		fprintf(x->out, "          <thread id=\"%u\"><name>%s</name>", i, escaped(x, name));
		fprintf(x->out, "<rank>%d</rank></thread>\n",
			seats[i].thread >= 0 ? (int)seats[i].thread : 0);
	}
	fputs("        </process>\n", x->out);
}

static void write_cart(struct xml *x, const struct grid *grid)
{
	fprintf(x->out, "      <cart name=\"%s\" ndims=\"%u\">\n", escaped(x, grid->name),
		grid->dims);
	for (uint32_t d = 0; d < grid->dims; d++)
		fprintf(x->out, "        <dim size=\"%u\" periodic=\"%s\"/>\n", grid->size[d],
			grid->periodic[d] == 1 ? "true" : "false");
	for (uint32_t i = 0; i < x->n; i++) {
		const int32_t *coords = &grid->coords[(size_t)x->threads[i] * grid->dims];
		if (coords[0] < 0)
			continue;
		fprintf(x->out, "        <coord thrdId=\"%u\">", i);
		for (uint32_t d = 0; d < grid->dims; d++)
			fprintf(x->out, "%s%d", d ? " " : "", (int)coords[d]);
		fputs("</coord>\n", x->out);
	}
	fputs("      </cart>\n", x->out);
}

/* The grids that the analysis has (--topology and all); a guess says so by its name. A grid without
 * locations cannot be written. */
static void write_grids(struct xml *x)
{
	const struct query *q = x->query;
	const struct grids *grids = q->analyses ? analyses_grids(q->analyses, q->base, NULL) : NULL;

	fputs("    <topologies>\n", x->out);
	for (uint32_t g = 0; grids && g < grids->n; g++) {
		const struct grid *grid = &grids->grid[g];
		bool any = false;
		for (uint32_t i = 0; i < x->n && !any; i++)
			any = grid->coords[(size_t)x->threads[i] * grid->dims] >= 0;
		if (any)
			write_cart(x, grid);
	}
	fputs("    </topologies>\n", x->out);
}

static void write_system(struct xml *x)
{
	OWNED struct seat *seats = number_threads(x);
	uint32_t process = 0, node = 0;

	fputs("  <system>\n    <machine id=\"0\">\n      <name>machine</name>\n"
	      "      <descr></descr>\n",
	      x->out);
	for (uint32_t i = 0, end; i < x->n; i = end) {
		const char *name = trace_string(x->trace, seats[i].node);
		if (i == 0 || seats[i].node != seats[i - 1].node)
			fprintf(x->out, "%s      <node id=\"%u\">\n        <name>%s</name>\n",
				i ? "      </node>\n" : "", node++,
				escaped(x, *name ? name : "node"));
		for (end = i + 1; end < x->n && same_process(&seats[i], &seats[end]); end++)
			;
		write_process(x, seats, i, end, process++);
	}
	fputs("      </node>\n    </machine>\n", x->out);
	write_grids(x);
	fputs("  </system>\n", x->out);
}

/* ---- severity ---- */

static void write_row(struct xml *x, enum cube_unit unit, const struct severity *rows, size_t n,
		      double *values)
{
	const double scale = unit == UNIT_TICKS ? (double)trace_scale(x->trace)->per_second : 1;

	for (uint32_t i = 0; i < x->n; i++)
		values[i] = 0;
	for (size_t i = 0; i < n; i++)
		values[x->thread[rows[i].location]] = rows[i].value / scale;
	fprintf(x->out, "      <row cnodeId=\"%u\">\n", rows[0].path);
	for (uint32_t i = 0; i < x->n; i++)
		fprintf(x->out, "%.17g\n", values[i]);
	fputs("      </row>\n", x->out);
}

static bool write_severity(struct xml *x)
{
	OWNED double *values = xcalloc(x->n, sizeof *values);
	bool ok = true;

	fputs("  <severity>\n", x->out);
	for (int m = 0; m < CUBE_METRICS && ok; m++) {
		const struct severity *rows = NULL;
		size_t n = 0;
		if (!is_written(x, (enum cube_metric)m))
			continue;
		if (x->rows.cubes[0]) {
			severity_rows_of(&x->rows, (enum cube_metric)m, &rows);
			severity_rows_gather(&x->rows, &x->rows.rows);
			rows = x->rows.rows.data;
			n = x->rows.rows.n;
		}
		fprintf(x->out, "    <matrix metricId=\"%d\">\n", m);
		for (size_t i = 0, end; i < n && ok; i = end) {
			for (end = i; end < n && rows[end].path == rows[i].path; end++)
				;
			write_row(x, cube_metric_info((enum cube_metric)m)->unit, rows + i, end - i,
				  values);
			ok = !ferror(x->out) && !query_stopped(x->query);
		}
		fputs("    </matrix>\n", x->out);
		/* All go on, or none. */
		ok = !exchange_any(trace_exchange(x->trace), !ok);
	}
	fputs("  </severity>\n", x->out);
	return ok;
}

bool cube_xml_write(const struct query *query, FILE *out, struct err *err)
{
	struct xml x = { .query = query, .trace = query->trace, .out = out };
	bool ok = query_location_count(query) ||
		  err_set(err, STATUS_NO, "a Cube file needs at least one location");

	if (ok && trace_records_alone(query->trace))
		ok = err_set(err, STATUS_NO,
			     "a Cube file needs events, and this trace has statistics only (record "
			     "it without --statistics)");

	ok = ok && severity_rows_init(&x.rows, query, SEVERITY_BY_ALL, err);
	if (ok) {
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\n<cube version=\"3.0\">\n",
		      out);
		fprintf(out, "  <attr key=\"Creator\" value=\"tview %s\"/>\n", TVIEW_VERSION);
		fprintf(out, "  <attr key=\"Time base\" value=\"%s\"/>\n",
			time_base_name(query->base));
		fprintf(out, "  <attr key=\"Trace\" value=\"%s\"/>\n",
			escaped(&x, trace_path(query->trace)));
		fputs("  <doc>\n    <mirrors>\n    </mirrors>\n  </doc>\n", out);
		write_metrics(&x);
		write_program(&x);
		write_system(&x);
		ok = write_severity(&x);
		fputs("</cube>\n", out);
	}
	severity_rows_fini(&x.rows);
	free_all(x.threads, x.thread);
	str_fini(&x.text);
	return output_check(out, err) && ok;
}
