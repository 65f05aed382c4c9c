#include "harness/sample.h"
#include "harness/random.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "model/build/builder.h"
#include "ui/app/views.h"

static const struct timescale microseconds = { 1000000, 6 };

static uint32_t string(struct builder *b, const char *text)
{
	return builder_string(b, text, strlen(text));
}

static struct trace *finish(struct builder *b)
{
	const struct builder_options options = { .jobs = 1 };
	struct trace *trace = builder_finish(b, &options, NULL, NULL);

	if (!trace)
		abort();
	return trace;
}

struct places {
	uint32_t main, solve, send, recv, barrier, barrier_region;
};

static struct places places_of(struct builder *b, const char *solve)
{
	const uint32_t main_region = builder_region(b, "main", CLASS_USER, 0);
	const uint32_t solve_region = builder_region(b, solve, CLASS_USER, 1);
	const uint32_t barrier = builder_region(b, "MPI_Barrier", CLASS_SYNC, -402);
	struct places p;

	builder_region_source(b, main_region, "main.c", 3);
	builder_region_source(b, solve_region, "solve.c", 10);
	p.main = builder_site(b, main_region, 0, 0, 0);
	p.solve = builder_site(b, solve_region, 0, 0, 1);
	p.send = builder_site(b, builder_region(b, "MPI_Send", CLASS_P2P, -21), string(b, "main.c"),
			      17, -21);
	p.recv = builder_site(b, builder_region(b, "MPI_Recv", CLASS_P2P, -51), 0, 0, -51);
	p.barrier = builder_site(b, barrier, 0, 0, -402);
	p.barrier_region = barrier;
	return p;
}

static void visit(struct builder *b, uint32_t location, int64_t from, int64_t to, uint32_t site)
{
	builder_enter(b, location, from, site);
	builder_leave(b, location, to, site);
}

static void barrier(struct builder *b, uint32_t location, int64_t from, int64_t to,
		    const struct places *p)
{
	builder_enter(b, location, from, p->barrier);
	builder_collective_begin(b, location, from, 0, p->barrier_region, -1, 0, 0);
	builder_collective_end(b, location, to, 0, 0);
	builder_leave(b, location, to, p->barrier);
}

static struct trace *make(const char *solve, const char *comm)
{
	static const int32_t both[] = { 0, 1 };
	struct builder *b = builder_new("sample.trc", &microseconds, NULL);
	const struct places p = places_of(b, solve);
	const uint32_t l0 = builder_location(b, &(struct location){ .rank = 0, .process = -1 });
	const uint32_t l1 = builder_location(b, &(struct location){ .rank = 1, .process = -1 });
	struct message_end end = { .process = -1, .tag = 7, .bytes = 8 };

	if (comm)
		end.comm = builder_comm(b, comm, both, 2, -5);
	builder_enter(b, l0, 0, p.main);
	builder_enter(b, l0, 100, p.send);
	end.rank = 1;
	builder_send(b, l0, 100, &end);
	builder_leave(b, l0, 110, p.send);
	visit(b, l0, 200, 700, p.solve);
	barrier(b, l0, 800, 900, &p);
	builder_leave(b, l0, 1000, p.main);

	builder_enter(b, l1, 0, p.main);
	builder_enter(b, l1, 50, p.recv);
	end.rank = 0;
	builder_recv(b, l1, 120, &end);
	builder_leave(b, l1, 120, p.recv);
	visit(b, l1, 150, 250, p.solve);
	visit(b, l1, 300, 401, p.solve);
	barrier(b, l1, 500, 900, &p);
	builder_leave(b, l1, 1000, p.main);
	return finish(b);
}

struct trace *views_sample(void)
{
	return make("solve", NULL);
}

struct trace *sample_hostile(const char *text)
{
	return make(text, text);
}

/* ---- random ---- */

static void random_event(struct builder *b, uint64_t *seed, uint32_t location, int64_t time,
			 const uint32_t *sites, int ranks)
{
	const uint32_t site = sites[draw(seed, 4)];
	const struct message_end end = { .rank = (int32_t)draw(seed, (uint32_t)ranks),
					 .process = -1,
					 .tag = (int32_t)draw(seed, 2),
					 .bytes = draw(seed, 5000),
					 .flags = draw(seed, 9) ? 0 : MSG_NO_BYTES };

	switch (draw(seed, 8)) {
	case 0:
	case 1: builder_enter(b, location, time, site); break;
	case 2:
	case 3: builder_leave(b, location, time, site); break;
	case 4: builder_mark(b, location, time, site); break;
	case 5:
	case 6: builder_send(b, location, time, &end); break;
	default: builder_recv(b, location, time, &end);
	}
}

struct trace *sample_random(uint64_t seed, int ranks, int events)
{
	static const char *const names[] = { "a", "b", "MPI_Send", "MPI_Recv" };
	struct builder *b = builder_new("random.trc", &microseconds, NULL);
	uint32_t sites[4];

	for (uint32_t i = 0; i < 4; i++)
		sites[i] = builder_site(b,
					builder_region(b, names[i], i < 2 ? CLASS_USER : CLASS_P2P,
						       i < 2 ? (int32_t)i : -(int32_t)i * 10),
					0, i == 2 ? 5 : 0, (int32_t)i);
	/* Locations in an order that is not that of the ranks. */
	for (int rank = ranks - 1; rank >= 0; rank--) {
		const struct location location = { .rank = rank, .process = -1 };
		const uint32_t l = builder_location(b, &location);
		const int n = (int)draw(&seed, (uint32_t)events);
		int64_t time = draw(&seed, 20);
		for (int i = 0; i < n; i++) {
			time += draw(&seed, 3);
			random_event(b, &seed, l, time, sites, ranks);
		}
	}
	return finish(b);
}

struct query sample_query(struct trace *trace)
{
	return (struct query){
		.trace = trace, .base = trace_default_base(trace), .t0 = INT64_MIN, .t1 = INT64_MAX
	};
}

/* ---- exports as text ---- */

char *sample_export(const char *view, const struct query *query, enum export_format format,
		    int width)
{
	const struct export_options options = { .format = format, .width = width };
	struct err err = ERR_INIT;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (!stream ||
	    !export_view(view_of_export(&all_views, view), query, &options, stream, &err)) {
		fprintf(stderr, "export %s: %s\n", view, err.text);
		abort();
	}
	fclose(stream);
	return text;
}

struct csv csv_parse(const char *text)
{
	VEC(char **) rows = VEC_INIT;
	VEC(char *) fields = VEC_INIT;
	struct str field = STR_INIT;
	struct csv csv = { 0 };

	for (bool quoted = false; *text; text++) {
		if (quoted ? *text == '"' : *text == '"' && !field.n) {
			if (quoted && text[1] == '"')
				str_add_char(&field, *text++);
			else
				quoted = !quoted;
		} else if (!quoted && (*text == ',' || *text == '\n')) {
			vec_push(&fields, str_take(&field));
			if (*text == ',')
				continue;
			vec_push(&rows, fields.data);
			csv.n_columns = fields.n;
			fields.data = NULL;
			fields.n = fields.cap = 0;
		} else {
			str_add_char(&field, *text);
		}
	}
	csv.rows = rows.data;
	csv.n_rows = rows.n;
	return csv;
}

void csv_free(struct csv *csv)
{
	for (size_t r = 0; r < csv->n_rows; r++) {
		for (size_t c = 0; c < csv->n_columns; c++)
			free(csv->rows[r][c]);
		free(csv->rows[r]);
	}
	free(csv->rows);
}
