/* choice_list: the choices of a run that depend on time (capture/lib/order_record.h), as text, in a
 * trace, and in the file from which the ranks of another run make them again.
 *
 * As text a choice is a line `RANK NTH CALL COMM WHAT TAG FALSES` (doc/format.md); in a trace the
 * property `choices` is `RANK NTH: CALL COMM WHAT TAG FALSES; ...`, each choice after the first one
 * with the next number.
 *
 *	struct choice_list list = { 0 };
 *	if (choice_list_read(&list, "run.trc", &err))
 *		choice_list_write(&list, folder, &err);
 *	choice_list_fini(&list);
 */
#pragma once

#include "base/str.h"
#include "base/vec.h"
#include "capture/lib/order_record.h"
#include "model/trace/trace.h"

/* Of one rank, in the order of its calls. TV_CHOICE_MEMBERs follow their set; at the end there may
 * be one TV_CHOICE_END. */
struct choices {
	VEC(struct tv_choice) list;
	uint32_t n; /* members and the end not counted */
};

struct choice_list {
	VEC(struct choices) ranks; /* by number */
};

void choice_list_fini(struct choice_list *list);

/* Appends `CALL COMM WHAT TAG FALSES` of a choice, whose members follow it. */
void choice_text(struct str *out, const struct tv_choice *choice);
/* WHAT alone. */
void choice_what(struct str *out, const struct tv_choice *choice);
/* The name of a function by its number in the library. */
const char *choice_call(uint32_t call);

/* Of a text file, or a trace. False with err: it is neither, or has no choices. */
bool choice_list_read(struct choice_list *list, const char *path, struct err *err);
/* As text, from a trace. */
bool choice_list_save(const struct trace *trace, const char *path, struct err *err);

/* The file that the ranks map, in the folder of a run, unless it is there. */
#define CHOICE_LIST_FILE "tvrun.order"
bool choice_list_write(const struct choice_list *list, const char *folder, struct err *err);
/* Reads it again; false: there is none. */
bool choice_list_of_run(struct choice_list *list, const char *folder);
