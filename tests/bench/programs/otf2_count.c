/* The yardstick of loading OTF2: the library alone, location by location, with a callback for each
 * kind of event that counts it and does nothing else. With two threads, each has a reader of its
 * own and every other location.
 *
 *	otf2_count FILE.otf2 [THREADS]
 */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct count {
	const char *anchor;
	unsigned thread, threads;
	uint64_t *locations;
	size_t n, cap;
	uint64_t events;
	int failed;
};

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
				     OTF2_LocationType type, uint64_t events,
				     OTF2_LocationGroupRef group)
{
	struct count *c = user;

	(void)name;
	(void)type;
	(void)events;
	(void)group;
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->locations = realloc(c->locations, c->cap * sizeof *c->locations);
		if (!c->locations)
			abort();
	}
	c->locations[c->n++] = self;
	return OTF2_CALLBACK_SUCCESS;
}

/* One function for each signature that the events of MPI programs have. */
#define COUNT_ARGUMENTS                                                                \
	OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user, \
		OTF2_AttributeList *attributes

static OTF2_CallbackCode count_one(void *user)
{
	((struct count *)user)->events++;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(COUNT_ARGUMENTS, OTF2_RegionRef region)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)region;
	return count_one(user);
}

static OTF2_CallbackCode on_message(COUNT_ARGUMENTS, uint32_t partner, OTF2_CommRef comm,
				    uint32_t tag, uint64_t length)
{
	(void)location, (void)time, (void)position, (void)attributes;
	(void)partner, (void)comm, (void)tag, (void)length;
	return count_one(user);
}

static OTF2_CallbackCode on_message_request(COUNT_ARGUMENTS, uint32_t partner, OTF2_CommRef comm,
					    uint32_t tag, uint64_t length, uint64_t request)
{
	(void)location, (void)time, (void)position, (void)attributes;
	(void)partner, (void)comm, (void)tag, (void)length, (void)request;
	return count_one(user);
}

static OTF2_CallbackCode on_request(COUNT_ARGUMENTS, uint64_t request)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)request;
	return count_one(user);
}

static OTF2_CallbackCode on_begin(COUNT_ARGUMENTS)
{
	(void)location, (void)time, (void)position, (void)attributes;
	return count_one(user);
}

static OTF2_CallbackCode on_end(COUNT_ARGUMENTS, OTF2_CollectiveOp op, OTF2_CommRef comm,
				uint32_t root, uint64_t sent, uint64_t received)
{
	(void)location, (void)time, (void)position, (void)attributes;
	(void)op, (void)comm, (void)root, (void)sent, (void)received;
	return count_one(user);
}

static OTF2_EvtReaderCallbacks *counting_callbacks(void)
{
	OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();

	OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_region);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_region);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_message);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_message);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_message_request);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_message_request);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_request);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_request);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, on_begin);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_end);
	return c;
}

static bool read_definitions(struct count *c, OTF2_Reader *reader)
{
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	uint64_t read;
	bool fine;

	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
	OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, c);
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	fine = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read) == OTF2_SUCCESS;
	OTF2_Reader_CloseGlobalDefReader(reader, definitions);
	return fine;
}

/* The thread's share of the locations, one after the other. */
static void read_events(struct count *c, OTF2_Reader *reader)
{
	OTF2_EvtReaderCallbacks *callbacks = counting_callbacks();

	for (size_t i = c->thread; i < c->n; i += c->threads)
		OTF2_Reader_SelectLocation(reader, c->locations[i]);
	OTF2_Reader_OpenEvtFiles(reader);
	for (size_t i = c->thread; i < c->n; i += c->threads) {
		OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, c->locations[i]);
		uint64_t read;
		if (!events)
			continue;
		OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, c);
		OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
		OTF2_Reader_CloseEvtReader(reader, events);
	}
	OTF2_Reader_CloseEvtFiles(reader);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
}

static void *count_all(void *argument)
{
	struct count *c = argument;
	OTF2_Reader *reader = OTF2_Reader_Open(c->anchor);

	if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS ||
	    !read_definitions(c, reader))
		c->failed = 1;
	else
		read_events(c, reader);
	if (reader)
		OTF2_Reader_Close(reader);
	free(c->locations);
	return NULL;
}

int main(int argc, char **argv)
{
	enum { MOST = 16 };
	const unsigned wanted = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
	const unsigned threads = wanted < 1 ? 1 : wanted > MOST ? MOST : wanted;
	static struct count counts[MOST];
	pthread_t ids[MOST];
	uint64_t events = 0;

	if (argc < 2) {
		fputs("usage: otf2_count FILE.otf2 [THREADS]\n", stderr);
		return 2;
	}
	for (unsigned i = 0; i < threads; i++) {
		counts[i] = (struct count){ .anchor = argv[1], .thread = i, .threads = threads };
		if (i > 0 && pthread_create(&ids[i], NULL, count_all, &counts[i]) != 0)
			return 1;
	}
	count_all(&counts[0]);
	for (unsigned i = 0; i < threads; i++) {
		if (i > 0)
			pthread_join(ids[i], NULL);
		events += counts[i].events;
		if (counts[i].failed)
			return 1;
	}
	printf("events %" PRIu64 "\n", events);
	return 0;
}
