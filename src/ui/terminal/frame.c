#define _GNU_SOURCE /* memfd_create */
#include "ui/terminal/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "ui/terminal/sgr.h"

void frame_open(struct frame *frame)
{
	frame->file = memfd_create("frame", MFD_CLOEXEC);
}

void frame_close(struct frame *frame)
{
	if (frame->file >= 0)
		close(frame->file);
}

bool frame_begin(struct frame *frame)
{
	const int terminal = frame->file < 0 ? -1 : dup(STDOUT_FILENO);

	/* What an earlier frame left is written over: its pages need not be cleared again. */
	if (terminal < 0 || lseek(frame->file, 0, SEEK_SET) != 0 ||
	    dup2(frame->file, STDOUT_FILENO) < 0) {
		if (terminal >= 0)
			close(terminal);
		return false;
	}
	frame->terminal = terminal;
	return true;
}

bool frame_send(struct frame *frame, const int *exact)
{
	OWNED_STR out = STR_INIT;
	char *bytes;
	off_t n;
	bool ok;

	dup2(frame->terminal, STDOUT_FILENO);
	close(frame->terminal);
	n = lseek(frame->file, 0, SEEK_CUR);
	bytes = n > 0 ? xmalloc((size_t)n) : NULL;
	ok = n <= 0 || pread(frame->file, bytes, (size_t)n, 0) == n;
	if (bytes && ok)
		sgr_shorten(bytes, (size_t)n, exact, &out);
	fwrite(out.text, 1, out.n, stdout);
	fflush(stdout);
	free(bytes);
	return ok;
}
