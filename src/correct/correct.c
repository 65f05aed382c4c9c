#include "correct/correct.h"

#include "base/mem.h"
#include "correct/clocks/offsets_file.h"
#include "correct/correct_keep.h"
#include "correct/correct_step.h"
#include "model/trace/base_write.h"

static bool run(struct correct_step *r)
{
	if (r->options->want == BASE_MEASURED)
		return true;
	if (!correct_linear(r))
		return false;
	if (r->options->want == BASE_LINEAR)
		return true;
	r->logical = logical_new(r->trace, r->progress, r->err);
	if (!r->logical)
		return false;
	if (trace_exchange(r->trace) && !logical_share(r->logical, r->trace, r->err))
		return false;
	r->out->counts = *logical_counts(r->logical);
	return correct_clocks(r) && correct_overhead(r);
}

/* ---- before and after ---- */

/* Takes the given measurements or the trace's own, without those that would make a clock run
 * backwards. */
static void take_offsets(struct correct_step *r, struct offset_list *given)
{
	struct offset_list list = { NULL, 0, 0 };
	size_t refused;

	if (r->options->offsets) {
		list = *given;
		*given = (struct offset_list){ NULL, 0, 0 };
		correct_keep_offsets(r->trace);
		r->out->offsets_given = true;
	} else {
		for (size_t i = 0; i < trace_offset_count(r->trace); i++)
			vec_push(&list, *trace_offset(r->trace, i));
	}
	refused = offsets_refuse(list.data, &list.n);
	if (refused)
		correct_note(r->out,
			     "%zu offset measurement%s skipped: with %s a clock would run "
			     "backwards.",
			     refused, refused == 1 ? " was" : "s were",
			     refused == 1 ? "it" : "them");
	if (refused || r->options->offsets)
		trace_replace_offsets(r->trace, list.data, list.n);
	offset_list_fini(&list);
}

/* Removes the results of earlier corrections. */
static void start_anew(struct trace *trace)
{
	for (int base = BASE_FITTED; base < BASE_COUNT; base++)
		base_drop(trace, (enum time_base)base);
	correct_own_offsets(trace);
}

/* Removes the results of a correction that was stopped. */
static void undo(struct correct_step *r)
{
	start_anew(r->trace);
	logical_free(r->logical);
	r->logical = NULL;
}

/* The result of a correction that was stopped: the trace can be shown without one. */
static struct corrections *stopped(struct corrections *corrections)
{
	struct corrections *out = xcalloc(1, sizeof *out);

	out->presync = PRESYNC_OFFSETS;
	corrections_free(corrections);
	correct_note(out, "The correction was cancelled: times are as recorded.");
	return out;
}

static struct corrections *run_all(struct correct_step *r, struct offset_list *given, uint64_t key)
{
	struct corrections *out = r->out;

	start_anew(r->trace);
	take_offsets(r, given);
	if (run(r)) {
		logical_free(r->logical);
		if (r->options->want > BASE_LINEAR)
			correct_keep(r->trace, out, key, r->options->want);
		return out;
	}
	undo(r);
	if (!err_is_set(r->err) && !progress_dropped(r->progress))
		return stopped(out);
	corrections_free(out);
	return NULL;
}

struct corrections *correct_run(struct trace *trace, const struct correct_options *options,
				const struct progress *progress, struct err *err)
{
	struct err failure = ERR_INIT;
	struct correct_step r = {
		.trace = trace, .options = options, .progress = progress, .err = &failure
	};
	struct offset_list given = { NULL, 0, 0 };
	struct corrections *out;
	uint64_t key;

	if (options->offsets && !offsets_file_read(&given, trace, options->offsets, err))
		return NULL;
	key = correct_key(options, given.data, given.n);
	out = correct_kept(trace, key, options->want);
	if (!out) {
		r.out = xcalloc(1, sizeof *r.out);
		r.out->presync = PRESYNC_OFFSETS;
		out = run_all(&r, &given, key);
		vec_fini(&r.gaps);
		if (!out && err_is_set(&failure))
			err_set(err, failure.status, "%s", failure.text);
	}
	offset_list_fini(&given);
	return out;
}
