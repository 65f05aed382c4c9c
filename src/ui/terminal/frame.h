/* frame: what is written to stdout, caught in a file in memory and sent on with fewer bytes
 * (sgr.h). */
#pragma once

#include <stdbool.h>

struct frame {
	int file;     /* -1: there is none */
	int terminal; /* between frame_begin() and frame_send() */
};

void frame_open(struct frame *frame);
void frame_close(struct frame *frame);

/* From here on stdout is the file; false: it is still the terminal. */
bool frame_begin(struct frame *frame);
/* Back to the terminal, and the file's bytes to it. False: they are lost. */
bool frame_send(struct frame *frame);
