/* The records of a file, one after the other: most are a line in canonical form. */
#include "model/picl/picl_text.h"
#include "model/picl/read/picl_reader.h"

bool picl_is_continued(const char *text, size_t *n)
{
	const size_t end = (size_t)(picl_trim(text, text + *n) - text);

	if (!end || text[end - 1] != '\\' || (end > 1 && text[end - 2] == '\\'))
		return false;
	*n = end - 1;
	return true;
}

/* True if the current line can only be more data of the record before it. */
static bool is_more_data(const struct line *line, size_t missing)
{
	bool integer_time;

	if (line->too_long ||
	    picl_skip_blanks(line->text, line->text + line->n) == line->text + line->n)
		return false;
	return !picl_parse_is_head(line->text, line->n, &integer_time) ||
	       (integer_time && picl_parse_words(line->text, line->n) == missing);
}

static void add_line(struct picl_reader *r)
{
	const char *const end = picl_trim(r->line.text, r->line.text + r->line.n);

	str_add_char(&r->joined, ' ');
	str_add_n(&r->joined, r->line.text, (size_t)(end - r->line.text));
}

/* Joins lines that a backslash continues. */
static void join_continued(struct picl_reader *r)
{
	size_t n = r->line.n;

	str_clear(&r->joined);
	while (picl_is_continued(r->line.text, &n)) {
		const char *text = r->line.text;

		str_add_n(&r->joined, text, (size_t)(picl_trim(text, text + n) - text));
		str_add_char(&r->joined, ' ');
		if (r->joined.n > SCAN_MAX_LINE || !picl_lines_next(&r->lines, &r->line))
			return;
		text = r->line.text;
		r->line.text = picl_skip_blanks(text, text + r->line.n);
		n = r->line.n - (size_t)(r->line.text - text);
	}
	str_add_n(&r->joined, r->line.text, n);
}

/* Values that a record lacks may follow on the next lines. */
static enum picl_parsed parse_over_lines(struct picl_reader *r, uint64_t first,
					 struct picl_record *record)
{
	bool more = false;

	while (r->joined.n < SCAN_MAX_LINE && picl_lines_next(&r->lines, &r->line)) {
		if (!is_more_data(&r->line, more ? SIZE_MAX : r->parser.missing)) {
			if (!r->line.too_long)
				picl_lines_back(&r->lines);
			break;
		}
		add_line(r);
		more = true;
	}
	if (!more)
		return PARSE_SHORT;
	picl_note(r, FINDING_ODDITY, "split-record", first,
		  "a record's data goes on in the next line");
	return picl_parse(&r->parser, r->joined.text, r->joined.n, first, record);
}

/* A line that is not in canonical form. */
bool picl_parse_slowly(struct picl_reader *r, struct picl_record *record)
{
	const uint64_t first = r->line.number;
	enum picl_parsed result;
	size_t n = r->line.n;

	if (r->line.too_long) {
		picl_note(r, FINDING_DAMAGE, "line-too-long", first,
			  "a line is longer than 16 MiB: skipped");
		return false;
	}
	if (picl_is_continued(r->line.text, &n)) {
		picl_note(r, FINDING_ODDITY, "continued-line", first,
			  "a line is continued with a backslash");
		join_continued(r);
		result = picl_parse(&r->parser, r->joined.text, r->joined.n, first, record);
	} else {
		result = picl_parse(&r->parser, r->line.text, r->line.n, first, record);
		if (result == PARSE_SHORT) {
			str_clear(&r->joined);
			str_add_n(&r->joined, r->line.text, r->line.n);
		}
	}
	if (result == PARSE_SHORT)
		result = parse_over_lines(r, first, record);
	if (result == PARSE_SHORT)
		picl_note(r, FINDING_DAMAGE, "short-record", first,
			  "a record has less data than its number of fields says: skipped");
	return result == PARSE_RECORD;
}

enum picl_next picl_next_record(struct picl_reader *r, struct picl_record *record)
{
	if (r->stop || !picl_lines_next(&r->lines, &r->line))
		return PICL_NEXT_END;
	if (!r->lines.ahead)
		r->begin = scan_place(&r->scan);
	if (picl_lines_record(&r->lines, &r->line, record))
		return PICL_NEXT_RECORD;
	return picl_parse_slowly(r, record) && !r->stop ? PICL_NEXT_RECORD : PICL_NEXT_NOTHING;
}
