/* open_panel: a panel on a canvas of its own, for tests: what it shows, as text. */
#pragma once

#include "ui/widgets/panel.h"

struct open {
	struct session session;
	struct panel *panel;
	struct canvas canvas;
	struct str text; /* of the latest screen() */
};

/* Opens one of a trace, which it takes, in the measured times; nothing is asked for yet. */
void open_init(struct open *o, const struct panel_ops *ops, struct trace *trace, int w, int h);
/* The same without colours, and not in ASCII. */
void open_mono(struct open *o, const struct panel_ops *ops, struct trace *trace, int w, int h);
void close_panel(struct open *o);
/* The teardown of a FIXTURE whose setup leaves one in *state. */
int close_opened(void **state);
void requery(struct open *o);
/* What the panel does at a key, and what the application does after it. */
unsigned press(struct open *o, enum action action);

const char *screen(struct open *o);
/* Where things stand is not what is asked: blanks count as one. */
bool shows(struct open *o, const char *what);
/* Fails the test where the text is not there as it is, blanks included. */
void sees_exactly(struct open *o, const char *what);
/* Fails the test, with the screen. */
void sees(struct open *o, const char *what);
void sees_not(struct open *o, const char *what);
