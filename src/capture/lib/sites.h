/* sites: the places of a program that tvcc put probes at, as its object files list them, and what
 * a probe calls.
 *
 * Every object file that tvcc made has one *unit* in the section TV_SITES_SECTION: a struct
 * tv_unit, its sites, its text. It is read-only data without relocations, so that a linker, `ar`,
 * `strip` and `ld -r` keep it as it is, and `tview graph app` reads it from the file. All integers,
 * all references are indices or offsets within the unit. A unit's size is a multiple of
 * TV_SLOT_SIZE and it is aligned to that; linkers may leave gaps of zeros between units.
 *
 * A site is a struct tv_site; while the program runs it is known by its address, in records by its
 * *slot*: how many TV_SLOT_SIZE it is after the section's start. The static tables of paper 1
 * (Li and Zhang, section 5.2: PL, PCom, PC, L, LCom, LC) are the pairs (parent's kind, kind): PL is
 * the loops whose parent is a procedure, LCom the communication statements whose parent is a loop.
 * C11 without any include but <stdint.h>; shared by capture/lib, capture/run, capture/cc and
 * model. */
#pragma once

#include <stdint.h>

/* A C identifier: the linker then defines __start_tview_sites and __stop_tview_sites. */
#define TV_SITES_SECTION "tview_sites"
#define TV_UNIT_MAGIC    UINT32_C(0x75767431) /* "1tvu" */

enum { TV_UNIT_VERSION = 1, TV_SLOT_SIZE = 32 };
#define TV_NO_SITE UINT32_MAX

enum tv_site_kind {
	TV_SITE_PROCEDURE = 1, /* l_p: its first line */
	TV_SITE_LOOP,          /* l_l: for, while, do */
	TV_SITE_CALL,          /* l_pc: a statement that calls a procedure */
	TV_SITE_COMMUNICATION, /* l_c: a statement that calls a function of MPI */
};

enum tv_site_flag {
	TV_SITE_ALONE = 1 << 0,      /* not instrumented: there is no probe; `reason` says why */
	TV_SITE_POINTER = 1 << 1,    /* of a call: through a pointer */
	TV_SITE_LOCAL = 1 << 2,      /* of a procedure: static */
	TV_SITE_ITERATIONS = 1 << 3, /* of a loop: a probe in every iteration was asked for */
	TV_SITE_UNCOUNTED = 1 << 4,  /* of a loop: its iterations are not counted */
	TV_SITE_UNTIMED = 1 << 5, /* of a loop: counted, never entered; with TV_SITE_ALONE: a small
					procedure, or a call of one */
	TV_SITE_MAIN = 1 << 6,    /* of a procedure: PROGRAM, which is linked as MAIN__ */
};

struct tv_site {
	uint8_t kind;  /* enum tv_site_kind */
	uint8_t flags; /* enum tv_site_flag */
	uint16_t column;
	uint32_t line, end_line; /* of the user's file (#line is followed) */
	uint32_t parent; /* index of the procedure or loop that contains it, before it; TV_NO_SITE:
			    a procedure */
	uint32_t name; /* offset in the text: "sweep", "for", the called function's, "MPI_Send"; ""
			  by pointer */
	uint32_t file; /* offset in the text */
	uint32_t callee; /* of a call: index of the procedure, where this unit has it (l_pi); else
			    TV_NO_SITE */
	uint32_t reason; /* offset in the text, with TV_SITE_ALONE */
};

struct tv_unit {
	uint32_t magic, version;
	uint32_t size;            /* bytes: this, sites, text, filled up */
	uint32_t sites;           /* they follow */
	uint32_t text, text_size; /* offset from the unit's start; NUL-terminated strings, the first
				     one is "" */
	uint32_t source, directory; /* offsets in the text: the file that was compiled, and where */
};

_Static_assert(sizeof(struct tv_site) == TV_SLOT_SIZE, "a site is a slot");
_Static_assert(sizeof(struct tv_unit) == TV_SLOT_SIZE, "so is a unit's head");

/* The next unit of a section from *at on, which is then after it; NULL: there is none. Slots
 * between units are not of any. */
static inline const struct tv_unit *tv_unit_next(const char **at, const char *stop)
{
	while (*at < stop) {
		const struct tv_unit *unit = (const void *)*at;
		const uint64_t slots = (uint64_t)(stop - *at) / TV_SLOT_SIZE;
		const int is_unit = unit->magic == TV_UNIT_MAGIC && unit->size >= sizeof *unit &&
				    unit->size / TV_SLOT_SIZE <= slots && unit->sites < slots;
		*at += is_unit ? unit->size / TV_SLOT_SIZE * TV_SLOT_SIZE : TV_SLOT_SIZE;
		if (is_unit)
			return unit;
	}
	return 0;
}

/* ---- what probes call: one of these in each program and library, weak and hidden ----
 *
 * The text that tvcc puts before a translation unit defines it
 * (capture/cc/instrument/prologue.inc, which must agree with this):
 *
 *	procedure	token = probes.mode
 *				? probes.enter(&site, &at, __builtin_frame_address(0)) : 0;
 *			on every way out (cleanup attribute):
 *			if (probes.mode) probes.leave(&site, token);
 *	loop		the same with enter_loop and leave_loop, which is given the iterations
 *			that were begun
 *	counted loop	a counter of executions and iterations; where it ends:
 *			if (probes.mode && probes.count)
 *				probes.count(&site, executions, iterations);
 *	call		at = &site; after its arguments' own calls, right before the call itself,
 *			without a guard
 *	communication	if (probes.statement) probes.statement(&site); right before the call of MPI
 *
 * The last two work in segments without probes, too: segments differ only in procedures and loops,
 * and calls of MPI always know their statement. `at` is a variable of the thread, one in each
 * program and library: the call statement under way; `enter` takes it and sets it to NULL. A token
 * is the depth in the thread's stack of open sites, never 0; 0 is the token of a site that was
 * entered while probes were off. A site whose frame is deeper than that of a site being entered
 * was left by longjmp. */
struct tv_probes {
	int mode; /* 0: procedures and loops do nothing */
	unsigned (*enter)(const struct tv_site *site, const struct tv_site **at, void *frame);
	void (*leave)(const struct tv_site *site, unsigned token);
	unsigned (*enter_loop)(const struct tv_site *site, void *frame);
	void (*leave_loop)(const struct tv_site *site, unsigned token, unsigned long iterations);
	void (*iterate)(const struct tv_site *site,
			unsigned token); /* an iteration begins (TV_SITE_ITERATIONS) */
	void (*statement)(const struct tv_site *site);
	const char *start, *stop; /* the section; set before joining */
	void (*count)(const struct tv_site *site, unsigned long executions,
		      unsigned long iterations); /* NULL in libraries of older versions */
	void *reserved[3];                       /* the library's */
};

/* What the prologue's constructor and destructor look up with dlsym(); only the library that tvrun
 * preloads exports them. */
#define TV_JOIN_NAME \
	"tview_join_sites" /* void (struct tv_probes *): fills in the functions, sets mode */
#define TV_PART_NAME "tview_part_sites" /* void (struct tv_probes *): the library is unloaded */
