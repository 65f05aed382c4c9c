/* Files that are checked at the first touch: what is sound can be read, by any number of threads;
 * what is not is never seen. Damage ends the process that meets it, so each case is a child. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/jobs.h"
#include "harness/test.h"

enum { BITS = 16, CHUNK = 1 << BITS, CHUNKS = 9, HEAD = 4096, NOTICED = 42 };
/* The last chunk is a short one. */
enum { SIZE = (CHUNKS - 1) * CHUNK + 1234 };

static uint64_t sums[CHUNKS];

static unsigned char byte_at(size_t i)
{
	return (unsigned char)(i * 2654435761u >> 13);
}

/* A file of known bytes behind a head; byte `flipped` differs by one bit (SIZE: none). */
static int make_file(size_t flipped)
{
	char name[] = "/tmp/tview-guard-XXXXXX";
	unsigned char *bytes = malloc(SIZE);
	const int fd = mkstemp(name);

	assert_true(fd >= 0);
	unlink(name);
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = byte_at(i);
	for (size_t c = 0; c < CHUNKS; c++)
		sums[c] = guard_sum(bytes + c * CHUNK,
				    c == CHUNKS - 1 ? SIZE % CHUNK : (size_t)CHUNK);
	if (flipped < SIZE)
		bytes[flipped] ^= 16;
	assert_int_equal(pwrite(fd, bytes, SIZE, HEAD), SIZE);
	free(bytes);
	return fd;
}

static void noticed(void *context)
{
	_exit(*(int *)context);
}

static int status = NOTICED;

static struct guard *open_file(int fd, bool lazily)
{
	const struct guard_file file = { .fd = fd,
					 .offset = HEAD,
					 .size = SIZE,
					 .chunk_bits = BITS,
					 .sums = sums,
					 .damaged = lazily ? noticed : NULL,
					 .context = &status };
	struct guard *guard = guard_open(&file);

	assert_non_null(guard);
	return guard;
}

static void *read_all(void *context)
{
	const struct guard *guard = context;
	const unsigned char *data = (const unsigned char *)guard_data(guard);
	size_t wrong = 0;

	for (size_t i = 0; i < SIZE; i++)
		wrong += data[i] != byte_at(i);
	return wrong ? context : NULL;
}

TEST(test_sound)
{
	struct guard *guard = open_file(make_file(SIZE), true);
	pthread_t threads[4];
	sigset_t others, before;
	void *wrong;

	guard_others(&others);
	assert_true(sigismember(&others, SIGTERM) && !sigismember(&others, SIGSEGV));
	pthread_sigmask(SIG_SETMASK, &others, &before);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_all, guard), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	guard_close(guard);
}

static void read_chunk(void *context, unsigned worker, size_t chunk)
{
	const unsigned char *data = (const unsigned char *)guard_data(context);

	(void)worker;
	for (size_t i = chunk * CHUNK; i < SIZE && i < (chunk + 1) * CHUNK; i += 999)
		if (data[i] != byte_at(i))
			abort();
}

/* Workers leave signals to others, but not faults. */
TEST(test_workers)
{
	struct guard *guard = open_file(make_file(SIZE), true);

	jobs_run(4, CHUNKS, read_chunk, guard);
	guard_close(guard);
}

