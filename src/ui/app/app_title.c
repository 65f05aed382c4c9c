/* The first line: what trace this is, and whether its times can be trusted. */
#include "base/path.h"
#include "base/text.h"
#include "model/trace/program.h"
#include "ui/app/application.h"
#include "views/facts/corrections_facts.h"
#include "views/facts/lacks.h"

/* A part of a bar, if there is still room; returns the column after it. */
static int add_part(struct canvas *canvas, int x, int y, int end, const char *text, enum role fg,
		    enum role bg, unsigned attr)
{
	if (x + text_width(text) > end)
		return x;
	return x + canvas_text(canvas, x, y, end - x, text, fg, bg, attr) + 2;
}

static void add_findings(const struct trace *trace, struct str *out)
{
	const uint64_t damage = trace_finding_sum(trace, FINDING_DAMAGE);
	const uint64_t guesses = trace_finding_sum(trace, FINDING_GUESS);
	const bool missing = trace_finding_sum(trace, FINDING_MISSING);
	if (damage) {
		units_count(out, damage);
		str_add(out, " damaged");
	}
	if (missing)
		str_add(out, damage ? ", incomplete" : "incomplete");
	if (guesses) {
		str_add(out, damage || missing ? ", " : "");
		units_count(out, guesses);
		str_add(out, guesses == 1 ? " guess" : " guesses");
	}
}

static void add_count(struct str *out, uint32_t n, const char *what)
{
	units_count(out, n);
	str_add(out, what);
	if (n != 1)
		str_add_char(out, 's');
}

/* "64 ranks", or "3 locations" without MPI. Counts loaded ones only. */
static void add_size(const struct trace *trace, struct str *out)
{
	unsigned ranks = 0;
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location *location = trace_location(trace, l);
		if (trace_partial(trace)->is && location->events == 0)
			continue;
		ranks += location->thread == 0 && location->rank != RANK_HOST &&
			 location->rank != RANK_UNKNOWN;
	}
	if (ranks > 0)
		add_count(out, ranks, " rank");
	else
		add_count(out, trace_state_locations(trace), " location");
}

/* Where there is room. */
static void add_counters_alone(const struct trace *trace, struct str *out)
{
	const uint32_t n = trace_location_count(trace) - trace_state_locations(trace);
	if (n)
		str_add_fmt(out, ", %u with counters alone", n);
}

/* Parts of the title after the name, from left to right, and the order in which they are dropped
 * for lack of room: the least important first. */
enum title_part {
	PART_PARTIAL,
	PART_LIVE,
	PART_SIZE,
	PART_TIME,
	PART_EVENTS,
	PART_BASE,
	PART_MOVES,
	PART_OVERHEAD,
	PART_ZOOM,
	PARTS
};

struct title {
	struct str texts[PARTS], brief[PARTS]; /* empty: not shown */
	int room;
};

static int title_width(const struct title *title)
{
	int w = 0;
	for (int i = 0; i < PARTS; i++)
		w += title->texts[i].n ? text_width(title->texts[i].text) + 2 : 0;
	return w - 2;
}

static void shrink(struct title *title, enum title_part part)
{
	if (title_width(title) <= title->room)
		return;
	str_clear(&title->texts[part]);
	str_add_n(&title->texts[part], title->brief[part].text, title->brief[part].n);
	str_clear(&title->brief[part]);
}

/* "zoom x 21": how many such windows the run has; nothing for all of it. */
static void add_zoom(const struct session *session, struct str *out)
{
	const double run = (double)(session->run.t1 - session->run.t0);
	const double times = run / (double)(session->window.t1 - session->window.t0);

	if (times >= 1.05)
		str_add_fmt(out, times < 10 ? "zoom x %.1f" : "zoom x %.0f", times);
}

static void write_title(struct title *title, const struct session *session)
{
	const struct trace *trace = session->trace;
	const struct corrected facts = corrected_of(trace, session->corrections);
	struct str *texts = title->texts;
	struct phrases p = { .trace = trace, .digits = 4 };
	if (trace_partial(trace)->is)
		str_add_fmt(&texts[PART_PARTIAL], "partial: %s", trace_partial(trace)->text);
	add_size(trace, &texts[PART_SIZE]);
	add_size(trace, &title->brief[PART_SIZE]);
	add_counters_alone(trace, &texts[PART_SIZE]);
	if (trace_records_alone(trace)) {
		str_add(&texts[PART_EVENTS], "statistics, no events");
	} else {
		str_add(&texts[PART_TIME], lacks_span(&p, session->run.t0, session->run.t1));
		units_count(&texts[PART_EVENTS], trace_event_count(trace));
		str_add(&texts[PART_EVENTS], " events");
	}
	str_add_fmt(&texts[PART_BASE], "times: %s", time_base_name(session->base));
	corrected_moves(session->corrections, trace, session->base, false, &texts[PART_MOVES]);
	corrected_moves(session->corrections, trace, session->base, true,
			&title->brief[PART_MOVES]);
	corrected_overhead(&facts, session->base, false, &texts[PART_OVERHEAD]);
	corrected_overhead(&facts, session->base, true, &title->brief[PART_OVERHEAD]);
	add_zoom(session, &texts[PART_ZOOM]);
	phrases_fini(&p);
}

