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
