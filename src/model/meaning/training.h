/* training: collectives of training jobs, by the names that NCCL's kernels ("ncclDevKernel_
 * AllReduce_Sum_f32_RING_LL(...)") and PyTorch's records of calls ("nccl:all_reduce",
 * "gloo:barrier", "record_param_comms: allreduce") have in profiles. What follows the last ": "
 * says the operation where a kernel's name does not ("ncclDevKernel_SendRecv(...): all_to_all"). */
#pragma once

#include "model/meaning/meaning.h"

enum training_call {
	TRAINING_NONE,
	TRAINING_RETURNS, /* a call that may return before the operation is done */
	TRAINING_CALL,    /* recorded until it is done */
	TRAINING_KERNEL,  /* the operation itself, on the device */
};

/* What a name is; *meaning is written if it names an operation that is known. */
enum training_call meaning_of_training(const char *name, struct meaning *meaning);
