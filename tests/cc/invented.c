#include "cc/invented.h"

#include <stdarg.h>

struct invention {
	struct str *out;
	unsigned line;          /* the one that is written */
	unsigned state;         /* of the random numbers */
	unsigned function;      /* number of the one at hand */
	unsigned labels, label; /* of the function: how many it has, the next to be placed */
	unsigned loops;         /* open: break and continue may be used */
	unsigned budget;        /* statements that it may still have */
};

static unsigned dice(struct invention *v, unsigned sides)
{
	v->state = v->state * 1103515245u + 12345u;
	return (v->state >> 16) % sides;
}

__attribute__((format(printf, 2, 3))) static void put(struct invention *v, const char *format, ...)
{
	const size_t before = v->out->n;
	va_list args;

	va_start(args, format);
	str_add_fmt_v(v->out, format, args);
	va_end(args);
	for (size_t i = before; i < v->out->n; i++)
		v->line += v->out->text[i] == '\n';
}

static void statement(struct invention *v, unsigned depth);

static void block(struct invention *v, unsigned depth)
{
	put(v, "{\n");
	for (unsigned n = dice(v, 3) + 1; n--;)
		statement(v, depth + 1);
	put(v, "}");
}

static void call(struct invention *v, unsigned depth)
{
	if (v->function == 0 || depth > 3) {
		put(v, "(s & 7)");
		return;
	}
	put(v, "f%u((CALL(%u), ", dice(v, v->function), v->line);
	if (dice(v, 3) == 0) {
		put(v, "(int)(++noise %% 5)");
	} else {
		call(v, depth + 1);
		put(v, " + 1");
	}
	put(v, "))");
}

/* The body of a loop whose line is `line`: with and without braces. */
static void loop_body(struct invention *v, unsigned depth, unsigned line)
{
	v->loops++;
	if (dice(v, 3)) {
		put(v, " {\nROUND(%u);\n", line);
		for (unsigned n = dice(v, 3) + 1; n--;)
			statement(v, depth + 1);
		put(v, "}\n");
	} else {
		put(v, " if (ROUND(%u), fuel > 0)\n", line);
		statement(v, depth + 1);
	}
	v->loops--;
}

static void loop(struct invention *v, unsigned depth)
{
	const unsigned line = v->line;
	const unsigned variable = depth % 8;
	const unsigned rounds = dice(v, 6);

	switch (dice(v, 4)) {
	case 0:
		put(v, "for (i%u = 0; i%u < %u && fuel > 0; i%u++)", variable, variable, rounds,
		    variable);
		loop_body(v, depth, line);
		break;
	case 1:
		put(v, "{ i%u = %u; while (i%u-- > 0 && fuel > 0)", variable, rounds, variable);
		loop_body(v, depth, line);
		put(v, "}\n");
		break;
	case 2:
		put(v, "{ i%u = %u; do", variable, rounds);
		loop_body(v, depth, line);
		put(v, "while (--i%u > 0 && fuel > 0); }\n", variable);
		break;
	default:
		put(v,
		    "s += ({ int t = 0; for (i%u = 0; i%u < 3; i%u++) { ROUND(%u); t += s & 3; } "
		    "t; });\n",
		    variable, variable, variable, line);
	}
}

static void choice(struct invention *v, unsigned depth)
{
	const unsigned loops = v->loops;

	put(v, "switch (s++ & 3) {\n");
	v->loops = 1; /* break is of the switch */
	for (unsigned i = 0; i < 3; i++) {
		put(v, "case %u: ", i);
		statement(v, depth + 1);
		if (dice(v, 2))
			put(v, "break;\n");
	}
	v->loops = loops;
	put(v, "default: ;\n}\n");
}

static void jump(struct invention *v)
{
	switch (dice(v, v->loops ? 4 : 2)) {
	case 0: put(v, "if (s++ %% 5 == 0 && fuel-- > 0) goto l%u;\n", dice(v, v->labels)); break;
	case 1: put(v, "if (s++ %% 11 == 0) return s;\n"); break;
	default: put(v, "if (s++ %% 3 == 0) break;\n"); break;
	}
}

static void statement(struct invention *v, unsigned depth)
{
	if (v->budget == 0 || depth > 6) {
		put(v, "s++;\n");
		return;
	}
	v->budget--;
	if (v->label < v->labels && dice(v, 4) == 0)
		put(v, "l%u: ", v->label++);
	switch (dice(v, 8)) {
	case 0:
	case 1:
	case 2: loop(v, depth); break;
	case 3:
		put(v, "s += ");
		call(v, 0);
		put(v, ";\n");
		break;
	case 4:
		put(v, "if (s %% 3) ");
		block(v, depth);
		if (dice(v, 2)) {
			put(v, " else\n");
			statement(v, depth + 1);
		}
		put(v, "\n");
		break;
	case 5: choice(v, depth); break;
	case 6: jump(v); break;
	default:
		put(v, "do ");
		block(v, depth);
		put(v, " while (0);\n");
	}
}

static void function(struct invention *v)
{
	v->labels = dice(v, 3) + 1;
	v->label = 0;
	v->loops = 0;
	v->budget = 14;
	put(v, "static int f%u(int s)\n", v->function);
	const unsigned line = v->line - 1;
	put(v, "{\nint i0 = 0, i1 = 0, i2 = 0, i3 = 0, i4 = 0, i5 = 0, i6 = 0, i7 = 0;\n");
	put(v, "ENTERED(%u);\n", line);
	put(v, "if (--fuel < 0) return s;\n");
	for (unsigned n = dice(v, 4) + 2; n--;)
		statement(v, 0);
	while (v->label < v->labels)
		put(v, "l%u: s++;\n", v->label++);
	put(v,
	    "(void)i0, (void)i1, (void)i2, (void)i3, (void)i4, (void)i5, (void)i6, (void)i7;\nreturn s;\n}\n");
	v->function++;
}

void invented_program(struct str *out, unsigned seed, unsigned functions)
{
	struct invention v = { .out = out, .line = 1, .state = seed * 2654435761u + 1 };

	put(&v, "#include <stdio.h>\n"
		"static long fuel;\nstatic unsigned noise;\n"
		"static unsigned long entered[20000], rounds[20000], calls[20000];\n"
		"#define ENTERED(line) (void)entered[line]++\n"
		"#define ROUND(line) (void)(rounds[line]++, fuel--)\n"
		"#define CALL(line) (void)calls[line]++\n");
	for (unsigned i = 0; i < functions; i++)
		function(&v);
	put(&v, "__attribute__((no_instrument_function)) static void tell(void)\n{\n"
		"for (int i = 0; i < 20000; i++) {\n"
		"if (entered[i]) printf(\"P %%d %%lu\\n\", i, entered[i]);\n"
		"if (rounds[i]) printf(\"L %%d %%lu\\n\", i, rounds[i]);\n"
		"if (calls[i]) printf(\"C %%d %%lu\\n\", i, calls[i]);\n}\n}\n");
	put(&v, "int main(void)\n{\nint s = 0;\nENTERED(%u);\n", v.line);
	for (unsigned i = 0; i < functions; i++) {
		put(&v, "fuel = 3000;\n");
		put(&v, "s += f%u((CALL(%u), %u));\n", i, v.line, i);
	}
	put(&v, "printf(\"s %%d\\n\", s);\ntell();\nreturn s & 63;\n}\n");
}
