#include "ui/options/opened.h"

#include "model/formats/load.h"
#include "ui/options/correcting.h"

bool opened_how(struct load_options *how, const struct options *options, struct err *err)
{
	*how = options->reading;
	return choice_part(&how->part, options, err);
}

bool opened_read(struct opened *opened, const char *path, const struct options *options,
		 struct err *err)
{
	struct load_options how;

	*opened = (struct opened){ 0 };
	if (opened_how(&how, options, err))
		opened->trace = trace_load(path, &how, NULL, err);
	choice_part_fini(&how.part);
	return opened->trace != NULL;
}

bool opened_correct(struct opened *opened, const struct options *options, bool all, struct err *err)
{
	struct correct_options correct;

	correcting_options(&correct, options, all);
	opened->corrections = correct_run(opened->trace, &correct, NULL, err);
	if (opened->corrections &&
	    choice_make(&opened->choice, opened->trace, opened->corrections, options, err))
		return true;
	opened_close(opened);
	return false;
}

void opened_close(struct opened *opened)
{
	choice_fini(&opened->choice);
	corrections_free(opened->corrections);
	trace_free(opened->trace);
}
