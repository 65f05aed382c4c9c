#include "ui/options/asking.h"

#include <string.h>

#include "model/filter/filter_clauses.h"

static const char *keep(struct str *text, const char *clause)
{
	str_add(text, clause ? clause : "");
	return clause ? text->text : NULL;
}

/* "dur desc" becomes "dur:desc"; without a word the least come first, as in SQL. */
static const char *order_of(struct str *text, const char *clause)
{
	const size_t n = clause ? strcspn(clause, " \t\r\n") : 0;
	const char *way = clause ? clause + n + strspn(clause + n, " \t\r\n") : "";

	if (!clause)
		return NULL;
	str_add_n(text, clause, n);
	str_add_fmt(text, ":%s", *way ? way : "asc");
	return text->text;
}

bool asking_begin(struct asking *asking, const struct options *options, struct err *err)
{
	struct options *of = &asking->options;
	const struct option_info *limit = option_find("limit", VERB_EXPORT);
	struct str *texts = asking->texts;
	struct filter_clauses clauses;
	bool ok;

	for (int i = 0; i < ASKING_TEXTS; i++)
		str_init(&texts[i]);
	*of = *options;
	of->question = options->args[1];
	ok = filter_clauses_split(&clauses, of->question, err);
	if (ok) {
		keep(&texts[0], clauses.from);
		asking->args[0] = texts[0].text;
		asking->args[1] = options->args[0];
		of->args = asking->args;
		of->where = keep(&texts[1], clauses.where);
		of->columns = keep(&texts[2], clauses.select);
		if (clauses.of)
			of->sequence = keep(&texts[4], clauses.of);
		of->sort = order_of(&texts[3], clauses.order);
		ok = !clauses.limit || option_set(of, limit, clauses.limit, err);
	}
	filter_clauses_fini(&clauses);
	return ok;
}

void asking_fini(struct asking *asking)
{
	for (int i = 0; i < ASKING_TEXTS; i++)
		str_fini(&asking->texts[i]);
}
