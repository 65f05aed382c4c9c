/* database_texts: the different texts of a database, numbered from 0 as they come. */
#pragma once

#include "base/keymap.h"
#include "base/str.h"
#include "base/vec.h"

struct database_texts {
	struct keymap numbers; /* by hash; of texts with one hash, the first */
	struct str all;        /* each with its 0 */
	VEC(size_t) begins;
};

void database_texts_fini(struct database_texts *texts);
/* The number of a text. */
uint32_t database_texts_number(struct database_texts *texts, const char *text);

static inline const char *database_text(const struct database_texts *texts, size_t number)
{
	return texts->all.text + texts->begins.data[number];
}
