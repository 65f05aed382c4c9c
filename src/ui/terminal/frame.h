/* frame: catches output to stdout in a file in memory and sends it on with fewer bytes (sgr.h). */
#pragma once

#include <stdbool.h>

struct frame {
	int file;     /* -1: there is none */
	int terminal; /* between frame_begin() and frame_send() */
};

void frame_open(struct frame *frame);
void frame_close(struct frame *frame);

/* Redirects stdout to the file; false: it is still the terminal. */
bool frame_begin(struct frame *frame);
/* Restores stdout and sends it the file's bytes, with the exact colours (sgr.h, may be NULL).
 * False: they are lost. */
bool frame_send(struct frame *frame, const int *exact);
