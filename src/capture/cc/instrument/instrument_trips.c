/* The iterations of a loop by its header: for (T i = first; i < bound; i += step). Its bounds are
 * evaluated once more, before it: only what is certain to have no side effects. */
#include <stdlib.h>
#include <string.h>

#include "capture/cc/instrument/instrument_unit.h"

/* A part of the header: tokens from `start` to `end`. */
struct part {
	uint32_t start, end;
};

struct header {
	struct part init, condition, step;
	uint32_t end;
};

/* What is read from them. */
struct canonical {
	struct part type; /* empty: the variable is declared before */
	struct token variable;
	struct part first, bound, by; /* `by` empty: 1 */
	bool up, strict;
};

static struct token next(const struct text *text, uint32_t at, uint32_t end)
{
	return token_next(text, at, end);
}

static bool is_mark(const struct text *text, struct token token, char mark)
{
	return token.kind == TOKEN_MARK && text->bytes[token.start] == mark;
}

static bool is_empty(struct part part)
{
	return part.start >= part.end;
}

/* ---- the header's parts ---- */

/* Up to the next semicolon that is not in parentheses; false: there is none. */
static bool take_part(const struct text *text, uint32_t *at, uint32_t end, struct part *part)
{
	part->start = *at;
	for (struct token token = next(text, *at, end); token.kind != TOKEN_END;) {
		const char c = text->bytes[token.start];
		const bool mark = token.kind == TOKEN_MARK;
		if (token.kind == TOKEN_DIRECTIVE)
			return false;
		if (mark && c == ';') {
			part->end = token.start;
			*at = token.end;
			return true;
		}
		const bool opens = mark && (c == '(' || c == '[' || c == '{');
		token = next(text, opens ? text_close(text, token.start, end) : token.end, end);
	}
	part->end = *at = end;
	return false;
}

static bool read_header(const struct text *text, const struct node *loop, struct header *header)
{
	struct token token = token_next_code(text, loop->start, loop->end);
	uint32_t at, close;

	if (!token_is(text, token, "for"))
		return false;
	token = next(text, token.end, loop->end);
	if (!is_mark(text, token, '('))
		return false;
	close = text_close(text, token.start, loop->end) - 1;
	at = token.end;
	header->end = close;
	return take_part(text, &at, close, &header->init) &&
	       take_part(text, &at, close, &header->condition) &&
	       !take_part(text, &at, close, &header->step) && header->step.end == close &&
	       !is_empty(header->step);
}

/* ---- expressions ---- */

/* Names, numbers and arithmetic without side effects; nothing of the loop's own variable. */
static bool is_plain(const struct text *text, struct part part, struct token variable)
{
	struct token before = { TOKEN_END, part.start, part.start };
	bool any = false;

	for (struct token token = next(text, part.start, part.end); token.kind != TOKEN_END;
	     before = token, token = next(text, token.end, part.end)) {
		const char c = text->bytes[token.start];
		const bool adjacent = before.kind == TOKEN_MARK && before.end == token.start;
		const char last = adjacent ? text->bytes[before.start] : ' ';
		any = true;
		if (token.kind == TOKEN_NUMBER)
			continue;
		if (token.kind == TOKEN_NAME &&
		    (token.end - token.start != variable.end - variable.start ||
		     memcmp(text->bytes + token.start, text->bytes + variable.start,
			    token.end - token.start) != 0))
			continue;
		if (token.kind != TOKEN_MARK || (c == last && (c == '+' || c == '-')) ||
		    !(strchr("()[]+-*/%.", c) || (c == '>' && last == '-') ||
		      (c == ':' && (last == ':' || text->bytes[token.end] == ':'))))
			return false;
	}
	return any;
}

/* Their text on one line. */
static void add_part(const struct text *text, struct part part, struct str *out)
{
	uint32_t last = part.start;

	for (struct token token = next(text, part.start, part.end); token.kind != TOKEN_END;
	     token = next(text, token.end, part.end)) {
		if (token.start > last)
			str_add_char(out, ' ');
		str_add_n(out, text->bytes + token.start, token.end - token.start);
		last = token.end;
	}
}

