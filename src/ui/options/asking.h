/* asking: a question of `tview query` as the options of an export. */
#pragma once

#include "ui/options/option.h"

enum { ASKING_TEXTS = 5 };

struct asking {
	struct options options; /* of the export */
	char *args[2];
	struct str texts[ASKING_TEXTS]; /* of its clauses */
};

/* False with err: it is not a question; asking_fini() is due in either case. Borrows the options.
 */
bool asking_begin(struct asking *asking, const struct options *options, struct err *err);
void asking_fini(struct asking *asking);
