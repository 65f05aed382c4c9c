/* Reading an archive: definitions, then the local definitions and events of each location.
 *
 * Another pass is needed where events name something undefined (it adds a spare definition), or
 * where a location turns out to have another clock than the archive. */
#include "model/otf2/otf2.h"

#include "base/exchange.h"
#include "base/mem.h"
#include "model/build/part.h"
#include "model/otf2/read/otf2_guard.h"
#include "model/otf2/read/otf2_own_read.h"
#include "model/otf2/read/otf2_reading.h"

/* Only a process that reads a location looks for its files. */
static bool deal_out(struct otf2_archive *a, struct err *err)
{
	const bool counts = a->options->exchange && otf2_shards_are_counted(a);

	if (counts && !otf2_shards_deal(a, false, err))
		return false;
	otf2_find_files(a);
	return !a->options->exchange || counts || otf2_shards_deal(a, true, err);
}

/* ---- the clock ---- */

static void choose_scale(struct otf2_archive *a)
{
	const uint64_t billion = 1000000000, most = 1000000000000;

	if (!a->defs.has_clock || a->defs.resolution == 0 || a->defs.resolution > most) {
		a->defs.resolution = billion;
		a->bad_clock = true;
	}
	a->factor = 1;
	if (billion % a->defs.resolution == 0) {
		a->factor = (int64_t)(billion / a->defs.resolution);
		a->scale.per_second = (int64_t)billion;
	} else {
		a->scale.per_second = (int64_t)a->defs.resolution;
	}
	a->scale.digits = otf2_own_digits(a, units_export_digits(&a->scale));
}

/* ---- all ---- */

/* The trace; NULL where reading is strict and something deviates, in any process; err where it
 * does. */
static struct trace *strictly(const struct otf2_archive *a, struct trace *trace, struct err *err)
{
	bool deviates = false;

	if (!trace || !a->options->strict)
		return trace;
	for (size_t i = 0; i < trace_finding_count(trace) && !deviates; i++) {
		const struct finding *f = trace_finding(trace, i);
		deviates = f->kind == FINDING_DAMAGE || f->kind == FINDING_ODDITY;
		if (deviates)
			err_set(err, STATUS_NO, "%s: %s (strict reading: try without --strict)",
				a->anchor, f->text);
	}
	if (!exchange_any(a->options->exchange, deviates))
		return trace;
	trace_free(trace);
	return NULL;
}

static struct trace *finish(struct otf2_reading *r, const struct progress *progress,
			    struct err *err)
{
	struct otf2_archive *a = r->a;
	const struct builder_options options = { .jobs = a->options->jobs };
	struct builder *b = a->builder;

	if (r->stopped && !builder_keep(b, progress, r->done, r->all))
		return NULL;
	part_tell(b, &a->options->part);
	otf2_tell_places(a);
	a->builder = NULL;
	return strictly(a, builder_finish(b, &options, progress, err), err);
}

/* Remembers the locations with another clock than the archive's; true if there is a new one. */
static bool find_other_clocks(struct otf2_archive *a)
{
	const size_t before = a->other_clocks.n;
	const struct otf2_place *place;

	vec_each (place, &a->places)
		if (place->other_clock)
			*keymap_add(&a->other_clocks, otf2_place_key(place->id)) = 1;
	return a->other_clocks.n > before;
}

/* The locations of this process. NULL with *again where another pass is needed. */
static struct trace *read_dealt(struct otf2_reading *r, OTF2_Reader *reader, bool *again,
				struct err *err)
{
	struct otf2_archive *a = r->a;

