#include "capture/live/stacks.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/path.h"
#include "base/vec.h"
#include "capture/run/cxx_names.h"
#include "capture/run/run_list.h"

enum { FRAMES = 64 };

/* ---- one rank ---- */

/* Addresses of its calls, innermost first; that of a caller is the one after its call. */
struct calls {
	unsigned n;
	Dwarf_Addr pc[FRAMES];
	bool caller[FRAMES];
};

struct rank_stack {
	int32_t rank;
	bool found;
	struct str text; /* its calls, a line each; or why there are none */
};

/* The rank is stopped meanwhile. */
static int note_frame(Dwfl_Frame *frame, void *context)
{
	struct calls *calls = context;
	bool innermost;

	if (calls->n == FRAMES || !dwfl_frame_pc(frame, &calls->pc[calls->n], &innermost))
		return DWARF_CB_ABORT;
	calls->caller[calls->n++] = !innermost;
	return DWARF_CB_OK;
}

static void add_place(struct str *out, Dwfl_Module *module, Dwarf_Addr pc)
{
	Dwfl_Line *line = dwfl_module_getsrc(module, pc);
	int number = 0;
	const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;

	if (!file)
		file = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	str_add(out, " (");
	str_add_clean_text(out, file ? path_name(file) : "?");
	if (number)
		str_add_fmt(out, ":%d", number);
	str_add(out, ")\n");
}

/* Appends the name of a function of which the compiler put the call into its caller. */
static void add_inlined(struct str *out, Dwfl_Module *module, Dwarf_Addr pc)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(module, pc, &bias), *scopes = NULL;
	const int n = unit ? dwarf_getscopes(unit, pc - bias, &scopes) : 0;

	for (int i = 0; i < n && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++) {
		const char *name = dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine
					   ? dwarf_diename(&scopes[i])
					   : NULL;
		if (!name)
			continue;
		str_add_clean_text(out, name);
		str_add(out, "(), inlined in ");
		break;
	}
	free(scopes);
}

static bool is_recorder(Dwfl_Module *module)
{
	const char *path =
		module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;

	return path && !strcmp(path_name(path), "libtvcapture.so");
}

/* The recorder is between the program and MPI: what is further in is MPI's own. False: main(),
 * beyond which is nothing of the program. */
static bool add_call(struct str *out, Dwfl *dwfl, const struct cxx_names *names, Dwarf_Addr pc)
{
	static const char wrapper[] = "tv_wrap_";
	Dwfl_Module *module = dwfl_addrmodule(dwfl, pc);
	const char *name = module ? dwfl_module_addrname(module, pc) : NULL;

	if (is_recorder(module)) {
		str_clear(out);
		if (name && !strncmp(name, wrapper, sizeof wrapper - 1))
			str_add_fmt(out, "MPI_%s\n", name + sizeof wrapper - 1);
		return true;
	}
	if (module)
		add_inlined(out, module, pc);
	if (!name)
		str_add_fmt(out, "0x%" PRIx64, (uint64_t)pc);
	else if (!cxx_name(names, name, out))
		str_add_clean_text(out, name);
	if (name)
		str_add(out, "()");
	if (module)
		add_place(out, module, pc);
	else
		str_add(out, "\n");
	return !name || strcmp(name, "main") != 0;
}

static void add_calls(struct rank_stack *stack, Dwfl *dwfl, const struct cxx_names *names,
		      const struct calls *calls)
{
	for (unsigned i = 0; i < calls->n; i++)
		if (!add_call(&stack->text, dwfl, names, calls->pc[i] - calls->caller[i]))
			break;
	stack->found = stack->text.n > 0;
}

