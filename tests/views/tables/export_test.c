/* Exports of a trace whose every number is computed by hand, read back from CSV and JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/analysed.h"
#include "harness/owners.h"
#include "harness/sample.h"
#include "ui/app/views.h"

FREES(json_decref, json_t)

/* Compares with what the issue promises; prints both where they differ. */
static void expect(const char *view, const struct query *query, const char *expected)
{
	OWNED char *text = sample_export(view, query, EXPORT_CSV, 0);

	assert_string_equal(text, expected);
}

/* The first n columns of every row, as CSV without quotes. */
static char *first_columns(const char *text, size_t n)
{
	ENDED_BY(csv_free) struct csv csv = csv_parse(text);
	struct str out = STR_INIT;

	for (size_t r = 0; r < csv.n_rows; r++) {
		for (size_t c = 0; c < n; c++)
			str_add_fmt(&out, "%s%s", c ? "," : "", csv.rows[r][c]);
		str_add_char(&out, '\n');
	}
	return str_take(&out);
}

static void expect_first(const char *view, const struct query *query, size_t n,
			 const char *expected)
{
	OWNED char *text = sample_export(view, query, EXPORT_CSV, 0);
	OWNED char *first = first_columns(text, n);

	assert_string_equal(first, expected);
}

TEST(events_are_those_of_the_trace)
{
	OWNED_TRACE *trace = views_sample();
	const struct query query = sample_query(trace);

	expect_first("events", &query, 13,
		     "time_s,rank,thread,kind,region,peer,tag,bytes,comm,root,callpath,file,line\n"
		     "0.000000000,0,0,enter,main,,,,,,main,main.c,3\n"
		     "0.000000000,1,0,enter,main,,,,,,main,main.c,3\n"
		     "0.000050000,1,0,enter,MPI_Recv,,,,,,main > MPI_Recv,,\n"
		     "0.000100000,0,0,enter,MPI_Send,,,,,,main > MPI_Send,main.c,17\n"
		     "0.000100000,0,0,send,MPI_Send,1,7,8,world,,main > MPI_Send,main.c,17\n"
		     "0.000110000,0,0,leave,MPI_Send,,,,,,main > MPI_Send,main.c,17\n"
		     "0.000120000,1,0,recv,MPI_Recv,0,7,8,world,,main > MPI_Recv,,\n"
		     "0.000120000,1,0,leave,MPI_Recv,,,,,,main > MPI_Recv,,\n"
		     "0.000150000,1,0,enter,solve,,,,,,main > solve,solve.c,10\n"
		     "0.000200000,0,0,enter,solve,,,,,,main > solve,solve.c,10\n"
		     "0.000250000,1,0,leave,solve,,,,,,main > solve,solve.c,10\n"
		     "0.000300000,1,0,enter,solve,,,,,,main > solve,solve.c,10\n"
		     "0.000401000,1,0,leave,solve,,,,,,main > solve,solve.c,10\n"
		     "0.000500000,1,0,enter,MPI_Barrier,,,,,,main > MPI_Barrier,,\n"
		     "0.000500000,1,0,collective_begin,MPI_Barrier,,,0,world,,"
		     "main > MPI_Barrier,,\n"
		     "0.000700000,0,0,leave,solve,,,,,,main > solve,solve.c,10\n"
		     "0.000800000,0,0,enter,MPI_Barrier,,,,,,main > MPI_Barrier,,\n"
		     "0.000800000,0,0,collective_begin,MPI_Barrier,,,0,world,,"
		     "main > MPI_Barrier,,\n"
		     "0.000900000,0,0,collective_end,MPI_Barrier,,,0,world,,"
		     "main > MPI_Barrier,,\n"
		     "0.000900000,0,0,leave,MPI_Barrier,,,,,,main > MPI_Barrier,,\n"
		     "0.000900000,1,0,collective_end,MPI_Barrier,,,0,world,,"
		     "main > MPI_Barrier,,\n"
		     "0.000900000,1,0,leave,MPI_Barrier,,,,,,main > MPI_Barrier,,\n"
		     "0.001000000,0,0,leave,main,,,,,,main,main.c,3\n"
		     "0.001000000,1,0,leave,main,,,,,,main,main.c,3\n");
}

