/* The verdict of a comparison for every definition of a trace. Text is compared as it is
 * displayed: cleaned. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/filter/filter_compiled.h"
#include "model/trace/detail.h"

/* Text of a call path is looked at up to twice this many bytes, at its start and at its end; the
 * middle of a longer one (a recursion of thousands of levels) counts as " > ... > ", or the sum
 * over all paths would be quadratic. Where there are many paths less must do. */
enum { PATH_HALF_MIN = 256, PATH_HALF_MAX = 2048, PATH_TEXT_ALL = 256 << 20 };

struct table_job {
	const struct filter_input *in;
	const struct trace *trace;
	struct filter_matcher *matcher;
	uint8_t *seen; /* by string: 1 + verdict, 0 not tested yet */
	struct str scratch;
};

static bool test_text(struct table_job *job, const char *text, uint8_t *verdict)
{
	str_clear(&job->scratch);
	str_add_clean(&job->scratch, text, strlen(text));
	return filter_matcher_test(job->matcher, job->scratch.text, job->scratch.n, verdict);
}

/* Strings of definitions are shared by many of them: each is tested once. String 0 is "unknown". */
static bool test_string(struct table_job *job, uint32_t string, uint8_t *verdict)
{
	*verdict = VERDICT_ABSENT;
	if (string == 0)
		return true;
	if (!job->seen[string]) {
		if (!test_text(job, trace_string(job->trace, string), verdict))
			return false;
		job->seen[string] = (uint8_t)(1 + *verdict);
	}
	*verdict = (uint8_t)(job->seen[string] - 1);
	return true;
}

static bool test_location(struct table_job *job, const struct filter_test *test,
			  const struct location *location, uint8_t *verdict)
{
	if (test->field == FILTER_NODE)
		return test_string(job, location->node, verdict);
	*verdict =
		(uint8_t)filter_spans_verdict(test, test->field == FILTER_RANK ? location->rank
									       : location->thread);
	return true;
}

static bool test_site(struct table_job *job, const struct filter_test *test,
		      const struct site *site, uint8_t *verdict)
{
	const struct region *const region = trace_region(job->trace, site->region);
	const bool called = site->file || site->line;
	const uint32_t file = called ? site->file : region->file;
	const uint32_t line = called ? site->line : region->line;

	switch (test->field) {
	case FILTER_REGION: return test_string(job, region->name, verdict);
	case FILTER_FILE: return test_string(job, file, verdict);
	case FILTER_REGION_ID:
		*verdict = (uint8_t)filter_spans_verdict(test, site->region);
		return true;
	case FILTER_LINE:
		*verdict = line ? (uint8_t)filter_spans_verdict(test, line) : VERDICT_ABSENT;
		return true;
	default: return test_text(job, region_class_name(region->cls), verdict);
	}
}

/* ---- call paths ---- */

static const char *last_name(const struct trace *trace, uint32_t path)
{
	return trace_region_name(trace, trace_callpath_region(trace, path));
}

/* Appends the names from below `top` down to `path`. */
static void add_names(const struct trace *trace, uint32_t path, uint32_t top, struct str *out)
{
	OWNED_VEC(uint32_t) below = VEC_INIT;

	for (; path != top; path = trace_callpath(trace, path)->parent)
		vec_push(&below, path);
	while (below.n) {
		const char *const name = last_name(trace, vec_pop(&below));
		if (out->n)
			str_add(out, " > ");
		str_add_clean(out, name, strlen(name));
	}
}

/* The deepest ancestor that is within the first `half` bytes, for every call path; parents
 * come before their children. */
static uint32_t *find_heads(const struct trace *trace, size_t half)
{
	const uint32_t n = trace_callpath_count(trace);
	uint32_t *const heads = xcalloc(n, sizeof *heads);
	OWNED uint32_t *lengths = xcalloc(n, sizeof *lengths);

	for (uint32_t i = 1; i < n; i++) {
		const uint32_t parent = trace_callpath(trace, i)->parent;
		const size_t own = lengths[parent] + strlen(last_name(trace, i)) + 3;
		const bool fits = heads[parent] == parent && own <= half;

		heads[i] = fits ? i : heads[parent];
		lengths[i] = fits ? (uint32_t)own : (uint32_t)half;
	}
	return heads;
}

static size_t half_for(uint32_t paths)
{
	const size_t each = PATH_TEXT_ALL / (paths + 1u);

	return each > PATH_HALF_MAX ? PATH_HALF_MAX : each < PATH_HALF_MIN ? PATH_HALF_MIN : each;
}

static void path_text(const struct trace *trace, uint32_t path, uint32_t head, size_t half,
		      struct str *out)
{
	size_t length = 0;
	uint32_t top = path;

	str_clear(out);
	while (top != head && length <= half) {
		length += strlen(last_name(trace, top)) + 3;
		top = trace_callpath(trace, top)->parent;
	}
	add_names(trace, head, 0, out);
	if (top != head)
		str_add(out, " > ...");
	add_names(trace, path, top, out);
}

