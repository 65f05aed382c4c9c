/* vec: typed growable arrays.
 *
 *	VEC(uint32_t) ids = VEC_INIT;
 *	vec_push(&ids, 7);
 *	for (size_t i = 0; i < ids.n; i++) use(ids.data[i]);
 *	vec_fini(&ids);			not for OWNED_VEC(uint32_t): at the end of its scope
 *
 * Growth is by half; memory that cannot be had ends the program (base/mem.h). Elements are moved
 * by memcpy. Elements without capacity (cap 0, n > 0) are borrowed: never freed, and nothing may be
 * appended to them. */
#pragma once

#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"

#define VEC(type)              \
	struct {               \
		type *data;    \
		size_t n, cap; \
	}

#define OWNED_VEC(type) ENDED_BY(vec_end) VEC(type)

#define VEC_INIT           \
	{                  \
		NULL, 0, 0 \
	}

/* Makes room for `more` elements after the last one. */
#define vec_reserve(v, more)                                                          \
	((v)->n + (more) > (v)->cap                                                   \
		 ? (void)((v)->data = vec_grow((v)->data, &(v)->cap, (v)->n + (more), \
					       sizeof *(v)->data))                    \
		 : (void)0)

#define vec_push(v, element) (vec_reserve(v, 1), (v)->data[(v)->n++] = (element))

/* Appends a zeroed element and gives its address (valid until the next growth). */
#define vec_add(v) (vec_reserve(v, 1), vec_zero(&(v)->data[(v)->n++], sizeof *(v)->data))

#define vec_last(v)     (&(v)->data[(v)->n - 1])
#define vec_pop(v)      ((v)->data[--(v)->n])
#define vec_each(it, v) for ((it) = (v)->data; (it) < (v)->data + (v)->n; (it)++)
#define vec_fini(v) \
	((v)->cap || !(v)->n ? free((v)->data) : (void)0, (v)->data = NULL, (v)->n = (v)->cap = 0)

void *vec_grow(void *data, size_t *cap, size_t need, size_t element_size);
void *vec_zero(void *element, size_t size);

/* For OWNED_VEC: vec_fini() of a vector of any type. */
static inline void vec_end(void *vec)
{
	VEC(void) v;

	memcpy(&v, vec, sizeof v);
	vec_fini(&v);
}
