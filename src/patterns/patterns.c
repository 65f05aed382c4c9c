#include "patterns/patterns.h"

const struct pattern *const patterns[] = {
#define X(name) &name##_pattern,
#include "patterns/patterns.def"
#undef X
	NULL,
};
