#include "ui/tutor/tutor.h"

#include <string.h>

#include "ui/tutor/tutor_trace.h"

static bool in(const struct tutor_seen *seen, const char *view)
{
	return strcmp(seen->view, view) == 0;
}

static bool sees_timeline(const struct tutor_seen *seen)
{
	return in(seen, "timeline") && !seen->explains && !seen->helps;
}

static bool is_on_late_rank(const struct tutor_seen *seen)
{
	return in(seen, "timeline") && seen->rank == TUTOR_LATE_RANK;
}

static bool has_zoomed(const struct tutor_seen *seen)
{
	return seen->shown < 0.3;
}

static bool explains_a_wait(const struct tutor_seen *seen)
{
	return seen->explains && seen->rank != TUTOR_LATE_RANK;
}

static bool has_hopped(const struct tutor_seen *seen)
{
	return seen->hops && seen->rank == TUTOR_LATE_RANK;
}

static bool sees_source(const struct tutor_seen *seen)
{
	return in(seen, "source");
}

static bool sees_calls(const struct tutor_seen *seen)
{
	return in(seen, "calls");
}

static bool sees_profile(const struct tutor_seen *seen)
{
	return in(seen, "profile");
}

static bool filters(const struct tutor_seen *seen)
{
	return seen->filters;
}

static bool filters_no_more(const struct tutor_seen *seen)
{
	return !seen->filters;
}

static bool exports(const struct tutor_seen *seen)
{
	return seen->exports;
}

static bool exports_no_more(const struct tutor_seen *seen)
{
	return !seen->exports;
}

static bool helps(const struct tutor_seen *seen)
{
	return seen->helps;
}

static bool never(const struct tutor_seen *seen)
{
	(void)seen;
	return false;
}

static const struct {
	const char *text; /* {NAME}: the key of an action or a view */
	bool (*done)(const struct tutor_seen *seen);
} steps[] = {
	{ "A program ran on four ranks, slower than it should. In five minutes you find out why. "
	  "These lines say what to do next, and go on when it is done. Press {timeline} for the "
	  "timeline.",
	  sees_timeline },
	{ "A row is a rank, time goes to the right, lines between rows are messages. One colour is "
	  "loud: waiting. Three ranks wait, step after step, for one that never does. Put the "
	  "cursor on the row of that one: {down}, {up}.",
	  is_on_late_rank },
	{ "Found: rank 2 is late. Now closer: {zoom-in} zooms in at the cursor, {zoom-out} out; "
	  "{pan-left} and {pan-right} move the window, {whole-run} shows the whole run. Zoom in "
	  "until a quarter of it is left.",
	  has_zoomed },
	{ "Let a wait be explained. Go to another rank, for example 3 ({down}, {up}); {next-wait} "
	  "goes to its next wait. There press {explain}.",
	  explains_a_wait },
	{ "The lines above say who was waited for, and why. {next-match} follows that chain hop by "
	  "hop, and the cursor goes along; {previous-match} goes back. Follow it to rank 2.",
	  has_hopped },
	{ "That is where the time went. {source} shows its line of source, with what each line "
	  "cost.",
	  sees_source },
	{ "Look above that line: rank 2 does the work three times. That is the mistake. "
	  "{up-or-quit} always goes back to where you came from, here to the timeline.",
	  sees_timeline },
	{ "Press {calls}: it lists all calls, the longest first, with what they waited for. Lists "
	  "are sorted with {sort}, and {enter} opens what the cursor is on.",
	  sees_calls },
	{ "Press {profile} for the profile: how often each function was called, and how long it "
	  "took. The second line names all views, with their keys.",
	  sees_profile },
	{ "Press {filter}: a filter is for all views. Type rank == 2 and then Enter.", filters },
	{ "A line above says what narrows the views. {undo} undoes the last change, whatever it "
	  "was, and names it. Undo the filter.",
	  filters_no_more },
	{ "Each view can be written to a file, as text, CSV or JSON. Press {export}: it asks for a "
	  "name, and says afterwards which command writes the same without a screen.",
	  exports },
	{ "Enter would write the file; nothing needs to be written now. {cancel} closes the line.",
	  exports_no_more },
	{ "Last: {help} is the help. It has all keys and commands, first those of the view in "
	  "front, and {search} searches in it.",
	  helps },
	{ "That is all: start with the overview of your own trace, {explain} and {source} lead "
	  "from a wait to its cause. {tutor-end} ends the tutor; the command tutor brings it "
	  "back.",
	  never },
};

enum { STEPS = sizeof steps / sizeof *steps };

unsigned tutor_steps(void)
{
	return STEPS;
}

bool tutor_look(struct tutor *t, const struct tutor_seen *seen)
{
	const bool done = steps[t->step].done(seen);

	t->held &= done;
	if (!done || t->held)
		return false;
	t->step++;
	return true;
}

void tutor_go(struct tutor *t, int by)
{
	if (by < 0 ? t->step == 0 : t->step + 1 == STEPS)
		return;
	t->step += (unsigned)by;
	t->held = true;
}

void tutor_add_keys(const char *text, const struct bindings *bindings,
		    const struct view_registry *views, struct str *out)
{
	for (const char *open; (open = strchr(text, '{')) != NULL;) {
		const size_t n = strcspn(open, "}");
		OWNED_STR name = STR_INIT;
		const struct view_info *view;
		const char *keys;

		str_add_n(out, text, (size_t)(open - text));
		str_add_n(&name, open + 1, n - 1);
		view = view_of_command(views, name.text);
		keys = view ? bindings_view_keys(bindings, view)
			    : bindings_keys(bindings, action_of_command(name.text));
		str_add_char(out, TUTOR_KEY);
		if (*keys)
			str_add_n(out, keys, strcspn(keys, " "));
		else
			str_add_fmt(out, ":%s", name.text);
		str_add_char(out, TUTOR_TEXT);
		text = open + n + 1;
	}
	str_add(out, text);
}

void tutor_text(const struct tutor *t, const struct bindings *bindings,
		const struct view_registry *views, struct str *out)
{
	tutor_add_keys(steps[t->step].text, bindings, views, out);
}