static bool same_name(const struct text *text, struct token a, struct token b)
{
	return a.kind == TOKEN_NAME && b.kind == TOKEN_NAME && a.end - a.start == b.end - b.start &&
	       !memcmp(text->bytes + a.start, text->bytes + b.start, a.end - a.start);
}

/* ---- the canonical form ---- */

static bool read_init(const struct text *text, struct part part, struct canonical *c)
{
	struct token name = { TOKEN_END, part.start, part.start };
	struct token token = next(text, part.start, part.end);

	c->type = (struct part){ token.start, token.start };
	for (; token.kind == TOKEN_NAME || (text->cxx && is_mark(text, token, ':'));
	     token = next(text, token.end, part.end)) {
		c->type.end = token.start;
		name = token;
	}
	if (name.kind != TOKEN_NAME || !is_mark(text, token, '='))
		return false;
	c->variable = name;
	c->first = (struct part){ token.end, part.end };
	return is_plain(text, c->first, (struct token){ TOKEN_END, 0, 0 });
}

/* i < bound, or bound > i, where `op` is at the comparison. */
static bool read_condition(const struct text *text, struct part part, struct canonical *c)
{
	struct token first = next(text, part.start, part.end);
	struct token op = first, last = first, after;
	bool turned, equal;

	while (op.kind != TOKEN_END && !is_mark(text, op, '<') && !is_mark(text, op, '!') &&
	       !(is_mark(text, op, '>') && !(is_mark(text, last, '-') && last.end == op.start))) {
		last = op;
		op = next(text, op.end, part.end);
	}
	if (op.kind == TOKEN_END)
		return false;
	after = next(text, op.end, part.end);
	equal = is_mark(text, after, '=') && after.start == op.end;
	turned = !same_name(text, first, c->variable) || first.end != last.end;
	c->bound = turned ? (struct part){ part.start, op.start }
			  : (struct part){ equal ? after.end : op.end, part.end };
	if (turned) {
		const struct token name = next(text, equal ? after.end : op.end, part.end);
		if (!same_name(text, name, c->variable) ||
		    next(text, name.end, part.end).kind != TOKEN_END)
			return false;
	}
	if (is_mark(text, op, '!')) { /* the direction is that of the step, which is 1 */
		c->strict = true;
		return equal && is_plain(text, c->bound, c->variable);
	}
	c->strict = !equal;
	return c->up == (is_mark(text, op, '<') != turned) && is_plain(text, c->bound, c->variable);
}

/* i++, --i, i += 2, i = i + 2; before the condition is read. */
static bool read_step(const struct text *text, struct part part, struct canonical *c)
{
	struct token t[4];
	uint32_t at = part.start;
	size_t name = 0;

	for (size_t i = 0; i < 4; at = t[i++].end)
		t[i] = next(text, at, part.end);
	if (t[0].kind == TOKEN_MARK)
		name = 2;
	if (!same_name(text, t[name], c->variable))
		return false;
	const struct token op = t[name ? 0 : 1], second = t[name ? 1 : 2];
	c->by = (struct part){ part.end, part.end };
	c->up = is_mark(text, op, '+');
	if (op.kind == TOKEN_MARK && op.end == second.start && (c->up || is_mark(text, op, '-')) &&
	    is_mark(text, second, text->bytes[op.start]))
		return t[3].kind == TOKEN_END;
	if (name)
		return false;
	if (is_mark(text, op, '=')) { /* i = i + 2 */
		if (!same_name(text, t[2], c->variable))
			return false;
		c->up = is_mark(text, t[3], '+');
	} else if (!is_mark(text, second, '=') || second.start != op.end) {
		return false;
	}
	if (!c->up && !is_mark(text, is_mark(text, op, '=') ? t[3] : op, '-'))
		return false;
	c->by = (struct part){ is_mark(text, op, '=') ? t[3].end : second.end, part.end };
	return is_plain(text, c->by, c->variable);
}

/* ---- types ---- */

static bool is_integer(CXType type)
{
	type = clang_getCanonicalType(type);
	return !clang_isVolatileQualifiedType(type) && type.kind >= CXType_Char_U &&
	       type.kind <= CXType_LongLong && type.kind != CXType_UInt128;
}

