/* verdict: the answer to `--fail-on` for systems that build and test: JUnit XML, which most of them
 * show, and annotations as GitHub's runners read them, at the lines that waited longest.
 *
 * Text of the trace is escaped for each. A file of the source is named as it was recorded; one
 * below the working folder without that. */
#pragma once

#include <stdio.h>

#include "views/query/view.h"
#include "views/report/condition.h"

enum verdict_form { VERDICT_JUNIT, VERDICT_GITHUB, VERDICT_FORMS };

/* "junit", "github"; VERDICT_FORMS: none of these. */
enum verdict_form verdict_form_find(const char *name);
/* Evaluates the condition, whose text is given, and writes it. False with err. */
bool verdict_write(enum verdict_form form, const char *text, const struct condition *condition,
		   const struct query *query, FILE *out, int *status, struct err *err);
