/* by_hand: the probes and the table that tvcc would put into a unit, written by hand (src/capture/lib/sites.h):
 *
 *	BY_HAND(8, [1] = PROCEDURE(10, "main"), [2] = LOOP(11, 1), [3] = CALL(12, 2, "f", 4), ...)
 *	int main(void)
 *	{
 *		IN_PROCEDURE(1);
 *		{ IN_LOOP(2); for (...) { ITERATION; AT(3); f(); } }
 *
 * Sites count from 0; their lines are the number of the site times ten. One unit in a program or library. */
#ifndef BY_HAND_H
#define BY_HAND_H

#include <dlfcn.h>
#include <stddef.h>

#include "capture/lib/sites.h"

#define PROCEDURE(where)                                                          \
	{                                                                         \
		.kind = TV_SITE_PROCEDURE, .line = (where), .parent = TV_NO_SITE, \
		.callee = TV_NO_SITE                                              \
	}
#define LOOP(where, in)                                                                     \
	{                                                                                   \
		.kind = TV_SITE_LOOP, .line = (where), .parent = (in), .callee = TV_NO_SITE \
	}
#define CALL(where, in, what)                                                           \
	{                                                                               \
		.kind = TV_SITE_CALL, .line = (where), .parent = (in), .callee = (what) \
	}
#define STATEMENT(where, in)                                                    \
	{                                                                       \
		.kind = TV_SITE_COMMUNICATION, .line = (where), .parent = (in), \
		.callee = TV_NO_SITE                                            \
	}

struct by_hand_site {
	unsigned site, token;
	unsigned long n;
};

static struct tv_probes probes;
static _Thread_local const struct tv_site *probes_at;
extern const char by_hand_start[] __asm__("__start_tview_sites")
	__attribute__((visibility("hidden")));
extern const char by_hand_stop[] __asm__("__stop_tview_sites")
	__attribute__((visibility("hidden")));

#define BY_HAND(count, ...)                                                                        \
	static const struct {                                                                      \
		struct tv_unit head;                                                               \
		struct tv_site sites[count];                                                       \
		char text[TV_SLOT_SIZE];                                                           \
	} by_hand __attribute__((section(TV_SITES_SECTION), used, aligned(TV_SLOT_SIZE))) = {      \
		{ TV_UNIT_MAGIC, TV_UNIT_VERSION, sizeof by_hand, count,                           \
		  sizeof(struct tv_unit) + (count) * sizeof(struct tv_site), TV_SLOT_SIZE, 1, 3 }, \
		{ __VA_ARGS__ },                                                                   \
		"\0x\0/"                                                                           \
	};                                                                                         \
	__attribute__((no_instrument_function)) static void by_hand_leave(                         \
		const struct by_hand_site *s)                                                      \
	{                                                                                          \
		if (__builtin_expect(probes.mode != 0, 0))                                         \
			probes.leave(&by_hand.sites[s->site], s->token);                           \
	}                                                                                          \
	__attribute__((no_instrument_function)) static void by_hand_leave_loop(                    \
		const struct by_hand_site *s)                                                      \
	{                                                                                          \
		if (__builtin_expect(probes.mode != 0, 0))                                         \
			probes.leave_loop(&by_hand.sites[s->site], s->token, s->n);                \
	}                                                                                          \
	__attribute__((constructor, no_instrument_function)) static void by_hand_join(void)        \
	{                                                                                          \
		void (*join)(struct tv_probes *);                                                  \
		probes.start = by_hand_start;                                                      \
		probes.stop = by_hand_stop;                                                        \
		*(void **)(void *)&join = dlsym(RTLD_DEFAULT, TV_JOIN_NAME);                       \
		if (join)                                                                          \
			join(&probes);                                                             \
	}                                                                                          \
	__attribute__((destructor, no_instrument_function)) static void by_hand_part(void)         \
	{                                                                                          \
		void (*part)(struct tv_probes *);                                                  \
		*(void **)(void *)&part = dlsym(RTLD_DEFAULT, TV_PART_NAME);                       \
		if (part)                                                                          \
			part(&probes);                                                             \
	}

#define IN_PROCEDURE(i)                                                        \
	struct by_hand_site in_procedure                                       \
		__attribute__((cleanup(by_hand_leave), unused)) = { i, 0, 0 }; \
	if (__builtin_expect(probes.mode != 0, 0))                             \
	in_procedure.token = probes.enter(&by_hand.sites[i], &probes_at, __builtin_frame_address(0))
#define IN_LOOP(i)                                                                  \
	struct by_hand_site in_loop                                                 \
		__attribute__((cleanup(by_hand_leave_loop), unused)) = { i, 0, 0 }; \
	if (__builtin_expect(probes.mode != 0, 0))                                  \
	in_loop.token = probes.enter_loop(&by_hand.sites[i], __builtin_frame_address(0))
#define ITERATION in_loop.n++
#define TIMED_ITERATION(i)                                                \
	do {                                                              \
		in_loop.n++;                                              \
		if (__builtin_expect(probes.mode != 0, 0))                \
			probes.iterate(&by_hand.sites[i], in_loop.token); \
	} while (0)
#define AT(i) (probes_at = &by_hand.sites[i])
#define ANNOUNCE(i)                                          \
	do {                                                 \
		if (probes.statement)                        \
			probes.statement(&by_hand.sites[i]); \
	} while (0)

#endif
