#include "views/report/verdict.h"

#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/xml_text.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"
#include "views/report/fail_on.h"
#include "views/tables/view_waits.h"

enum { PLACES = 5, LOOKED_AT = 1000, PATH_BYTES = 4096 };

enum verdict_form verdict_form_find(const char *name)
{
	return name && strcmp(name, "junit") == 0    ? VERDICT_JUNIT
	       : name && strcmp(name, "github") == 0 ? VERDICT_GITHUB
						     : VERDICT_FORMS;
}

/* ---- where ranks waited longest ---- */

/* A line of the source, and its longest wait in words. */
struct verdict_place {
	const char *file;
	uint32_t line;
	struct str text;
};

struct verdict_places {
	struct verdict_place of[PLACES];
	unsigned n;
};

static void add_place(struct verdict_places *places, const struct trace *trace, uint32_t location,
		      const struct wait *w)
{
	const struct callpath *path = trace_callpath(trace, w->path);
	const struct site *site = trace_site(trace, path->site);
	const char *file = trace_string(trace, site->file);
	struct verdict_place *place;

	if (!w->path || !site->file || !site->line)
		return;
	for (unsigned i = 0; i < places->n; i++)
		if (places->of[i].line == site->line && strcmp(places->of[i].file, file) == 0)
			return;
	place = &places->of[places->n++];
	*place = (struct verdict_place){ file, site->line, STR_INIT };
	str_add_fmt(&place->text, "rank %d waited ", (int)trace_location(trace, location)->rank);
	units_human_time(&place->text, w->length, trace_scale(trace), 4);
	str_add_fmt(&place->text, " in %s: %s", trace_region_name(trace, site->region),
		    cube_metric_info((enum cube_metric)w->metric)->title);
}

static bool find_places(struct verdict_places *places, const struct query *query, struct err *err)
{
	struct wait_places longest = { 0 };
	struct query all = *query;
	struct analysis *analysis;
	size_t n;

	all.metric = CUBE_NONE;
	if (!query_analysis(&all, &analysis, err))
		return false;
	if (analysis)
		waits_longest(&all, analysis, LOOKED_AT, &longest);
	for (size_t i = 0; i < longest.n && places->n < PLACES; i++) {
		const struct wait_place *at = &longest.data[i];
		add_place(places, query->trace, at->location,
			  analysis_waits(analysis, at->location, &n) + at->index);
	}
	vec_fini(&longest);
	return true;
}

static void places_fini(struct verdict_places *places)
{
	for (unsigned i = 0; i < places->n; i++)
		str_fini(&places->of[i].text);
}

/* The path of a file from the working folder, if it is below it. */
static const char *below(const char *file)
{
	char folder[PATH_BYTES];
	const size_t n = getcwd(folder, sizeof folder) ? strlen(folder) : 0;

	return n && strncmp(file, folder, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}

/* ---- GitHub ---- */

static void add_workflow_text(struct str *out, const char *text, const char *special)
{
	OWNED_STR clean = STR_INIT;

	str_add_clean(&clean, text, strlen(text));
	for (const char *p = clean.text; *p; p++)
		if (strchr(special, *p))
			str_add_fmt(out, "%%%02X", (unsigned char)*p);
		else
			str_add_char(out, *p);
}

/* A line of reasons. */
static void add_reason(struct str *out, const char *reason, size_t n, enum condition_answer is)
{
	OWNED_STR text = STR_INIT;

	str_add_n(&text, reason, n);
	str_add(out, is == CONDITION_OPEN ? "::warning title=tview --fail-on is inconclusive::"
					  : "::error title=tview --fail-on::");
	add_workflow_text(out, text.text, "%");
	str_add_char(out, '\n');
}

static void add_github(struct str *out, enum condition_answer is, const char *why,
		       const struct verdict_places *places)
{
	for (; *why; why += strcspn(why, "\n") + (why[strcspn(why, "\n")] != '\0'))
		add_reason(out, why, strcspn(why, "\n"), is);
	for (unsigned i = 0; i < places->n; i++) {
		str_add(out, "::warning file=");
		add_workflow_text(out, below(places->of[i].file), "%:,");
		str_add_fmt(out, ",line=%u,title=tview: waiting::", places->of[i].line);
		add_workflow_text(out, places->of[i].text.text, "%");
		str_add_char(out, '\n');
	}
	if (is == CONDITION_NO)
		str_add(out, "::notice title=tview --fail-on::the condition does not hold\n");
}

/* ---- JUnit ---- */

static void add_attribute(struct str *out, const char *name, const char *text)
{
	str_add_fmt(out, " %s=\"", name);
	xml_text_add(out, text);
	str_add_char(out, '"');
}

/* XML has lines, which a cleaned text has not. */
static void add_lines(struct str *out, const char *text)
{
	while (*text) {
		OWNED_STR line = STR_INIT;
		const size_t n = strcspn(text, "\n");

		str_add_n(&line, text, n);
		xml_text_add(out, line.text);
		str_add_char(out, '\n');
		text += n + (text[n] != '\0');
	}
}

static void add_junit(struct str *out, const char *condition, const struct query *query,
		      enum condition_answer is, const char *why,
		      const struct verdict_places *places)
{
	static const char *const elements[] = {
		[CONDITION_YES] = "failure", [CONDITION_OPEN] = "error"
	};
	const char *element = is == CONDITION_NO ? NULL : elements[is];

	str_add_fmt(
		out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"<testsuite name=\"tview\" tests=\"1\" failures=\"%d\" errors=\"%d\">\n<testcase",
		is == CONDITION_YES, is == CONDITION_OPEN);
	add_attribute(out, "classname", trace_path(query->trace));
	add_attribute(out, "name", condition);
	if (places->n) {
		add_attribute(out, "file", below(places->of[0].file));
		str_add_fmt(out, " line=\"%u\"", places->of[0].line);
	}
	str_add(out, ">\n");
	if (element) {
		str_add_fmt(out, "<%s", element);
		add_attribute(out, "message",
			      is == CONDITION_OPEN ? "it cannot be told whether the condition holds"
						   : "the condition of --fail-on holds");
		str_add(out, ">\n");
		add_lines(out, why);
		str_add_fmt(out, "</%s>\n", element);
	}
	str_add(out, "<system-out>\n");
	for (unsigned i = 0; i < places->n; i++) {
		OWNED_STR line = STR_INIT;
		str_add_fmt(&line, "%s:%u: %s", below(places->of[i].file), places->of[i].line,
			    places->of[i].text.text);
		add_lines(out, line.text);
	}
	str_add(out, "</system-out>\n</testcase>\n</testsuite>\n</testsuites>\n");
}

bool verdict_write(enum verdict_form form, const char *text, const struct condition *condition,
		   const struct query *query, FILE *out, int *status, struct err *err)
{
	ENDED_BY(places_fini) struct verdict_places places = { .n = 0 };
	OWNED_STR why = STR_INIT, all = STR_INIT;
	enum condition_answer is;

	if (!fail_on_answer(condition, query, &is, &why, err) || !find_places(&places, query, err))
		return false;
	*status = fail_on_status(is);
	if (form == VERDICT_GITHUB)
		add_github(&all, is, why.n ? why.text : "", &places);
	else
		add_junit(&all, text, query, is, why.n ? why.text : "", &places);
	fwrite(all.text, 1, all.n, out);
	return output_check(out, err);
}
