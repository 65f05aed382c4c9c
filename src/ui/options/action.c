#include "ui/options/action.h"

#include <string.h>

static const struct action_info infos[ACTION_COUNT] = { { "NONE", "", "", "", "", GROUP_PROGRAM },
#define X(id, keys, command, group, hint, help) { #id, keys, command, hint, help, GROUP_##group },
							ACTION_TABLE(X)
#undef X
};

const struct action_info *action_info(enum action action)
{
	return &infos[action];
}

const char *action_group_name(enum action_group group)
{
	static const char *const names[GROUP_COUNT] = {
		[GROUP_MOVE] = "Move",       [GROUP_TIME] = "Zoom and pan",
		[GROUP_FOLLOW] = "Follow",   [GROUP_SHOW] = "Show and hide",
		[GROUP_FIND] = "Find",       [GROUP_VIEW] = "Views",
		[GROUP_PROGRAM] = "Program",
	};
	return names[group];
}

enum action action_opposite(enum action action)
{
	switch (action) {
	case ACTION_ZOOM_IN: return ACTION_ZOOM_OUT;
	case ACTION_PAN_LEFT: return ACTION_PAN_RIGHT;
	case ACTION_PREV_EVENT: return ACTION_NEXT_EVENT;
	case ACTION_PREV_REGION: return ACTION_NEXT_REGION;
	case ACTION_MESSAGE_BACK: return ACTION_MESSAGE_FORTH;
	case ACTION_PREV_WAIT: return ACTION_NEXT_WAIT;
	case ACTION_SEARCH_NEXT: return ACTION_SEARCH_PREV;
	case ACTION_LESS_DEPTH: return ACTION_MORE_DEPTH;
	default: return ACTION_NONE;
	}
}

/* Is `key` one of the blank-separated words of `keys`? */
static bool has_word(const char *keys, const char *key)
{
	const size_t n = strlen(key);
	while (*keys) {
		const size_t word = strcspn(keys, " ");
		if (word == n && memcmp(keys, key, n) == 0)
			return true;
		keys += word;
		keys += strspn(keys, " ");
	}
	return false;
}

enum action action_of_key(const char *key)
{
	for (unsigned i = 1; *key && i < ACTION_COUNT; i++)
		if (has_word(infos[i].keys, key))
			return (enum action)i;
	return ACTION_NONE;
}

enum action action_of_command(const char *command)
{
	for (unsigned i = 1; i < ACTION_COUNT; i++)
		if (strcmp(infos[i].command, command) == 0)
			return (enum action)i;
	return ACTION_NONE;
}
