/* tutor: a lesson of a few steps. Each has an instruction, and is done when the state of the screen
 * says so, whatever keys led there. Pure: knows no screen.
 *
 *	struct tutor t = TUTOR_BEGIN;
 *	struct str line = STR_INIT;
 *	tutor_text(&t, &keys, &line);	// shown
 *	if (tutor_look(&t, &seen)) ...	// the next step
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ui/options/bindings.h"

/* What the screen shows. */
struct tutor_seen {
	const char *view;      /* name of the view in front */
	int32_t rank;          /* of the cursor */
	double shown;          /* the window's part of the run, 0 to 1 */
	bool explains, helps;  /* an explanation, the help is open */
	bool hops;             /* the chain of causes is played */
	bool filters, exports; /* there is a filter; the name of an export is asked for */
};

struct tutor {
	unsigned step; /* from 0 */
	bool held; /* the step was done when the user came back to it: it must be undone first */
};

#define TUTOR_BEGIN ((struct tutor){ 0, false })

unsigned tutor_steps(void);
/* Goes on if the step is done. True if it went. */
bool tutor_look(struct tutor *tutor, const struct tutor_seen *seen);
/* Goes to the step after or before (by 1 or -1), if there is one, done or not. */
void tutor_go(struct tutor *tutor, int by);
/* Appends the instruction, with the keys as they are bound, each between TUTOR_KEY and TUTOR_TEXT;
 * an action without a key is named as a command. */
enum { TUTOR_KEY = '\1', TUTOR_TEXT = '\2' };
void tutor_text(const struct tutor *tutor, const struct bindings *bindings,
		const struct view_registry *views, struct str *out);
/* Appends a text with {names} of actions and views as above. */
void tutor_add_keys(const char *text, const struct bindings *bindings,
		    const struct view_registry *views, struct str *out);