/* Of an operand as it is written, before the comparison converts it. */
static CXType written_type(const struct instrument_unit *unit, uint32_t node)
{
	while (unit->nodes.data[node].kind == CXCursor_UnexposedExpr &&
	       unit->nodes.data[node].first != NO_NODE)
		node = unit->nodes.data[node].first;
	return clang_getCanonicalType(clang_getCursorType(unit->nodes.data[node].cursor));
}

/* Whether the comparison may take a negative number for a large one, which compilers do not do
 * alike in loops of OpenMP. */
static bool mixes_signs(const struct instrument_unit *unit, const struct node *condition)
{
	const CXType a = written_type(unit, condition->first);
	const CXType b = written_type(unit, condition->last);
	const bool a_signed = a.kind >= CXType_Char_S, b_signed = b.kind >= CXType_Char_S;

	return a_signed != b_signed &&
	       (a_signed ? clang_Type_getSizeOf(b) >= clang_Type_getSizeOf(a)
			 : clang_Type_getSizeOf(a) >= clang_Type_getSizeOf(b));
}

/* The operands of the condition are integers, and nothing in the header is a call or volatile.
 * `*mixed`: their signs differ. */
static bool is_integral(const struct instrument_unit *unit, uint32_t self, bool *mixed)
{
	const struct node *nodes = unit->nodes.data;
	const uint32_t body = nodes[self].last;
	uint32_t part = 0, condition = NO_NODE, operands = 0;

	for (uint32_t i = self + 1; i < body; i++) {
		if (nodes[i].kind == CXCursor_CallExpr || nodes[i].kind == CXCursor_StmtExpr ||
		    nodes[i].kind == CXCursor_LambdaExpr ||
		    clang_isVolatileQualifiedType(clang_getCursorType(nodes[i].cursor)))
			return false;
		if (nodes[i].parent == self && ++part == 2)
			condition = i;
		if (condition != NO_NODE && nodes[i].parent == condition) {
			operands++;
			if (!is_integer(clang_getCursorType(nodes[i].cursor)))
				return false;
		}
		/* What is added in each iteration. */
		if (part == 3 && clang_isExpression(nodes[i].kind) &&
		    !is_integer(clang_getCursorType(nodes[i].cursor)))
			return false;
	}
	if (part != 3 || operands != 2 || nodes[condition].kind != CXCursor_BinaryOperator)
		return false;
	*mixed = mixes_signs(unit, &nodes[condition]);
	return true;
}

static bool is_number(const struct text *text, struct part part)
{
	const struct token token = next(text, part.start, part.end);

	return token.kind == TOKEN_NUMBER && next(text, token.end, part.end).kind == TOKEN_END;
}

/* A number with nothing but digits, or -1. */
static long small_number(const struct text *text, struct part part)
{
	const struct token token = next(text, part.start, part.end);
	const char *digits = text->bytes + token.start;
	const size_t n = token.end - token.start;

	if (!is_number(text, part) || n > 5 || strspn(digits, "0123456789") < n)
		return -1;
	return strtol(digits, NULL, 0);
}

/* Whether it is read, and nothing else is done with it: then only clang's conversions are around
 * it. */
static bool is_only_read(const struct instrument_unit *unit, uint32_t node)
{
	return unit->nodes.data[unit->nodes.data[node].parent].kind == CXCursor_UnexposedExpr;
}

/* Whether the body leaves the loop to its header alone. */
static bool is_plain_body(const struct instrument_unit *unit, uint32_t self, CXCursor variable)
{
	const struct node *nodes = unit->nodes.data;
	const uint32_t body = nodes[self].last;

	for (uint32_t i = body; i < unit->nodes.n && (i == body || nodes[i].parent >= body); i++)
		switch ((int)nodes[i].kind) {
		case CXCursor_BreakStmt:
		case CXCursor_ReturnStmt:
		case CXCursor_GotoStmt:
		case CXCursor_IndirectGotoStmt:
		case CXCursor_LabelStmt:
		case CXCursor_GCCAsmStmt:
		case CXCursor_LambdaExpr:
		case CXCursor_StmtExpr:
		case CXCursor_CXXThrowExpr: return false;
		case CXCursor_CallExpr: /* which may throw */
			if (unit->text.cxx)
				return false;
			break;
		case CXCursor_DeclRefExpr:
			if (clang_equalCursors(clang_getCursorReferenced(nodes[i].cursor),
					       variable) &&
			    !is_only_read(unit, i))
				return false;
			break;
		default: break;
		}
	return true;
}

