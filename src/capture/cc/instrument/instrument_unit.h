/* instrument_unit: the translation unit that the parts of the instrumenter work on.
 *
 *	instrument.c		the child process and what comes back from it
 *	instrument_parse.c	libclang: the unit, its errors, its procedures one by one
 *	instrument_nodes.c	a procedure as an array of nodes, parents first; no recursion later
 *	instrument_excluded.c	which loops cannot be instrumented
 *	instrument_annotated.c	loops that pragmas apply to: where their probes go, how they count
 *	instrument_trips.c	the iterations of a loop as an expression
 *	instrument_callee.c	whose a function is that is called
 *	instrument_instances.c	what calls in templates call, in their instances
 *	instrument_dependent.c	which of these calls have probes
 *	instrument_calls.c	what calls call
 *	instrument_constructed.c	which calls of constructors have probes
 *	instrument_small.c	which procedures are too small for a probe
 *	instrument_counted.c	which loops are counted, not timed
 *	instrument_probes.c	sites and what is inserted for them
 *	instrument_text.c	reading the text itself: tokens, where a statement ends
 *	instrument_scan.c	what a procedure's tokens say that its tree does not
 *	instrument_pragmas.c	procedures that pragmas have made more than once
 *	instrument_emit.c	insertions applied; prologue and table
 *
 * Offsets are bytes in the text that was given. */
#pragma once

#include <clang-c/Index.h>

#include "base/str.h"
#include "base/vec.h"
#include "capture/cc/instrument/instrument.h"

#define NO_NODE UINT32_MAX

/* ---- text ---- */

struct text {
	const char *bytes;
	uint32_t size;
	bool cxx; /* raw strings */
};

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_STRING, /* and characters */
	TOKEN_NUMBER,
	TOKEN_MARK,      /* one byte of punctuation */
	TOKEN_DIRECTIVE, /* a whole line that begins with # */
};

struct token {
	enum token_kind kind;
	uint32_t start, end;
};

/* The first token at or after `at` that ends at or before `end`; blanks and comments are
 * skipped. */
struct token token_next(const struct text *text, uint32_t at, uint32_t end);
bool token_is(const struct text *text, struct token token, const char *word);
/* The same without directives. */
struct token token_next_code(const struct text *text, uint32_t at, uint32_t end);
/* `at` is at an opening parenthesis, bracket or brace: after the one that closes it, `end` where
 * there is none. */
uint32_t text_close(const struct text *text, uint32_t at, uint32_t end);
/* After the semicolon that ends a statement whose last token but that ends at `at`; 0: there is
 * none. */
uint32_t text_semicolon(const struct text *text, uint32_t at);
/* Whether a word is among the tokens from `at` to `end`. */
bool text_has_word(const struct text *text, uint32_t at, uint32_t end, const char *const *words);

struct range {
	uint32_t start, end;
};
typedef VEC(struct range) ranges_vec;

enum pragma_kind {
	PRAGMA_ALONE,  /* not about the statement after it: barrier */
	PRAGMA_BLOCK,  /* about any statement: parallel, single */
	PRAGMA_LOOP,   /* a loop has to follow, whose header stays as it is */
	PRAGMA_REGION, /* nothing of the statement after it may change: atomic, simd, code for a
			  device */
};

struct pragma {
	uint32_t before; /* end of the last token before it that is code */
	uint32_t next;   /* start of the token after it */
	enum pragma_kind kind;
	bool nested;   /* it applies to several loops */
	bool parallel; /* it makes threads: the loop is run once by all of them together */
	bool shared;   /* each thread that meets the loop runs a part of it */
	bool tasks;    /* what is in the loop may have other copies of variables */
	bool elected;  /* some of the threads that meet it skip it */
	bool device;   /* its bounds may be known on a device only */
	bool first;    /* it has to come first in its block */
	bool cancels;  /* it may end a loop early */
};
typedef VEC(struct pragma) pragmas_vec;

/* What a procedure's tokens say that its tree does not. */
struct scan {
	ranges_vec frozen;   /* not evaluated, constant, or not to be touched; in order, disjoint */
	pragmas_vec pragmas; /* in order */
	bool indirect;       /* goto *, asm goto: */
	bool twice;          /* setjmp() or the like */
	const char *excluded; /* why the whole procedure is not instrumented; NULL: it is not */
};

void scan_text(const struct text *text, uint32_t start, uint32_t end, struct scan *scan);
/* Reads what the pragma in `line` requires of the statement after it; `before` is where the code
 * before it ends. False: nothing, or it is not a pragma. */
bool pragma_read(const struct text *text, struct token line, uint32_t before, uint32_t end,
		 struct pragma *pragma);
bool scan_is_frozen(const struct scan *scan, uint32_t at);
void scan_fini(struct scan *scan);

struct word {
	const char *text; /* not terminated */
	uint32_t length;
};

/* Procedures that the compiler makes once more, for vectors or a device. */
struct made_again {
	VEC(struct word) names; /* ordered */
	ranges_vec ranges;      /* of the text, in order */
};

/* ---- nodes ---- */

