/* invented: C programs made up at random: loops, gotos, switches, returns and calls that nest as
 * they like, and count by themselves what happens on each line: at the end they print "P line
 * entered", "L line iterations", "C line calls". */
#ifndef TVIEW_TESTS_INVENTED_H
#define TVIEW_TESTS_INVENTED_H

#include "base/str.h"

void invented_program(struct str *out, unsigned seed, unsigned functions);

#endif
