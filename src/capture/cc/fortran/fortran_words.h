/* fortran_words: what a statement of Fortran is, from its text without blanks (fortran_lines.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fortran_word {
	FORTRAN_OTHER,
	FORTRAN_MODULE,    /* or a submodule, or block data: a unit without statements of its own */
	FORTRAN_PROCEDURE, /* a program, subroutine or function; its name follows */
	FORTRAN_END,       /* of a unit */
	FORTRAN_INTERFACE,
	FORTRAN_END_INTERFACE,
	FORTRAN_DO,
	FORTRAN_END_DO,
	FORTRAN_CALL,
	FORTRAN_CONTINUE,
};

enum fortran_do { FORTRAN_DO_COUNT, FORTRAN_DO_WHILE, FORTRAN_DO_FOREVER, FORTRAN_DO_CONCURRENT };

struct fortran_meaning {
	enum fortran_word word;
	enum fortran_do how; /* of a DO */
	bool pure;           /* of a procedure: pure or elemental */
	bool program;        /* of a procedure: PROGRAM */
	bool leaves;         /* it may leave the loops around it: RETURN, GO TO, EXIT NAME ...;
				`name` is then that of the construct that it does not leave */
	uint32_t label;      /* of a DO that ends at a label; 0: at END DO */
	const char *name;    /* of a procedure, or of a construct; not terminated; else NULL */
	size_t length;
};

struct fortran_meaning fortran_meaning(const char *text);

/* Whether a directive of OpenMP is for the loop that follows, and how. */
enum fortran_openmp {
	OPENMP_NOT_LOOP,
	OPENMP_DO,       /* each thread runs its part of the loop */
	OPENMP_PARALLEL, /* threads begin at it */
	OPENMP_UNKNOWN,  /* SIMD, TARGET, several loops in one ...: no calls may be in it */
	OPENMP_END_DO,
	OPENMP_TARGET, /* a region in which there may be no calls begins */
	OPENMP_END_TARGET,
	OPENMP_TEAM, /* threads or tasks begin that share variables */
};
enum fortran_openmp fortran_openmp(const char *text);
