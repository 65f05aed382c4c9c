#include "views/explain/explain_keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/correct_keep.h"
#include "model/trace/program.h"
#include "views/query/table_kept.h"

struct kept_line {
	double ticks;
	int64_t time;
	uint32_t location, path;
	uint32_t role, depth;
	char value[40];
};

bool explain_keeps(const struct query *query)
{
	/* Bounds of compensated times are there for certain only where they are waited for. */
	return query_keeps(query) && query->metric == CUBE_NONE && query->callpath == UINT32_MAX &&
	       (query->base != BASE_COMPENSATED || query->export.waits_for_bounds) &&
	       query->corrections && correct_kept_key(query->trace);
}

void explain_lines_add(struct piece *piece, const struct trace *trace,
		       const struct explain_line *lines, size_t n)
{
	/* Bounds of clocks are in the sentences. */
	const uint64_t corrections = correct_kept_key(trace);
	OWNED struct kept_line *kept = xcalloc(n + 1, sizeof *kept);
	OWNED_STR texts = STR_INIT;

	for (size_t i = 0; i < n; i++) {
		const struct explain_line *l = &lines[i];

		kept[i] = (struct kept_line){ l->ticks, l->time,  l->location, l->path,
					      l->role,  l->depth, "" };
		memcpy(kept[i].value, l->value, strlen(l->value));
		str_add_n(&texts, l->text, strlen(l->text) + 1);
	}
	piece_add(piece, &corrections, 1, sizeof corrections);
	piece_add(piece, kept, n, sizeof *kept);
	piece_add(piece, texts.text, texts.n, 1);
}

/* ---- reading ---- */

/* A text that ends within its bytes; what could write to a terminal is taken out. */
static bool take_text(const char *text, size_t bytes, struct str *out)
{
	const char *end = memchr(text, '\0', bytes);

	if (end)
		str_add_clean(out, text, (size_t)(end - text));
	return end != NULL;
}

static bool is_place(const struct trace *trace, const struct kept_line *l)
{
	return (l->location == UINT32_MAX || l->location < trace_location_count(trace)) &&
	       (l->path == UINT32_MAX || l->path < trace_callpath_count(trace)) &&
	       l->time >= -RECORD_TIME_MAX && l->time <= RECORD_TIME_MAX;
}

static bool take_line(const struct trace *trace, const struct kept_line *kept, const char **text,
		      size_t *left, struct explain_line *line)
{
	OWNED_STR value = STR_INIT, clean = STR_INIT;

	if (kept->role >= TEXT_CLASS + CLASS_COUNT || kept->depth > UINT8_MAX ||
	    !is_place(trace, kept) || !take_text(*text, *left, &clean) ||
	    !take_text(kept->value, sizeof kept->value, &value) || value.n >= sizeof line->value)
		return false;
	*left -= strlen(*text) + 1;
	*text += strlen(*text) + 1;
	*line = (struct explain_line){ .text = str_take(&clean),
				       .ticks = kept->ticks,
				       .role = (enum text_role)kept->role,
				       .depth = (uint8_t)kept->depth,
				       .location = kept->location,
				       .time = kept->time,
				       .event = EVENT_NONE,
				       .wait = UINT32_MAX,
				       .path = kept->path };
	memcpy(line->value, value.text, value.n);
	return true;
}

void explain_lines_free(struct explain_line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(lines[i].text);
	free(lines);
}

struct explain_line *explain_lines_next(struct piece_reader *reader, const struct trace *trace,
					size_t *n)
{
	const struct kept_line *kept;
	struct explain_line *lines;
	uint64_t corrections;
	const char *texts;
	size_t left, all;

	*n = 0;
	if (!piece_value(reader, &corrections, sizeof corrections))
		return NULL;
	kept = piece_next(reader, sizeof *kept, &all);
	texts = piece_next(reader, 1, &left);
	if (reader->bad || corrections != correct_kept_key(trace))
		return NULL;
	lines = xcalloc(all + 1, sizeof *lines);
	while (*n < all && take_line(trace, &kept[*n], &texts, &left, &lines[*n]))
		++*n;
	if (*n == all)
		return lines;
	explain_lines_free(lines, *n);
	*n = 0;
	return NULL;
}
