/* What kind of file it is, told by its first lines. */
#include "model/picl/read/picl_look.h"

#include <string.h>

#include "model/picl/picl.h"
#include "model/picl/picl_text.h"
#include "model/picl/read/picl_parse.h"

bool picl_look_line(struct picl_head *head, const char **text, size_t *n, bool *complete)
{
	const char *feed;

	if (head->p == head->end)
		return false;
	feed = memchr(head->p, '\n', (size_t)(head->end - head->p));
	*complete = feed != NULL;
	*text = head->p;
	*n = (size_t)((feed ? feed : head->end) - head->p);
	head->p = feed ? feed + 1 : head->end;
	return true;
}

static bool is_old_keyword(const char *text, size_t n)
{
	static const char *const words[] = {
		"trace_start", "open",  "load",       "send",        "probe",      "recv",
		"message",     "sync",  "compstats",  "commstats",   "close",      "trace_level",
		"trace_mark",  "clock", "trace_stop", "trace_flush", "trace_exit", "trace_msg",
		"block_begin", "host",  "block_end",  "trace_marks", "clocksync",  "trace_files",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const size_t length = strlen(words[i]);
		if (n > length && memcmp(text, words[i], length) == 0 &&
		    (text[length] == ' ' || text[length] == '_' || text[length] == '\t'))
			return true;
	}
	return false;
}

/* True for a PICL 2.0 record whose field count matches its data. A PICL 1.x line has node, partner,
 * type and length there, which match only by chance. */
static bool is_whole(const char *text, size_t n)
{
	const char *p = text, *end = text + n;
	bool is_float, saturated;
	size_t words = picl_parse_words(text, n);
	int64_t fields = 0;

	for (int word = 0; word < 6; word++) {
		p = picl_skip_blanks(p, end);
		descriptor_integer(p, end, &fields, &is_float, &saturated);
		p = picl_skip_word(p, end);
	}
	p = picl_skip_blanks(p, end);
	if (fields == 0)
		return words == 6;
	return (p < end && *p == '"') || (fields > 0 && words == 7 + (size_t)fields);
}

/* Old: keywords, or record types 1 to 24 with times in two whole numbers. */
enum picl_look picl_look_at(const char *bytes, size_t n)
{
	struct picl_head head = { bytes, bytes + n };
	const char *text;
	unsigned lines = 0, heads = 0, old = 0, whole = 0;
	size_t length;
	bool complete, integer_time;

	while (lines < 64 && picl_look_line(&head, &text, &length, &complete)) {
		const char *const end = text + length, *const p = picl_skip_blanks(text, end);
		if (p == end || *p == '#' || *p == '%')
			continue;
		lines++;
		if (lines == 1 && is_old_keyword(p, (size_t)(end - p)))
			return LOOK_OLD;
		if (!picl_parse_is_head(text, length, &integer_time))
			continue;
		heads++;
		if (integer_time && *p >= '1' && *p <= '9' &&
		    (p[1] == ' ' || (*p <= '2' && p[1] >= '0' && p[1] <= '9' && p[2] == ' '))) {
			old++;
			whole += is_whole(text, length);
		}
	}
	if (heads == 0)
		return LOOK_UNKNOWN;
	return old == heads && old > 1 && whole * 2 <= old ? LOOK_OLD : LOOK_PICL;
}

/* The finest digits in the first lines. */
void picl_look_at_times(struct picl_times *times, const char *text, size_t n)
{
	const char *p = text, *end = text + n;
	bool integer_time;

	if (!picl_parse_is_head(text, n, &integer_time))
		return;
	for (int word = 0; word < 2; word++)
		p = picl_skip_word(picl_skip_blanks(p, end), end);
	p = picl_skip_blanks(p, end);
	picl_times_add(times, p, (size_t)(picl_skip_word(p, end) - p));
}
