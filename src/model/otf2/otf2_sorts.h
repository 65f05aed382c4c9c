/* otf2_sorts: OTF2's types for the sorts of fields in details.def. */
#pragma once

#include "model/trace/detail.h"

/* otf2_arg_COMM: the type of its argument. OTF2_OBJECT_FILE: the type of the objects it names. */
#define SORT(sort, type, object)      \
	typedef type otf2_arg_##sort; \
	enum { OTF2_OBJECT_##sort = object };
#include "model/otf2/otf2_sorts.def"