uint16_t loop_fixed_trips(const struct instrument_unit *unit, uint32_t self)
{
	const struct text *text = &unit->text;
	const struct node *nodes = unit->nodes.data, *loop = &nodes[self];
	struct header header;
	struct canonical c;
	bool mixed;

	if (loop->kind != CXCursor_ForStmt || loop->last == NO_NODE ||
	    !is_integral(unit, self, &mixed) || nodes[self + 1].kind != CXCursor_DeclStmt ||
	    nodes[self + 2].kind != CXCursor_VarDecl || !read_header(text, loop, &header) ||
	    !read_init(text, header.init, &c) || is_empty(c.type) ||
	    !read_step(text, header.step, &c) || !read_condition(text, header.condition, &c) ||
	    !is_plain_body(unit, self, nodes[self + 2].cursor))
		return 0;
	const long first = small_number(text, c.first), bound = small_number(text, c.bound);
	const long by = is_empty(c.by) ? 1 : small_number(text, c.by);
	const long more = (c.up ? bound - first : first - bound) - c.strict;
	return first >= 0 && bound >= 0 && by > 0 && more >= 0 && more / by < UINT16_MAX
		       ? (uint16_t)(more / by + 1)
		       : 0;
}

bool loop_trips(const struct instrument_unit *unit, uint32_t self, uint32_t site, struct str *out)
{
	const struct text *text = &unit->text;
	const struct node *loop = &unit->nodes.data[self];
	struct header header;
	struct canonical c;
	bool mixed = false;
	OWNED_STR type = STR_INIT;
	OWNED_STR bound = STR_INIT;
	OWNED_STR by = STR_INIT;

	if (loop->kind != CXCursor_ForStmt || loop->last == NO_NODE ||
	    !is_integral(unit, self, &mixed) || !read_header(text, loop, &header) ||
	    !read_init(text, header.init, &c) || !read_step(text, header.step, &c) ||
	    !read_condition(text, header.condition, &c) || (mixed && !is_number(text, c.first)))
		return false;
	if (is_empty(c.type))
		str_add_fmt(&type, "__typeof__(%.*s+0)", (int)(c.variable.end - c.variable.start),
			    text->bytes + c.variable.start);
	else
		add_part(text, c.type, &type);
	add_part(text, c.bound, &bound);
	add_part(text, c.by, &by);
	/* Both as the condition compares them; nothing else keeps its meaning for all types. */
	str_add_fmt(out, "__extension__({%s tvi_f%u=", type.text, site);
	add_part(text, c.first, out);
	str_add_fmt(out, ";typedef __typeof__(tvi_f%u+(%s)) tvi_t%u;", site, bound.text, site);
	if (by.n)
		str_add_fmt(out, "(%s)<=0?0ul:", by.text);
	str_add_fmt(out, "tvi_f%u%s%s(%s)?", site, c.up ? "<" : ">", c.strict ? "" : "=",
		    bound.text);
	if (c.up)
		str_add_fmt(out, "((unsigned long)(tvi_t%u)(%s)-(unsigned long)(tvi_t%u)tvi_f%u",
			    site, bound.text, site, site);
	else
		str_add_fmt(out, "((unsigned long)(tvi_t%u)tvi_f%u-(unsigned long)(tvi_t%u)(%s)",
			    site, site, site, bound.text);
	str_add_fmt(out, "%s)", c.strict ? "-1ul" : "");
	if (by.n)
		str_add_fmt(out, "/(unsigned long)(%s)", by.text);
	str_add(out, "+1ul:0ul;})");
	return true;
}
