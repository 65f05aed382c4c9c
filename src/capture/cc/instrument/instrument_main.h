/* instrument_main: how tvcc calls tvinstrument, the program that has the instrumenter and with it
 * libclang in it.
 *
 *	tvinstrument c|c++ SOURCE [what libclang has to know of the language] <preprocessed >text
 *
 * It is a program of its own, in lib/tview, since libclang takes longer to load than small files to
 * compile. The choice of procedures and loops is in CC_OPTIONS_VARIABLE. SOURCE "": the first line
 * marker names it. Standard error gets what was not instrumented, a line each, or a sentence on why
 * the text cannot be taken. */
#pragma once

#define INSTRUMENT_PROGRAM  "tvinstrument"
#define INSTRUMENT_WORD_C   "c"
#define INSTRUMENT_WORD_CXX "c++"

/* Statuses: 0 there is a text with probes. */
enum { INSTRUMENT_FAILED = 1, INSTRUMENT_NOTHING = 3 };
