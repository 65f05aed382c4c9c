#include <string.h>

#include "capture/cc/instrument/instrument_unit.h"

static bool is_name(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c >= 0x80;
}

static uint32_t line_end(const struct text *text, uint32_t at, uint32_t end)
{
	const char *found = memchr(text->bytes + at, '\n', end - at);

	return found ? (uint32_t)(found - text->bytes) : end;
}

/* After a comment that begins at `at`. */
static uint32_t comment_end(const struct text *text, uint32_t at, uint32_t end)
{
	if (text->bytes[at + 1] == '/')
		return line_end(text, at, end);
	for (at += 2; at + 1 < end; at++)
		if (text->bytes[at] == '*' && text->bytes[at + 1] == '/')
			return at + 2;
	return end;
}

static uint32_t string_end(const struct text *text, uint32_t at, uint32_t end)
{
	const char quote = text->bytes[at];

	for (at++; at < end && text->bytes[at] != quote && text->bytes[at] != '\n'; at++)
		if (text->bytes[at] == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}

/* `at` is at the quote of R"name( ... )name". */
static uint32_t raw_string_end(const struct text *text, uint32_t at, uint32_t end)
{
	const uint32_t name = at + 1;
	uint32_t open = name;

	while (open < end && open - name <= 16 && text->bytes[open] != '(')
		open++;
	if (open >= end || text->bytes[open] != '(')
		return string_end(text, at, end);
	const uint32_t length = open - name;
	for (uint32_t i = open + 1; i + length + 1 < end; i++)
		if (text->bytes[i] == ')' && text->bytes[i + 1 + length] == '"' &&
		    !memcmp(text->bytes + i + 1, text->bytes + name, length))
			return i + length + 2;
	return end;
}

static bool is_raw_prefix(const struct text *text, uint32_t start, uint32_t end)
{
	return text->cxx && end - start <= 3 && text->bytes[end - 1] == 'R';
}

static uint32_t number_end(const struct text *text, uint32_t at, uint32_t end)
{
	while (at < end) {
		const char c = text->bytes[at];
		if ((c == '+' || c == '-') && strchr("eEpP", text->bytes[at - 1]))
			at++;
		else if (c == '\'' && at + 1 < end && is_name((unsigned char)text->bytes[at + 1]))
			at++;
		else if (c == '.' || is_name((unsigned char)c))
			at++;
		else
			break;
	}
	return at;
}

static bool first_of_line(const struct text *text, uint32_t at)
{
	while (at > 0 && (text->bytes[at - 1] == ' ' || text->bytes[at - 1] == '\t'))
		at--;
	return at == 0 || text->bytes[at - 1] == '\n';
}

static uint32_t blank_end(const struct text *text, uint32_t at, uint32_t end)
{
	while (at < end) {
		if (strchr(" \t\n\r\f\v", text->bytes[at]))
			at++;
		else if (text->bytes[at] == '/' && at + 1 < end &&
			 (text->bytes[at + 1] == '/' || text->bytes[at + 1] == '*'))
			at = comment_end(text, at, end);
		else
			break;
	}
	return at < end ? at : end;
}

struct token token_next(const struct text *text, uint32_t at, uint32_t end)
{
	struct token token = { TOKEN_MARK, blank_end(text, at, end), 0 };

	token.end = token.start + 1;
	if (token.start >= end)
		return (struct token){ TOKEN_END, end, end };
	const unsigned char c = (unsigned char)text->bytes[token.start];
	if (c == '#' && first_of_line(text, token.start)) {
		token.kind = TOKEN_DIRECTIVE;
		token.end = line_end(text, token.start, end);
	} else if ((c >= '0' && c <= '9') ||
		   (c == '.' && token.end < end && text->bytes[token.end] >= '0' &&
		    text->bytes[token.end] <= '9')) {
		token.kind = TOKEN_NUMBER;
		token.end = number_end(text, token.end, end);
	} else if (is_name(c)) {
		token.kind = TOKEN_NAME;
		while (token.end < end && is_name((unsigned char)text->bytes[token.end]))
			token.end++;
		if (token.end < end && text->bytes[token.end] == '"' &&
		    is_raw_prefix(text, token.start, token.end)) {
			token.kind = TOKEN_STRING;
			token.end = raw_string_end(text, token.end, end);
		}
	} else if (c == '"' || c == '\'') {
		token.kind = TOKEN_STRING;
		token.end = string_end(text, token.start, end);
	}
	return token;
}

struct token token_next_code(const struct text *text, uint32_t at, uint32_t end)
{
	struct token token = token_next(text, at, end);

	while (token.kind == TOKEN_DIRECTIVE)
		token = token_next(text, token.end, end);
	return token;
}

bool token_is(const struct text *text, struct token token, const char *word)
{
	const size_t length = strlen(word);

	return token.kind != TOKEN_END && token.end - token.start == length &&
	       !memcmp(text->bytes + token.start, word, length);
}

uint32_t text_close(const struct text *text, uint32_t at, uint32_t end)
{
	uint32_t depth = 0;

	for (struct token token = token_next_code(text, at, end); token.kind != TOKEN_END;
	     token = token_next_code(text, token.end, end)) {
		if (token.kind != TOKEN_MARK)
			continue;
		const char c = text->bytes[token.start];
		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if (c == ')' || c == ']' || c == '}')
			depth--;
		if (depth == 0 || depth == UINT32_MAX)
			return token.end;
	}
	return end;
}

uint32_t text_semicolon(const struct text *text, uint32_t at)
{
	const struct token token = token_next_code(text, at, text->size);

	return token_is(text, token, ";") ? token.end : 0;
}

bool text_has_word(const struct text *text, uint32_t at, uint32_t end, const char *const *words)
{
	for (struct token token = token_next_code(text, at, end); token.kind != TOKEN_END;
	     token = token_next_code(text, token.end, end)) {
		if (token.kind != TOKEN_NAME)
			continue;
		for (size_t i = 0; words[i]; i++)
			if (token_is(text, token, words[i]))
				return true;
	}
	return false;
}

/* ---- what libclang says ---- */

enum { DEPTH_MAX = 32 }; /* of names */

uint32_t unit_offset(const struct instrument_unit *unit, CXSourceLocation location)
{
	CXFile file;
	unsigned offset = 0;

	clang_getFileLocation(location, &file, NULL, NULL, &offset);
	return file && offset >= unit->base && offset - unit->base <= unit->text.size
		       ? offset - unit->base
		       : UINT32_MAX;
}

static bool is_scope(enum CXCursorKind kind)
{
	return kind == CXCursor_Namespace || kind == CXCursor_ClassDecl ||
	       kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl ||
	       kind == CXCursor_ClassTemplate ||
	       kind == CXCursor_ClassTemplatePartialSpecialization;
}

void unit_name(const struct instrument_unit *unit, CXCursor cursor, struct str *out)
{
	CXCursor scopes[DEPTH_MAX];
	size_t n = 0;

	scopes[n++] = cursor;
	for (CXCursor up = clang_getCursorSemanticParent(cursor);
	     unit->text.cxx && n < DEPTH_MAX && is_scope(clang_getCursorKind(up));
	     up = clang_getCursorSemanticParent(up))
		scopes[n++] = up;
	while (n-- > 0) {
		CXString string = clang_getCursorSpelling(scopes[n]);
		const char *name = clang_getCString(string);
		str_add(out, name && *name ? name : "(anonymous)");
		if (n)
			str_add(out, "::");
		clang_disposeString(string);
	}
}
