/* The table of requests alone, with an MPI that gives handles out as MPICH does: the one that was
 * freed last first, as soon as its request is complete. request_table_test.sh runs it under the
 * thread sanitizer, too. */
#include "capture/lib/request_table.h"

#include <pthread.h>

#include "harness/test.h"

enum { THREADS = 4, ROUNDS = 20000, OUTSTANDING = 16, HANDLES = THREADS * OUTSTANDING };

/* The handles of an MPI, numbers from `first` on in steps. */
struct mock {
	pthread_mutex_t lock;
	uint64_t first, step;
	bool pointers;
	uint64_t freed[HANDLES];
	unsigned n;
};

static void mock_begin(struct mock *mpi, bool pointers)
{
	*mpi = (struct mock){ .first = pointers ? 0x7f1234500040 : 0x98000000,
			      .step = pointers ? 384 : 1,
			      .pointers = pointers,
			      .n = HANDLES };
	pthread_mutex_init(&mpi->lock, NULL);
	for (unsigned i = 0; i < HANDLES; i++)
		mpi->freed[i] = mpi->first + i * mpi->step;
}

static uint64_t mock_start(struct mock *mpi)
{
	uint64_t handle;

	pthread_mutex_lock(&mpi->lock);
	handle = mpi->freed[--mpi->n];
	pthread_mutex_unlock(&mpi->lock);
	return handle;
}

static void mock_wait(struct mock *mpi, uint64_t handle)
{
	pthread_mutex_lock(&mpi->lock);
	mpi->freed[mpi->n++] = handle;
	pthread_mutex_unlock(&mpi->lock);
}

/* ---- as the recorder uses it ---- */

struct run {
	struct request_table table;
	struct mock mpi;
	_Atomic unsigned wrong, missing;
};

struct thread {
	struct run *run;
	pthread_t id;
	uint64_t number, handles[OUTSTANDING], ids[OUTSTANDING];
	/* Where others complete what this one begins. */
	struct thread *next;
	pthread_barrier_t *turn;
};

static uint64_t home(const struct run *run, uint64_t handle)
{
	return request_home(handle, run->mpi.pointers);
}

static void add(struct run *run, uint64_t handle, uint64_t id)
{
	struct request_cell *cell = request_reserve(&run->table, home(run, handle), true);

	if (!cell) {
		run->missing++;
		return;
	}
	for (int i = 0; i < 7; i++)
		cell->record[i] = id + (uint64_t)i;
	request_publish(cell, handle);
}

static void check_record(struct run *run, const struct request_cell *cell, uint64_t id)
{
	for (int i = 0; i < 7; i++)
		run->wrong += cell->record[i] != id + (uint64_t)i;
}

static void complete(struct run *run, uint64_t handle, uint64_t id, bool tested)
{
	struct request_cell *cell = request_claim(&run->table, handle, home(run, handle));

	if (!cell) {
		run->missing++;
		return;
	}
	check_record(run, cell, id);
	if (tested) { /* which is not complete yet */
		request_keep(cell);
		cell = request_claim(&run->table, handle, home(run, handle));
	}
	mock_wait(&run->mpi, handle);
	if (!cell) {
		run->missing++;
		return;
	}
	check_record(run, cell, id);
	request_remove(cell);
}

static void begin_all(struct thread *t, uint64_t round)
{
	for (uint64_t i = 0; i < OUTSTANDING; i++) {
		t->handles[i] = mock_start(&t->run->mpi);
		t->ids[i] = t->number << 40 | round << 16 | i << 3;
		add(t->run, t->handles[i], t->ids[i]);
	}
}

static void complete_all(struct thread *t, uint64_t round)
{
	for (uint64_t i = 0; i < OUTSTANDING; i++)
		complete(t->run, t->handles[i], t->ids[i], (i + round) % 3 == 0);
}

static void *own_requests(void *thread)
{
	struct thread *t = thread;

	for (uint64_t round = 0; round < ROUNDS / OUTSTANDING; round++) {
		begin_all(t, round);
		complete_all(t, round);
	}
	return NULL;
}

