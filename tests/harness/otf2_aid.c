#include "harness/otf2_aid.h"

#include <stdio.h>
#include <string.h>

#include "harness/files.h"

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
			    bool final)
{
	(void)data;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

static OTF2_TimeStamp flushed(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
	(void)data;
	(void)type;
	(void)location;
	return 0;
}

void otf2_aid_begin(struct otf2_aid *aid, uint64_t resolution)
{
	static OTF2_FlushCallbacks callbacks = { flush, flushed };

	memset(aid, 0, sizeof *aid);
	folder_make(aid->folder, "otf2");
	snprintf(aid->anchor, sizeof aid->anchor, "%s/t.otf2", aid->folder);
	aid->archive = OTF2_Archive_Open(aid->folder, "t", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
					 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_Archive_SetFlushCallbacks(aid->archive, &callbacks, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(aid->archive);
	OTF2_Archive_OpenEvtFiles(aid->archive);
	OTF2_Archive_OpenDefFiles(aid->archive);
	aid->defs = OTF2_Archive_GetGlobalDefWriter(aid->archive);
	OTF2_GlobalDefWriter_WriteClockProperties(aid->defs, resolution, 1000, 100000,
						  OTF2_UNDEFINED_TIMESTAMP);
	aid->attributes = OTF2_AttributeList_New();
	otf2_aid_string(aid, "");
}

uint32_t otf2_aid_string(struct otf2_aid *aid, const char *text)
{
	OTF2_GlobalDefWriter_WriteString(aid->defs, aid->strings, text);
	return aid->strings++;
}

OTF2_EvtWriter *otf2_aid_events(struct otf2_aid *aid, OTF2_LocationRef location)
{
	return OTF2_Archive_GetEvtWriter(aid->archive, location);
}

void otf2_aid_events_end(struct otf2_aid *aid, OTF2_EvtWriter *events)
{
	OTF2_Archive_CloseEvtWriter(aid->archive, events);
}

void otf2_aid_local(struct otf2_aid *aid, OTF2_LocationRef location, const int64_t (*offsets)[2],
		    unsigned n, const OTF2_IdMap *regions)
{
	OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(aid->archive, location);

	for (unsigned i = 0; i < n; i++)
		OTF2_DefWriter_WriteClockOffset(local, (OTF2_TimeStamp)offsets[i][0], offsets[i][1],
						0.0);
	if (regions)
		OTF2_DefWriter_WriteMappingTable(local, OTF2_MAPPING_REGION, regions);
	OTF2_Archive_CloseDefWriter(aid->archive, local);
}

void otf2_aid_end(struct otf2_aid *aid)
{
	OTF2_Archive_CloseEvtFiles(aid->archive);
	OTF2_Archive_CloseDefFiles(aid->archive);
	OTF2_AttributeList_Delete(aid->attributes);
	OTF2_Archive_Close(aid->archive);
}

void otf2_aid_remove(struct otf2_aid *aid)
{
	folder_remove(aid->folder);
}
