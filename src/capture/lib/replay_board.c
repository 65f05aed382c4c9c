#include "capture/lib/replay_board.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/lib/proc_stat.h"

enum {
	SOON = 200,     /* milliseconds: what a rank sent before it ended is here by then */
	QUIET = 2000,   /* in which no call ends, though all ranks are in one: they are stuck */
	LOOKS = 1000,   /* that this rank makes in either, at least */
	EVERY = 64,     /* of the looks for a message one at the other ranks */
	SURE = 512,     /* looks in which a message that was sent before is seen */
	POLLS = 100000, /* calls that say no meanwhile, and nothing else: it waits in a loop */
};

static struct {
	struct tv_replay_rank *ranks;
	uint32_t me, world, job, machine;
	uint64_t patience;               /* microseconds; with ranks that are not seen */
	bool said_no;                    /* the call under way */
	uint64_t polls[TV_REPLAY_RANKS]; /* of each rank when it became quiet; */
	bool polled[TV_REPLAY_RANKS];    /* it was seen between two since then */
} board;

/* The machine, or the node that it plays (TVIEW_NODE), and the space of process numbers, as a hash:
 * others write at times that are not known. */
static uint32_t machine(void)
{
	const char *node = getenv("TVIEW_NODE");
	uint32_t hash = UINT32_C(2166136261);
	const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char text[64];
	const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
	struct stat space;

	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT32_C(16777619);
	for (const char *p = node; p && *p; p++)
		hash = (hash ^ (unsigned char)*p) * UINT32_C(16777619);
	return stat("/proc/self/ns/pid", &space) == 0 ? hash ^ (uint32_t)space.st_ino : hash;
}

const struct tv_choice *tv_board_start(void)
{
	const int fd = open(getenv("TVIEW_REPLAY"), O_RDWR | O_CLOEXEC);
	const size_t least =
		sizeof(struct tv_replay_file) + TV_REPLAY_RANKS * sizeof(struct tv_replay_rank);
	struct stat st = { .st_size = 0 };
	struct tv_replay_rank *own;
	struct tv_replay_file *file = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size >= least)
		file = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (file == MAP_FAILED || file->magic != TV_REPLAY_MAGIC || tv.file->rank < 0 ||
	    tv.file->world > TV_REPLAY_RANKS)
		return NULL;
	board.ranks = (void *)(file + 1);
	board.me = (uint32_t)tv.file->rank;
	board.world = (uint32_t)tv.file->world;
	board.job = (uint32_t)tv.file->job[0];
	board.machine = machine();
	board.patience = tv_number_set("TVIEW_REPLAY_WAIT_NS", UINT64_C(60000000000)) / 1000;
	own = &board.ranks[board.me];
	own->pid = (int32_t)getpid();
	own->machine = board.machine;
	own->state = TV_REPLAY_RUNS;
	own->awaits = -1;
	__atomic_store_n(&own->job, board.job, __ATOMIC_RELEASE);
	tv.board = own;
	return own->at ? (const void *)((const char *)file + own->at) : NULL;
}

static void move_to(enum tv_replay_state state)
{
	struct tv_replay_rank *own = tv.board;

	__atomic_store_n(&own->moves, own->moves + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&own->state, (uint32_t)state, __ATOMIC_RELEASE);
}

static void become(enum tv_replay_state state)
{
	__atomic_store_n(&tv.board->state, (uint32_t)state, __ATOMIC_RELEASE);
}

/* Calls that end without what others do. */
static bool is_alone(uint32_t call)
{
	static const char *const alone[] = { "MPI_File_", "MPI_Comm_spawn", "MPI_Session_" };
	const char *name = tv.file->call[call].name;

	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		if (strncmp(name, alone[i], strlen(alone[i])) == 0)
			return true;
	return false;
}

/* The process tells of one thread, and of its outermost call. */
static bool tells(const struct tv_thread *t)
{
	return !t->outers && !(tv.multi && t->number != 0) && tv.board->state != TV_REPLAY_DONE;
}

void tv_board_calls(const struct tv_thread *t)
{
	if (!tells(t) || is_alone(t->call))
		return;
	board.said_no = false;
	tv.board->awaits = -1;
	become(TV_REPLAY_CALLS);
}

