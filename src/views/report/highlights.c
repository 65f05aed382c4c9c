#include "views/report/highlights.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Severity of sentences that have no share of time: they come after waits of 2 %. */
#define DOUBTFUL 0.02
#define GOOD     1e-6
#define REMARK   1e-7

static double weight_of(const struct report_line *line)
{
	switch (line->role) {
	case TEXT_ERROR: return 2;
	case TEXT_WARNING: return line->severity > 0 ? line->severity : DOUBTFUL;
	case TEXT_MUTED: return 0;
	case TEXT_GOOD: return GOOD;
	default: return line->severity > 0 ? line->severity : REMARK;
	}
}

unsigned report_highlights(const struct report *report, struct highlight out[HIGHLIGHTS])
{
	double weights[HIGHLIGHTS];
	unsigned n = 0;

	for (uint32_t s = 0; s < report->sections.n; s++) {
		const struct report_section *section = report->sections.data[s];

		for (uint32_t l = 0; l < section->lines.n; l++) {
			const struct report_line *line = &section->lines.data[l];
			const double weight = weight_of(line);
			unsigned at = n;

			if (line->page_only || line->share >= 0 || weight <= 0)
				continue;
			/* Of equals the first one. */
			while (at > 0 && weights[at - 1] < weight)
				at--;
			if (at == HIGHLIGHTS)
				continue;
			n += n < HIGHLIGHTS;
			memmove(out + at + 1, out + at, (n - 1 - at) * sizeof *out);
			memmove(weights + at + 1, weights + at, (n - 1 - at) * sizeof *weights);
			out[at] = (struct highlight){ s, l };
			weights[at] = weight;
		}
	}
	return n;
}

/* Where the text's last clause begins before `end`: at "; ", ", ", " (" or ": "; 0: nowhere. */
static size_t clause_before(const char *text, size_t end)
{
	for (size_t at = end; at > 0; at--) {
		const char *p = text + at - 1;

		if ((*p == ';' || *p == ',' || *p == ':') && p[1] == ' ')
			return at - 1;
		if (*p == ' ' && p[1] == '(')
			return at - 1;
	}
	return 0;
}

void highlight_fit(struct str *sentence, int width, const char *ellipsis)
{
	size_t end = sentence->n;

	/* The full stop of a list is noise. */
	if (end && sentence->text[end - 1] == '.')
		sentence->text[--sentence->n] = '\0';
	if (text_width(sentence->text) <= width)
		return;
	end = clause_before(sentence->text, text_fit(sentence->text, width - 2));
	/* A short rest says less than a cut sentence. */
	if (end < (size_t)width * 3 / 4)
		end = report_break(sentence->text, width - 1);
	/* Before a word that is longer than a line of its own. */
	if (end < (size_t)width * 3 / 4)
		end = text_fit(sentence->text, width - 1);
	sentence->n = end;
	sentence->text[end] = '\0';
	str_add(sentence, ellipsis);
}
