#include "model/sums/sums.h"

#include "model/sums/profile_sums.h"
#include "model/sums/shading.h"
#include "model/trace/store.h"

static void drop_sums(struct trace *trace, enum time_base base)
{
	shading_free(trace->class_shading[base]);
	trace->class_shading[base] = NULL;
	profile_sums_free(trace->profile_sums[base]);
	trace->profile_sums[base] = NULL;
}

void sums_attach(struct trace *trace)
{
	trace->drop_sums = drop_sums;
}
