/* A longjmp() that is checked takes another stack for a frame that has returned. */
#undef _FORTIFY_SOURCE

#include "harness/fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { STACK = 8 << 20, GUARD = 1 << 16 };

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>

static void before_switch(void **fake, const struct fiber *to)
{
	__sanitizer_start_switch_fiber(fake, to->bottom, to->bytes);
}

static void after_switch(void *fake, struct fiber *before)
{
	__sanitizer_finish_switch_fiber(fake, &before->bottom, &before->bytes);
}
#else
static void before_switch(void **fake, const struct fiber *to)
{
	(void)fake;
	(void)to;
}

static void after_switch(void *fake, struct fiber *before)
{
	(void)fake;
	(void)before;
}
#endif

/* makecontext() passes numbers. */
static void enter(unsigned high, unsigned low)
{
	struct fiber *f = (struct fiber *)((uintptr_t)high << 32 | low); /* NOLINT */

	after_switch(NULL, f->before);
	f->body(f->context);
	abort();
}

void fiber_init(struct fiber *f, void (*body)(void *context), void *context)
{
	const uintptr_t number = (uintptr_t)f;

	*f = (struct fiber){ .body = body, .context = context };
	f->memory = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->memory == MAP_FAILED || mprotect(f->memory, GUARD, PROT_NONE) != 0 ||
	    getcontext(&f->first) != 0)
		abort();
	f->bottom = f->memory + GUARD;
	f->bytes = STACK;
	f->first.uc_stack.ss_sp = f->memory + GUARD;
	f->first.uc_stack.ss_size = STACK;
	makecontext(&f->first, (void (*)(void))enter, 2, (unsigned)(number >> 32),
		    (unsigned)number);
}

void fiber_fini(struct fiber *f)
{
	munmap(f->memory, GUARD + STACK);
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
	void *fake = NULL;

	from->begun = true;
	to->before = from;
	before_switch(&fake, to);
	if (_setjmp(from->at) == 0) {
		if (to->begun)
			_longjmp(to->at, 1);
		setcontext(&to->first);
	}
	after_switch(fake, from->before);
}
