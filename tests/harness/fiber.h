/* fiber: functions that run in one thread in turns, each on a stack of its own.
 *
 *	struct fiber main = { 0 }, other;
 *	fiber_init(&other, body, context);
 *	fiber_switch(&main, &other);		until the body switches back
 *	fiber_fini(&other);
 *
 * A switch costs no call of the system. A body must not return: its last act is a switch. */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

struct fiber {
	void (*body)(void *context);
	void *context;
	char *memory; /* the stack, above a page that must not be touched; NULL: the thread's own */
	jmp_buf at;   /* where it goes on */
	ucontext_t first;
	bool begun;
	/* for the address sanitizer */
	struct fiber *before; /* the one that switched to this one */
	const void *bottom;
	size_t bytes;
};

void fiber_init(struct fiber *f, void (*body)(void *context), void *context);
/* Of one that does not run: what its stack holds is lost. */
void fiber_fini(struct fiber *f);
/* From the one that runs; returns when another one switches back to it. */
void fiber_switch(struct fiber *from, struct fiber *to);
