#include "model/trace/event.h"

#include <assert.h>
#include <string.h>

static const char *const kind_names[EV_KINDS] = {
#define EVENT(kind, name) name,
#include "model/trace/event_kinds.def"
};

static const char *const base_names[BASE_COUNT] = {
	[BASE_MEASURED] = "measured", [BASE_LINEAR] = "linear",           [BASE_FITTED] = "fitted",
	[BASE_CLC] = "clc",           [BASE_COMPENSATED] = "compensated", [BASE_LOWER] = "lower",
	[BASE_UPPER] = "upper",       [BASE_VIRTUAL] = "virtual",
};

const char *event_kind_name(enum event_kind kind)
{
	assert((unsigned)kind < EV_KINDS);
	return kind_names[kind];
}

const char *time_base_name(enum time_base base)
{
	assert((unsigned)base < BASE_COUNT);
	return base_names[base];
}

enum time_base time_base_find(const char *name)
{
	int base = 0;

	while (base < BASE_COUNT && strcmp(base_names[base], name) != 0)
		base++;
	return (enum time_base)base;
}
