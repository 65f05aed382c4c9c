#include "capture/run/feed_collectives.h"

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

void feed_operands(struct job *job, uint32_t location, uint32_t operands)
{
	add(job, location, JOB_ELEMENT_TYPE, tv_operands_type(operands), TYPE_OWN);
	add(job, location, JOB_OPERATION, tv_operands_operation(operands), OPERATION_OWN);
}

/* TV_OPERANDS_FROM_ALL, of the event that was appended last. */
static void add_from_all(struct job *job, uint32_t location)
{
	builder_attribute(job->builder, location, job_attribute(job, JOB_FROM_ALL), 1);
}

static int32_t root_of(const struct rank *rank, const struct tv_collective *c, uint32_t comm)
{
	const uint32_t root = tv_size_upper(c->sent_root);

	if (root == TV_NO_ROOT)
		return -1;
	return root == TV_ROOT_BESIDE ? RANK_UNKNOWN : rank_member(rank, comm, (int32_t)root);
}

uint32_t feed_collective_begin(struct job *job, struct rank *rank, uint32_t location,
			       const struct tv_collective *c, int64_t time)
{
	const uint32_t operands = tv_size_upper(c->received_comm);

	builder_collective_begin(job->builder, location, time, rank_comm_id(rank, c->head.id),
				 job_mpi_region(job, rank, c->head.call),
				 root_of(rank, c, c->head.id), tv_size_bytes(c->sent_root),
				 tv_size_bytes(c->received_comm));
	if (operands & TV_OPERANDS_FROM_ALL)
		add_from_all(job, location);
	return operands;
}

void feed_collective_complete(struct job *job, struct rank *rank, uint32_t location,
			      const struct tv_collective *c, int64_t time)
{
	const uint32_t comm = tv_size_upper(c->received_comm);

	builder_collective_complete(job->builder, location, time, c->head.id,
				    rank_comm_id(rank, comm),
				    job_mpi_region(job, rank, c->head.call), root_of(rank, c, comm),
				    tv_size_bytes(c->sent_root), tv_size_bytes(c->received_comm));
	if (c->head.flags)
		add_from_all(job, location);
}
