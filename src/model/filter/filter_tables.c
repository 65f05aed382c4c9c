/* The verdict of a comparison for every definition of a trace. Text is compared as people see it:
 * cleaned. */
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

struct job {
	const struct filter_term *term;
	const struct trace *trace;
	const char *text; /* of the filter */
	struct filter_matcher *matcher;
	uint8_t *seen; /* by string: 1 + verdict, 0 not tested yet */
	struct str scratch;
	struct err *err;
};

static bool test_text(struct job *job, const char *text, uint8_t *verdict)
{
	str_clear(&job->scratch);
	str_add_clean(&job->scratch, text, strlen(text));
	return filter_matcher_test(job->matcher, job->scratch.text, job->scratch.n, verdict,
				   job->err);
}

/* Strings of definitions are shared by many of them: each is tested once. String 0 is "unknown". */
static bool test_string(struct job *job, uint32_t string, uint8_t *verdict)
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

static bool fill_locations(struct job *job, struct filter_test *test)
{
	const uint32_t n = trace_location_count(job->trace);

	test->table = xcalloc(n + 1u, 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct location *const location = trace_location(job->trace, i);
		if (test->field == FILTER_RANK)
			test->table[i] = (uint8_t)filter_spans_verdict(test, location->rank);
		else if (test->field == FILTER_THREAD)
			test->table[i] = (uint8_t)filter_spans_verdict(test, location->thread);
		else if (!test_string(job, location->node, &test->table[i]))
			return false;
	}
	return true;
}

static bool test_site(struct job *job, const struct filter_test *test, const struct site *site,
		      uint8_t *verdict)
{
	const struct region *const region = trace_region(job->trace, site->region);
	const bool called = site->file || site->line;
	const uint32_t file = called ? site->file : region->file;
	const uint32_t line = called ? site->line : region->line;

	switch (test->field) {
	case FILTER_REGION: return test_string(job, region->name, verdict);
	case FILTER_FILE: return test_string(job, file, verdict);
	case FILTER_LINE:
		*verdict = line ? (uint8_t)filter_spans_verdict(test, line) : VERDICT_ABSENT;
		return true;
	default: return test_text(job, region_class_name(region->cls), verdict);
	}
}

static bool fill_sites(struct job *job, struct filter_test *test)
{
	const uint32_t n = trace_site_count(job->trace);

	test->table = xcalloc(n + 1u, 1);
	for (uint32_t i = 0; i < n; i++)
		if (!test_site(job, test, trace_site(job->trace, i), &test->table[i]))
			return false;
	return true;
}

/* ---- call paths ---- */

static const char *last_name(const struct trace *trace, uint32_t path)
{
	return trace_region_name(trace, trace_callpath_region(trace, path));
}

/* Appends the names from below `top` down to `path`. */
static void add_names(const struct trace *trace, uint32_t path, uint32_t top, struct str *out)
{
	VEC(uint32_t) below = VEC_INIT;

	for (; path != top; path = trace_callpath(trace, path)->parent)
		vec_push(&below, path);
	while (below.n) {
		const char *const name = last_name(trace, vec_pop(&below));
		if (out->n)
			str_add(out, " > ");
		str_add_clean(out, name, strlen(name));
	}
	vec_fini(&below);
}

/* The deepest ancestor that is within the first `half` bytes, for every call path; parents
 * come before their children. */
