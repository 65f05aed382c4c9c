/* screenplay: screen tests that are plain text (tests/screens/NAME.test).
 *
 * A file is played from top to bottom; the first line that does not hold fails the test. Blank
 * lines and lines that begin with '#' are for people. In front of `run` stands what the terminal is
 * like; it stays so for later `run`s of the file, which share one home folder as well.
 *
 *	size 80x24			rows and columns
 *	term xterm-256color		TERM
 *	env NO_COLOR=1			a further variable
 *	run tview traces/ring.trc	runs it, from the root of the repository, with build/X in PATH
 *	keys j j C-r PgDn /		keys, as terminal_key() names them
 *	type some text			characters
 *	paste TEXT			the same, as pasted; \r in it ends a line
 *	click ROW COL [BUTTON]		mouse, from 1 like the rows on the screen
 *	drag ROW FROM TO		button 1 held from a column to another
 *	resize 40x10
 *	signal TERM			TERM, INT, HUP, TSTP, CONT, WINCH
 *	hangup				the terminal goes away
 *	touch NAME			makes an empty file in the home folder, for what `run` runs
 *	see TEXT			TEXT stands on the screen
 *	absent TEXT			TEXT stands nowhere
 *	row N TEXT			TEXT stands in row N, from 1; N < 0 counts from below
 *	look TEXT: bold fg=4 bg=default	 all cells of TEXT look like this (also plain, underline, reverse)
 *	copied TEXT			the clipboard has TEXT in it
 *	rest				the program has nothing left to do
 *	bytes N				what the last key brought, until then, was at most N bytes
 *	task				counts keys, characters, clicks and drags from here on
 *	took N of M			they were N, and N is at most M
 *	colourless			no cell has a colour of its own
 *	ascii				no character but ASCII is shown
 *	ended STATUS			the program has ended with it (128 + N for signal N)
 *	restored			the terminal is as it was before
 *	screen				the whole screen is what follows, each row behind a '|';
 *	| first row			a row written '*' alone may hold anything
 *
 * A condition that does not hold yet is waited for; after a few seconds it has failed.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* Plays the file. Returns false, with place, reason and screen in `report`, when something does not
 * hold. With `update` the `screen` blocks are not compared but written anew into the file. */
bool screenplay_run(const char *path, const char *programs, bool update, struct str *report);
