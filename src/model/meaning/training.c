#include "model/meaning/training.h"

#include <string.h>

enum { WORD_SIZE = 24 };

static const struct {
	const char *prefix;
	enum training_call call;
} callers[] = {
	{ "ncclDevKernel_", TRAINING_KERNEL },
	{ "ncclKernel_", TRAINING_KERNEL },
	{ "ncclSymkDevKernel_", TRAINING_KERNEL },
	{ "nccl:", TRAINING_RETURNS },
	{ "ucc:", TRAINING_RETURNS },
	{ "xccl:", TRAINING_RETURNS },
	{ "hccl:", TRAINING_RETURNS },
	{ "record_param_comms", TRAINING_RETURNS },
	{ "gloo:", TRAINING_CALL },
	{ "mpi:", TRAINING_CALL },
};

/* The first one that a word begins with; letters alone, small. */
static const struct {
	const char *word;
	enum region_class cls;
	enum collective_kind kind; /* COLLECTIVE_NONE: from one to another */
} operations[] = {
	{ "allreduce", CLASS_COLLECTIVE, COLLECTIVE_ALL_TO_ALL },
	{ "allgather", CLASS_COLLECTIVE, COLLECTIVE_ALL_TO_ALL },
	{ "alltoallv", CLASS_COLLECTIVE, COLLECTIVE_VECTOR },
	{ "alltoall", CLASS_COLLECTIVE, COLLECTIVE_ALL_TO_ALL },
	{ "reducescatter", CLASS_COLLECTIVE, COLLECTIVE_ALL_TO_ALL },
	{ "reduce", CLASS_COLLECTIVE, COLLECTIVE_ALL_TO_ONE },
	{ "gather", CLASS_COLLECTIVE, COLLECTIVE_ALL_TO_ONE },
	{ "broadcast", CLASS_COLLECTIVE, COLLECTIVE_ONE_TO_ALL },
	{ "scatter", CLASS_COLLECTIVE, COLLECTIVE_ONE_TO_ALL },
	{ "barrier", CLASS_SYNC, COLLECTIVE_BARRIER },
	{ "send", CLASS_P2P, COLLECTIVE_NONE },
	{ "recv", CLASS_P2P, COLLECTIVE_NONE },
};

/* "_all_gather_base" and "AllGather" are "allgather". */
static void letters_of(const char *text, char word[WORD_SIZE])
{
	size_t n = 0;

	for (; *text && *text != '(' && n < WORD_SIZE - 1; text++) {
		const char small = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
		if (small >= 'a' && small <= 'z')
			word[n++] = small;
	}
	word[n] = '\0';
}

static bool find_operation(const char *text, struct meaning *meaning)
{
	char word[WORD_SIZE];

	letters_of(text, word);
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		const enum collective_kind kind = operations[i].kind;
		if (strncmp(word, operations[i].word, strlen(operations[i].word)) != 0)
			continue;
		*meaning = (struct meaning){
			.cls = operations[i].cls,
			.family = kind == COLLECTIVE_NONE      ? FAMILY_POINT_TO_POINT
				  : kind == COLLECTIVE_BARRIER ? FAMILY_BARRIER
							       : FAMILY_COLLECTIVE,
			.call = kind == COLLECTIVE_NONE ? CALL_OTHER : CALL_COLLECTIVE,
			.collective = kind,
		};
		return true;
	}
	return false;
}

static const char *after_last_colon(const char *name)
{
	const char *last = NULL;

	for (const char *p = strstr(name, ": "); p; p = strstr(p + 1, ": "))
		last = p + 2;
	return last;
}

enum training_call meaning_of_training(const char *name, struct meaning *meaning)
{
	for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
		const size_t n = strlen(callers[i].prefix);
		const char *said = after_last_colon(name);
		if (strncmp(name, callers[i].prefix, n) != 0)
			continue;
		if (!(said && find_operation(said, meaning)) && !find_operation(name + n, meaning))
			*meaning = (struct meaning){ .cls = CLASS_MPI_OTHER, .family = FAMILY_MPI };
		return callers[i].call;
	}
	return TRAINING_NONE;
}