TEST(messages_and_collectives)
{
	OWNED_TRACE *trace = views_sample();
	const struct query query = sample_query(trace);

	/* Latency 120 - 100 = 20 us; the third events of both ranks, of which each has a block of 64. */
	expect("messages", &query,
	       "send_time_s,recv_time_s,src,dst,tag,bytes,comm,send_region,recv_region,latency_s,"
	       "flags,send_event,recv_event\n"
	       "0.000100000,0.000120000,0,1,7,8,world,MPI_Send,MPI_Recv,0.000020000,,2,66\n");
	/* From the first begin (rank 1, 500) to the last end (900); rank 0 came last, at 800. */
	expect("collectives", &query,
	       "comm,op,root,begin_s,end_s,ranks,bytes_sent,bytes_received,duration_s,"
	       "last_begin_s,last_rank,flags\n"
	       "world,MPI_Barrier,,0.000500000,0.000900000,2,0,0,0.000400000,0.000800000,"
	       "0,\n");
	expect("matrix", &query,
	       "src,dst,messages,bytes,mean_bytes,min_latency_s,mean_latency_s,max_latency_s\n"
	       "0,1,1,8,8,0.000020000,0.000020000,0.000020000\n");
}

TEST(profile_by_region)
{
	OWNED_TRACE *trace = views_sample();
	const struct query query = sample_query(trace);

	/* main: exclusive 1000 - 10 - 500 - 100 = 390 on rank 0, 1000 - 70 - 100 - 101 - 400 = 329
	 * on rank 1; solve: 500, 100, 101, mean 701 / 3 = 233.667 us; barriers 100 and 400. */
	expect_first("profile", &query, 7,
		     "region,count,inclusive_s,exclusive_s,min_s,mean_s,max_s\n"
		     "main,2,0.002000000,0.000719000,0.001000000,0.001000000,0.001000000\n"
		     "solve,3,0.000701000,0.000701000,0.000100000,0.000233667,0.000500000\n"
		     "MPI_Barrier,2,0.000500000,0.000500000,0.000100000,0.000250000,0.000400000\n"
		     "MPI_Recv,1,0.000070000,0.000070000,0.000070000,0.000070000,0.000070000\n"
		     "MPI_Send,1,0.000010000,0.000010000,0.000010000,0.000010000,0.000010000\n");
}

TEST(profile_by_rank)
{
	OWNED_TRACE *trace = views_sample();
	struct query query = sample_query(trace);

	query.export.by_rank = true;
	expect_first("profile", &query, 8,
		     "rank,region,count,inclusive_s,exclusive_s,min_s,mean_s,max_s\n"
		     "0,solve,1,0.000500000,0.000500000,0.000500000,0.000500000,0.000500000\n"
		     "0,main,1,0.001000000,0.000390000,0.001000000,0.001000000,0.001000000\n"
		     "0,MPI_Barrier,1,0.000100000,0.000100000,0.000100000,0.000100000,0.000100000\n"
		     "0,MPI_Send,1,0.000010000,0.000010000,0.000010000,0.000010000,0.000010000\n"
		     "1,MPI_Barrier,1,0.000400000,0.000400000,0.000400000,0.000400000,0.000400000\n"
		     "1,main,1,0.001000000,0.000329000,0.001000000,0.001000000,0.001000000\n"
		     "1,solve,2,0.000201000,0.000201000,0.000100000,0.000100500,0.000101000\n"
		     "1,MPI_Recv,1,0.000070000,0.000070000,0.000070000,0.000070000,0.000070000\n");
}

