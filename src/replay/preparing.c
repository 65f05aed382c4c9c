#include "replay/preparing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exchange.h"
#include "base/str.h"
#include "model/sums/profile.h"
#include "model/sums/shading.h"
#include "views/facts/diagnosis.h"
#include "views/facts/overview_facts.h"

/* The tview that was made together with this program: it is beside it. */
static bool find_tview(struct str *path, struct err *err)
{
	OWNED char *self = realpath("/proc/self/exe", NULL);
	const char *slash = self ? strrchr(self, '/') : NULL;

	if (slash)
		str_add_n(path, self, (size_t)(slash - self) + 1);
	str_add(path, "tview");
	return access(path->text, X_OK) == 0 ||
	       err_set(err, STATUS_IO,
		       "there is no %s: traces are prepared for the tview beside tview-replay",
		       path->text);
}

static bool note_source(struct preparing *p, const char *path, const struct load_options *options,
			struct err *err)
{
	struct load_options how = *options;
	OWNED_STR tview = STR_INIT;

	how.no_cache = false;
	if (!find_tview(&tview, err))
		return false;
	p->state = cache_prepare(path, &how);
	if (!p->state)
		return err_errno(err, STATUS_IO, "cannot prepare %s", path);
	if (!cache_state_for(p->state, tview.text))
		return err_errno(err, STATUS_IO, "cannot read %s", tview.text);
	p->is_there = cache_is_there(p->state);
	return true;
}

bool preparing_begin(struct preparing *p, struct exchange *x, const char *path,
		     const struct load_options *options, struct err *err)
{
	bool ok = true;

	*p = (struct preparing){ NULL, false };
	if (exchange_process(x) == 0)
		ok = note_source(p, path, options, err);
	p->is_there = exchange_any(x, p->is_there);
	if (!exchange_any(x, !ok))
		return true;
	preparing_end(p);
	return false;
}

/* The sums that the first screen is made of. */
static bool make_sums(const struct trace *trace, struct err *err)
{
	const enum time_base base = trace_default_base(trace);
	struct profile profile;

	if (!trace_class_shading(trace, base) ||
	    !profile_make(&profile, trace, base, PROFILE_CALLPATH, NULL, 0, INT64_MIN, INT64_MAX,
			  NULL, err))
		return err_set(err, STATUS_IO, "there is not enough memory for the sums of %s",
			       trace_path(trace));
	profile_fini(&profile);
	return true;
}

bool preparing_write(struct preparing *p, struct trace *trace, struct err *err)
{
	if (exchange_any(trace_exchange(trace), !make_sums(trace, err)))
		return false;
	overview_prepare(trace);
	diagnosis_name_events(trace, trace_default_base(trace));
	cache_remember(trace, p->state, false);
	p->state = NULL;
	return cache_share(trace, err);
}

void preparing_end(struct preparing *p)
{
	cache_state_free(p->state);
	p->state = NULL;
}
