/* The registry of views: a made-up view that is a row of it is found wherever views are named, with
 * nothing else changed. */
#include "ui/app/views.h"

#include <string.h>

#include "base/mem.h"
#include "harness/sample.h"
#include "harness/sample_trace.h"
#include "harness/test.h"
#include "ui/app/application.h"
#include "ui/options/complete.h"
#include "ui/options/option.h"
#include "ui/options/settings.h"
#include "views/export/export.h"

static void draw_tea(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	(void)panel;
	canvas_text(canvas, area.x, area.y, area.w, "a pot of tea", ROLE_DEFAULT, ROLE_DEFAULT, 0);
}

static unsigned ignore(struct panel *panel, enum action action, int count)
{
	(void)panel, (void)action, (void)count;
	return REACT_IGNORED;
}

static bool tea_text(const struct query *query, const struct export_options *options,
		     struct str *out, struct err *err)
{
	(void)query, (void)options, (void)err;
	str_add(out, "tea for two\n");
	return true;
}

static const struct panel_ops tea_panel_ops = { .size = sizeof(struct panel),
						.draw = draw_tea,
						.act = ignore };

/* All views, and one more. */
static struct view_registry with_tea(void)
{
	static struct view_info rows[VIEWS_MOST];
	memcpy(rows, all_views.views, all_views.n * sizeof *rows);
	rows[all_views.n] = (struct view_info){ .name = "teatime",
						.title = "Tea time",
						.brief = "Tea",
						.key = "W",
						.help = "where the cups are",
						.panel = &tea_panel_ops,
						.without_events = true,
						.text = tea_text,
						.table = findings_table_new };
	return (struct view_registry){ rows, all_views.n + 1 };
}

struct shown {
	struct app_options options;
	struct app app;
	struct options given; /* on the command line: nothing */
	struct str text;
};

static void show(struct shown *s, const struct view_registry *views)
{
	*s = (struct shown){ .options = { .views = views, .bindings = bindings_new(views) },
			     .text = STR_INIT };
	s->options.settings = settings_new(&s->given, s->options.bindings);
	s->app = (struct app){ .options = &s->options, .has_session = true };
	s->app.views = xcalloc(views->n, sizeof *s->app.views);
	session_init(&s->app.session, sample_trace(4, 10), BASE_MEASURED);
	canvas_init(&s->app.canvas, 160, 120, true);
	app_show_view(&s->app, 0);
	assert_non_null(app_front(&s->app));
}

static void hide(struct shown *s)
{
	settings_free(s->options.settings);
	bindings_free(s->options.bindings);
	panel_free(s->app.overlay);
	for (unsigned i = 0; i < s->options.views->n; i++)
		panel_free(s->app.views[i].panel);
	free(s->app.views);
	vec_fini(&s->app.stack);
	vec_fini(&s->app.jumps.list);
	session_fini(&s->app.session);
	canvas_fini(&s->app.canvas);
	str_fini(&s->text);
}

static const char *screen_of(struct shown *s)
{
	int x, y;
	app_draw(&s->app, &x, &y);
	str_clear(&s->text);
	canvas_to_text(&s->app.canvas, &s->text);
	return s->text.text;
}

static void press(struct shown *s, const char *key)
{
	struct input input = { .kind = INPUT_KEY };
	snprintf(input.key, sizeof input.key, "%s", key);
	app_input(&s->app, &input);
}

TEST(it_has_a_tab_a_key_and_a_line_of_help)
{
	const struct view_registry views = with_tea();
	struct shown s;

	show(&s, &views);
	assert_non_null(strstr(screen_of(&s), " W Tea time "));
	press(&s, "W");
	assert_non_null(strstr(screen_of(&s), "a pot of tea"));
	press(&s, "1");
	assert_null(strstr(screen_of(&s), "a pot of tea"));
	press(&s, "?");
	assert_non_null(strstr(screen_of(&s), "where the cups are"));
	hide(&s);
}

TEST(commands_open_and_complete_it)
{
	const struct view_registry views = with_tea();
	const char *found[64];
	struct err err = ERR_INIT;
	struct shown s;

	show(&s, &views);
	assert_int_equal(app_complete(&s.app, "tea", found, 64), 1);
	assert_string_equal(found[0], "teatime");
	assert_int_equal(app_complete(&s.app, "view tea", found, 64), 1);
	assert_true(app_command(&s.app, "view teatime", &err));
	assert_non_null(strstr(screen_of(&s), "a pot of tea"));
	assert_true(app_command(&s.app, "view overview", &err));
	assert_true(app_command(&s.app, "teatime", &err));
	assert_non_null(strstr(screen_of(&s), "a pot of tea"));
	assert_string_equal(app_exported(&s.app), "teatime");
	hide(&s);
}

TEST(the_command_line_and_the_shell_know_it)
{
	const struct view_registry views = with_tea();
	char *argv[] = { (char[]){ "tview" }, (char[]){ "--view" }, (char[]){ "teatime" },
			 (char[]){ "run.trc" }, NULL };
	struct options options;
	OWNED_STR help = STR_INIT, completion = STR_INIT;
	struct err err = ERR_INIT;

	assert_true(options_parse(&options, &views, VERB_OPEN, 4, argv, &err));
	assert_string_equal(options.view, "teatime");
	option_help(VERB_EXPORT, &views, &help);
	assert_non_null(strstr(help.text, "teatime"));
	complete_bash(&views, &completion);
	assert_non_null(strstr(completion.text, "source teatime' ;;\n\t-c:*"));
	assert_non_null(strstr(completion.text, "definitions teatime' ;;"));
	assert_false(options_parse(&options, &all_views, VERB_OPEN, 4, argv, &err));
}

TEST(it_is_exported)
{
	const struct view_registry views = with_tea();
	const struct view_info *view = view_of_export(&views, "teatime");
	struct export_options options = { .format = EXPORT_TEXT };
	OWNED_TRACE *trace = sample_trace(4, 10);
	const struct query query = sample_query(trace);
	struct err err = ERR_INIT;
	OWNED char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_true(export_view(view, &query, &options, stream, &err));
	options.format = EXPORT_CUBE;
	assert_false(export_view(view, &query, &options, stream, &err));
	fclose(stream);
	assert_string_equal(text, "tea for two\n");
}

/* What a row needs to be shown, and what it needs to be exported. */
TEST(every_row_is_whole)
{
	for (unsigned i = 0; i < all_views.n; i++) {
		const struct view_info *view = &all_views.views[i];
		assert_non_null(view->help);
		assert_true(strlen(view->help) <= 62);
		assert_true(view->panel || view_export_name(view));
		assert_true(view->table || !view->text || view->data);
		if (!view->panel)
			continue;
		assert_non_null(view->title);
		assert_true(strlen(view->brief) <= 4);
		assert_ptr_equal(view_of_key(&all_views, view->key), view);
		assert_ptr_equal(view_of_name(&all_views, view->name), view);
	}
}
