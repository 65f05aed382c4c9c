#include "model/picl/read/picl_parse.h"

#include <string.h>

#include "model/picl/picl_text.h"
#include "model/trace/record_type.h"

enum { MAX_FIELDS = 1000000 };

void picl_parser_init(struct picl_parser *parser)
{
	*parser = (struct picl_parser){ 0 };
	str_init(&parser->payload);
	str_init(&parser->text);
}

void picl_parser_fini(struct picl_parser *parser)
{
	str_fini(&parser->payload);
	str_fini(&parser->text);
}

static void note(struct picl_parser *parser, enum finding_kind kind, const char *code,
		 uint64_t line, const char *text)
{
	if (parser->note)
		parser->note(parser->context, kind, code, line, text);
}

static enum picl_parsed bad(struct picl_parser *parser, uint64_t line, const char *text)
{
	note(parser, FINDING_DAMAGE, "malformed-record", line, text);
	return PARSE_BAD;
}

/* ---- the head ---- */

/* A word that is an integer of 32 bits as a whole. */
static const char *head_integer(const char *p, const char *end, int32_t *value)
{
	bool is_float, saturated;
	int64_t x;
	size_t n;

	p = picl_skip_blanks(p, end);
	n = descriptor_integer(p, end, &x, &is_float, &saturated);
	if (!n || is_float || x > INT32_MAX || x < INT32_MIN || p + n != picl_skip_word(p, end))
		return NULL;
	*value = (int32_t)x;
	return p + n;
}

bool picl_parse_is_head(const char *text, size_t n, bool *integer_time)
{
	struct picl_times times = { 0, 0 };
	const char *end = text + n;
	const char *p = text, *word;
	int32_t value;

	for (int i = 0; i < 2; i++)
		if (!(p = head_integer(p, end, &value)))
			return false;
	word = picl_skip_blanks(p, end);
	p = picl_skip_word(word, end);
	if (!picl_times_add(&times, word, (size_t)(p - word)))
		return false;
	*integer_time = !memchr(word, '.', (size_t)(p - word)) && times.digits == 0;
	for (int i = 0; i < 3; i++)
		if (!(p = head_integer(p, end, &value)))
			return false;
	return value >= 0;
}

size_t picl_parse_words(const char *text, size_t n)
{
	const char *end = text + n;
	const char *p = picl_skip_blanks(text, end);
	size_t words = 0;

	for (; p < end; p = picl_skip_blanks(p, end)) {
		p = picl_skip_word(p, end);
		words++;
	}
	return words;
}

static const char *head_time(struct picl_parser *parser, const char *p, const char *end,
			     struct picl_record *record)
{
	const char *word = picl_skip_blanks(p, end);
	enum picl_time_form form;

	p = picl_skip_word(word, end);
	form = picl_time_read(word, (size_t)(p - word), parser->clock, &record->time);
	record->time_text = NULL;
	if (form == TIME_INVALID)
		return NULL;
	if (form == TIME_CANONICAL)
		return p;
	record->time_text = word;
	record->time_n = (size_t)(p - word);
	if (form == TIME_RANGE) {
		parser->range = true;
		note(parser, FINDING_DAMAGE, "time-range", record->line,
		     "a time does not fit into 64 bits of ticks: the largest one is taken");
	} else if (form == TIME_FINER) {
		parser->finer = true;
		note(parser, FINDING_ODDITY, "time-too-fine", record->line,
		     "a time has more digits than a tick holds: rounded, its text kept");
	} else {
		note(parser, FINDING_ODDITY, "time-digits", record->line,
		     "a time is not written with the file's number of digits: its text is kept");
	}
	return p;
}

static const char *head(struct picl_parser *parser, const char *p, const char *end,
			struct picl_record *record)
{
	if (!(p = head_integer(p, end, &record->rectype)) ||
	    !(p = head_integer(p, end, &record->evtype)) ||
	    !(p = head_time(parser, p, end, record)) ||
	    !(p = head_integer(p, end, &record->processor)) ||
	    !(p = head_integer(p, end, &record->process)))
		return NULL;
	return head_integer(p, end, &record->count);
}

/* ---- the descriptor ---- */