static bool fill_paths(struct table_job *job, struct filter_test *test)
{
	const uint32_t n = trace_callpath_count(job->trace);
	const size_t half = half_for(n);
	OWNED uint32_t *heads = find_heads(job->trace, half);
	bool ok = true;

	for (uint32_t i = 1; i < n && ok; i++) {
		if (trace_callpath(job->trace, i)->canon != i)
			continue;
		path_text(job->trace, i, heads[i], half, &job->scratch);
		ok = filter_matcher_test(job->matcher, job->scratch.text, job->scratch.n,
					 &test->table[i]);
	}
	for (uint32_t i = 1; i < n; i++)
		test->table[i] = test->table[trace_callpath(job->trace, i)->canon];
	return ok;
}

/* ---- all tables ---- */

static const char *name_of(enum filter_field field, uint32_t i)
{
	if (field == FILTER_DETAIL)
		return detail_info((enum detail_type)i)->name;
	return field == FILTER_KIND ? event_kind_name((enum event_kind)i)
				    : region_class_name((enum region_class)i);
}

/* The words that there are for a field of few and known ones. */
static uint32_t name_count(enum filter_field field)
{
	switch (field) {
	case FILTER_DETAIL: return OBJECT_PARAMETER;
	case FILTER_KIND: return EV_KINDS;
	case FILTER_CLASS: return CLASS_COUNT;
	default: return 0;
	}
}

/* A name that is not one of the known ones is a typing error. */
static bool check_names(const struct table_job *job, enum filter_field field)
{
	const uint32_t n = name_count(field);
	const struct filter_element *element;

	if (n == 0 || job->in->term->op == OP_MATCH || job->in->term->op == OP_NO_MATCH)
		return true;
	vec_each (element, &job->in->term->set) {
		OWNED_STR names = STR_INIT;
		bool found = false;
		for (uint32_t i = 0; i < n; i++) {
			const char *const name = name_of(field, i);
			found = found || strcmp(name, element->first.value) == 0;
			/* stray leaves are exported as leaves */
			if (field != FILTER_KIND || i != EV_STRAY_LEAVE)
				str_add_fmt(&names, "%s %s", i ? "," : "", name);
		}
		if (!found)
			FILTER_MISTAKE(job->in, element->first.offset,
				       "not a valid %s; there are%s", filter_fields[field].name,
				       names.text);
		if (!found)
			return false;
	}
	return true;
}

static uint32_t row_count(const struct trace *trace, const struct filter_test *test)
{
	switch (test->subject) {
	case SUBJECT_LOCATION: return trace_location_count(trace);
	case SUBJECT_SITE: return trace_site_count(trace);
	case SUBJECT_PATH: return trace_callpath_count(trace);
	case SUBJECT_COMM: return trace_comm_count(trace);
	case SUBJECT_REGION: return trace_region_count(trace);
	case SUBJECT_OBJECT: return trace_object_count(trace) + trace_metric_count(trace);
	default: return name_count(test->field);
	}
}

static bool test_row(struct table_job *job, const struct filter_test *test, uint32_t i,
		     uint8_t *verdict)
{
	const struct trace *trace = job->trace;
	const uint32_t objects = trace_object_count(trace);

	switch (test->subject) {
	case SUBJECT_PATH:
		if (i)
			*verdict = (uint8_t)filter_spans_verdict(test,
								 trace_callpath(trace, i)->canon);
		return true;
	case SUBJECT_LOCATION: return test_location(job, test, trace_location(trace, i), verdict);
	case SUBJECT_SITE: return test_site(job, test, trace_site(trace, i), verdict);
	case SUBJECT_COMM: return test_string(job, trace_comm(trace, i)->name, verdict);
	case SUBJECT_REGION: return test_string(job, trace_region(trace, i)->name, verdict);
	case SUBJECT_OBJECT:
		return test_string(job,
				   i < objects ? trace_object(trace, i)->name
					       : trace_metric(trace, i - objects)->name,
				   verdict);
	default: return test_text(job, name_of(test->field, i), verdict);
	}
}

static bool fill(struct table_job *job, struct filter_test *test)
{
	const uint32_t n = row_count(job->trace, test);

	if (!check_names(job, test->field))
		return false;
	test->table = xcalloc(n + 1u, 1);
	if (test->field == FILTER_CALLPATH)
		return fill_paths(job, test);
	for (uint32_t i = 0; i < n; i++)
		if (!test_row(job, test, i, &test->table[i]))
			return false;
	return true;
}

bool filter_make_table(struct filter_test *test, const struct filter_input *in)
{
	struct table_job job = { .in = in, .trace = in->trace, .scratch = STR_INIT };
	bool ok = true;

	job.seen = xcalloc(trace_string_count(in->trace) + 1u, 1);
	if (filter_fields[test->field].type == TYPE_TEXT) {
		job.matcher = filter_matcher_new(in);
		ok = job.matcher != NULL;
	}
	ok = ok && fill(&job, test);
	filter_matcher_free(job.matcher);
	free(job.seen);
	str_fini(&job.scratch);
	return ok;
}
