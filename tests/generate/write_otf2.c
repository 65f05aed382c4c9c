/* OTF2 through its own library, location by location. What is held at once is a step of one
 * location and the library's buffer. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "output.h"

/* Ids of definitions. Strings: 0 is empty, then what the enum names, regions, and names made of
 * numbers. */
enum {
	STRING_EMPTY,
	STRING_MACHINE,
	STRING_CLUSTER,
	STRING_NODE,
	STRING_MPI,
	STRING_THREAD,
	STRING_WORLD,
	STRING_FILE,
	STRING_REGIONS
};
enum { GROUP_LOCATIONS, GROUP_COMMS };

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
				void *caller, bool final)
{
	(void)user;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = { .otf2_pre_flush = pre_flush };

/* ---- events ---- */

/* A rank's number in a communicator. */
static uint32_t place_in(const struct program *p, uint32_t comm, uint32_t rank)
{
	uint32_t first, stride, size;

	program_comm(p, comm, &first, &stride, &size);
	return (rank - first) / stride;
}

static OTF2_ErrorCode put_collective_end(OTF2_EvtWriter *w, const struct program *p,
					 const struct happening *h)
{
	static const OTF2_CollectiveOp ops[REGIONS] = {
		[REGION_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
		[REGION_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
		[REGION_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
		[REGION_BCAST] = OTF2_COLLECTIVE_OP_BCAST,
		[REGION_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
	};
	const enum role role = region_info[h->region].role;
	const bool rooted = role == ROLE_FROM_ROOT || role == ROLE_TO_ROOT;

	return OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, (OTF2_TimeStamp)h->time, ops[h->region],
					       h->comm,
					       rooted ? place_in(p, h->comm, h->partner)
						      : OTF2_COLLECTIVE_ROOT_NONE,
					       h->bytes, h->received);
}

static OTF2_ErrorCode put_happening(OTF2_EvtWriter *w, const struct program *p,
				    const struct happening *h)
{
	const OTF2_TimeStamp t = (OTF2_TimeStamp)h->time;
	const uint32_t partner = place_in(p, h->comm, h->partner);

	switch ((enum happening_kind)h->kind) {
	case HAPPEN_ENTER: return OTF2_EvtWriter_Enter(w, NULL, t, h->region);
	case HAPPEN_LEAVE: return OTF2_EvtWriter_Leave(w, NULL, t, h->region);
	case HAPPEN_SEND:
		return OTF2_EvtWriter_MpiSend(w, NULL, t, partner, h->comm, h->tag, h->bytes);
	case HAPPEN_RECV:
		return OTF2_EvtWriter_MpiRecv(w, NULL, t, partner, h->comm, h->tag, h->bytes);
	case HAPPEN_ISEND:
		return OTF2_EvtWriter_MpiIsend(w, NULL, t, partner, h->comm, h->tag, h->bytes,
					       h->request);
	case HAPPEN_ISEND_DONE: return OTF2_EvtWriter_MpiIsendComplete(w, NULL, t, h->request);
	case HAPPEN_IRECV: return OTF2_EvtWriter_MpiIrecvRequest(w, NULL, t, h->request);
	case HAPPEN_IRECV_DONE:
		return OTF2_EvtWriter_MpiIrecv(w, NULL, t, partner, h->comm, h->tag, h->bytes,
					       h->request);
	case HAPPEN_BEGIN: return OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, t);
	case HAPPEN_END: return put_collective_end(w, p, h);
	}
	return OTF2_ERROR_INVALID_ARGUMENT;
}

/* Writes a location's events; gives their number, UINT64_MAX where the library failed. */
static uint64_t put_location(OTF2_Archive *archive, const struct program *p, uint32_t rank)
{
	OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, rank);
	struct stream *stream = stream_new(p, rank);
	const struct happening *h;
	uint64_t n = 0;
	bool fine = w != NULL;

	while (fine && (h = stream_next(stream))) {
		fine = put_happening(w, p, h) == OTF2_SUCCESS;
		n++;
	}
	stream_free(stream);
	if (w && OTF2_Archive_CloseEvtWriter(archive, w) != OTF2_SUCCESS)
		fine = false;
	return fine ? n : UINT64_MAX;
}

/* ---- definitions ---- */

static OTF2_RegionRole role_of(enum region region)
{
	switch (region_info[region].role) {
	case ROLE_USER: return OTF2_REGION_ROLE_FUNCTION;
	case ROLE_OTHER: return OTF2_REGION_ROLE_FUNCTION;
	case ROLE_P2P: return OTF2_REGION_ROLE_POINT2POINT;
	case ROLE_BARRIER: return OTF2_REGION_ROLE_BARRIER;
	case ROLE_TO_ALL: return OTF2_REGION_ROLE_COLL_ALL2ALL;
	case ROLE_FROM_ROOT: return OTF2_REGION_ROLE_COLL_ONE2ALL;
	case ROLE_TO_ROOT: return OTF2_REGION_ROLE_COLL_ALL2ONE;
	}
	return OTF2_REGION_ROLE_UNKNOWN;
}

static void define_regions(OTF2_GlobalDefWriter *w)
{
	static const char *const texts[] = {
		"",    "machine",       "cluster",        "node",
		"MPI", "Master thread", "MPI_COMM_WORLD", source_file
	};

	for (OTF2_StringRef i = 0; i < STRING_REGIONS; i++)
		OTF2_GlobalDefWriter_WriteString(w, i, texts[i]);
	for (OTF2_RegionRef i = 0; i < REGIONS; i++) {
		const struct region_info *info = &region_info[i];
		const bool user = info->role == ROLE_USER;
		OTF2_GlobalDefWriter_WriteString(w, STRING_REGIONS + i, info->name);
		OTF2_GlobalDefWriter_WriteRegion(w, i, STRING_REGIONS + i, STRING_REGIONS + i,
						 STRING_EMPTY, role_of((enum region)i),
						 user ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI,
						 OTF2_REGION_FLAG_NONE,
						 user ? STRING_FILE : STRING_EMPTY,
						 user ? (uint32_t)info->line : 0,
						 user ? (uint32_t)info->line + 15 : 0);
	}
	OTF2_GlobalDefWriter_WriteParadigm(w, OTF2_PARADIGM_MPI, STRING_MPI,
					   OTF2_PARADIGM_CLASS_PROCESS);
}

static void define_string(OTF2_GlobalDefWriter *w, OTF2_StringRef id, const char *name,
			  uint32_t number)
{
	char text[64];

	snprintf(text, sizeof text, "%s%u", name, number);
	OTF2_GlobalDefWriter_WriteString(w, id, text);
}

/* Nodes and locations; gives the next free string. */
static OTF2_StringRef define_locations(OTF2_GlobalDefWriter *w, const struct program *p,
				       OTF2_StringRef string, const uint64_t *events)
{
	const uint32_t nodes = (p->ranks + RANKS_PER_NODE - 1) / RANKS_PER_NODE;

	OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, STRING_CLUSTER, STRING_MACHINE,
						 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t i = 0; i < nodes; i++) {
		define_string(w, string, "node", i);
		OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 1 + i, string++, STRING_NODE, 0);
	}
	for (uint32_t r = 0; r < p->ranks; r++) {
		define_string(w, string, "MPI Rank ", r);
		OTF2_GlobalDefWriter_WriteLocationGroup(w, r, string++,
							OTF2_LOCATION_GROUP_TYPE_PROCESS,
							1 + r / RANKS_PER_NODE,
							OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(w, r, STRING_THREAD,
						   OTF2_LOCATION_TYPE_CPU_THREAD, events[r], r);
	}
	return string;
}

static void define_comms(OTF2_GlobalDefWriter *w, const struct program *p, OTF2_StringRef string)
{
	uint64_t *members = xcalloc(p->ranks, sizeof *members);

	for (uint32_t r = 0; r < p->ranks; r++)
		members[r] = r;
	OTF2_GlobalDefWriter_WriteGroup(w, GROUP_LOCATIONS, STRING_EMPTY,
					OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
					OTF2_GROUP_FLAG_NONE, p->ranks, members);
	for (uint32_t comm = 0; comm < program_comm_count(p); comm++) {
		const bool row = comm <= p->rows;
		uint32_t first, stride, size;
		program_comm(p, comm, &first, &stride, &size);
		for (uint32_t i = 0; i < size; i++)
			members[i] = first + i * stride;
		OTF2_GlobalDefWriter_WriteGroup(w, GROUP_COMMS + comm, STRING_EMPTY,
						OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
						OTF2_GROUP_FLAG_NONE, size, members);
		if (comm > 0)
			define_string(w, string, row ? "row " : "column ",
				      comm - (row ? 1 : 1 + p->rows));
		OTF2_GlobalDefWriter_WriteComm(w, comm, comm ? string++ : STRING_WORLD,
					       GROUP_COMMS + comm, comm ? 0 : OTF2_UNDEFINED_COMM,
					       OTF2_COMM_FLAG_NONE);
	}
	free(members);
}

static void put_definitions(OTF2_Archive *archive, const struct program *p, const uint64_t *events)
{
	OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);
	OTF2_StringRef string;

	OTF2_Archive_OpenDefFiles(archive);
	for (uint32_t r = 0; r < p->ranks; r++)
		OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, r));
	OTF2_Archive_CloseDefFiles(archive);
	OTF2_GlobalDefWriter_WriteClockProperties(w, 1000000000, 0, (uint64_t)p->end,
						  OTF2_UNDEFINED_TIMESTAMP);
	define_regions(w);
	string = define_locations(w, p, STRING_REGIONS + REGIONS, events);
	define_comms(w, p, string);
}

