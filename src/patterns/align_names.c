#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "patterns/align_impl.h"

struct name {
	const char *text;
	size_t length;
	bool mpi; /* any case, Fortran's underscores left out */
	uint32_t *number;
};

static struct name name_of(const char *text, uint32_t *number)
{
	struct name name = { text, strlen(text), false, number };

	if (strncasecmp(text, "pmpi_", 5) == 0) {
		name.text++;
		name.length--;
	}
	name.mpi = strncasecmp(name.text, "mpi_", 4) == 0;
	while (name.mpi && name.text[name.length - 1] == '_' && name.length > 4)
		name.length--;
	return name;
}

static int compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	const size_t n = x->length < y->length ? x->length : y->length;
	int order;

	if (x->mpi != y->mpi)
		return x->mpi ? -1 : 1;
	order = x->mpi ? strncasecmp(x->text, y->text, n) : memcmp(x->text, y->text, n);
	if (order)
		return order;
	return x->length < y->length ? -1 : x->length > y->length;
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
		for (uint32_t r = 0; r < trace_region_count(a->trace[s]); r++)
			list[n++] = name_of(trace_region_name(a->trace[s], r), &names->of[s][r]);
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
