/* library: opens traces for other programs, with the options of exports. */
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/version.h"
#include "ui/app/views.h"
#include "views/report/check.h"

const char *tview_version(void)
{
	return TVIEW_VERSION;
}

void library_tell(struct tview_error *error, const struct err *err)
{
	if (!error)
		return;
	*error = (struct tview_error){ .status = err->status };
	memcpy(error->text, err->text, strlen(err->text) + 1);
}

/* ---- options ---- */

struct library_words {
	struct library_words *next;
	char text[];
};

static void words_free(struct library_words *words)
{
	while (words) {
		struct library_words *next = words->next;
		free(words);
		words = next;
	}
}

static char *word_add(struct library_words **words, const char *text)
{
	const size_t n = strlen(text) + 1;
	struct library_words *word = xmalloc(sizeof *word + n);

	word->next = *words;
	memcpy(word->text, text, n);
	*words = word;
	return word->text;
}

/* Where and how an export is written, what one before it left out, and help. */
static bool is_of_files(const struct option_info *option)
{
	return option->field == offsetof(struct options, output) ||
	       option->field == offsetof(struct options, format) ||
	       option->field == offsetof(struct options, page) || option->group == OPTIONS_OTHER;
}

/* "sort=duration_s", or a flag, "no-cache". */
static bool option_add(struct options *options, struct library_words **words, const char *text,
		       struct err *err)
{
	char *name = word_add(words, text), *value = strchr(name, '=');
	const struct option_info *option;

	if (value)
		*value++ = '\0';
	option = option_find(name, VERB_EXPORT);
	if (!option || is_of_files(option))
		return err_set(err, STATUS_USAGE, "tables have no option '%s'", name);
	if (!value && option->kind != OPTION_FLAG)
		return err_set(err, STATUS_USAGE, "the option '%s' needs a value: %s=%s", name,
			       name, option->argument);
	return option_set(options, option, value, err);
}

static bool options_add(struct options *options, struct library_words **words,
			const char *const *texts, struct err *err)
{
	bool ok = true;

	for (; ok && texts && *texts; texts++)
		ok = option_add(options, words, *texts, err);
	return ok;
}

bool library_choose(struct library_choice *c, tview_trace *trace, const char *const *options,
		    struct err *err)
{
	c->options = trace->options;
	if (!options_add(&c->options, &c->words, options, err) ||
	    !choice_make(&c->choice, trace->opened.trace, trace->opened.corrections, &c->options,
			 err))
		return false;
	/* Wait states are searched for once, unless this is about others. */
	if (c->options.topology == trace->options.topology &&
	    c->options.iteration == trace->options.iteration)
		c->choice.query.analyses = trace->opened.choice.analyses;
	return true;
}

void library_choice_fini(struct library_choice *c)
{
	choice_fini(&c->choice);
	words_free(c->words);
}

/* ---- traces ---- */

static bool open_trace(struct tview_trace *t, const char *const *paths, const char *const *options,
		       struct err *err)
{
	size_t n = 0;
	bool ok;

	while (paths[n])
		n++;
	if (n == 0)
		return err_set(err, STATUS_USAGE, "there is no path of a trace");
	t->options = (struct options){ .views = &all_views, .correct = CORRECT_DEFAULTS };
	if (!options_add(&t->options, &t->words, options, err))
		return false;
	t->options.reading.files = paths;
	t->options.reading.n_files = n;
	ok = opened_read(&t->opened, paths[0], &t->options, err);
	t->options.reading.files = NULL; /* the caller's */
	t->options.reading.n_files = 0;
	return ok && opened_correct(&t->opened, &t->options, true, err);
}

static void trace_drop(struct tview_trace *t)
{
	words_free(t->words);
	library_texts_free(t->texts);
	str_fini(&t->damage);
	pthread_mutex_destroy(&t->making);
	free(t);
}

tview_trace *tview_open_files(const char *const *paths, const char *const *options,
			      struct tview_error *error)
{
	struct tview_trace *t = xcalloc(1, sizeof *t);
	struct err err = ERR_INIT;

	pthread_mutex_init(&t->making, NULL);
	t->texts = library_texts_new();
	if (open_trace(t, paths, options, &err)) {
		check_damage_line(t->opened.trace, &t->damage);
		return t;
	}
	library_tell(error, &err);
	trace_drop(t);
	return NULL;
}

tview_trace *tview_open(const char *path, const char *const *options, struct tview_error *error)
{
	return tview_open_files((const char *const[]){ path, NULL }, options, error);
}

void tview_close(tview_trace *t)
{
	if (!t)
		return;
	opened_close(&t->opened);
	trace_drop(t);
}

const char *tview_damage(const tview_trace *t)
{
	return t->damage.n ? t->damage.text : NULL;
}
