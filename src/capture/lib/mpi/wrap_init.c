/* MPI_Init, MPI_Finalize, MPI_Abort: what the library learns and measures at both ends of the
 * run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "capture/lib/carry.h"
#include "capture/lib/choices.h"
#include "capture/lib/ends.h"
#include "capture/lib/measure.h"
#include "capture/lib/mpi/carry_start.h"
#include "capture/lib/mpi/together.h"
#include "capture/lib/own_line.h"
#include "capture/lib/pause.h"
#include "capture/lib/replay_board.h"

static void note_property(struct tv_thread *t, const char *key, const char *value)
{
	char text[1024];
	int n = snprintf(text, sizeof text, "%s=%s", key, value);

	if (n >= (int)sizeof text)
		n = (int)sizeof text - 1;
	if (n > 0)
		tv_define(t, TV_DEF_PROPERTY, 0, text, (size_t)n + 1, NULL, 0);
}

static void note_number(struct tv_thread *t, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, value);
	note_property(t, key, text);
}

/* What is the same on all ranks, or told of rank 0's node alone. */
static void note_run(struct tv_thread *t)
{
	note_number(t, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (tv.delay)
		note_number(t, "cost-delay-ps", 1000 * tv_number_set("TVIEW_PROBE_DELAY_NS", 0));
	if (tv.virtual_time)
		note_property(t, "virtual-time", "kept");
}

/* Rank, world, node, library: what the file's header says of the process from now on. */
static void introduce(struct tv_thread *t, int rank, int world)
{
	/* As long as the longest of all ABIs. */
	char name[256] = "", version[8192] = "";
	const char *node = getenv("TVIEW_NODE");
	int length = 0;

	tv_mpi.Get_processor_name(name, &length);
	snprintf(tv.file->node, sizeof tv.file->node, "%.*s", (int)sizeof tv.file->node - 1,
		 node && *node ? node : name);
	tv.file->rank = rank;
	tv.file->world = world;
	if (rank == 0 && tv_mpi.Get_library_version(version, &length) == MPI_SUCCESS) {
		version[strcspn(version, "\n")] = '\0';
		for (char *p = version; *p; p++)
			*p = *p == '\t' ? ' ' : *p;
		note_property(t, "mpi", version);
	}
	if (rank == 0)
		note_run(t);
	if (tv.multi)
		note_property(t, "threads", "MPI_THREAD_MULTIPLE");
	__atomic_fetch_or(&tv.file->state, TV_INITIALISED | (tv.multi ? TV_THREADED : 0u),
			  __ATOMIC_RELEASE);
}

/* What rank 0 tells the others: which job this is, and where its files are. */
struct meeting {
	uint64_t job[2];
	char folder[4080];
};

/* The job names itself, so that no launcher has to be known. Ranks without a buffer take part,
 * too. */
static void meet(MPI_Comm comm)
{
	struct meeting meeting = { { 0, 0 }, "" };
	const char *folder = getenv("TVIEW_DIR");
	int rank = -1;

	tv_mpi.Comm_rank(comm, &rank);
	if (rank == 0 && folder)
		snprintf(meeting.folder, sizeof meeting.folder, "%s", folder);
	if (rank == 0 &&
	    getrandom(meeting.job, sizeof meeting.job, 0) != (ssize_t)sizeof meeting.job) {
		meeting.job[0] = tv_nanoseconds();
		meeting.job[1] = (uint64_t)getpid();
	}
	if (tv_mpi.Bcast(&meeting, sizeof meeting, MPI_BYTE, 0, comm) != MPI_SUCCESS || !tv.file)
		return;
	memcpy(tv.file->job, meeting.job, sizeof meeting.job);
	tv_move_file(meeting.folder);
}

/* A region of the library itself, of the class tool overhead, maybe inside an MPI call. `t` may be
 * without a buffer. */
static void own_begin(struct tv_thread *t, uint32_t call, struct tv_call_state *outer)
{
	*outer = tv_call_save(t);
	t->nested = TV_CALL_RECORDED;
	t->frame = NULL;
	if (t->live)
		tv_write_enter(t, call, NULL, __builtin_frame_address(0));
}

/* Its time is not that of the program, nor of the call of MPI that it is in. */
static void own_account(struct tv_thread *t, uint32_t call, uint64_t took,
			struct tv_call_state *outer)
{
	const struct tv_frame *below = t->rows.depth ? tv_top(&t->rows) : NULL;
	struct tv_statistic *row =
		tv_entry_find(t, TV_PLACE_OWN | call, tv_begun_in(below, 0), TV_KEY_PLACE)->row;

	tv_row_begin(row);
	tv_row_extremes(row, row->count, took);
	row->count++;
	row->time += took;
	tv_row_end(row);
	if (outer->nested)
		outer->with.children += took;
	else if (t->rows.depth)
		tv_top(&t->rows)->children += took;
}

static void own_end(struct tv_thread *t, uint32_t call, struct tv_call_state *outer)
{
	const uint64_t now = tv_now();

	/* Virtual time leaves it out (tv_virtual_skip). */
	if (t->live && !(tv.virtual_time && tv.statistics))
		own_account(t, call, now - t->now, outer);
	if (t->live)
		tv_write(t, now, TV_LEAVE, 0, call, 0);
	tv_call_restore(t, outer);
}

/* Sessions: how many are open; what the first one has set up. */
static struct {
	int open;
	bool set_up, met;
	MPI_Group world;
} sessions;

static void start_recorder(struct tv_thread *t, int rank, int world, bool of_session)
{
	struct tv_call_state outer;

	own_begin(t, CALL_setup, &outer);
	introduce(t, rank, world);
	tv_order_start(t);
	if (of_session)
		tv_comms_start_group(t, sessions.world);
	else
		tv_comms_start(t);
	tv_note_modules(t);
	tv_note_tool(t);
	tv_measure_costs(t);
	own_end(t, CALL_setup, &outer);
}

/* After MPI_Init. Offsets are measured together: a rank that has no room for records must take its
 * part in that, or the others wait for it for ever. */
static void set_up(void)
{
	struct tv_thread *t = &tv_self;
	struct tv_virtual_mark mark;
	int rank = -1, world = 0;
	struct tv_call_state outer;

	if (!tv.wanted)
		return;
	mark = tv_virtual_mark();
	own_begin(t, CALL_setup, &outer);
	meet(MPI_COMM_WORLD);
	/* Also of a rank that has no buffer, and so never looked. */
	if (tv_flag_set("TVIEW_STATISTICS", false) || tv_flag_set("TVIEW_VIRTUAL_TIME", false))
		tv_carry_start();
	own_end(t, CALL_setup, &outer);
	tv_mpi.Comm_rank(MPI_COMM_WORLD, &rank);
	tv_mpi.Comm_size(MPI_COMM_WORLD, &world);
	if (t->live)
		start_recorder(t, rank, world, false);
	own_begin(t, CALL_offsets, &outer);
	tv_measure_offsets(t, false);
	own_end(t, CALL_offsets, &outer);
	tv_virtual_skip(t, mark);
}

/* A tool between us and MPI calls PMPI_Init in its MPI_Init: how deep we are in such calls. */
static int inside;

static void note_start(void)
{
	if (inside++ == 0)
		tv_ends_hold();
	if (tv.file)
		__atomic_fetch_or(&tv.file->state, TV_INITIALISING, __ATOMIC_RELAXED);
}

/* True: MPI is ready for what follows. */
static bool note_started(int rc)
{
	if (--inside > 0)
		return false;
	tv_ends_resume();
	return rc == MPI_SUCCESS;
}

/* Starting and ending are recorded always. */
int tv_wrap_Init(int *argc, char ***argv)
{
	const uint32_t lifted = tv_pause_lift();
	struct tv_thread *t = TV_BEGIN(Init);
	int rc;

	note_start();
	rc = TV_NEXT(Init)(argc, argv);
	if (t)
		tv_end_last(t, CALL_Init);
	if (note_started(rc))
		set_up();
	tv_pause_again(lifted);
	return rc;
}

int tv_wrap_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	const uint32_t lifted = tv_pause_lift();
	struct tv_thread *t = TV_BEGIN(Init_thread);
	int rc;

	note_start();
	rc = TV_NEXT(Init_thread)(argc, argv, required, provided);
	if (t)
		tv_end_last(t, CALL_Init_thread);
	if (note_started(rc)) {
		tv.multi = *provided == MPI_THREAD_MULTIPLE;
		set_up();
	}
	tv_pause_again(lifted);
	return rc;
}

