/* Samples: times, errors and the rest, worked out by hand. */
#include <string.h>

#include "harness/built.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "model/trace/detail.h"

struct sampled_run {
	struct builder *b;
	uint32_t f10, f11, g20;
	uint64_t generator;
};

/* n samples at one time, which are one draw. */
static void draw(struct sampled_run *r, uint32_t location, int64_t time, uint32_t site, int n)
{
	const uint64_t values[] = { site, UINT32_MAX, r->generator };

	while (n-- > 0)
		builder_detail(r->b, location, time, DETAIL_SAMPLE, values, 3);
}

/* A period of 1,000 ns. Rank 0 is outside of all regions for 11,000 - 100 - 2,000 - 1,000 ns; rank
 * 1 for 11,000 - 1,000 ns. */
static struct trace *sampled(void)
{
	struct sampled_run r = { .b = built_begin(2) };
	const uint32_t file = built_string(r.b, "app.c");
	const uint32_t f = builder_region(r.b, "f", CLASS_USER, 1);
	const uint32_t g = builder_region(r.b, "g", CLASS_USER, 2);
	const uint32_t init = built_site(r.b, "MPI_Init", CLASS_MPI_OTHER, 3);
	const uint32_t solve = built_site(r.b, "solve", CLASS_USER, 4);
	const uint32_t barrier = built_site(r.b, "MPI_Barrier", CLASS_SYNC, 5);
	const uint64_t period[] = { built_string(r.b, ""), 0, 10, (uint64_t)INT64_C(-9), 1000 };

	r.generator =
		builder_object(r.b, OBJECT_GENERATOR, built_string(r.b, "CPU time"), period, 5);
	r.f10 = builder_site(r.b, f, file, 10, 1);
	r.f11 = builder_site(r.b, f, file, 11, 1);
	r.g20 = builder_site(r.b, g, file, 20, 2);
	builder_enter(r.b, 0, 0, init);
	builder_leave(r.b, 0, 100, init);
	draw(&r, 0, 1000, r.f10, 1);
	draw(&r, 0, 5000, r.f11, 4);
	draw(&r, 0, 6000, r.g20, 1);
	builder_enter(r.b, 0, 7000, solve);
	draw(&r, 0, 8000, r.f10, 1);
	builder_leave(r.b, 0, 9000, solve);
	builder_enter(r.b, 0, 10000, barrier);
	builder_leave(r.b, 0, 11000, barrier);
	builder_mark(r.b, 1, 0, solve);
	draw(&r, 1, 3000, r.g20, 2);
	draw(&r, 1, 4000, r.g20, 2);
	builder_enter(r.b, 1, 10000, barrier);
	builder_leave(r.b, 1, 11000, barrier);
	return built_end(r.b);
}

static void expect(const char *view, const struct query *query, const char *expected)
{
	OWNED char *text = sample_export(view, query, EXPORT_CSV, 0);

	assert_string_equal(text, expected);
}

/* f: 1 + 4 samples in draws of 1 and 4, sqrt(1 + 16) = 4.123; g: 1 + 2 + 2 samples, sqrt(1 + 4 + 4)
 * = 3; the rest: 7,900 + 10,000 - 10,000 ns, sqrt(17 + 9) = 5.099; total time: 22,000 ns. */
TEST(functions)
{
	OWNED_TRACE *trace = sampled();
	const struct query query = sample_query(trace);

	expect("samples", &query,
	       "region,samples,time_s,error_s,share,inside,file,line\n"
	       "(no sample),,0.000007900,0.000005099,0.359090909,,,\n"
	       "f,5,0.000005000,0.000004123,0.227272727,,,\n"
	       "g,5,0.000005000,0.000003000,0.227272727,,,\n"
	       "f,1,0.000001000,0.000001000,0.0454545455,solve,,\n");
}

TEST(lines)
{
	OWNED_TRACE *trace = sampled();
	const struct query query = sample_query(trace);

	expect("sample-lines", &query,
	       "file,line,region,samples,time_s,error_s,share,inside\n"
	       ",,(no sample),,0.000007900,0.000005099,0.359090909,\n"
	       "app.c,20,g,5,0.000005000,0.000003000,0.227272727,\n"
	       "app.c,11,f,4,0.000004000,0.000004000,0.181818182,\n"
	       "app.c,10,f,1,0.000001000,0.000001000,0.0454545455,\n"
	       "app.c,10,f,1,0.000001000,0.000001000,0.0454545455,solve\n");
}

TEST(ranks)
{
	OWNED_TRACE *trace = sampled();
	struct query query = sample_query(trace);

	query.export.by_rank = true;
	expect("samples", &query,
	       "rank,region,samples,time_s,error_s,share,inside,file,line\n"
	       "0,f,5,0.000005000,0.000004123,0.227272727,,,\n"
	       "0,(no sample),,0.000001900,0.000004243,0.0863636364,,,\n"
	       "0,g,1,0.000001000,0.000001000,0.0454545455,,,\n"
	       "0,f,1,0.000001000,0.000001000,0.0454545455,solve,,\n"
	       "1,(no sample),,0.000006000,0.000002828,0.272727273,,,\n"
	       "1,g,4,0.000004000,0.000002828,0.181818182,,,\n");
}

/* [4,500, 10,000): f 4 samples, g 1; 3,500 ns of rank 0 and 5,500 of rank 1 are outside. */
TEST(window)
{
	OWNED_TRACE *trace = sampled();
	struct query query = sample_query(trace);

	query.t0 = 4500;
	query.t1 = 10000;
	expect("samples", &query,
	       "region,samples,time_s,error_s,share,inside,file,line\n"
	       "f,4,0.000004000,0.000004000,0.363636364,,,\n"
	       "(no sample),,0.000004000,0.000004123,0.363636364,,,\n"
	       "g,1,0.000001000,0.000001000,0.0909090909,,,\n"
	       "f,1,0.000001000,0.000001000,0.0909090909,solve,,\n");
}

TEST(filter)
{
	OWNED_TRACE *trace = sampled();
	struct query query = sample_query(trace);
	struct filter *filter = filter_compile("region == f", trace, NULL);

	query.filter = filter;
	expect("samples", &query,
	       "region,samples,time_s,error_s,share,inside,file,line\n"
	       "f,5,0.000005000,0.000004123,0.227272727,,,\n"
	       "f,1,0.000001000,0.000001000,0.0454545455,solve,,\n");
	filter_free(filter);
}

/* Samples inside of solve are part of its time already. */
TEST(profile)
{
	OWNED_TRACE *trace = sampled();
	const struct query query = sample_query(trace);
	OWNED char *text = sample_export("profile", &query, EXPORT_TEXT, 0);
	OWNED char *paths = sample_export("callpaths", &query, EXPORT_CSV, 0);

	assert_non_null(strstr(text, "f            ~22.7 %      -          -  ~5.000 us"));
	assert_non_null(strstr(text, "g            ~22.7 %      -          -  ~5.000 us"));
	assert_non_null(strstr(paths, "\nf,,,0.000005000,"));
	assert_null(strstr(paths, "solve > f"));
}

TEST(without_samples)
{
	OWNED_TRACE *trace = views_sample();
	const struct query query = sample_query(trace);

	expect("samples", &query, "region,samples,time_s,error_s,share,inside,file,line\n");
}
