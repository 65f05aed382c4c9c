/* An archive that several processes write, each the files of its own locations (base/exchange.h):
 * what they must agree on, and the library's collective calls. */
#include <string.h>

#include "base/exchange.h"
#include "base/order.h"
#include "model/otf2/write/otf2_writer.h"

/* ---- the library's calls: the first process has the archive's own files ---- */

struct OTF2_CollectiveContext {
	struct exchange *x;
};

static OTF2_CallbackCode get_size(void *data, OTF2_CollectiveContext *context, uint32_t *size)
{
	(void)data;
	*size = exchange_processes(context->x);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode get_rank(void *data, OTF2_CollectiveContext *context, uint32_t *rank)
{
	(void)data;
	*rank = exchange_process(context->x);
	return OTF2_CALLBACK_SUCCESS;
}

/* With one file for each location there are no groups of processes that share one. */
static OTF2_CallbackCode create_local(void *data, OTF2_CollectiveContext **local,
				      OTF2_CollectiveContext *global, uint32_t rank, uint32_t size,
				      uint32_t local_rank, uint32_t local_size, uint32_t file,
				      uint32_t files)
{
	(void)data;
	(void)local;
	(void)global;
	(void)rank;
	(void)size;
	(void)local_rank;
	(void)local_size;
	(void)file;
	(void)files;
	return OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode free_local(void *data, OTF2_CollectiveContext *local)
{
	(void)data;
	(void)local;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode barrier(void *data, OTF2_CollectiveContext *context)
{
	(void)data;
	exchange_any(context->x, false);
	return OTF2_CALLBACK_SUCCESS;
}

static size_t size_of(OTF2_Type type)
{
	switch (type) {
	case OTF2_TYPE_UINT8:
	case OTF2_TYPE_INT8: return 1;
	case OTF2_TYPE_UINT16:
	case OTF2_TYPE_INT16: return 2;
	case OTF2_TYPE_UINT32:
	case OTF2_TYPE_INT32:
	case OTF2_TYPE_FLOAT: return 4;
	default: return 8;
	}
}

static OTF2_CallbackCode bcast(void *data, OTF2_CollectiveContext *context, void *values,
			       uint32_t n, OTF2_Type type, uint32_t root)
{
	const bool mine = exchange_process(context->x) == root;
	struct exchange_parts all;

	(void)data;
	context->x->gather(context->x, values, mine ? n * size_of(type) : 0, &all);
	memcpy(values, all.data, n * size_of(type));
	exchange_parts_fini(&all);
	return OTF2_CALLBACK_SUCCESS;
}

/* What all have is one after the other at the root, whether they have equally much or not. */
static OTF2_CallbackCode gather_all(OTF2_CollectiveContext *context, const void *in, size_t bytes,
				    void *out, uint32_t root)
{
	struct exchange *x = context->x;
	struct exchange_parts all;

	x->gather(x, in, bytes, &all);
	if (exchange_process(x) == root)
		memcpy(out, all.data, all.first[x->processes]);
	exchange_parts_fini(&all);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode gather(void *data, OTF2_CollectiveContext *context, const void *in,
				void *out, uint32_t n, OTF2_Type type, uint32_t root)
{
	(void)data;
	return gather_all(context, in, n * size_of(type), out, root);
}

static OTF2_CallbackCode gatherv(void *data, OTF2_CollectiveContext *context, const void *in,
				 uint32_t n, void *out, const uint32_t *out_n, OTF2_Type type,
				 uint32_t root)
{
	(void)data;
	(void)out_n;
	return gather_all(context, in, n * size_of(type), out, root);
}

/* first[p]: where those for p begin, at the root. */
static OTF2_CallbackCode scatter_all(OTF2_CollectiveContext *context, const void *in,
				     const uint64_t *first, size_t size, void *out, size_t bytes,
				     uint32_t root)
{
	struct exchange *x = context->x;
	const uint32_t processes = exchange_processes(x);
	OWNED size_t *mine = xcalloc(processes + 1u, sizeof *mine);
	const struct exchange_parts parts = { (char *)(uintptr_t)in, mine };
	struct exchange_parts theirs;

	for (uint32_t p = 0; p <= processes && exchange_process(x) == root; p++)
		mine[p] = first[p] * size;
	x->swap(x, &parts, &theirs);
	memcpy(out, theirs.data, bytes);
	exchange_parts_fini(&theirs);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode scatter(void *data, OTF2_CollectiveContext *context, const void *in,
				 void *out, uint32_t n, OTF2_Type type, uint32_t root)
{
	const uint32_t processes = exchange_processes(context->x);
	OWNED uint64_t *first = xcalloc(processes + 1u, sizeof *first);

	(void)data;
	for (uint32_t p = 0; p < processes; p++)
		first[p + 1] = first[p] + n;
	return scatter_all(context, in, first, size_of(type), out, n * size_of(type), root);
}

static OTF2_CallbackCode scatterv(void *data, OTF2_CollectiveContext *context, const void *in,
				  const uint32_t *in_n, void *out, uint32_t n, OTF2_Type type,
				  uint32_t root)
{
	const uint32_t processes = exchange_processes(context->x);
	OWNED uint64_t *first = xcalloc(processes + 1u, sizeof *first);

	(void)data;
	for (uint32_t p = 0; p < processes && exchange_process(context->x) == root; p++)
		first[p + 1] = first[p] + in_n[p];
	return scatter_all(context, in, first, size_of(type), out, n * size_of(type), root);
}

static void release(void *data, OTF2_CollectiveContext *global, OTF2_CollectiveContext *local)
{
	(void)data;
	(void)local;
	free(global);
}

OTF2_ErrorCode otf2_shared_use(OTF2_Archive *archive, struct exchange *x)
{
	static const OTF2_CollectiveCallbacks calls = {
		.otf2_release = release,
		.otf2_get_size = get_size,
		.otf2_get_rank = get_rank,
		.otf2_create_local_comm = create_local,
		.otf2_free_local_comm = free_local,
		.otf2_barrier = barrier,
		.otf2_bcast = bcast,
		.otf2_gather = gather,
		.otf2_gatherv = gatherv,
		.otf2_scatter = scatter,
		.otf2_scatterv = scatterv,
	};
	OTF2_CollectiveContext *context;

	if (!x)
		return OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	context = xmalloc(sizeof *context);
	context->x = x;
	return OTF2_Archive_SetCollectiveCallbacks(archive, &calls, NULL, context, NULL);
}

/* ---- what all agree on ---- */

void otf2_shared_failed(struct otf2_writer *w)
{
	struct exchange *x = trace_exchange(w->trace);
	int128 of_all[] = { w->failed, w->broken };

	exchange_sum(x, of_all, 2);
	w->failed = of_all[0] > 0;
	w->broken = of_all[1] > 0;
}

void otf2_shared_counts(struct otf2_writer *w)
{
	struct exchange *x = trace_exchange(w->trace);
	const uint32_t n = trace_location_count(w->trace);
	OWNED int64_t *events = x ? xcalloc(n + 1u, sizeof *events) : NULL;

	for (uint32_t l = 0; x && l < n; l++)
		events[l] = (int64_t)w->locations[l].events;
	exchange_ticks(x, events, n);
	for (uint32_t l = 0; x && l < n; l++)
		w->locations[l].events = (uint64_t)events[l];
}

ORDERING(by_turn, struct otf2_needed, location, number)

void otf2_shared_needs(struct otf2_writer *w)
{
	const struct otf2_needed *needed;

	exchange_rows(trace_exchange(w->trace), &w->needs);
	vec_sort(&w->needs, by_turn);
	otf2_forget_refs(w);
	vec_each (needed, &w->needs)
		otf2_define_needed(w, *needed);
	vec_fini(&w->needs);
	w->turn = 0;
	for (uint32_t l = 0; l < trace_location_count(w->trace); l++)
		w->locations[l].events = 0;
}
