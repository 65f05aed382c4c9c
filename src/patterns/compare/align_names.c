#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/meaning/meaning.h"
#include "patterns/compare/align_steps.h"

/* A name; functions of MPI in their standard spelling. */
struct aligned_name {
	const char *text; /* NULL: `standard` */
	char standard[MPI_NAME_SIZE];
	uint32_t *number;
};

static int compare(const void *a, const void *b)
{
	const struct aligned_name *x = a, *y = b;

	return strcmp(x->text ? x->text : x->standard, y->text ? y->text : y->standard);
}

static struct aligned_name name_of(const char *text)
{
	struct aligned_name name = { 0 };

	if (!mpi_standard_name(text, name.standard))
		name.text = text;
	return name;
}

static struct aligned_name file_of(const struct trace *trace, uint32_t region)
{
	const char *file = trace_string(trace, trace_region(trace, region)->file);
	const char *slash = strrchr(file, '/');

	return (struct aligned_name){ .text = slash ? slash + 1 : file };
}

/* Numbers names, or files, from 0; returns the count. */
static uint32_t number(const struct alignment *a, bool files, uint32_t *numbers[ALIGN_SIDES])
{
	size_t all = 0, n = 0;
	uint32_t different = 0;
	struct aligned_name *list;

	for (int s = 0; s < ALIGN_SIDES; s++)
		all += trace_region_count(a->trace[s]);
	list = xcalloc(all + 1, sizeof *list);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		const struct trace *trace = a->trace[s];
		numbers[s] = xcalloc((size_t)trace_region_count(trace) + 1, sizeof *numbers[s]);
		for (uint32_t r = 0; r < trace_region_count(trace); r++) {
			list[n] = files ? file_of(trace, r) : name_of(trace_region_name(trace, r));
			list[n++].number = &numbers[s][r];
		}
	}
	SORT(list, n, compare);
	for (size_t i = 0; i < n; i++) {
		different += i > 0 && compare(&list[i - 1], &list[i]) != 0;
		*list[i].number = different;
	}
	free(list);
	return different + 1;
}

void align_names_init(struct align_names *names, const struct alignment *a)
{
	names->n = number(a, false, names->of);
	number(a, true, names->file);
}

void align_names_fini(struct align_names *names)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		free_all(names->of[s], names->file[s]);
}
