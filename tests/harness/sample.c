#include "harness/sample.h"

#include "base/mem.h"
#include "base/vec.h"
#include "harness/built.h"
#include "harness/notation.h"
#include "harness/random.h"
#include "harness/test.h"
#include "ui/app/views.h"

static const struct timescale microseconds = { 1000000, 6 };

/* solve and comm may be any text: the builder takes them as they are. */
static struct trace *make(const char *solve, const char *comm)
{
	static const int32_t both[] = { 0, 1 };
	const char *with = comm ? "comm pair" : "";
	struct notation n;

	notation_begin(&n, microseconds.per_second);
	builder_abandon(n.b);
	n.b = builder_new("sample.trc", &microseconds, NULL);
	notation_write(&n, "region main picl 0 file main.c line 3");
	notation_define(&n, NOTATION_REGION, "solve", builder_region(n.b, solve, CLASS_USER, 1), 1);
	builder_region_source(n.b, notation_id(&n, NOTATION_REGION, "solve"), "solve.c", 10);
	notation_write(&n,
		       "region MPI_Barrier class sync picl -402\n"
		       "region MPI_Send class p2p picl -21; region MPI_Recv class p2p picl -51\n"
		       "file main.c; ranks 2");
	if (comm)
		notation_define(&n, NOTATION_COMM, "pair", builder_comm(n.b, comm, both, 2, -5), 0);
	notation_write(&n,
		       "rank 0: main@0 { MPI_Send:17@100-110 ->1 tag 7 %s solve@200-700\n"
		       "  MPI_Barrier@800-900 all } @1000\n"
		       "rank 1: main@0 { MPI_Recv@50-120 <-0 tag 7 %s solve@150-250 solve@300-401\n"
		       "  MPI_Barrier@500-900 all } @1000",
		       with, with);
	return notation_finish(&n);
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
		const uint32_t l = built_rank(b, rank, 0);
		const int n = (int)draw(&seed, (uint32_t)events);
		int64_t time = draw(&seed, 20);
		for (int i = 0; i < n; i++) {
			time += draw(&seed, 3);
			random_event(b, &seed, l, time, sites, ranks);
		}
	}
	return built_end(b);
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

	if (!export_view(view_of_export(&all_views, view), query, &options, stream, &err))
		fail_msg("export %s: %s", view, err.text);
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
