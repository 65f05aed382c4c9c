#include "ui/options/command.h"

#include <string.h>

static const struct command_info infos[COMMAND_COUNT] = {
#define X(id, name, argument, what, alone, help) { name, argument, what, help, alone },
	COMMAND_TABLE(X)
#undef X
};

const struct command_info *command_info(enum command command)
{
	return &infos[command];
}

enum command command_find(const char *name, size_t n)
{
	unsigned i = 0;

	while (i < COMMAND_COUNT &&
	       (strlen(infos[i].name) != n || memcmp(infos[i].name, name, n) != 0))
		i++;
	return (enum command)i;
}

unsigned command_names(const struct view_registry *views, const char *names[COMMAND_NAMES_MOST])
{
	unsigned n = 0;

	for (unsigned c = 0; c < COMMAND_COUNT; c++)
		names[n++] = infos[c].name;
	for (unsigned a = 1; a < ACTION_COUNT; a++) {
		const char *name = action_info((enum action)a)->command;
		if (command_find(name, strlen(name)) == COMMAND_COUNT)
			names[n++] = name;
	}
	for (unsigned v = 0; v < views->n; v++) {
		const char *name = view_command(&views->views[v]);
		if (views->views[v].panel && action_of_command(name) == ACTION_NONE)
			names[n++] = name;
	}
	names[n] = NULL;
	return n;
}
