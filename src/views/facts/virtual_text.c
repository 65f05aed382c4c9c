#include "views/facts/virtual_text.h"

const char *virtual_state(const struct corrections *c)
{
	switch (c ? c->compared.state : VIRTUAL_NOT_KEPT) {
	case VIRTUAL_NO_COMPENSATED: return "no compensated times";
	case VIRTUAL_UNBOUNDED: return "no bounds";
	case VIRTUAL_COMPARED: return c->compared.beyond ? "differ" : "agree";
	default: return "";
	}
}

/* Receives from any source took other messages than they would have without recording. */
static const char *left_out(struct phrases *p, const struct virtual_comparison *v)
{
	if (!v->without)
		return "";
	return phrase(p,
		      " %s no bound and %s not compared (order changed by recording, or no "
		      "virtual time kept).",
		      phrase_count(p, v->without, "event has", "events have"),
		      v->without == 1 ? "was" : "were");
}

static const char *where(struct phrases *p, const struct virtual_comparison *v)
{
	return phrase(p, "%s on %s in %s", phrase_time(p, (double)v->first_time),
		      phrase_location(p, v->first_location), phrase_path(p, v->first_path));
}

const char *virtual_sentence(struct phrases *p, const struct corrections *c)
{
	const struct virtual_comparison *v = c ? &c->compared : NULL;

	switch (v ? v->state : VIRTUAL_NOT_KEPT) {
	case VIRTUAL_NO_COMPENSATED:
		return "Virtual times were not compared: there are no compensated times.";
	case VIRTUAL_UNBOUNDED:
		return "Virtual and compensated times were not compared: no event has a bound "
		       "(recording changed the order of messages from the first receive on, or no "
		       "virtual time was kept).";
	case VIRTUAL_COMPARED:
		if (v->beyond)
			return phrase(p,
				      "Virtual and compensated times differ by more than their "
				      "bounds in %s of %s, by up to %s, first at %s.%s",
				      phrase_number(p, v->beyond),
				      phrase_count(p, v->events, "event", "events"),
				      phrase_time(p, (double)v->most), where(p, v), left_out(p, v));
		return phrase(
			p, "Virtual and compensated times agree within their bounds in all %s.%s",
			phrase_count(p, v->events, "event", "events"), left_out(p, v));
	default: return "";
	}
}

const char *virtual_crowd(struct phrases *p, const struct corrections *c)
{
	return c && (c->compared.crowd.ranks || c->compared.crowd.threads)
		       ? phrase_crowd(p, "virtual times leave out what they took from each other")
		       : "";
}