/* Bytes of the library's buffers, which it takes anew for every location and every file of
 * definitions: no larger than they need be. A definition has to fit, and the longest one names
 * every rank. */
static uint64_t chunk(uint64_t wanted)
{
	const uint64_t most = 16 << 20;

	if (wanted > most)
		return most;
	return wanted < OTF2_CHUNK_SIZE_MIN ? OTF2_CHUNK_SIZE_MIN : wanted;
}

/* The library takes the folder and the name without its ending. */
static OTF2_Archive *open_archive(const struct program *p, const char *path)
{
	const uint64_t events = p->events / p->ranks * 16;
	char *folder = xstrdup(path), *name;
	OTF2_Archive *archive;

	folder[strlen(folder) - strlen(".otf2")] = '\0';
	name = strrchr(folder, '/');
	if (name)
		*name++ = '\0';
	archive = OTF2_Archive_Open(name ? (*folder ? folder : "/") : ".", name ? name : folder,
				    OTF2_FILEMODE_WRITE, chunk(events < 1 << 20 ? events : 1 << 20),
				    chunk(16ull * p->ranks), OTF2_SUBSTRATE_POSIX,
				    OTF2_COMPRESSION_NONE);
	free(folder);
	return archive;
}

bool write_otf2(const struct program *program, const char *path)
{
	OTF2_Archive *archive = open_archive(program, path);
	uint64_t *events = xcalloc(program->ranks, sizeof *events);
	bool fine = archive != NULL;

	if (fine) {
		OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL);
		OTF2_Archive_SetSerialCollectiveCallbacks(archive);
		OTF2_Archive_OpenEvtFiles(archive);
		for (uint32_t r = 0; fine && r < program->ranks; r++) {
			events[r] = put_location(archive, program, r);
			fine = events[r] != UINT64_MAX;
		}
		OTF2_Archive_CloseEvtFiles(archive);
		if (fine)
			put_definitions(archive, program, events);
		fine = OTF2_Archive_Close(archive) == OTF2_SUCCESS && fine;
	}
	free(events);
	return fine;
}
