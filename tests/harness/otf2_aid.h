/* otf2_aid: OTF2 archives made by libotf2 itself, of records that a test wants to see. */
#pragma once

#include <otf2/otf2.h>

struct otf2_aid {
	char folder[64];  /* of its own, under /tmp */
	char anchor[128]; /* folder/t.otf2 */
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	uint32_t strings; /* written so far */
	OTF2_AttributeList *attributes;
};

/* Begins an archive with clock properties: ticks a second, offset 1000. */
void otf2_aid_begin(struct otf2_aid *aid, uint64_t resolution);
/* A string's id. */
uint32_t otf2_aid_string(struct otf2_aid *aid, const char *text);
OTF2_EvtWriter *otf2_aid_events(struct otf2_aid *aid, OTF2_LocationRef location);
void otf2_aid_events_end(struct otf2_aid *aid, OTF2_EvtWriter *events);
/* Writes a location's local definitions: clock offsets (time, offset) and an id map of regions, or
 * NULL. */
void otf2_aid_local(struct otf2_aid *aid, OTF2_LocationRef location, const int64_t (*offsets)[2],
		    unsigned n, const OTF2_IdMap *regions);
/* Closes the archive; the files stay. */
void otf2_aid_end(struct otf2_aid *aid);
void otf2_aid_remove(struct otf2_aid *aid);
