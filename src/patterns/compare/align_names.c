#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/meaning/mpi_name.h"
#include "patterns/compare/align_impl.h"

/* One of MPI's in its one spelling, another as it is. */
struct name {
	const char *text; /* NULL: `bare` */
	char bare[MPI_NAME_SIZE];
	uint32_t *number;
};

static int compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (!x->text != !y->text)
		return x->text ? 1 : -1;
	return x->text ? strcmp(x->text, y->text) : strcmp(x->bare, y->bare);
}

static struct name name_of(const char *text)
{
	struct name name = { 0 };

	if (!mpi_name(text, name.bare) || !name.bare[0])
		name.text = text;
	return name;
}

void align_names_init(struct align_names *names, const struct alignment *a)
{
	size_t all = 0, n = 0;
	struct name *list;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		all += trace_region_count(a->trace[s]);
		names->of[s] =
			xcalloc((size_t)trace_region_count(a->trace[s]) + 1, sizeof *names->of[s]);
	}
	list = xcalloc(all + 1, sizeof *list);
	for (int s = 0; s < ALIGN_SIDES; s++)
		for (uint32_t r = 0; r < trace_region_count(a->trace[s]); r++) {
			list[n] = name_of(trace_region_name(a->trace[s], r));
			list[n++].number = &names->of[s][r];
		}
	qsort(list, n, sizeof *list, compare);
	names->n = 0;
	for (size_t i = 0; i < n; i++) {
		names->n += i > 0 && compare(&list[i - 1], &list[i]) != 0;
		*list[i].number = names->n;
	}
	names->n++;
	free(list);
}

void align_names_fini(struct align_names *names)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		free(names->of[s]);
}
