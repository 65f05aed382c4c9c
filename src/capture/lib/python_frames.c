#define _GNU_SOURCE
#include "capture/lib/python_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/lib/modules.h"

/* Where things are, in bytes; 0: there is no such field. */
struct layout {
	int minor;                /* of version 3 */
	uint16_t thread, current; /* of a thread's state: pthread_t; the innermost frame, */
	uint16_t by, by_current;  /* or what has it */
	uint16_t code, back;      /* of a frame */
	uint16_t instruction;     /* a pointer to it, */
	uint16_t index;           /* or its number, */
	uint16_t width;           /* of so many bytes */
	uint16_t owner;
	uint16_t name, qualified, file, first, instructions; /* of a code object */
	uint16_t ascii, other; /* of a text object: its characters, if all are ASCII or not */
};

static const struct layout layouts[] = {
	{ .minor = 6,
	  .thread = 152,
	  .current = 24,
	  .code = 32,
	  .back = 24,
	  .index = 120,
	  .width = 1,
	  .name = 104,
	  .file = 96,
	  .first = 36,
	  .ascii = 48,
	  .other = 72 },
	{ .minor = 7,
	  .thread = 176,
	  .current = 24,
	  .code = 32,
	  .back = 24,
	  .index = 104,
	  .width = 1,
	  .name = 104,
	  .file = 96,
	  .first = 36,
	  .ascii = 48,
	  .other = 72 },
	{ .minor = 8,
	  .thread = 176,
	  .current = 24,
	  .code = 32,
	  .back = 24,
	  .index = 104,
	  .width = 1,
	  .name = 112,
	  .file = 104,
	  .first = 40,
	  .ascii = 48,
	  .other = 72 },
	{ .minor = 9,
	  .thread = 176,
	  .current = 24,
	  .code = 32,
	  .back = 24,
	  .index = 104,
	  .width = 1,
	  .name = 112,
	  .file = 104,
	  .first = 40,
	  .ascii = 48,
	  .other = 72 },
	{ .minor = 10,
	  .thread = 176,
	  .current = 24,
	  .code = 32,
	  .back = 24,
	  .index = 96,
	  .width = 2,
	  .name = 112,
	  .file = 104,
	  .first = 40,
	  .ascii = 48,
	  .other = 72 },
	{ .minor = 11,
	  .thread = 152,
	  .by = 56,
	  .by_current = 8,
	  .code = 32,
	  .back = 48,
	  .instruction = 56,
	  .owner = 69,
	  .name = 120,
	  .qualified = 128,
	  .file = 112,
	  .first = 72,
	  .instructions = 184,
	  .ascii = 48,
	  .other = 72 },
	{ .minor = 12,
	  .thread = 136,
	  .by = 56,
	  .by_current = 0,
	  .code = 0,
	  .back = 8,
	  .instruction = 56,
	  .owner = 70,
	  .name = 120,
	  .qualified = 128,
	  .file = 112,
	  .first = 68,
	  .instructions = 192,
	  .ascii = 40,
	  .other = 56 },
	{ .minor = 13,
	  .thread = 152,
	  .current = 72,
	  .code = 0,
	  .back = 8,
	  .instruction = 56,
	  .owner = 70,
	  .name = 120,
	  .qualified = 128,
	  .file = 112,
	  .first = 68,
	  .instructions = 200,
	  .ascii = 40,
	  .other = 56 },
};

enum {
	TYPE = 8,           /* of every object: its type, */
	LENGTH = 16,        /* of a text object: characters, */
	STATE = 32,         /* and how they are kept */
	OWNED_BY_STACK = 3, /* a frame between two runs of the interpreter, of no function */
};

enum trust { TRUST_UNKNOWN, TRUST_CONFIRMED, TRUST_REFUSED };

static struct {
	const struct layout *layout; /* NULL: nothing is read */
	int trust;                   /* enum trust */
	const void *code_type, *text_type;
	void *(*this_state)(void);
	int (*is_initialized)(void);
	int (*line_at)(const void *code, int at);
} python;

