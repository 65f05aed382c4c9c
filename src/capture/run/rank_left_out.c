/* Statements that were not recorded: what rules of tvrun (--only, --exclude) leave out, and calls
 * of procedures that have no probe. They have no count, which is not a count of 0. */
#include <string.h>

#include "capture/run/merge_job.h"

static uint32_t string_of(const struct job *job, const char *text)
{
	return builder_string(job->builder, text, strlen(text));
}

/* ---- what the rules leave out ---- */

static void not_recorded(struct job *job, uint32_t id, const char *why)
{
	struct statement *s = job_statement_at(job, id);

	s->flags |= STATEMENT_ALONE;
	s->reason = string_of(job, why);
}

static bool is_left_out(const struct job *job, uint32_t id)
{
	return keymap_find(&job->left_out, (struct key){ { id } }) != NULL;
}

/* A file has one name for a procedure, in its tables and in its debug information. */
static struct key key_of_function(uint32_t name, uint32_t file)
{
	return (struct key){ { name, 2, file } };
}

static void leave_out_procedure(struct job *job, uint32_t id)
{
	struct keymap *left_out = &job->left_out;

	*keymap_add(left_out, (struct key){ { id } }) = 0;
	*keymap_add(left_out, (struct key){ { job_statement_at(job, id)->name, 1 } }) = 0;
	not_recorded(job, id, "tvrun --only or --exclude leaves it out");
}

void job_statement_found(struct job *job, uint32_t id)
{
	const struct statement *s = job_statement_at(job, id);

	if (s->kind == STATEMENT_PROCEDURE && !is_left_out(job, id) &&
	    keymap_find(&job->left_out, key_of_function(s->name, s->file)))
		leave_out_procedure(job, id);
}

/* Functions with hooks, of which the tables may have the procedures and their loops. */
static void leave_out_functions(struct job *job)
{
	struct keymap *left_out = &job->left_out;
	const uint64_t *address;
	struct rank *rank;

	vec_each (rank, &job->ranks)
		vec_each (address, &rank->functions_out) {
			const struct symbol symbol = rank_function_at(job, rank, *address);
			const bool placed = symbol.file && !job->options->anonymous;
			const uint32_t file = placed ? string_of(job, symbol.file) : 0;
			OWNED_STR name = STR_INIT;
			uint32_t known;
			job_name_function(job, rank, *address, &symbol, &name);
			known = string_of(job, name.text);
			*keymap_add(left_out, (struct key){ { known, 1 } }) = 0;
			*keymap_add(left_out, key_of_function(known, file)) = 0;
		}
	for (uint32_t i = 0; left_out->n && i < job_statement_count(job); i++)
		job_statement_found(job, i);
}

/* Its calls and the runs of its loops were not counted: that must not look like zero. */
static void leave_out(struct job *job)
{
	const struct rank_left_out *out;
	struct rank *rank;

	leave_out_functions(job);
	vec_each (rank, &job->ranks)
		vec_each (out, &rank->left_out) {
			const uint32_t id = job_statement(job, rank, out->module, out->slot);
			if (id == NO_STATEMENT || is_left_out(job, id))
				continue;
			if (job_statement_at(job, id)->kind != STATEMENT_LOOP) {
				leave_out_procedure(job, id);
				continue;
			}
			*keymap_add(&job->left_out, (struct key){ { id } }) = 0;
			not_recorded(job, id, "tvrun leaves it out by a rule (no-loops)");
		}
	for (uint32_t i = 0; job->left_out.n && i < job_statement_count(job); i++) {
		const struct statement *s = job_statement_at(job, i);
		uint32_t up = s->parent;
		if (s->kind == STATEMENT_CALL && !(s->flags & STATEMENT_POINTER) &&
		    (s->callee == NO_STATEMENT
			     ? keymap_find(&job->left_out, (struct key){ { s->name, 1 } }) != NULL
			     : is_left_out(job, s->callee)))
			not_recorded(job, i, "tvrun --only or --exclude leaves out what it calls");
		while (up != NO_STATEMENT && job_statement_at(job, up)->kind == STATEMENT_LOOP)
			up = job_statement_at(job, up)->parent;
		if ((s->kind == STATEMENT_LOOP || s->kind == STATEMENT_CALL) &&
		    up != NO_STATEMENT && is_left_out(job, up))
			not_recorded(job, i, "tvrun --only or --exclude leaves it out");
	}
}

/* ---- procedures without probes ---- */

/* Whether a procedure was compiled without a probe, so that calls of it are not counted. Small ones
 * are tvcc's choice and marked so; one without a line is a whole file. */
static bool has_no_probe(const struct statement *s)
{
	return s->kind == STATEMENT_PROCEDURE && s->line &&
	       (s->flags & (STATEMENT_ALONE | STATEMENT_UNTIMED)) == STATEMENT_ALONE;
}

/* "Was called 0 times" would be said of such calls. */
static void leave_out_calls(struct job *job)
{
	struct keymap names = { 0 }; /* of procedures that other files can call */

	for (uint32_t i = 0; i < job_statement_count(job); i++) {
		const struct statement *s = job_statement_at(job, i);
		if (has_no_probe(s) && !(s->flags & STATEMENT_LOCAL))
			*keymap_add(&names, KEY_OF(s->name)) = 0;
	}
	for (uint32_t i = 0; i < job_statement_count(job); i++) {
		const struct statement *s = job_statement_at(job, i);
		if (s->kind != STATEMENT_CALL || s->flags & (STATEMENT_POINTER | STATEMENT_ALONE))
			continue;
		if (s->callee == NO_STATEMENT ? keymap_find(&names, KEY_OF(s->name)) != NULL
					      : has_no_probe(job_statement_at(job, s->callee)))
			not_recorded(job, i, "what it calls has no probe");
	}
	keymap_fini(&names);
}

void job_leave_out(struct job *job)
{
	leave_out(job);
	leave_out_calls(job);
}