TEST(windows_ranks_and_filters)
{
	OWNED_TRACE *trace = views_sample();
	struct query query = sample_query(trace);
	const uint32_t rank_1 = trace_location_of_rank(trace, 1);
	FREED_BY(filter_free)
	struct filter *filter = filter_compile("region == \"MPI_Send\"", trace, NULL);

	query.t0 = 300;
	query.t1 = 500; /* half open: the barrier at 500 is outside */
	query.locations = &rank_1;
	query.n_locations = 1;
	expect_first("events", &query, 5,
		     "time_s,rank,thread,kind,region\n"
		     "0.000300000,1,0,enter,solve\n"
		     "0.000401000,1,0,leave,solve\n");
	/* Within [300, 500) rank 1 is 101 us in solve and 99 us in main. */
	expect_first("profile", &query, 4,
		     "region,count,inclusive_s,exclusive_s\n"
		     "solve,1,0.000101000,0.000101000\n"
		     "main,0,0.000200000,0.000099000\n");
	query = sample_query(trace);
	query.filter = filter;
	expect_first("profile", &query, 4,
		     "region,count,inclusive_s,exclusive_s\n"
		     "MPI_Send,1,0.000010000,0.000010000\n");
}

/* Visits of more than 100 us: both main, solve of 500 and 101 (not of 100), the barrier of 400 (not
 * of 100). The exclusive time of main is not that of the calls left out. */
TEST(profile_of_long_visits)
{
	OWNED_TRACE *trace = views_sample();
	FREED_BY(filter_free) struct filter *filter = filter_compile("dur > 100us", trace, NULL);
	struct query query = sample_query(trace);

	query.filter = filter;
	expect_first("profile", &query, 7,
		     "region,count,inclusive_s,exclusive_s,min_s,mean_s,max_s\n"
		     "main,2,0.002000000,0.000719000,0.001000000,0.001000000,0.001000000\n"
		     "solve,2,0.000601000,0.000601000,0.000101000,0.000300500,0.000500000\n"
		     "MPI_Barrier,1,0.000400000,0.000400000,0.000400000,0.000400000,0.000400000\n");
	expect_first("callpaths", &query, 4,
		     "callpath,count,inclusive_s,exclusive_s\n"
		     "main,2,0.002000000,0.000719000\n"
		     "main > solve,2,0.000601000,0.000601000\n"
		     "main > MPI_Barrier,1,0.000400000,0.000400000\n");
	query.export.by_rank = true;
	expect_first("profile", &query, 5,
		     "rank,region,count,inclusive_s,exclusive_s\n"
		     "0,solve,1,0.000500000,0.000500000\n"
		     "0,main,1,0.001000000,0.000390000\n"
		     "1,MPI_Barrier,1,0.000400000,0.000400000\n"
		     "1,main,1,0.001000000,0.000329000\n"
		     "1,solve,1,0.000101000,0.000101000\n");
}

/* ---- formats ---- */

static void expect_same(const struct csv *csv, size_t row, size_t column, const json_t *value)
{
	const char *text = csv->rows[row][column];

	if (json_is_null(value))
		assert_string_equal(text, "");
	else if (json_is_string(value))
		assert_string_equal(text, json_string_value(value));
	else
		assert_true(strtod(text, NULL) == json_number_value(value));
}

TEST(json_says_what_csv_says)
{
	static const char *const all[] = { "events",   "messages",    "collectives",
					   "profile",  "callpaths",   "matrix",
					   "findings", "definitions", "histograms" };
	OWNED_TRACE *trace = sample_random(7, 4, 300);
	const struct query query = sample_query(trace);

	for (size_t v = 0; v < sizeof all / sizeof *all; v++) {
		OWNED char *text = sample_export(all[v], &query, EXPORT_CSV, 0);
		OWNED char *json_text = sample_export(all[v], &query, EXPORT_JSON, 0);
		ENDED_BY(csv_free) struct csv csv = csv_parse(text);
		FREED_BY(json_decref) json_t *json = json_loads(json_text, 0, NULL);
		const json_t *rows = json_object_get(json, "rows");
		assert_non_null(rows);
		assert_int_equal(json_array_size(rows), csv.n_rows - 1);
		for (size_t r = 1; r < csv.n_rows; r++)
			for (size_t c = 0; c < csv.n_columns; c++)
				expect_same(&csv, r, c,
					    json_object_get(json_array_get(rows, r - 1),
							    csv.rows[0][c]));
	}
}

