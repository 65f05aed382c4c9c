/* Statements and their records, written (doc/format.md): the static tables in the header, the dynamic records of a location behind
 * its last event. */
#include "model/picl/picl_header.h"
#include "model/picl/picl_writer.h"
#include "model/program.h"

bool picl_program_is_written(const struct picl_writer *w)
{
	return trace_statement_count(w->trace) > 0 &&
	       !(trace_statement(w->trace, 0)->flags & STATEMENT_STATISTICS);
}

void picl_program_init(struct picl_writer *w)
{
	const size_t n = trace_statement_record_count(w->trace);

	/* They are of the whole run. */
	if (!picl_program_is_written(w) || w->options->t0 != INT64_MIN ||
	    w->options->t1 != INT64_MAX)
		return;
	for (size_t i = 0, end; i < n; i = end) {
		const uint32_t location = trace_statement_record(w->trace, i)->location;
		struct picl_out_place *place = &w->places[location];
		end = i + 1;
		while (end < n && trace_statement_record(w->trace, end)->location == location)
			end++;
		if (place->number < 0)
			continue;
		place->next_record = i;
		place->end_record = end;
		place->last = trace_location(w->trace, location)->end;
	}
}

void picl_program_write(struct picl_writer *w, int64_t time)
{
	struct str line = STR_INIT;

	for (uint32_t i = 0; picl_program_is_written(w) && i < trace_statement_count(w->trace);
	     i++) {
		const struct statement *s = trace_statement(w->trace, i);
		int64_t values[STATEMENT_VALUES];
		str_clear(&line);
		statement_values(s, values);
		for (int k = 0; k < STATEMENT_VALUES; k++) {
			str_add_int(&line, values[k]);
			str_add_char(&line, ' ');
		}
		str_add_int(&line, picl_string_number(w, s->name));
		str_add_char(&line, ' ');
		str_add_int(&line, picl_string_number(w, s->file));
		str_add_char(&line, ' ');
		str_add_int(&line, picl_string_number(w, s->reason));
		picl_preface_line(w, time, "def-statement", line.text);
	}
	str_fini(&line);
}

void picl_program_compose(struct picl_writer *w, struct picl_out_place *place)
{
	const struct statement_record *r = trace_statement_record(w->trace, place->next_record++);
	const struct statement *s = trace_statement(w->trace, r->statement);
	int64_t values[RECORD_VALUES];
	const uint32_t n = record_values((enum statement_kind)s->kind, r, values);

	if (s->kind == STATEMENT_COMMUNICATION)
		values[RECORD_COMM] = r->comm == UINT32_MAX ? -1 : picl_comm_number(w, r->comm);
	picl_compose_head(w, REC_STATEMENT, -1, place->last, place->processor, place->process);
	str_add_fmt(&w->text, "%u 2 %u", n + 1, r->statement);
	for (uint32_t i = 0; i < n; i++) {
		str_add_char(&w->text, ' ');
		str_add_int(&w->text, values[i]);
	}
	str_add_char(&w->text, '\n');
}