/* The barrier is MPI_Finalize's waiting for the others; the measurement after it then waits for no
 * rank, and is overhead. `t`: of the call, NULL: it is not recorded. */
static void end_together(struct tv_thread *t)
{
	struct tv_comm *world = t && tv.carries ? tv_comm(t, MPI_COMM_WORLD) : NULL;
	struct tv_virtual_mark mark;
	struct virtual_entry latest;
	uint64_t ticket = 0;
	struct tv_call_state outer;

	if (world)
		ticket = tv_carry_enter(world, world->turns++, -1, tv_call_entry(t));
	tv_mpi.Barrier(MPI_COMM_WORLD);
	if (ticket) {
		latest = tv_carry_latest(world, ticket, VIRTUAL_ALL, -1, tv_call_entry(t));
		tv_learn(t, (uint64_t)latest.time);
		if (tv.virtual_time)
			tv_virtual_together(t, world, ticket, VIRTUAL_ALL, -1, 0);
	}
	mark = tv_virtual_mark();
	own_begin(&tv_self, CALL_offsets, &outer);
	if (t && tv_self.live)
		tv_measure_costs_again(t);
	tv_measure_offsets(&tv_self, true);
	if (t)
		tv_note_modules(t);
	own_end(&tv_self, CALL_offsets, &outer);
	if (t && tv.virtual_time)
		tv_virtual_skip(t, mark);
}

