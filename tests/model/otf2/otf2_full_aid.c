#include "model/otf2/otf2_full_aid.h"

#include "harness/built.h"
#include "harness/test.h"
#include "model/formats/load.h"

#define UNDEFINED OTF2_UNDEFINED_STRING

static void write_regions(struct otf2_aid *aid)
{
	static const struct {
		const char *name;
		OTF2_RegionRole role;
		OTF2_Paradigm paradigm;
	} list[REGIONS] = {
		{ "main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER },
		{ "MPI_Ssend", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI },
		{ "MPI_Ibcast", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_PARADIGM_MPI },
		{ "MPI_Wait", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI },
		{ "MPI_Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI },
		{ "mpi_isend__", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER },
		{ "TRACE BUFFER FLUSH", OTF2_REGION_ROLE_ARTIFICIAL,
		  OTF2_PARADIGM_MEASUREMENT_SYSTEM },
		{ "MEASUREMENT OFF", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_USER },
	};
	const uint32_t file = otf2_aid_string(aid, "main.c");

	for (uint32_t i = 0; i < REGIONS; i++) {
		const uint32_t name = otf2_aid_string(aid, list[i].name);
		DEFINE(Region, i, name, name, 0, list[i].role, list[i].paradigm,
		       OTF2_REGION_FLAG_NONE, i == 0 ? file : UNDEFINED, i == 0 ? 17 : 0,
		       i == 0 ? 42 : 0);
	}
}

/* Locations come before their groups, children before parents: any order is allowed for. */
static void write_places(struct otf2_aid *aid)
{
	const uint32_t node = otf2_aid_string(aid, "node"), a = otf2_aid_string(aid, "alpha"),
		       b = otf2_aid_string(aid, "beta"), m = otf2_aid_string(aid, "machine"),
		       master = otf2_aid_string(aid, "Master thread"),
		       gpu = otf2_aid_string(aid, "GPU 0");

	DEFINE(Location, LOCATION_2, master, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 12);
	DEFINE(Location, LOCATION_1, master, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 11);
	DEFINE(Location, THREAD, master, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 11);
	DEFINE(Location, LOCATION_0, master, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 10);
	DEFINE(Location, STREAM, gpu, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 13);
	DEFINE(LocationGroup, 10, a, OTF2_LOCATION_GROUP_TYPE_PROCESS, 2,
	       OTF2_UNDEFINED_LOCATION_GROUP);
	DEFINE(LocationGroup, 11, a, OTF2_LOCATION_GROUP_TYPE_PROCESS, 3,
	       OTF2_UNDEFINED_LOCATION_GROUP);
	DEFINE(LocationGroup, 12, a, OTF2_LOCATION_GROUP_TYPE_PROCESS, 3,
	       OTF2_UNDEFINED_LOCATION_GROUP);
	DEFINE(LocationGroup, 13, gpu, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 2, 10);
	DEFINE(SystemTreeNode, 2, a, node, 1);
	DEFINE(SystemTreeNode, 3, b, node, 1);
	DEFINE(SystemTreeNode, 1, m, m, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
}

#define GROUP(id, name, type, paradigm, flag, ...)                                             \
	DEFINE(Group, id, name, OTF2_GROUP_TYPE_##type, OTF2_PARADIGM_##paradigm,              \
	       OTF2_GROUP_FLAG_##flag, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), \
	       (uint64_t[]){ __VA_ARGS__ })

/* The world is {location 9, 7, 5000000000}; the part {rank 2, rank 0}; the inter-communicator {0}
 * and {2, 1}. Group 0 is defined twice, as EZTrace does. */
static void write_comms(struct otf2_aid *aid)
{
	const uint32_t world = otf2_aid_string(aid, "MPI_COMM_WORLD"),
		       part = otf2_aid_string(aid, "part");

	DEFINE(Comm, C_PART, part, 1, C_WORLD, OTF2_COMM_FLAG_NONE);
	DEFINE(Comm, C_WORLD, world, 0, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	DEFINE(Comm, C_SELF, otf2_aid_string(aid, "self"), 2, OTF2_UNDEFINED_COMM,
	       OTF2_COMM_FLAG_NONE);
	DEFINE(InterComm, C_INTER, otf2_aid_string(aid, "inter"), 3, 4, C_WORLD,
	       OTF2_COMM_FLAG_NONE);
	DEFINE(Comm, C_TEAM, otf2_aid_string(aid, "team"), 5, OTF2_UNDEFINED_COMM,
	       OTF2_COMM_FLAG_NONE);
	GROUP(0, world, COMM_LOCATIONS, MPI, NONE, LOCATION_0, LOCATION_1, LOCATION_2);
	GROUP(0, world, COMM_GROUP, MPI, NONE, 0, 1, 2);
	GROUP(1, part, COMM_GROUP, MPI, NONE, 2, 0);
	DEFINE(Group, 2, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0,
	       NULL);
	GROUP(3, 0, COMM_GROUP, MPI, NONE, 0);
	GROUP(4, 0, COMM_GROUP, MPI, NONE, 2, 1);
	GROUP(5, part, COMM_GROUP, PTHREAD, GLOBAL_MEMBERS, LOCATION_1, THREAD);
}

static void write_objects(struct otf2_aid *aid)
{
	const uint32_t name = otf2_aid_string(aid, "thing"), unit = otf2_aid_string(aid, "B");
	const uint32_t grid[] = { 0, 1 }, at0[] = { 1, 0 }, at2[] = { 2, 1 };
	const OTF2_MetricMemberRef members[] = { 4, 5 };
	const OTF2_IoParadigmProperty io_properties[] = { OTF2_IO_PARADIGM_PROPERTY_VERSION };
	const OTF2_Type string_type[] = { OTF2_TYPE_STRING };

	DEFINE(MetricMember, 4, otf2_aid_string(aid, "flops"), 0, OTF2_METRIC_TYPE_PAPI,
	       OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 3, unit);
	DEFINE(MetricMember, 5, otf2_aid_string(aid, "load"), 0, OTF2_METRIC_TYPE_USER,
	       OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_DOUBLE, OTF2_BASE_BINARY, 0, unit);
	DEFINE(MetricClass, 8, 2, members, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
	DEFINE(MetricInstance, 9, 8, LOCATION_0, OTF2_SCOPE_LOCATION, LOCATION_2);
	DEFINE(Parameter, 0, otf2_aid_string(aid, "size"), OTF2_PARAMETER_TYPE_INT64);
	DEFINE(Attribute, 6, otf2_aid_string(aid, "colour"), 0, OTF2_TYPE_INT16);
	DEFINE(RmaWin, 1, otf2_aid_string(aid, "win"), C_PART, OTF2_RMA_WIN_FLAG_NONE);
	DEFINE(IoParadigm, 0, name, otf2_aid_string(aid, "POSIX I/O"),
	       OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE, 1, io_properties,
	       string_type,
	       (OTF2_AttributeValue[]){ { .stringRef = otf2_aid_string(aid, "2.1") } });
	DEFINE(IoRegularFile, 3, otf2_aid_string(aid, "data.bin"), 2);
	DEFINE(IoHandle, 2, otf2_aid_string(aid, "fd 7"), 3, 0, OTF2_IO_HANDLE_FLAG_NONE, C_WORLD,
	       OTF2_UNDEFINED_IO_HANDLE);
	DEFINE(InterruptGenerator, 0, otf2_aid_string(aid, "timer"),
	       OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -6, 100);
	DEFINE(SourceCodeLocation, 0, otf2_aid_string(aid, "x.c"), 99);
	DEFINE(CallingContext, 0, R_MAIN, 0, OTF2_UNDEFINED_CALLING_CONTEXT);
	DEFINE(CartDimension, 0, otf2_aid_string(aid, "column"), 3, OTF2_CART_PERIODIC_TRUE);
	DEFINE(CartDimension, 1, otf2_aid_string(aid, "row"), 2, OTF2_CART_PERIODIC_FALSE);
	DEFINE(CartTopology, 0, otf2_aid_string(aid, "grid"), C_WORLD, 2, grid);
	DEFINE(CartCoordinate, 0, 0, 2, at0);
	DEFINE(CartCoordinate, 0, 2, 2, at2);
}

/* What no other definition and no event names. */
static void write_unnamed(struct otf2_aid *aid)
{
	const OTF2_AttributeValue text = { .stringRef = otf2_aid_string(aid, "Comm ${id}") },
				  depth = { .int64 = -5 };

	DEFINE(SystemTreeNodeDomain, 1, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
	DEFINE(SystemTreeNodeDomain, 3, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
	DEFINE(Paradigm, OTF2_PARADIGM_MPI, otf2_aid_string(aid, "MPI"),
	       OTF2_PARADIGM_CLASS_PROCESS);
	DEFINE(ParadigmProperty, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
	       OTF2_TYPE_STRING, text);
	DEFINE(MetricClassRecorder, 8, LOCATION_1);
	DEFINE(Callpath, 7, OTF2_UNDEFINED_CALLPATH, R_MAIN);
	DEFINE(Callpath, 2, 7, R_BARRIER);
	DEFINE(CallpathParameter, 2, 0, OTF2_TYPE_INT64, depth);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	DEFINE(Callsite, 0, otf2_aid_string(aid, "main.c"), 21, R_BARRIER, R_MAIN);
#pragma GCC diagnostic pop
}

struct otf2_aid otf2_full_begin(uint64_t resolution)
{
	struct otf2_aid aid;

	otf2_aid_begin(&aid, resolution);
	write_places(&aid);
	write_comms(&aid);
	write_regions(&aid);
	write_objects(&aid);
	write_unnamed(&aid);
	return aid;
}

struct trace *otf2_full_load(struct otf2_aid *aid, int jobs)
{
	const struct load_options options = { .no_cache = true, .jobs = jobs };
	struct err err = ERR_INIT;
	struct trace *trace;

	otf2_aid_end(aid);
	trace = trace_load(aid->anchor, &options, NULL, &err);
	if (!trace)
		fail_msg("%s", err.text);
	assert_sound(trace);
	return trace;
}

uint32_t otf2_full_location(const struct trace *trace, uint64_t id)
{
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (trace_location(trace, l)->source_id == id)
			return l;
	return UINT32_MAX;
}