/* Random traces: every row of the CSV is the event that the cursors meet, and none is missing. */
TEST(every_event_is_a_row)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		OWNED_TRACE *trace = sample_random(seed, 5, 300);
		const struct query query = sample_query(trace);
		OWNED char *text = sample_export("events", &query, EXPORT_CSV, 0);
		ENDED_BY(csv_free) struct csv csv = csv_parse(text);
		assert_int_equal(csv.n_rows - 1, trace_event_count(trace));
		for (uint32_t l = 0; l < trace_location_count(trace); l++) {
			const int32_t rank = trace_location(trace, l)->rank;
			struct cursor c;
			bool ok = cursor_first(&c, trace, query.base, l);
			for (size_t r = 1; r < csv.n_rows; r++) {
				if (atoi(csv.rows[r][1]) != rank)
					continue;
				assert_true(ok);
				/* Microseconds: six digits and three zeros behind the point. */
				assert_int_equal((int64_t)(atof(csv.rows[r][0]) * 1e6 + 0.5),
						 cursor_time(&c));
				assert_string_equal(csv.rows[r][3],
						    event_kind_name(what_kind(cursor_what(&c))));
				ok = cursor_next(&c);
			}
			assert_false(ok);
		}
	}
}

TEST(nothing_to_show)
{
	OWNED_TRACE *trace = views_sample();
	struct query query = sample_query(trace);
	OWNED char *json;

	query.t0 = query.t1 = 2000;
	expect_first("events", &query, 1, "time_s\n");
	json = sample_export("events", &query, EXPORT_JSON, 0);
	assert_non_null(strstr(json, "\"rows\":[],\n\"left_out\":null}\n"));
	free(sample_export("overview", &query, EXPORT_TEXT, 0));
}

TEST(text_is_aligned_and_cut)
{
	OWNED_TRACE *trace = views_sample();
	const struct query query = sample_query(trace);
	OWNED char *text = sample_export("messages", &query, EXPORT_TEXT, 0);
	OWNED char *cut = sample_export("messages", &query, EXPORT_TEXT, 30);
	OWNED char *markdown = sample_export("matrix", &query, EXPORT_MARKDOWN, 0);

	assert_string_equal(
		text,
		"sent [s]  received [s]  src  dst  tag  bytes  sent in   received in  latency  remarks\n"
		"0.000100      0.000120    0    1    7    8 B  MPI_Send  MPI_Recv       20 us  -\n");
	for (const char *line = cut; *line; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 30);
	assert_string_equal(
		markdown,
		"| src | dst | messages | bytes | mean size | min latency | mean latency | "
		"max latency |\n"
		"| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
		"| 0 | 1 | 1 | 8 B | 8 B | 20 us | 20 us | 20 us |\n");
}

/* ---- hostile text ---- */

TEST(no_control_bytes_get_out)
{
	const char *names[VIEWS_MOST + 1];
	static const char *const nasty[] = { "\033]52;c;ZWNobyBoaQ==\007",
					     "a\"b,c\nd",
					     "\xc2\x9b"
					     "2J",
					     "\xff\xfe|`*",
					     "line\r\nbreak\t",
					     "\xe2\x80\xae"
					     "evil" };

	for (size_t i = 0; i < sizeof nasty / sizeof *nasty; i++) {
		ANALYSED a = analysed(sample_hostile(nasty[i]));
		view_export_names(&all_views, names);
		for (const char *const *view = names; *view; view++)
			for (int f = 0; f < EXPORT_FORMATS; f++) {
				OWNED char *text = NULL;
				if (f == EXPORT_CUBE && strcmp(*view, "patterns") != 0)
					continue; /* severities alone */
				if (strcmp(*view, "timeline") == 0 && f != EXPORT_TEXT)
					continue; /* a picture: text only */
				text = sample_export(*view, &a.query, (enum export_format)f, 0);
				for (const char *p = text; *p;) {
					const size_t n = str_utf8_length(p, strlen(p));
					assert_true(n > 0);
					assert_true(*p == '\n' ||
						    ((unsigned char)*p >= 0x20 && *p != 0x7f));
					assert_false(n == 2 && *p == '\xc2' &&
						     (unsigned char)p[1] < 0xa0);
					assert_false(n == 3 && memcmp(p, "\xe2\x80\xae", 3) == 0);
					p += n;
				}
			}
	}
}