int tv_wrap_Finalize(void)
{
	const uint32_t lifted = tv_pause_lift();
	const bool resumed = tv_resume(&tv_self);
	struct tv_thread *t = TV_BEGIN(Finalize);
	int rc;

	if (t) {
		tv_measure_spent(t);
		tv_order_end(t);
	}
	tv_line_done();
	tv_board_done();
	if (inside++ == 0 && tv.wanted)
		end_together(t);
	rc = TV_NEXT(Finalize)();
	if (t)
		tv_end_last(t, CALL_Finalize);
	if (resumed)
		tv_stop_again(&tv_self);
	if (tv.file) {
		tv_stamp();
		__atomic_fetch_or(&tv.file->state, TV_FINALISED, __ATOMIC_RELAXED);
	}
	tv_pause_again(lifted);
	return rc;
}

int tv_wrap_Abort(MPI_Comm comm, int errorcode)
{
	struct tv_thread *t = TV_BEGIN(Abort);
	int rc;

	tv_end_note(TV_END_ABORT, errorcode, __builtin_return_address(0));
	if (t) {
		tv_stamp();
		__atomic_fetch_or(&tv.file->state, TV_ABORTED, __ATOMIC_RELAXED);
		/* MPI_Abort does not return. */
		tv_account(t, CALL_Abort, tv_now());
		tv_close_all(t, tv_row_now());
	}
	rc = TV_NEXT(Abort)(comm, errorcode);
	if (t)
		tv_end(t, CALL_Abort);
	return rc;
}

/* ---- sessions: a program may never call MPI_Init ---- */

/* The first session says who this rank is; what ranks do together is done when they have a
 * communicator. A program with sessions may have as many threads as it likes. */
static void set_up_session(MPI_Session session)
{
	struct tv_thread *t = &tv_self;
	int rank = -1, world = 0;

	if (!tv.wanted || (tv.file && tv.file->state & TV_INITIALISED && !sessions.set_up) ||
	    tv_mpi.Group_from_session_pset(session, "mpi://WORLD", &sessions.world) != MPI_SUCCESS)
		return;
	if (sessions.set_up) {
		tv_comms_world(sessions.world);
		return;
	}
	tv.multi = true;
	sessions.set_up = true;
	tv_mpi.Group_rank(sessions.world, &rank);
	tv_mpi.Group_size(sessions.world, &world);
	if (t->live)
		start_recorder(t, rank, world, true);
}

int tv_wrap_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
	struct tv_thread *t = TV_BEGIN(Session_init);
	int rc;

	note_start();
	rc = TV_NEXT(Session_init)(info, handler, session);
	if (t)
		tv_end_last(t, CALL_Session_init);
	if (note_started(rc) && sessions.open++ == 0)
		set_up_session(*session);
	return rc;
}

int tv_wrap_Session_finalize(MPI_Session *session)
{
	struct tv_thread *t = TV_BEGIN(Session_finalize);
	const bool last = sessions.set_up && sessions.open > 0 && --sessions.open == 0;
	int rc;

	if (last) {
		tv_mpi.Group_free(&sessions.world);
		if (t)
			tv_note_modules(t);
	}
	rc = TV_NEXT(Session_finalize)(session);
	if (t)
		tv_end_last(t, CALL_Session_finalize);
	if (last && tv.file) {
		tv_stamp();
		__atomic_fetch_or(&tv.file->state, TV_FINALISED, __ATOMIC_RELAXED);
	}
	return rc;
}

/* All ranks of the world, in its order. */
static bool is_world(MPI_Comm comm)
{
	MPI_Group group;
	int result = -1;

	if (tv_mpi.Comm_group(comm, &group) != MPI_SUCCESS)
		return false;
	tv_mpi.Group_compare(group, sessions.world, &result);
	tv_mpi.Group_free(&group);
	return result == MPI_IDENT;
}

static void meet_in_session(MPI_Comm comm)
{
	struct tv_thread *t = &tv_self;
	struct tv_call_state outer;
	MPI_Comm copy;

	if (!sessions.set_up || !sessions.open || sessions.met || comm == MPI_COMM_NULL ||
	    !is_world(comm) || tv_mpi.Comm_dup(comm, &copy) != MPI_SUCCESS)
		return;
	sessions.met = true;
	own_begin(t, CALL_offsets, &outer);
	meet(copy);
	tv_measure_offsets_on(t, TV_KEY(copy));
	tv_mpi.Comm_free(&copy);
	own_end(t, CALL_offsets, &outer);
}

int tv_wrap_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info,
				   MPI_Errhandler handler, MPI_Comm *comm)
{
	struct tv_thread *t = TV_BEGIN(Comm_create_from_group);
	struct together all = { 0 };
	uint64_t now = 0;
	int rc;

	if (t)
		all = tv_together_made(t, CALL_Comm_create_from_group, MPI_COMM_NULL);
	rc = TV_NEXT(Comm_create_from_group)(group, tag, info, handler, comm);
	if (t) {
		now = tv_now();
		if (rc == MPI_SUCCESS)
			tv_comm_made(t, tv_origin_named(t, tag), *comm);
		tv_together_end(t, &all, rc == MPI_SUCCESS ? *comm : MPI_COMM_NULL, now, rc);
		tv_end_at(t, CALL_Comm_create_from_group, now);
	}
	if (rc == MPI_SUCCESS)
		meet_in_session(*comm);
	return rc;
}