	if (a->bad_clock)
		builder_finding(
			a->builder, FINDING_DAMAGE, "clock-properties", 0,
			"the clock properties are missing or not valid: one tick is assumed to "
			"be one nanosecond");
	if (a->bad_defs)
		builder_finding(a->builder, FINDING_DAMAGE, "definitions-cut", 0,
				"the global definitions are damaged or end too early");
	otf2_tell_archive(a, reader);
	otf2_markers(a, reader);
	otf2_shards_begin(a);
	otf2_reading_places(r, reader);
	*again = exchange_any(a->options->exchange, r->wants_spare);
	a->wants_spare |= *again;
	*again = *again || find_other_clocks(a);
	return *again ? NULL : finish(r, r->progress, err);
}

/* One pass over the archive. */
static struct trace *read_pass(struct otf2_archive *a, OTF2_Reader *reader,
			       const struct progress *progress, bool *again, struct err *err)
{
	struct otf2_reading r = { .a = a, .progress = progress };
	struct trace *trace = NULL;

	*again = false;
	a->builder = builder_new(a->anchor, &a->scale, err);
	if (!a->builder)
		return NULL;
	builder_use_pool(a->builder, a->options->pool);
	otf2_resolve(a);
	otf2_own_program(a);
	if (deal_out(a, err))
		trace = read_dealt(&r, reader, again, err);
	builder_abandon(a->builder);
	a->builder = NULL;
	otf2_resolve_fini(a);
	return trace;
}

static OTF2_ErrorCode on_error(void *context, const char *file, uint64_t line, const char *function,
			       OTF2_ErrorCode code, const char *format, va_list arguments)
{
	(void)context;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)arguments;
	return code;
}

/* Another pass: the first one's handle goes on where it ended, and takes files that are not there
 * for damaged. */
static struct trace *read_again(struct otf2_archive *a, const struct progress *progress,
				bool *again, struct err *err)
{
	OTF2_Reader *reader = otf2_reading_open(a->anchor);
	struct trace *trace = NULL;

	*again = false;
	if (!reader)
		err_set(err, STATUS_IO, "%s cannot be read a second time", a->anchor);
	else
		trace = read_pass(a, reader, progress, again, err);
	if (reader)
		OTF2_Reader_Close(reader);
	return trace;
}

static struct trace *read_archive(struct otf2_archive *a, OTF2_Reader *reader,
				  const struct progress *progress, struct err *err)
{
	struct trace *trace;
	bool again;

	if (!otf2_has_whole_definitions(a)) {
		otf2_guard_zeros(true);
		otf2_guard_clear(a->chunks.defs);
	}
	a->bad_defs = !otf2_defs_read(&a->defs, reader);
	/* Those of a trace without events, which are whole, make such a trace. */
	if (a->defs.locations.n == 0 && a->bad_defs) {
		err_set(err, STATUS_IO,
			"%s: the archive's definitions name no location (they are damaged or "
			"missing)",
			a->anchor);
		return NULL;
	}
	a->zero = a->defs.offset;
	otf2_own_find(a);
	choose_scale(a);
	trace = read_pass(a, reader, progress, &again, err);
	while (again)
		trace = read_again(a, progress, &again, err);
	otf2_own_fini(a);
	keymap_fini(&a->other_clocks);
	return trace;
}

struct trace *otf2_read(const char *anchor, const struct load_options *options,
			const struct progress *progress, struct err *err)
{
	static const struct load_options defaults;
	OWNED struct otf2_archive *a = xcalloc(1, sizeof *a);
	struct trace *trace = NULL;
	OTF2_Reader *reader;

	if (!otf2_guard_anchor(anchor, &a->chunks, err))
		return NULL;
	OTF2_Error_RegisterCallback(on_error, NULL);
	a->anchor = anchor;
	a->options = options ? options : &defaults;
	otf2_defs_init(&a->defs);
	reader = otf2_reading_open(anchor);
	if (reader) {
		trace = read_archive(a, reader, progress, err);
		OTF2_Reader_Close(reader);
	} else {
		err_set(err, STATUS_IO, "%s cannot be read as the anchor of an OTF2 archive",
			anchor);
	}
	otf2_guard_zeros(false);
	otf2_defs_fini(&a->defs);
	return trace;
}