static void *handed_over(void *thread)
{
	struct thread *t = thread;

	for (uint64_t round = 0; round < 200; round++) {
		begin_all(t, round);
		pthread_barrier_wait(t->turn);
		complete_all(t->next, round);
		pthread_barrier_wait(t->turn);
	}
	return NULL;
}

static void assert_empty(struct run *run)
{
	for (uint64_t i = 0; i < HANDLES; i++) {
		const uint64_t handle = run->mpi.first + i * run->mpi.step;
		assert_null(request_find(&run->table, handle, home(run, handle)));
	}
	for (uint64_t i = 0; i <= request_mask(0); i++)
		assert_int_equal(run->table.cells[0][i].key, REQUEST_FREE);
}

static void run_end(struct run *run)
{
	for (int i = 0; i < REQUEST_TABLES; i++)
		if (run->table.cells[i])
			munmap(run->table.cells[i],
			       (size_t)(request_mask(i) + 1) * sizeof(struct request_cell));
	pthread_mutex_destroy(&run->mpi.lock);
}

static void in_threads(bool pointers, void *(*work)(void *))
{
	struct run run = { .wrong = 0 };
	struct thread threads[THREADS];
	pthread_barrier_t turn;

	mock_begin(&run.mpi, pointers);
	pthread_barrier_init(&turn, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		threads[i] = (struct thread){ .run = &run,
					      .number = i + 1,
					      .next = &threads[(i + 1) % THREADS],
					      .turn = &turn };
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i].id, NULL, work, &threads[i]), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	assert_int_equal(run.missing, 0);
	assert_int_equal(run.wrong, 0);
	assert_empty(&run);
	pthread_barrier_destroy(&turn);
	run_end(&run);
}

TEST(threads_with_requests_of_their_own)
{
	in_threads(false, own_requests);
	in_threads(true, own_requests);
}

TEST(threads_that_complete_what_others_began)
{
	in_threads(false, handed_over);
	in_threads(true, handed_over);
}

/* 64 slots a table for handles of one place, in three tables; then there is no room. */
TEST(a_place_that_is_full)
{
	struct run run = { .wrong = 0 };
	struct request_cell *cell;

	mock_begin(&run.mpi, false);
	for (uint64_t i = 0; i < 3 * REQUEST_PROBES; i++) {
		cell = request_reserve(&run.table, 77, true);
		assert_non_null(cell);
		cell->record[0] = i;
		request_publish(cell, 1000 + i);
	}
	assert_null(request_reserve(&run.table, 77, true));
	for (uint64_t i = 0; i < 3 * REQUEST_PROBES; i++) {
		cell = request_find(&run.table, 1000 + i, 77);
		assert_non_null(cell);
		assert_int_equal(cell->record[0], i);
	}
	/* A hole in the middle ends no search, and is the next to be used. */
	request_remove(request_find(&run.table, 1003, 77));
	assert_null(request_find(&run.table, 1003, 77));
	assert_non_null(request_find(&run.table, 1000 + 3 * REQUEST_PROBES - 1, 77));
	cell = request_reserve(&run.table, 77, true);
	request_publish(cell, 5000);
	assert_ptr_equal(request_find(&run.table, 5000, 77), cell);
	run_end(&run);
}

/* Two requests under one handle are found one after the other; what is claimed is not found. */
TEST(a_handle_twice)
{
	struct run run = { .wrong = 0 };
	struct request_cell *one, *other;

	mock_begin(&run.mpi, false);
	add(&run, 9, 100);
	add(&run, 9, 200);
	one = request_claim(&run.table, 9, home(&run, 9));
	other = request_claim(&run.table, 9, home(&run, 9));
	assert_non_null(one);
	assert_non_null(other);
	assert_int_equal(one->record[0] + other->record[0], 300);
	assert_null(request_find(&run.table, 9, home(&run, 9)));
	request_keep(one);
	assert_ptr_equal(request_find(&run.table, 9, home(&run, 9)), one);
	request_remove(one);
	request_remove(other);
	assert_null(request_find(&run.table, 9, home(&run, 9)));
	run_end(&run);
}