struct data {
	const struct descriptor *descriptor; /* NULL: raw words */
	struct descriptor own;               /* what a quoted one was parsed into */
	const char *token;
	size_t token_n;
	const char *text, *end; /* data: from after one blank to the end of the line */
};

/* Appends a string without the backslashes that escape quotes and backslashes. */
static void add_unescaped(struct str *out, const char *p, size_t n, bool *escaped)
{
	for (const char *end = p + n; p < end; p++) {
		if (*p == '\\' && end - p > 1 && (p[1] == '"' || p[1] == '\\')) {
			p++;
			*escaped = true;
		}
		str_add_char(out, *p);
	}
}

static void give_text(const struct picl_parser *parser, struct picl_record *record)
{
	record->text = parser->text.text;
	record->text_n = parser->text.n;
}

static const char *closing_quote(const char *p, const char *end)
{
	for (; p < end && *p != '"'; p++)
		p += *p == '\\' && end - p > 1;
	return p < end ? p : NULL;
}

/* The end of a word, or of text in quotes, whole or cut off. */
static const char *skip_token(const char *p, const char *end)
{
	const char *quote;

	if (p == end || *p != '"')
		return picl_skip_word(p, end);
	quote = closing_quote(p + 1, end);
	return quote ? quote + 1 : end;
}

static void parse_quoted(struct picl_parser *parser, struct data *data, uint64_t line)
{
	bool escaped = false;

	str_clear(&parser->text);
	add_unescaped(&parser->text, data->token + 1, data->token_n - 2, &escaped);
	if (escaped)
		note(parser, FINDING_ODDITY, "escaped-quote", line,
		     "a data descriptor has escaped quotes inside its quotes");
	if (descriptor_parse(&data->own, parser->text.text, parser->text.n))
		data->descriptor = &data->own;
	else
		note(parser, FINDING_ODDITY, "unknown-descriptor", line,
		     "a data descriptor is not understood: the data is kept as raw words");
}

static bool find_descriptor(struct picl_parser *parser, const char *p, const char *end,
			    const struct picl_record *record, struct data *data)
{
	const struct picl_scope scope = { record->evtype, record->processor, record->process };
	bool known, is_float, saturated;
	int64_t number;

	*data = (struct data){ 0 };
	data->token = p = picl_skip_blanks(p, end);
	if (p < end && *p == '"') {
		p = closing_quote(p + 1, end);
		if (!p++)
			return false;
	} else {
		p = picl_skip_word(p, end);
	}
	data->token_n = (size_t)(p - data->token);
	/* Exactly one blank ends the descriptor: text may begin with others. */
	data->text = p + (p < end);
	data->end = end;
	if (data->token_n && *data->token == '"') {
		parse_quoted(parser, data, record->line);
		return true;
	}
	if (!data->token_n ||
	    descriptor_integer(data->token, p, &number, &is_float, &saturated) != data->token_n ||
	    is_float)
		return false;
	data->descriptor = picl_defs_descriptor(parser->defs, &scope, number, &known);
	if (!known)
		note(parser, FINDING_ODDITY, "undefined-alias", record->line,
		     "an integer data descriptor was never defined: the data is kept as raw words");
	else if (!data->descriptor)
		note(parser, FINDING_ODDITY, "unknown-descriptor", record->line,
		     "a data descriptor is not understood: the data is kept as raw words");
	return true;
}

/* ---- the data ---- */

static bool is_spaced(const char *p, size_t n)
{
	for (size_t i = 1; i < n; i += 2)
		if (p[i] != ' ')
			return false;
	return true;
}

/* Data under %c: the number of fields is the number of bytes. */
static void take_characters(struct picl_parser *parser, const struct data *data,
			    struct picl_record *record)
{
	const size_t want = (size_t)record->count;
	const size_t have = (size_t)(data->end - data->text);

