#include "capture/run/feed_operands.h"

#include <string.h>

#include "capture/lib/operands.h"

static void add(struct job *job, uint32_t location, enum job_attribute which, uint32_t operand,
		const char *own)
{
	static const char *const names[TV_OPERANDS] = {
#define TV_TYPE(name, mpich, openmpi, standard)      [TV_TYPE_##name] = "MPI_" #name,
#define TV_OPERATION(name, mpich, openmpi, standard) [TV_OPERATION_##name] = "MPI_" #name,
#include "capture/lib/operands.def"
	};
	const char *name = operand == TV_OPERAND_OWN ? own
			   : operand < TV_OPERANDS   ? names[operand]
						     : NULL;

	if (name)
		builder_attribute(job->builder, location, job_attribute(job, which),
				  builder_string(job->builder, name, strlen(name)));
}

void feed_from_all(struct job *job, uint32_t location)
{
	builder_attribute(job->builder, location, job_attribute(job, JOB_FROM_ALL), 1);
}

void feed_operands(struct job *job, uint32_t location, uint32_t operands)
{
	add(job, location, JOB_ELEMENT_TYPE, tv_operands_type(operands), TYPE_OWN);
	add(job, location, JOB_OPERATION, tv_operands_operation(operands), OPERATION_OWN);
}
