/* libFuzzer target: the file of settings, any bytes. What is wrong is named by its line, and keys
 * that mend everything stay. */
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz.h"
#include "ui/app/views.h"
#include "ui/options/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char tview[] = "tview", *argv[] = { tview, NULL };
	struct bindings *bindings = bindings_new(&all_views);
	struct options options;
	struct err err = ERR_INIT;
	struct str wrong = STR_INIT;
	struct settings *settings;
	bool ok;

	must(options_parse(&options, &all_views, VERB_OPEN, 1, argv, &err),
	     "no option is an option");
	settings = settings_new(&options, bindings);
	ok = settings_parse(settings, "config", (const char *)data, size, &wrong);
	must(ok == (wrong.n == 0), "what is refused is told");
	must(ok || strncmp(wrong.text, "config:", 7) == 0, "with its line");
	must(*bindings_keys(bindings, ACTION_COMMAND) &&
		     *bindings_keys(bindings, ACTION_QUIT_ALL) &&
		     *bindings_keys(bindings, ACTION_CANCEL),
	     "keys that mend everything");
	settings_free(settings);
	bindings_free(bindings);
	str_fini(&wrong);
	return 0;
}