void tv_board_awaits(const struct tv_thread *t, int world)
{
	if (tv.board && tells(t) && !tv.multi)
		__atomic_store_n(&tv.board->awaits, world, __ATOMIC_RELEASE);
}

static struct tv_replay_rank *line_of(int world)
{
	return world >= 0 && (uint32_t)world < board.world ? &board.ranks[world] : NULL;
}

void tv_board_sends(int world)
{
	struct tv_replay_rank *to = line_of(world);

	if (to)
		__atomic_fetch_add(&to->sent, 1, __ATOMIC_RELEASE);
}

void tv_board_took(int world)
{
	if (line_of(world))
		__atomic_fetch_add(&tv.board->took, 1, __ATOMIC_RELEASE);
}

void tv_board_returns(const struct tv_thread *t)
{
	struct tv_replay_rank *own = tv.board;

	if (!tells(t))
		return;
	if (!board.said_no) {
		move_to(TV_REPLAY_RUNS);
		return;
	}
	__atomic_store_n(&own->polls, own->polls + 1, __ATOMIC_RELAXED);
	become(TV_REPLAY_POLLS);
}

void tv_board_polled(void)
{
	board.said_no = true;
}

void tv_board_done(void)
{
	if (tv.board)
		become(TV_REPLAY_DONE);
}

/* ---- waiting ---- */

static bool is_known(const struct tv_replay_rank *r)
{
	return __atomic_load_n(&r->job, __ATOMIC_ACQUIRE) == board.job &&
	       r->machine == board.machine;
}

static uint32_t state_of(const struct tv_replay_rank *r)
{
	return __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
}

static bool has_ended(int world)
{
	const struct tv_replay_rank *r = line_of(world);

	return r && is_known(r) && (state_of(r) == TV_REPLAY_DONE || tv_proc_is_dead(r->pid));
}

/* Calls that ended in all others that are seen; UINT64_MAX: one of them may do something by itself.
 * `all`: none is not seen. */
static uint64_t moves_of_all(bool *all)
{
	uint64_t sum = 0;

	*all = true;
	for (uint32_t i = 0; i < board.world; i++) {
		const struct tv_replay_rank *r = &board.ranks[i];
		if (i == board.me)
			continue;
		if (!is_known(r)) {
			*all = false;
			continue;
		}
		if (state_of(r) == TV_REPLAY_RUNS && !tv_proc_is_dead(r->pid))
			return UINT64_MAX;
		board.polled[i] |= state_of(r) == TV_REPLAY_POLLS;
		sum += __atomic_load_n(&r->moves, __ATOMIC_RELAXED);
	}
	return sum;
}

static void begin_quiet(void)
{
	for (uint32_t i = 0; i < board.world; i++) {
		board.polls[i] = __atomic_load_n(&board.ranks[i].polls, __ATOMIC_RELAXED);
		board.polled[i] = false;
	}
}

/* Those that were between two calls that say no may have worked there. */
static bool only_polled(void)
{
	for (uint32_t i = 0; i < board.world; i++) {
		const uint64_t polls =
			__atomic_load_n(&board.ranks[i].polls, __ATOMIC_RELAXED) - board.polls[i];
		if (i != board.me && (board.polled[i] || polls) && polls < POLLS)
			return false;
	}
	return true;
}

/* Of several that wait the first one departs that could go on, or, if none could, the first. */
static bool is_first(bool could)
{
	const uint32_t own = could ? TV_REPLAY_COULD : TV_REPLAY_WAITS;

	for (uint32_t i = 0; i < board.world; i++) {
		const uint32_t state = state_of(&board.ranks[i]);
		if ((state == own && i < board.me) || (!could && state == TV_REPLAY_COULD))
			return false;
	}
	return true;
}

/* ---- those that wait for each other ---- */

/* Whether the first one is to go on: of those that wait for what the list says. */
static bool is_before(uint32_t a, bool a_could, uint32_t b, bool b_could)
{
	return a_could != b_could ? a_could : a < b;
}