static uint32_t *find_heads(const struct trace *trace, size_t half)
{
	const uint32_t n = trace_callpath_count(trace);
	uint32_t *const heads = xcalloc(n, sizeof *heads);
	uint32_t *const lengths = xcalloc(n, sizeof *lengths);

	for (uint32_t i = 1; i < n; i++) {
		const uint32_t parent = trace_callpath(trace, i)->parent;
		const size_t own = lengths[parent] + strlen(last_name(trace, i)) + 3;
		const bool fits = heads[parent] == parent && own <= half;

		heads[i] = fits ? i : heads[parent];
		lengths[i] = fits ? (uint32_t)own : (uint32_t)half;
	}
	free(lengths);
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

static bool fill_paths(struct job *job, struct filter_test *test)
{
	const uint32_t n = trace_callpath_count(job->trace);
	const size_t half = half_for(n);
	uint32_t *const heads = find_heads(job->trace, half);
	bool ok = true;

	test->table = xcalloc(n + 1u, 1);
	for (uint32_t i = 1; i < n && ok; i++) {
		if (trace_callpath(job->trace, i)->canon != i)
			continue;
		path_text(job->trace, i, heads[i], half, &job->scratch);
		ok = filter_matcher_test(job->matcher, job->scratch.text, job->scratch.n,
					 &test->table[i], job->err);
	}
	for (uint32_t i = 1; i < n; i++)
		test->table[i] = test->table[trace_callpath(job->trace, i)->canon];
	free(heads);
	return ok;
}

/* ---- communicators, operations, kinds ---- */

static bool fill_comms(struct job *job, struct filter_test *test)
{
	const uint32_t n = trace_comm_count(job->trace);

	test->table = xcalloc(n + 1u, 1);
	for (uint32_t i = 0; i < n; i++)
		if (!test_string(job, trace_comm(job->trace, i)->name, &test->table[i]))
			return false;
	return true;
}

static bool fill_regions(struct job *job, struct filter_test *test)
{
	const uint32_t n = trace_region_count(job->trace);

	test->table = xcalloc(n + 1u, 1);
	for (uint32_t i = 0; i < n; i++)
		if (!test_string(job, trace_region(job->trace, i)->name, &test->table[i]))
			return false;
	return true;
}

/* The words that there are for a field of few and known ones. */
static unsigned name_count(enum filter_field field)
{
	if (field == FILTER_DETAIL)
		return OBJECT_PARAMETER;
	return field == FILTER_KIND ? (unsigned)EV_KINDS : (unsigned)CLASS_COUNT;
}

static const char *name_of(enum filter_field field, unsigned i)
{
	if (field == FILTER_DETAIL)
		return detail_info((enum detail_type)i)->name;
	return field == FILTER_KIND ? event_kind_name((enum event_kind)i)
				    : region_class_name((enum region_class)i);
}

static bool fill_names(struct job *job, struct filter_test *test)
{
	const unsigned n = name_count(test->field);

	test->table = xcalloc(n, 1);
	for (unsigned i = 0; i < n; i++)
		if (!test_text(job, name_of(test->field, i), &test->table[i]))
			return false;
	return true;
}

static bool fill_objects(struct job *job, struct filter_test *test)
{
	const uint32_t objects = trace_object_count(job->trace);
	const uint32_t metrics = trace_metric_count(job->trace);

	test->table = xcalloc((size_t)objects + metrics + 1, 1);
	for (uint32_t i = 0; i < objects; i++)
		if (!test_string(job, trace_object(job->trace, i)->name, &test->table[i]))
			return false;
	for (uint32_t i = 0; i < metrics; i++)
		if (!test_string(job, trace_metric(job->trace, i)->name, &test->table[objects + i]))
			return false;
	return true;
}

/* A name that is none of the few and known ones is a slip of the keyboard. */
static bool check_names(const struct job *job, enum filter_field field)
{
	const unsigned n = name_count(field);
	const struct filter_element *element;

	if (job->term->op == OP_MATCH || job->term->op == OP_NO_MATCH)
		return true;
	vec_each (element, &job->term->set) {
		struct str names = STR_INIT;
		bool found = false;
		for (unsigned i = 0; i < n; i++) {
			const char *const name = name_of(field, i);
			found = found || strcmp(name, element->first.value) == 0;
			/* stray leaves are exported as leaves */
			if (field != FILTER_KIND || i != EV_STRAY_LEAVE)
				str_add_fmt(&names, "%s %s", i ? "," : "", name);
		}
		if (!found)
			err_set_at(job->err, STATUS_USAGE, job->text, element->first.offset,
				   "filter, column %u: not a valid %s; there are%s",
				   err_column(job->text, element->first.offset),
				   filter_field_name(field), names.text);
		str_fini(&names);
		if (!found)
			return false;
	}
	return true;
}

static bool fill(struct job *job, struct filter_test *test)
{
	switch (test->field) {
	case FILTER_RANK:
	case FILTER_THREAD:
	case FILTER_NODE: return fill_locations(job, test);
	case FILTER_CLASS: return check_names(job, test->field) && fill_sites(job, test);
	case FILTER_REGION:
	case FILTER_FILE:
	case FILTER_LINE: return fill_sites(job, test);
	case FILTER_CALLPATH: return fill_paths(job, test);
	case FILTER_COMM: return fill_comms(job, test);
	case FILTER_OP: return fill_regions(job, test);
	case FILTER_OBJECT: return fill_objects(job, test);
	default: return check_names(job, test->field) && fill_names(job, test);
	}
}

bool filter_has_table(enum filter_field field)
{
	return filter_field_type(field) == TYPE_TEXT || field == FILTER_RANK ||
	       field == FILTER_THREAD || field == FILTER_LINE;
}

bool filter_make_table(struct filter_test *test, const struct filter_term *term,
		       const struct trace *trace, const char *text, struct err *err)
{
	struct job job = { .term = term, .trace = trace, .text = text, .err = err };
	bool ok = true;

	str_init(&job.scratch);
	job.seen = xcalloc(trace_string_count(trace) + 1u, 1);
	if (filter_field_type(test->field) == TYPE_TEXT) {
		job.matcher = filter_matcher_new(term, text, err);
		ok = job.matcher != NULL;
	}
	ok = ok && fill(&job, test);
	filter_matcher_free(job.matcher);
	free(job.seen);
	str_fini(&job.scratch);
	return ok;
}
