/* Where collectives were launched: a kernel's correlation names the host's call, around which are
 * functions of Python, as PyTorch's profiler records them with stacks. The innermost one outside of
 * PyTorch itself is the call's place. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/chrome/chrome_state.h"

bool chrome_cut_frame(struct chrome_reading *c, struct chrome_record *r, struct code_place *place)
{
	const char *name = r->name.text, *end = strstr(name, "): "), *begin = end;
	OWNED_STR function = STR_INIT;
	long line;

	*place = (struct code_place){ 0, 0 };
	while (begin && begin > name && begin[-1] >= '0' && begin[-1] <= '9')
		begin--;
	if (!begin || begin == end || begin < name + 2 || begin[-1] != '(')
		return false;
	line = strtol(begin, NULL, 10);
	if (line <= 0 || line >= INT32_MAX)
		return false;
	place->file = builder_string(c->builder, name, (size_t)(begin - 1 - name));
	place->line = (uint32_t)line;
	str_add(&function, end + 3);
	str_clear(&r->name);
	str_add(&r->name, function.text);
	return true;
}

static bool is_pytorch(const struct chrome_reading *c, const struct chrome_frame *frame)
{
	const char *file = builder_text(c->builder, frame->at.file);

	return strncmp(file, "torch/", 6) == 0 || strstr(file, "/torch/") ||
	       strncmp(file, "<", 1) == 0;
}

ORDERING(by_correlation, struct chrome_launch, file, correlation, time)
ORDERING(by_time, struct chrome_launch, place, time, row)

static int by_begin(const void *a, const void *b)
{
	const struct chrome_frame *x = a, *y = b;

	ORDER_BY(x->place, y->place);
	ORDER_BY(x->begin, y->begin);
	return ORDER(y->end, x->end);
}

/* Calls that launched one of the kernels: with their place and time, and the kernel's row. */
static size_t join_kernels(struct chrome_reading *c)
{
	size_t n = 0;

	vec_sort(&c->launches, by_correlation);
	for (size_t i = 0; i < c->launches.n; i++) {
		const struct chrome_launch *kernel = &c->launches.data[i], *call = NULL;
		if (kernel->row == UINT32_MAX)
			continue;
		for (size_t k = i; k > 0 && !call; k--)
			if (c->launches.data[k - 1].file != kernel->file ||
			    c->launches.data[k - 1].correlation != kernel->correlation)
				break;
			else if (c->launches.data[k - 1].row == UINT32_MAX)
				call = &c->launches.data[k - 1];
		if (call)
			c->launches.data[n++] = (struct chrome_launch){ .place = call->place,
									.time = call->time,
									.row = kernel->row };
	}
	return n;
}

static void place_kernel(struct chrome_reading *c, uint32_t row, const struct code_place *at)
{
	struct chrome_row *kernel = &c->rows.data[row];

	kernel->what = builder_site(c->builder, builder_site_region(c->builder, kernel->what),
				    at->file, at->line, 0);
}

void chrome_place_launches(struct chrome_reading *c)
{
	VEC(uint32_t) open = VEC_INIT;
	uint32_t next = 0;

	c->launches.n = join_kernels(c);
	vec_sort(&c->launches, by_time);
	vec_sort(&c->frames, by_begin);
	for (size_t i = 0; i < c->launches.n; i++) {
		const struct chrome_launch *call = &c->launches.data[i];
		const struct chrome_frame *frame = c->frames.data;
		for (; next < c->frames.n &&
		       (frame[next].place < call->place ||
			(frame[next].place == call->place && frame[next].begin <= call->time));
		     next++)
			vec_push(&open, next);
		while (open.n && (frame[*vec_last(&open)].place != call->place ||
				  frame[*vec_last(&open)].end <= call->time))
			open.n--;
		for (size_t k = open.n; k > 0; k--) {
			const struct chrome_frame *around = &frame[open.data[k - 1]];
			if (around->place != call->place || around->end <= call->time ||
			    is_pytorch(c, around))
				continue;
			place_kernel(c, call->row, &around->at);
			break;
		}
	}
	vec_fini(&open);
}