enum node_flag {
	NODE_STATEMENT = 1 << 0,
	NODE_LOOP = 1 << 1,
	NODE_FROZEN = 1 << 2,  /* not evaluated, or not now */
	NODE_ROOT = 1 << 3,    /* the body of a procedure */
	NODE_ONCE = 1 << 4,    /* of a loop: do { } while (0) */
	NODE_CALL = 1 << 5,    /* a call that has a site */
	NODE_POINTER = 1 << 7, /* of a call: through a pointer */
	NODE_AGAIN = 1 << 8, /* clang has the same place twice in its tree: this is not the first */
	NODE_SKIPPED = 1 << 6,    /* of a call: it might run procedures, and has no site */
	NODE_SMALL = 1 << 9,      /* of a call: of a small procedure; its site has no probe */
	NODE_BUSY = 1 << 10,      /* of a loop: it contains a call */
	NODE_OUTER = 1 << 11,     /* of a loop: it contains another one */
	NODE_COUNTED = 1 << 12,   /* of a loop: counted, not timed */
	NODE_TEAM = 1 << 13,      /* of a loop: threads share it, so that it is timed in any case */
	NODE_DEPENDENT = 1 << 14, /* of a call: its function depends on a template's parameters */
};

/* How the iterations of a loop are counted. */
enum loop_counting {
	COUNT_BODY,    /* one by one */
	COUNT_TRIP,    /* by its bounds, before it; not at all if they do not tell */
	COUNT_UNKNOWN, /* not at all */
};

enum restore {
	RESTORE_NO, /* unknown: the call around it is not instrumented */
	RESTORE_VOID,
	RESTORE_VALUE,
	RESTORE_REFERENCE, /* C++ */
};

struct node {
	CXCursor cursor;
	enum CXCursorKind kind;
	uint32_t start, end; /* [start, end); 0, 0 where it was not asked for */
	uint32_t full_end;   /* of a statement: after its semicolon; 0 unknown */
	uint32_t before; /* of a loop: where what surrounds it begins, in front of its pragmas; of a
			    call by a declaration: where that begins; 0: at its start */
	uint32_t parent; /* NO_NODE: the outermost body */
	uint32_t first, last; /* children */
	uint32_t loop, choice, call,
		root; /* innermost around it: loop, switch, call, procedure's body; NO_NODE none */
	uint32_t holder;  /* the site that contains it */
	uint32_t site;    /* its own, or TV_NO_SITE */
	uint16_t flags;   /* enum node_flag */
	uint8_t restore;  /* of a call: enum restore */
	uint8_t what;     /* of a call: enum tv_site_kind */
	uint8_t counting; /* of a loop: enum loop_counting */
	uint16_t trips; /* of a counted loop: its iterations, where they are always as many; or 0 */
	uint16_t work;  /* its iterations and those in it, where they are always the same and few */
	uint32_t within;      /* of a loop: the work of the loops in it */
	uint32_t name;        /* of a call: in the unit's strings */
	CXCursor called;      /* of a call in a template: what its instances call, if that is one */
	const char *excluded; /* of a loop, a call, a root: why it has no probe */
};
typedef VEC(struct node) nodes_vec;

/* ---- the unit ---- */

struct insertion {
	uint32_t at;
	bool opens;     /* before its statement; at equal offsets, closing text comes first */
	uint64_t order; /* what contains comes before what is contained */
	uint32_t text, length;
};

struct callee {
	uint32_t site; /* of the call, or of the procedure */
	CXCursor cursor;
};
typedef VEC(struct callee) callees_vec;

/* Places of the procedure at hand. */
struct seen {
	uint64_t *table; /* start << 32 | end; 0 free */
	size_t slots, used;
};

struct instrument_unit {
	struct text text; /* the user's */
	uint32_t base;    /* bytes of the text for the parser before it */
	const struct instrument_options *options;
	CXTranslationUnit tu;
	VEC(uint32_t) errors; /* offsets, ascending */
	VEC(struct tv_site) sites;
	struct str strings;
	struct interned *interned;
	VEC(struct insertion) insertions;
	struct str snippets;
	callees_vec calls, procedures;
	uint64_t order;
	nodes_vec nodes; /* of the procedure at hand */
	struct seen seen;
	struct scan scan;
	struct made_again again;
	struct small_procedures *small; /* of instrument_small.c */
	struct instances *instances;    /* of instrument_instances.c */
	enum instrument_loops loops;    /* of the procedure */
	bool alone;                     /* nothing but its own code runs in it */
	bool references;                /* C++: the text uses the templates of the prologue */
	uint32_t probes;
	uint32_t kinds[TV_SITE_COMMUNICATION + 1];
};