static void fit_title(struct title *title)
{
	static const enum title_part order[] = { PART_ZOOM,     PART_SIZE,     PART_EVENTS,
						 PART_OVERHEAD, PART_TIME,     PART_MOVES,
						 PART_SIZE,     PART_OVERHEAD, PART_MOVES };
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		shrink(title, order[i]);
}

/* ---- the names of the open traces ---- */

/* Of files of one run "rank*.json: 8 files". */
static void add_name(const struct app *app, struct str *out)
{
	const struct options given = app_given(app);
	OWNED_STR names = STR_INIT;
	const char *name;
	size_t n;

	if (app->has_session) {
		trace_add_name(app->session.trace, out);
		return;
	}
	if (given.reading.n_files > 1) {
		path_add_names(given.reading.files, given.reading.n_files, &names);
		str_add_clean_text(out, names.text);
		return;
	}
	name = path_trace_name(app->load.path, &n);
	str_add_clean(out, name, n);
}

/* "2/5" where the names of all would take more than half of the line; "" with one trace. */
static void add_number(const struct app *app, struct str *out)
{
	const unsigned n = app_trace_count(app);
	OWNED_STR names = STR_INIT;

	for (unsigned i = 0; i < n; i++) {
		add_name(app_trace(app, i), &names);
		str_add(&names, "  ");
	}
	if (n < 2 || text_width(names.text) <= app->canvas.w / 2)
		return;
	for (unsigned i = 0; i < n; i++)
		if (app_trace(app, i) == app)
			str_add_fmt(out, "%u/%u", i + 1, n);
}

int app_draw_names(const struct app *app, struct canvas *canvas)
{
	OWNED_STR s = STR_INIT;
	int x = 1;

	add_number(app, &s);
	const bool all = !s.n;
	if (s.n)
		x += canvas_text(canvas, x, 0, canvas->w, s.text, ROLE_TITLE, ROLE_TITLE, 0) + 1;
	for (unsigned i = 0; i < app_trace_count(app); i++) {
		const struct app *one = app_trace(app, i);
		if (one != app && !all)
			continue;
		str_clear(&s);
		add_name(one, &s);
		x += canvas_text(canvas, x, 0, canvas->w - x - 1, s.text,
				 one == app ? ROLE_TITLE : ROLE_MUTED, ROLE_TITLE,
				 one == app ? ATTR_BOLD : 0) +
		     2;
	}
	return x;
}

/* Mirrors app_draw_names(). */
int app_name_at(const struct app *app, int at)
{
	OWNED_STR s = STR_INIT;
	int x = 1;

	add_number(app, &s);
	for (unsigned i = 0; !s.n && i < app_trace_count(app); i++) {
		OWNED_STR name = STR_INIT;
		add_name(app_trace(app, i), &name);
		if (at >= x && at < x + text_width(name.text))
			return (int)i;
		x += text_width(name.text) + 2;
	}
	return -1;
}

/* ---- the line ---- */

void app_draw_title(const struct app *app, struct canvas *canvas)
{
	const struct session *session = &app->session;
	const struct trace *trace = session->trace;
	const struct corrected facts = corrected_of(trace, session->corrections);
	const enum role bar = ROLE_TITLE;
	struct title title;
	for (int i = 0; i < PARTS; i++) {
		str_init(&title.texts[i]);
		str_init(&title.brief[i]);
	}
	canvas_fill(canvas, (struct rect){ 0, 0, canvas->w, 1 }, ' ', bar, bar);
	OWNED_STR s = STR_INIT;
	int x = app_draw_names(app, canvas);
	int end = canvas->w - 1;
	add_findings(trace, &s);
	if (s.n && x + text_width(s.text) <= end) {
		end -= text_width(s.text);
		canvas_text(canvas, end, 0, canvas->w - end, s.text, ROLE_WARNING, bar, 0);
		end -= 2;
	}
	app_live_state(app, &title.texts[PART_LIVE]);
	write_title(&title, session);
	title.room = end - x;
	fit_title(&title);
	for (int i = 0; i < PARTS; i++) {
		enum role role = i == PART_PARTIAL ? ROLE_WARNING : bar;
		if (i == PART_OVERHEAD && facts.trust == OVERHEAD_GREY)
			role = ROLE_MUTED;
		if (title.texts[i].n)
			x = add_part(canvas, x, 0, end, title.texts[i].text, role, bar, 0);
		str_fini(&title.texts[i]);
		str_fini(&title.brief[i]);
	}
}
