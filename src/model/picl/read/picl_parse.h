/* picl_parse: the complete, slow parser of a record, for lines that picl_scan_record() refuses: any
 * white space, any descriptor, aliases, texts packed and spaced, numbers in other forms, and known
 * mistakes of writers. */
#pragma once

#include "base/str.h"
#include "model/picl/read/picl_defs.h"
#include "model/trace/trace.h"

struct picl_parser {
	const struct picl_clock *clock;
	const struct picl_defs *defs;
	/* Called for every deviation. */
	void (*note)(void *context, enum finding_kind kind, const char *code, uint64_t line,
		     const char *text);
	void *context;
	bool finer;               /* set when a time has more digits than the clock holds */
	bool range;               /* set when a time did not fit */
	size_t missing;           /* after PARSE_SHORT: values that the line lacks, at least 1 */
	struct str payload, text; /* the record points into these */
};

enum picl_parsed {
	PARSE_RECORD,
	PARSE_EMPTY, /* nothing, or a comment (noted) */
	PARSE_SHORT, /* fewer values than announced: the next line may have them */
	PARSE_BAD,   /* not a record (noted) */
};

void picl_parser_init(struct picl_parser *parser);
void picl_parser_fini(struct picl_parser *parser);

/* The record's pointers are valid until the next call, and while `text` lives. */
enum picl_parsed picl_parse(struct picl_parser *parser, const char *text, size_t n, uint64_t line,
			    struct picl_record *record);

/* True if a line begins like a record: int int number int int int. *integer_time: the third is an
 * integer. */
bool picl_parse_is_head(const char *text, size_t n, bool *integer_time);

/* The number of words of a line, separated by white space. */
size_t picl_parse_words(const char *text, size_t n);