bool tv_python_start(uint64_t *start, uint64_t *size)
{
	const char *(*version)(void), *text;
	int minor = -1;

	if (sizeof(void *) != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return false;
#define FIND(to, name)                                         \
	((*(void **)(void *)&(to) = tv_look_up(NULL, name)) || \
	 (*(void **)(void *)&(to) = tv_module_function(name)))
	if (!FIND(version, "Py_GetVersion") ||
	    !FIND(python.this_state, "PyGILState_GetThisThreadState") ||
	    !FIND(python.is_initialized, "Py_IsInitialized") ||
	    !FIND(python.line_at, "PyCode_Addr2Line") || !FIND(python.code_type, "PyCode_Type") ||
	    !FIND(python.text_type, "PyUnicode_Type"))
		return false;
#undef FIND
	text = version();
	if (strstr(text, "free-threading") || sscanf(text, "3.%d.", &minor) != 1)
		minor = -1;
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (layouts[i].minor == minor)
			python.layout = &layouts[i];
	tv_module_span((const void *)(uintptr_t)python.line_at, start, size);
	return true;
}

bool tv_python_is_unknown(void)
{
	if (!python.layout)
		return python.is_initialized() && python.this_state();
	return __atomic_load_n(&python.trust, __ATOMIC_RELAXED) == TRUST_REFUSED;
}

/* ---- reading ---- */

/* A pipe takes what can be read, and refuses the rest. */
static bool read_checked(const char *from, void *to, size_t size)
{
	int ends[2];
	bool read_all;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	read_all = write(ends[1], from, size) == (ssize_t)size &&
		   read(ends[0], to, size) == (ssize_t)size;
	close(ends[0]);
	close(ends[1]);
	return read_all;
}

static inline bool read_at(const char *object, size_t offset, void *to, size_t size, bool checked)
{
	if (__builtin_expect(checked, 0))
		return read_checked(object + offset, to, size);
	memcpy(to, object + offset, size);
	return true;
}

/* What is at a place; NULL, too, where it cannot be read. */
static inline const char *pointer_at(const char *object, size_t offset, bool checked)
{
	const char *pointer = NULL;

	return read_at(object, offset, &pointer, sizeof pointer, checked) ? pointer : NULL;
}

static inline bool is_of(const char *object, const void *type, bool checked)
{
	return object && pointer_at(object, TYPE, checked) == (const char *)type;
}

static inline const char *innermost(const char *state, bool checked)
{
	const struct layout *l = python.layout;
	const char *by = l->by ? pointer_at(state, l->by, checked) : state;

	return by ? pointer_at(by, l->by ? l->by_current : l->current, checked) : NULL;
}

static inline bool read_frame(const char *frame, struct tv_python_frame *out, bool checked)
{
	const struct layout *l = python.layout;
	const char *instruction;
	int32_t index = 0;

	out->code = pointer_at(frame, l->code, checked);
	if (!is_of(out->code, python.code_type, checked))
		return false;
	if (l->instruction) {
		instruction = pointer_at(frame, l->instruction, checked);
		out->at = (int32_t)(instruction - (out->code + l->instructions));
		return instruction != NULL;
	}
	if (!read_at(frame, l->index, &index, sizeof index, checked))
		return false;
	out->at = index * l->width;
	return true;
}

/* UINT32_MAX: something is not what it should be. */
static inline uint32_t walk(const char *state, struct tv_python_frame *frames, uint32_t most,
			    bool checked)
{
	const struct layout *l = python.layout;
	const char *frame = innermost(state, checked);
	uint32_t n = 0;

	for (; frame && n < most; frame = pointer_at(frame, l->back, checked)) {
		uint8_t owner = 0;
		if (l->owner && !read_at(frame, l->owner, &owner, sizeof owner, checked))
			return UINT32_MAX;
		if (owner == OWNED_BY_STACK)
			continue;
		if (!read_frame(frame, &frames[n], checked))
			return UINT32_MAX;
		n++;
	}
	return n;
}

/* ---- may it be trusted? ---- */

static bool is_text(const char *code, size_t offset)
{
	return !offset || is_of(pointer_at(code, offset, true), python.text_type, true);
}

/* Reads all that is ever read of these frames. */
static bool confirms(const char *state, struct tv_python_frame *frames, uint32_t most)
{
	const struct layout *l = python.layout;
	pthread_t thread;
	uint32_t n;

	if (!read_at(state, l->thread, &thread, sizeof thread, true) ||
	    !pthread_equal(thread, pthread_self()))
		return false;
	n = walk(state, frames, most, true);
	for (uint32_t i = 0; n != UINT32_MAX && i < n; i++) {
		int32_t first;
		if (!is_text(frames[i].code, l->name) || !is_text(frames[i].code, l->qualified) ||
		    !is_text(frames[i].code, l->file) ||
		    !read_at(frames[i].code, l->first, &first, sizeof first, true) || first < 0)
			return false;
	}
	return n != UINT32_MAX;
}

/* A thread without frames tells nothing: the next one is asked. */
static bool trusted(const char *state, struct tv_python_frame *frames, uint32_t most)
{
	int trust = __atomic_load_n(&python.trust, __ATOMIC_RELAXED);
	const int saved = errno;

	if (trust != TRUST_UNKNOWN)
		return trust == TRUST_CONFIRMED;
	if (!confirms(state, frames, most))
		trust = TRUST_REFUSED;
	else if (innermost(state, true))
		trust = TRUST_CONFIRMED;
	__atomic_store_n(&python.trust, trust, __ATOMIC_RELAXED);
	errno = saved;
	return trust == TRUST_CONFIRMED;
}

uint32_t tv_python_walk(struct tv_python_frame *frames, uint32_t most)
{
	const char *state;
	uint32_t n;

	/* While it ends, a thread's state may be gone. */
	if (!python.layout || !python.is_initialized())
		return 0;
	state = python.this_state();
	if (!state ||
	    (__builtin_expect(python.trust != TRUST_CONFIRMED, 0) && !trusted(state, frames, most)))
		return 0;
	n = walk(state, frames, most, false);
	return n == UINT32_MAX ? 0 : n;
}

uint64_t tv_python_hash(const struct tv_python_frame *frame, uint64_t hash)
{
	const struct layout *l = python.layout;
	const uint64_t multiplier = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t name, file;
	uint32_t first;

	memcpy(&name, frame->code + l->name, sizeof name);
	memcpy(&file, frame->code + l->file, sizeof file);
	memcpy(&first, frame->code + l->first, sizeof first);
	hash = (hash ^ (uint64_t)(uintptr_t)frame->code) * multiplier ^ hash >> 29;
	hash = (hash ^ name ^ (uint64_t)(uint32_t)frame->at << 48) * multiplier ^ hash >> 31;
	return (hash ^ file ^ (uint64_t)first << 48 ^ (uint32_t)frame->at) * multiplier ^
	       hash >> 30;
}

/* ---- texts ---- */

static size_t add_utf8(char *out, uint32_t c)
{
	const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t head[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(head[n] | c);
	return n;
}

/* Appends a text object with its NUL, cut off after `most` bytes. Its own UTF-8 may not be there
 * yet, and to make it takes the lock. */
static size_t add_text(char *out, size_t most, const char *object)
{
	enum { KIND_SHIFT = 2, KIND_MASK = 7, COMPACT = 1 << 5, ASCII = 1 << 6 };
	const struct layout *l = python.layout;
	const char *characters;
	size_t length, n = 0;
	uint32_t state, kind;

	memcpy(&length, object + LENGTH, sizeof length);
	memcpy(&state, object + STATE, sizeof state);
	kind = state >> KIND_SHIFT & KIND_MASK;
	characters = object + (state & ASCII ? l->ascii : l->other);
	if (!(state & COMPACT) || (kind != 1 && kind != 2 && kind != 4))
		length = 0;
	for (size_t i = 0; i < length && n + 5 <= most; i++) {
		uint32_t c = 0;
		memcpy(&c, characters + i * kind, kind);
		n += add_utf8(out + n, c);
	}
	out[n] = '\0';
	return n + 1;
}

/* The script is named as on the command line: from the folder that the process is in. */
static void make_absolute(char *file, size_t most)
{
	char whole[1024];
	size_t n;

	if (file[0] == '/' || file[0] == '<' || access(file, F_OK) != 0 ||
	    !getcwd(whole, sizeof whole))
		return;
	n = strlen(whole);
	if (!strncmp(file, "./", 2))
		memmove(file, file + 2, strlen(file + 2) + 1);
	if (n + 1 + strlen(file) + 1 > most)
		return;
	memmove(file + n + 1, file, strlen(file) + 1);
	memcpy(file, whole, n);
	file[n] = '/';
}

bool tv_python_describe(const struct tv_python_frame *frame, struct tv_python_text *out)
{
	const struct layout *l = python.layout;
	const size_t half = sizeof out->text / 2;
	const int line = python.line_at(frame->code, frame->at), saved = errno;
	char *file;

	memcpy(&out->first_line, frame->code + l->first, sizeof out->first_line);
	out->line = line > 0 ? (uint32_t)line : 0;
	out->length =
		add_text(out->text, half,
			 pointer_at(frame->code, l->qualified ? l->qualified : l->name, false));
	file = out->text + out->length;
	add_text(file, half, pointer_at(frame->code, l->file, false));
	if (!strncmp(file, "<frozen importlib", strlen("<frozen importlib")))
		return false;
	make_absolute(file, half);
	out->length += strlen(file) + 1;
	errno = saved;
	return true;
}