static uint64_t load(const uint64_t *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

/* The rank waits for what cannot have been sent yet. */
static bool is_sure(const struct tv_replay_rank *r, bool holds)
{
	return holds ? __atomic_load_n(&r->sure, __ATOMIC_ACQUIRE) >= SURE &&
			       r->sure_moves == load(&board.ranks[r->awaits].moves)
		     : load(&r->sent) == load(&r->took);
}

/* From this rank to the one that it waits for, and so on: whether that ends at a rank that sends no
 * more, or here, or never, and no other rank on the way is to depart. `seen`: a mark of how they
 * were. */
static bool leads_nowhere(bool could, uint64_t *seen)
{
	bool others = false, before = false;
	uint32_t at = board.me;

	*seen = 0;
	for (uint32_t n = 0; n <= board.world; n++) {
		const struct tv_replay_rank *r = &board.ranks[at];
		const uint32_t state = state_of(r);
		const bool holds = state == TV_REPLAY_WAITS || state == TV_REPLAY_COULD;
		const int next = __atomic_load_n(&r->awaits, __ATOMIC_ACQUIRE);
		if (!is_known(r))
			return false;
		if (state == TV_REPLAY_DONE)
			return !others;
		if ((!holds && state != TV_REPLAY_CALLS) || !line_of(next) || !is_sure(r, holds))
			return false;
		*seen = (*seen ^ at ^ load(&r->moves) << 16 ^ load(&r->sent) << 32) *
			UINT64_C(0x9e3779b97f4a7c15);
		if (at != board.me && holds) {
			others = true;
			before |= is_before(at, state == TV_REPLAY_COULD, board.me, could);
		}
		at = (uint32_t)next;
		if (at == board.me)
			return !before;
	}
	return !others;
}

/* At one moment: none of them moved between two looks at all. */
static bool is_stuck(bool could)
{
	uint64_t first, second;

	return leads_nowhere(could, &first) && leads_nowhere(could, &second) && first == second;
}

/* Looks at the rank whose message is waited for, so that others know, too. */
static void watch(int world)
{
	struct tv_replay_rank *own = tv.board;
	const struct tv_replay_rank *r = line_of(world);
	const uint64_t moves = r ? load(&r->moves) : 0;
	const uint32_t state = r ? state_of(r) : TV_REPLAY_RUNS;
	const bool same =
		own->awaits == world && own->sure_moves == moves &&
		(state == TV_REPLAY_CALLS || state == TV_REPLAY_WAITS || state == TV_REPLAY_COULD);

	__atomic_store_n(&own->awaits, r && !tv.multi ? world : -1, __ATOMIC_RELEASE);
	__atomic_store_n(&own->sure_moves, moves, __ATOMIC_RELEASE);
	__atomic_store_n(&own->sure, same ? own->sure + EVERY : 0, __ATOMIC_RELEASE);
}

void tv_board_wait_begin(struct tv_board_wait *wait)
{
	*wait = (struct tv_board_wait){ .began = tv_now(), .moves = UINT64_MAX };
	tv.board->awaits = -1;
	tv.board->sure = 0;
	become(TV_REPLAY_WAITS);
}

void tv_board_wait_end(void)
{
	tv.board->awaits = -1;
	move_to(TV_REPLAY_CALLS);
}

enum tv_depart_why tv_board_wait_look(struct tv_board_wait *wait, int world, bool could)
{
	const uint64_t now = tv_now(), millisecond = tv.microsecond * 1000;
	uint64_t moves, quiet;
	bool all;

	if (++wait->looks % EVERY)
		return TV_DEPART_NONE;
	if (!wait->ended && has_ended(world)) {
		wait->ended = now;
		wait->from = wait->looks;
	}
	if (wait->ended)
		return now - wait->ended > SOON * millisecond && wait->looks - wait->from > LOOKS
			       ? TV_DEPART_FINISHED
			       : TV_DEPART_NONE;
	become(could ? TV_REPLAY_COULD : TV_REPLAY_WAITS);
	watch(world);
	if (is_stuck(could))
		return TV_DEPART_STUCK;
	moves = moves_of_all(&all);
	quiet = all ? QUIET * millisecond : board.patience * tv.microsecond;
	if (moves == UINT64_MAX || moves != wait->moves) {
		wait->moves = moves;
		wait->since = now;
		wait->from = wait->looks;
		begin_quiet();
		return TV_DEPART_NONE;
	}
	if (now - wait->since <= quiet || wait->looks - wait->from <= LOOKS || !only_polled() ||
	    !is_first(could))
		return TV_DEPART_NONE;
	return all ? TV_DEPART_STUCK : TV_DEPART_UNSEEN;
}