	str_clear(&parser->text);
	if (want > 1 && have >= 2 * want - 1 && is_spaced(data->text, 2 * want - 1) &&
	    picl_skip_blanks(data->text + 2 * want - 1, data->end) == data->end) {
		for (size_t i = 0; i < want; i++)
			str_add_char(&parser->text, data->text[2 * i]);
		note(parser, FINDING_ODDITY, "spaced-text", record->line,
		     "the characters of a text are separated by blanks");
	} else {
		str_add_n(&parser->text, data->text, have < want ? have : want);
		if (have < want)
			note(parser, FINDING_ODDITY, "short-text", record->line,
			     "a text is shorter than its number of fields says");
		else if (picl_skip_blanks(data->text + want, data->end) < data->end)
			note(parser, FINDING_ODDITY, "surplus-tokens", record->line,
			     "there is more on the line than the number of fields says: ignored");
	}
	give_text(parser, record);
}

/* Words under %s: joined by single blanks; quotes around all of a word are dropped. */
static void take_words(struct picl_parser *parser, const struct data *data, const char *stop,
		       struct picl_record *record)
{
	const char *p = picl_skip_blanks(data->text, stop);
	bool escaped = false;

	str_clear(&parser->text);
	while (p < stop) {
		const char *word = p;
		p = skip_token(p, stop);
		if (parser->text.n)
			str_add_char(&parser->text, ' ');
		if (*word == '"' && p - word > 1)
			add_unescaped(&parser->text, word + 1, (size_t)(p - word) - 2, &escaped);
		else
			str_add_n(&parser->text, word, (size_t)(p - word));
		p = picl_skip_blanks(p, stop);
	}
	give_text(parser, record);
}

static void note_numbers(struct picl_parser *parser, const struct descriptor_sink *sink,
			 uint64_t line)
{
	if (sink->float_given)
		note(parser, FINDING_ODDITY, "float-for-integer", line,
		     "a number has a point or an exponent where an integer is announced");
	if (sink->saturated)
		note(parser, FINDING_ODDITY, "number-range", line,
		     "an integer does not fit into 64 bits: the largest one is taken");
}

/* Where the data ends, NULL where there is too little. */
static const char *take_fields(struct picl_parser *parser, const struct data *data,
			       struct picl_record *record)
{
	const struct descriptor *d = data->descriptor;
	struct descriptor_sink sink = { .v = record->v, .room = PICL_VALUES };
	const char *p = data->text;
	int32_t fields = 0;

	sink.only_integers = true;
	while (fields < record->count) {
		const char *q = p;
		if (!descriptor_field(d, &q, data->end, &sink))
			break;
		p = q;
		fields++;
	}
	/* A writer that counts values instead of fields. */
	if (fields == 1 && record->count > 1 && d->values == (size_t)record->count &&
	    picl_skip_blanks(p, data->end) == data->end) {
		note(parser, FINDING_ODDITY, "values-counted", record->line,
		     "the number of fields counts the values of one structure");
		fields = record->count;
	}
	if (fields < record->count) {
		parser->missing = (size_t)(record->count - fields) * d->values;
		return NULL;
	}
	record->values = sink.n < PICL_VALUES ? (int32_t)sink.n : PICL_VALUES;
	if (!sink.only_integers)
		record->values = 0;
	note_numbers(parser, &sink, record->line);
	if (picl_skip_blanks(p, data->end) < data->end)
		note(parser, FINDING_ODDITY, "surplus-tokens", record->line,
		     "there is more on the line than the number of fields says: ignored");
	if (descriptor_is(d, 's'))
		take_words(parser, data, p, record);
	return p;
}

/* "-6": the alias, and as the rest of the line its control string, quoted or not. */
static bool take_alias(struct picl_parser *parser, const struct data *data,
		       struct picl_record *record)
{
	const char *p = picl_skip_blanks(data->text, data->end);
	const char *end = data->end;
	bool is_float, saturated, escaped = false;
	const size_t n = descriptor_integer(p, end, &record->v[0], &is_float, &saturated);

	if (!n || is_float || record->v[0] < 0 || record->v[0] > INT32_MAX)
		return false;
	p = picl_skip_blanks(p + n, end);
	end = picl_trim(p, end);
	if (end - p > 1 && *p == '"' && end[-1] == '"') {
		p++;
		end--;
	}
	str_clear(&parser->text);
	add_unescaped(&parser->text, p, (size_t)(end - p), &escaped);
	give_text(parser, record);
	record->values = 1;
	return true;
}

/* ---- the payload, in canonical separation ---- */

