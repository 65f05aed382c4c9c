/* collective_facts: what all members of a collective operation say together.
 *
 * Where several processes share the trace, members of a collective may be in all of them: what each
 * process knows of its own meets at the home of the collective's turn (model/trace/halo.h). */
#pragma once

#include "base/vec.h"
#include "model/trace/message.h"
#include "views/query/view_common.h"

struct collective_facts {
	uint32_t comm, region, members, flags;
	uint32_t turn, which; /* of one whose members may be in several processes, else 0 */
	int32_t root;
	int32_t last_rank;       /* of the member that began last, RANK_UNKNOWN */
	int64_t begin, end;      /* ticks: of all members */
	int64_t last_begin;      /* ticks: latest begin, where `last` is */
	uint64_t sent, received; /* UINT64_MAX: no member knows */
	uint32_t last;           /* location of the one that began last, UINT32_MAX unknown */
	uint32_t first;          /* location of the first member */
	struct row_place place;  /* of the first begin; its row is the collective's */
	uint64_t chosen;         /* members of the query */
	size_t said;             /* while facts are shared: which of them */
};

/* Of the members in this process. */
struct collective_facts collective_facts_of(const struct query *query, const bool *chosen,
					    uint32_t id);

/* Adds those of the query's window, choice and filter whose members were in several processes, and
 * whose home is this one. All processes call it. */
struct collective_list {
	struct collective_facts *data;
	size_t n, cap;
};
void collective_facts_share(const struct query *query, struct collective_list *list);