static void find_calls(struct rank_stack *stack, pid_t pid, const struct cxx_names *names)
{
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf,
						  .find_debuginfo = dwfl_standard_find_debuginfo };
	Dwfl *dwfl = dwfl_begin(&callbacks);
	struct calls calls = { .n = 0 };
	int failure = -1;

	if (dwfl)
		failure = dwfl_linux_proc_report(dwfl, pid);
	if (failure == 0)
		failure = dwfl_report_end(dwfl, NULL, NULL);
	if (failure == 0)
		failure = dwfl_linux_proc_attach(dwfl, pid, false);
	/* Attaches, walks and lets it go on; an unfinished walk is as good. */
	if (failure == 0)
		dwfl_getthread_frames(dwfl, pid, note_frame, &calls);
	if (calls.n)
		add_calls(stack, dwfl, names, &calls);
	else
		str_add(&stack->text, failure > 0 ? strerror(failure) : dwfl_errmsg(-1));
	if (dwfl)
		dwfl_end(dwfl);
}

/* ---- all ---- */

struct ranks {
	VEC(struct rank_stack) stacks; /* by rank */
	const struct cxx_names *names;
	unsigned elsewhere; /* ranks of other machines */
};

static bool look_at(const struct tv_file *head, void *context)
{
	struct ranks *ranks = context;
	struct rank_stack stack = { .rank = head->rank, .text = STR_INIT };

	if (!rank_is_here(head)) {
		ranks->elsewhere++;
	} else if (rank_lives(head)) {
		find_calls(&stack, head->pid, ranks->names);
		vec_push(&ranks->stacks, stack);
	}
	return false;
}

ORDERING(by_rank, struct rank_stack, rank)

static bool same(const struct rank_stack *a, const struct rank_stack *b)
{
	return a->found == b->found && !strcmp(a->text.text, b->text.text);
}

/* Those from `first` on whose stack is that one, unless an earlier one has told it. */
static void add_group(struct str *out, const struct ranks *ranks, size_t first)
{
	const struct rank_stack *stacks = ranks->stacks.data, *one = &stacks[first];
	OWNED_STR numbers = STR_INIT;
	size_t n = 0;

	for (size_t i = 0; i < first; i++)
		if (same(&stacks[i], one))
			return;
	for (size_t i = first; i < ranks->stacks.n; i++)
		if (same(&stacks[i], one))
			str_add_fmt(&numbers, "%s%d", n++ ? "," : "", (int)stacks[i].rank);
	str_add_fmt(out, "Rank%s %s", n == 1 ? "" : "s", numbers.text);
	if (!one->found) {
		str_add_fmt(out, ": not known: %s\n", one->text.text);
		return;
	}
	str_add(out, ":\n");
	for (const char *line = one->text.text; *line; line += strcspn(line, "\n") + 1)
		str_add_fmt(out, "  %.*s\n", (int)strcspn(line, "\n"), line);
}

bool live_stacks(const struct live *live, struct str *out)
{
	struct cxx_names *names = cxx_names_new();
	struct ranks ranks = { .names = names };
	bool found = false, forbidden = false;

	run_folder_any(live->folder.text, look_at, &ranks);
	vec_sort(&ranks.stacks, by_rank);
	for (size_t i = 0; i < ranks.stacks.n; i++) {
		add_group(out, &ranks, i);
		found |= ranks.stacks.data[i].found;
		forbidden |= !ranks.stacks.data[i].found;
	}
	if (forbidden)
		str_add(out, "Looking into a process may be forbidden: see "
			     "/proc/sys/kernel/yama/ptrace_scope.\n");
	if (ranks.elsewhere)
		str_add_fmt(out, "%u rank%s on another machine: ask there.\n", ranks.elsewhere,
			    ranks.elsewhere == 1 ? "" : "s");
	if (!ranks.stacks.n && !ranks.elsewhere)
		str_add(out, "No rank runs.\n");
	for (size_t i = 0; i < ranks.stacks.n; i++)
		str_fini(&ranks.stacks.data[i].text);
	vec_fini(&ranks.stacks);
	cxx_names_free(names);
	return found;
}
