/* What is said of an archive as a whole: its locations' states, its properties. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/otf2/otf2_own.h"
#include "model/otf2/read/otf2_archive.h"

static bool is_in_state(const struct otf2_place *place, enum otf2_place_state state)
{
	switch (state) {
	case PLACE_BAD_DEFS: return place->bad_defs;
	case PLACE_CLOCK: return place->other_clock;
	default: return place->state == state;
	}
}

/* What is said of locations in a state. */
struct state_words {
	enum otf2_place_state state;
	enum finding_kind kind;
	const char *code, *text;
	bool end_lost;
};

/* One finding for all locations in a state; names as many of them as fit. */
static void tell_state(struct otf2_archive *a, const struct state_words *words)
{
	OWNED_STR text = STR_INIT;
	uint64_t n = 0;

	for (size_t i = 0; i < a->places.n; i++) {
		const struct otf2_place *place = &a->places.data[i];
		if (!is_in_state(place, words->state))
			continue;
		if (words->end_lost && !place->absent)
			builder_end_lost(a->builder, place->location);
		if (n++ < 4)
			str_add_fmt(&text, "%s%s", text.n ? ", " : "", place->name);
	}
	if (n > 4)
		str_add_fmt(&text, " and %" PRIu64 " more", n - 4);
	str_add_fmt(&text, ": %s", words->text);
	for (uint64_t i = 0; i < n; i++)
		builder_finding(a->builder, words->kind, words->code, 0, text.text);
}

void otf2_tell_places(struct otf2_archive *a)
{
	static const struct state_words states[] = {
		{ PLACE_MISSING, FINDING_DAMAGE, "events-missing", "the file of events is missing",
		  true },
		{ PLACE_CUT, FINDING_DAMAGE, "events-cut",
		  "the file of events is damaged or ends too early; what comes before was read",
		  true },
		{ PLACE_FEWER, FINDING_DAMAGE, "events-fewer",
		  "the file of events has fewer than the definitions count: some were lost", true },
		{ PLACE_UNREADABLE, FINDING_DAMAGE, "events-unreadable",
		  "the file of events cannot be read", true },
		{ PLACE_BAD_DEFS, FINDING_DAMAGE, "local-definitions",
		  "the local definitions cannot be read: names and communicators of its events "
		  "may be wrong",
		  false },
		{ PLACE_CLOCK, FINDING_ODDITY, "clock-other",
		  "most events are far outside the time that the clock properties give, which is "
		  "not believed for them",
		  false },
	};

	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		tell_state(a, &states[i]);
	if (a->defs.unknown)
		builder_finding(a->builder, FINDING_ODDITY, "definition-unknown", 0,
				"a definition of a kind that OTF2 3.0 does not know");
}

void otf2_tell_archive(struct otf2_archive *a, OTF2_Reader *reader)
{
	static const struct {
		const char *key;
		OTF2_ErrorCode (*get)(OTF2_Reader *reader, char **text);
	} texts[] = { { "otf2 creator", OTF2_Reader_GetCreator },
		      { "otf2 machine", OTF2_Reader_GetMachineName },
		      { "otf2 description", OTF2_Reader_GetDescription } };
	char **names, *value;
	uint32_t n = 0;
	OWNED_STR date = STR_INIT;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		value = NULL;
		if (texts[i].get(reader, &value) == OTF2_SUCCESS && value) {
			if (*value && !(a->own && strncmp(value, "tview ", 6) == 0))
				builder_property(a->builder, texts[i].key, value);
			free(value);
		}
	}
	if (OTF2_Reader_GetPropertyNames(reader, &n, &names) == OTF2_SUCCESS) {
		for (uint32_t i = 0; i < n; i++) {
			value = NULL;
			if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS &&
			    value)
				builder_property(a->builder, names[i], value);
			free(value);
		}
		free(names);
	}
	if (a->defs.has_clock && !a->own) {
		str_add_fmt(&date, "%" PRIu64, a->zero);
		builder_property(a->builder, OTF2_SOURCE_OFFSET, date.text);
		str_clear(&date);
	}
	if (a->defs.has_clock && a->defs.realtime != OTF2_UNDEFINED_TIMESTAMP) {
		str_add_fmt(&date, "%" PRIu64, a->defs.realtime);
		builder_property(a->builder, "otf2 date", date.text);
	}
}
