/* record_place: places in the program, as records have them (record.h), in 64 bits. libc only. */
#pragma once

#include <stdint.h>

/* A place in the program: 0 unknown; an address (of a function, or a call's return address); a
 * site; a region that the program named (id: string of the thread); a line of Python (id: frame of
 * the process, TV_DEF_FRAME); own work of the library (id: index into tv_file.call). */
#define TV_PLACE_SITE   (UINT64_C(1) << 63)
#define TV_PLACE_REGION (UINT64_C(1) << 62)
#define TV_PLACE_FRAME  (UINT64_C(1) << 61)
#define TV_PLACE_OWN    (UINT64_C(1) << 60)

static inline uint64_t tv_place_site(uint32_t module, uint32_t slot)
{
	return TV_PLACE_SITE | (uint64_t)module << 32 | slot;
}

static inline uint32_t tv_place_module(uint64_t place)
{
	return (uint32_t)(place >> 32) & 0xffu;
}

static inline uint32_t tv_place_slot(uint64_t place)
{
	return (uint32_t)place;
}
