/* numbered: visits of a procedure whose address is their number modulo NUMBERS, by the compiler's
 * hooks called by hand, so that a lost or doubled record shows. The number of visits so far is in a
 * file, mapped.
 *
 *	numbered FILE VISITS		VISITS visits; 0: until it is killed
 *	numbered FILE VISITS THREADS	so many in each of THREADS threads, one after the other */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))

enum { NUMBERS = 251 };

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static volatile uint64_t *done;
static uint64_t visits;

static UNSEEN void *visit(void *unused)
{
	for (uint64_t i = 0; visits == 0 || i < visits; i++) {
		void *const number = (void *)(uintptr_t)(1 + *done % NUMBERS);
		__cyg_profile_func_enter(number, NULL);
		__cyg_profile_func_exit(number, NULL);
		*done = *done + 1;
	}
	return unused;
}

UNSEEN int main(int argc, char **argv)
{
	const int fd = argc > 2 ? open(argv[1], O_RDWR) : -1;
	const int threads = argc > 3 ? atoi(argv[3]) : 0;
	int provided;

	done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (done == MAP_FAILED)
		return 2;
	visits = strtoull(argv[2], NULL, 10);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	for (int i = 0; i < threads; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, visit, NULL);
		pthread_join(thread, NULL);
	}
	if (!threads)
		visit(NULL);
	MPI_Finalize();
	return 0;
}