static void add_separated(struct str *out, const char *p, const char *end)
{
	for (p = picl_skip_blanks(p, end); p < end; p = picl_skip_blanks(p, end)) {
		const char *word = p;
		p = skip_token(p, end);
		str_add_char(out, ' ');
		str_add_n(out, word, (size_t)(p - word));
	}
}

static bool is_numeric(const struct descriptor *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strchr("diuxf", d->parts[i].kind))
			return false;
	return true;
}

static void make_payload(struct picl_parser *parser, const struct data *data, const char *stop,
			 struct picl_record *record)
{
	struct str *out = &parser->payload;

	str_clear(out);
	str_add_int(out, record->count);
	if (record->count) {
		str_add_char(out, ' ');
		str_add_n(out, data->token, data->token_n);
		if (data->descriptor && is_numeric(data->descriptor)) {
			add_separated(out, data->text, stop);
		} else {
			str_add_char(out, ' ');
			str_add_n(out, data->text, (size_t)(stop - data->text));
		}
	}
	record->payload = out->text;
	record->payload_n = out->n;
}

/* True when the values, written canonically, give the payload. */
static bool is_plain(struct picl_parser *parser, const struct picl_record *record)
{
	struct str *out = &parser->text;

	if (record->text || record->values != record->count)
		return false;
	str_clear(out);
	picl_add_values(out, record->v, record->count);
	return out->n == record->payload_n && memcmp(out->text, record->payload, out->n) == 0;
}

static enum picl_parsed parse_data(struct picl_parser *parser, const char *p, const char *end,
				   struct picl_record *record, struct data *data)
{
	const char *stop;

	if (!find_descriptor(parser, p, end, record, data)) {
		parser->missing = 1;
		return p == end ? PARSE_SHORT
				: bad(parser, record->line,
				      "a record's data descriptor is neither a number nor quoted");
	}
	stop = data->end;
	if (record->rectype == REC_ALIAS) {
		if (!take_alias(parser, data, record))
			return bad(parser, record->line,
				   "a descriptor record (-6) needs a number and a control string");
	} else if (data->descriptor && descriptor_is(data->descriptor, 'c')) {
		const size_t want = (size_t)record->count;
		take_characters(parser, data, record);
		/* Surplus is not kept; a spaced text is. */
		if (record->text_n == want && (size_t)(stop - data->text) > want &&
		    memcmp(record->text, data->text, want) == 0)
			stop = data->text + want;
	} else if (data->descriptor) {
		stop = take_fields(parser, data, record);
		if (!stop)
			return PARSE_SHORT;
	}
	if (!data->descriptor)
		stop = picl_trim(data->text, stop);
	make_payload(parser, data, stop, record);
	return PARSE_RECORD;
}

enum picl_parsed picl_parse(struct picl_parser *parser, const char *text, size_t n, uint64_t line,
			    struct picl_record *record)
{
	const char *end = text + n;
	const char *p = picl_skip_blanks(text, end);
	enum picl_parsed result = PARSE_RECORD;
	struct data data = { 0 };

	if (p == end)
		return PARSE_EMPTY;
	if (*p == '#' || *p == '%') {
		note(parser, FINDING_ODDITY, "comment", line,
		     "a comment line, which PICL does not have: skipped");
		return PARSE_EMPTY;
	}
	if (memchr(text, '\0', n)) {
		note(parser, FINDING_DAMAGE, "binary", line, "a line contains NUL bytes: skipped");
		return PARSE_BAD;
	}
	if (n && end[-1] == '\r')
		end--;
	*record = (struct picl_record){ .line = line };
	p = head(parser, p, end, record);
	if (!p)
		return bad(parser, line,
			   "a line does not begin with the six fields of a record: skipped");
	if (record->count < 0 || record->count > MAX_FIELDS)
		return bad(parser, line, "a record's number of fields is impossible: skipped");
	if (record->count) {
		result = parse_data(parser, p, end, record, &data);
	} else {
		if (picl_skip_blanks(p, end) < end)
			note(parser, FINDING_ODDITY, "surplus-tokens", line,
			     "there is more on the line than the number of fields says: ignored");
		make_payload(parser, &data, NULL, record);
	}
	if (result == PARSE_RECORD)
		record->plain = is_plain(parser, record);
	descriptor_fini(&data.own);
	return result;
}