uint32_t unit_string(struct instrument_unit *unit, const char *text);
void unit_insert(struct instrument_unit *unit, uint32_t at, bool opens, uint64_t order,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Offset of a place of the parser in the user's text; UINT32_MAX: it is not in it. */
uint32_t unit_offset(const struct instrument_unit *unit, CXSourceLocation location);

/* "ns::Class::method" is appended. */
void unit_name(const struct instrument_unit *unit, CXCursor cursor, struct str *out);

/* Parses, and goes through the procedures one by one. */
bool unit_parse(struct instrument_unit *unit, struct err *err);
/* Fills unit->again. */
void pragmas_find(struct instrument_unit *unit);
/* Whether the procedure of that name that begins at `at` is among them. */
bool pragmas_make_again(const struct instrument_unit *unit, uint32_t at, const char *name);
/* Fills unit->nodes with what is in a body (unit->scan is of it); false: it is none that can be
 * taken. */
bool nodes_collect(struct instrument_unit *unit, CXCursor body);
/* Whether this loop, call or body was met before. */
bool nodes_seen(struct instrument_unit *unit, const struct node *node);
/* Which loops are not instrumented. */
void nodes_decide(struct instrument_unit *unit);
/* What pragmas mean for the loops after them, and which cannot be instrumented for that. */
void nodes_annotate(struct instrument_unit *unit);
/* Marks a loop as one that has no probe. */
void loop_exclude(struct node *loop, const char *why);
/* Appends an expression of type unsigned long that has the value of the number of iterations of a
 * loop of canonical form (OpenMP 5, 4.4.1), without side effects; `site` makes names unique. False:
 * the loop does not have that form, or its bounds may have side effects. */
bool loop_trips(const struct instrument_unit *unit, uint32_t loop, uint32_t site, struct str *out);
/* The number of iterations by a header of numbers alone, if the variable is its own and nothing
 * else changes it; 0: unknown, or more than 65,535. */
uint16_t loop_fixed_trips(const struct instrument_unit *unit, uint32_t loop);
/* What calls call, and which are not instrumented. */
void nodes_classify_calls(struct instrument_unit *unit);
/* Which loops are counted, not timed: innermost ones without calls. */
void nodes_choose_counted(struct instrument_unit *unit);
/* The most iterations, with those of loops in it, of a loop that one around it may contain and be
 * counted. */
#define FIXED_WORK 64
/* The outermost loop around a counted one that can hold its counter: nothing in it needs the count
 * before it ends; NO_NODE: none can. */
uint32_t nodes_counter_holder(const struct instrument_unit *unit, uint32_t loop);
/* Whether it is the procedure that holds a counted loop's counter: the loop is in no other, and
 * nothing runs in the procedure after which the counter could be lost. */
bool counter_is_held_by_procedure(const struct instrument_unit *unit, uint32_t loop);

/* ---- whose a function is ---- */

bool cursor_is_variable(enum CXCursorKind kind);
bool name_is_mpi(const char *name);
bool name_is_builtin(const char *name);
bool function_has_text(const struct instrument_unit *unit, CXCursor function);
/* Whether it is the program's or MPI's. */
bool callee_is_program(const struct instrument_unit *unit, CXCursor function);

/* A call of it may be a constant, which it no longer is with a probe. */
bool function_is_constexpr(const struct instrument_unit *unit, CXCursor function);
enum restore restore_cxx(CXCursor function);

/* ---- calls in templates ---- */

/* Fills unit->instances. */
void instances_find(struct instrument_unit *unit);
void instances_fini(struct instrument_unit *unit);
/* The first of the functions that a call calls in instances of its template; 0: none is known. */
uint32_t instances_of(const struct instrument_unit *unit, CXCursor call);
/* That function; *next: the next one, or 0. */
CXCursor instance_called(const struct instrument_unit *unit, uint32_t instance, uint32_t *next);
/* The template that a function is an instance of, else the function. */
CXCursor function_original(CXCursor function);
/* Classifies a call whose function depends on the parameters of a template. */
void classify_dependent(struct instrument_unit *unit, uint32_t self);

/* A call of a constructor that might run procedures. False: it is none that can have a probe. */
bool classify_constructed(struct instrument_unit *unit, uint32_t self, CXCursor constructor);

/* ---- small procedures ---- */

/* The most statements that a small procedure has, including those of the procedures it calls. */
#define SMALL_STATEMENTS 32
#define SMALL_TEXT       "32"

bool procedure_is_small(struct instrument_unit *unit, CXCursor function);
bool call_is_small(struct instrument_unit *unit, CXCursor call);
/* All that it may call is of libraries, as far as this unit shows: no statement of the program. */
bool call_is_of_libraries(struct instrument_unit *unit, CXCursor call);
void small_procedures_fini(struct instrument_unit *unit);

/* Adds the sites and insertions of a procedure, which is in unit->nodes; `excluded`: why it has no
 * probe, else NULL. */
void probes_procedure(struct instrument_unit *unit, CXCursor function, const char *excluded);
/* A site that has no probe: of a procedure without a name, or of a call where `called` is a name;
 * `parent` is a site or TV_NO_SITE. */
void probes_outside(struct instrument_unit *unit, CXCursor cursor, const char *called,
		    uint32_t parent, const char *reason);
/* Once all procedures are known. */
void probes_resolve(struct instrument_unit *unit);
/* The instrumented text. */
void unit_write(struct instrument_unit *unit, struct str *out);
