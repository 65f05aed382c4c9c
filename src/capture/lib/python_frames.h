/* python_frames: the functions of Python that a thread is in, read from CPython's own structures.
 *
 * A call of MPI is made with the interpreter's lock given back (mpi4py, ctypes), so nothing here
 * may call what needs the lock, or change a reference count. What is read cannot change meanwhile:
 * the frames are the thread's own, it is in a call, and they keep their code objects. CPython
 * publishes the offsets of the fields for its own use only, so there is a table of versions (3.6 to
 * 3.13, with the lock), and the first walk reads through the kernel, which returns an error where a
 * stray pointer would end the program: only after a walk through objects of the right types are
 * fields read directly. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tv_python_frame {
	const char *code; /* the code object */
	int32_t at;       /* bytes from the first instruction to the one that is under way */
};

/* Whether the process has an interpreter, and where its code is. Once, before all else. */
bool tv_python_start(uint64_t *start, uint64_t *size);

/* Whether it runs in this thread, and its frames cannot be read: its version is not known, or it is
 * built otherwise, which the first walk finds out. */
bool tv_python_is_unknown(void);

/* The calling thread's frames, the innermost first, up to `most`. 0: there are none, or they cannot
 * be read. */
uint32_t tv_python_walk(struct tv_python_frame *frames, uint32_t most);

/* Identifies a frame as long as the process runs: the memory of a code object may be reused by
 * another one. */
uint64_t tv_python_hash(const struct tv_python_frame *frame, uint64_t hash);

struct tv_python_text {
	uint32_t line;       /* that is under way */
	uint32_t first_line; /* of the function */
	size_t length;       /* of the text */
	char text[2048];     /* name, NUL, file, NUL */
};

/* False: the frame is part of the machinery of `import`, whose source no program has. */
bool tv_python_describe(const struct tv_python_frame *frame, struct tv_python_text *out);