/* How a child ended that touches one byte of a file with a flipped one. */
static int touched(size_t flipped, size_t byte, bool cut_off)
{
	int how;
	const pid_t child = fork();

	if (child == 0) {
		const int fd = make_file(flipped);
		struct guard *guard = open_file(fd, true);
		if (cut_off && ftruncate(fd, HEAD + CHUNK) != 0)
			_exit(1);
		_exit((unsigned char)guard_data(guard)[byte] == byte_at(byte) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	return WIFEXITED(how) ? WEXITSTATUS(how) : 256 + WTERMSIG(how);
}

TEST(test_damage)
{
	for (size_t flipped = 0; flipped < SIZE; flipped += 40009) {
		const size_t chunk = flipped / CHUNK;
		assert_int_equal(touched(flipped, flipped, false), NOTICED);
		assert_int_equal(touched(flipped, chunk * CHUNK, false), NOTICED);
		/* The chunk beside it is sound. */
		assert_int_equal(touched(flipped, (chunk + 1) % CHUNKS * CHUNK, false), 0);
	}
	assert_int_equal(touched(SIZE - 1, SIZE - 1, false), NOTICED);
}

TEST(test_cut_off)
{
	assert_int_equal(touched(SIZE, 17, true), 0);
	assert_int_equal(touched(SIZE, 5 * CHUNK, true), NOTICED);
	assert_int_equal(touched(SIZE, SIZE - 1, true), NOTICED);
}

TEST(test_check)
{
	struct guard *guard = open_file(make_file(3 * CHUNK + 5), false);
	const unsigned char *data = (const unsigned char *)guard_data(guard);

	assert_true(guard_check(guard, 0, 3 * CHUNK));
	assert_int_equal(data[3 * CHUNK - 1], byte_at(3 * CHUNK - 1));
	assert_true(guard_check(guard, 5 * CHUNK, SIZE - 5 * CHUNK));
	assert_int_equal(data[SIZE - 1], byte_at(SIZE - 1));
	assert_false(guard_check(guard, 0, 3 * CHUNK + 1));
	assert_true(guard_check(guard, 3 * CHUNK, 0));
	guard_close(guard);
}

static void crash(int number)
{
	(void)number;
	_exit(7);
}

/* A fault that is none of ours goes where it would have gone. */
TEST(test_other_faults)
{
	int how;

	for (int handled = 0; handled < 2; handled++) {
		const pid_t child = fork();
		if (child == 0) {
			signal(SIGSEGV, handled ? crash : SIG_DFL);
			(void)open_file(make_file(SIZE), true);
			raise(SIGSEGV);
			_exit(1);
		}
		assert_int_equal(waitpid(child, &how, 0), child);
		if (handled)
			assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 7);
		else
			assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGSEGV);
	}
}

/* ---- files that change after they were checked ---- */

enum after { FAULT_ELSEWHERE, ABORT, DIVISION, LOOP, NO_MEMORY, NOTHING };

/* How a child ends that has seen all of a file, which is then changed. */
static int changed_then(enum after what, bool cut_off)
{
	int how;
	const pid_t child = fork();

	if (child == 0) {
		const int fd = make_file(SIZE);
		struct guard *guard = open_file(fd, true);
		const char zeros[CHUNK] = { 0 };
		volatile int zero = 0, *volatile nowhere = (volatile int *)64;
		if (read_all(guard) || !guard_is_unchanged(guard))
			_exit(1);
		usleep(20000); /* times of files are no finer than the system's clock ticks */
		if (cut_off ? ftruncate(fd, HEAD + CHUNK) != 0
			    : pwrite(fd, zeros, CHUNK, HEAD + CHUNK) != CHUNK)
			_exit(2);
		switch (what) {
		case FAULT_ELSEWHERE: *nowhere = 1; break;
		case ABORT: abort();
		case DIVISION: raise(SIGFPE); break;
		case LOOP:
			for (alarm(60); !zero;)
				;
			break;
		case NO_MEMORY: mem_exhausted(1);
		case NOTHING: break;
		}
		_exit(guard_is_unchanged(guard) ? 3 : 4);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	return WIFEXITED(how) ? WEXITSTATUS(how) : 256 + WTERMSIG(how);
}

TEST(test_changed)
{
	for (int cut_off = 0; cut_off < 2; cut_off++) {
		for (int what = FAULT_ELSEWHERE; what < NOTHING; what++)
			assert_int_equal(changed_then((enum after)what, cut_off), NOTICED);
		assert_int_equal(changed_then(NOTHING, cut_off), 4);
	}
}
