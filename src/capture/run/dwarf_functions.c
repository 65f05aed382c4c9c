#include "capture/run/dwarf_functions.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

bool dwarf_is_header(const char *file)
{
	return file && (!strcmp(file, "tview.h") || str_ends_with(file, "/tview.h"));
}

bool dwarf_is_of_header(Dwarf_Die *scope)
{
	return dwarf_tag(scope) == DW_TAG_inlined_subroutine &&
	       dwarf_is_header(dwarf_decl_file(scope));
}

/* The innermost function around an address that is below `die`, in what contains the address. */
static bool function_below(Dwarf_Die *die, Dwarf_Addr address, bool inlined, Dwarf_Die *function)
{
	Dwarf_Die child;
	bool found = false;

	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if (dwarf_haspc(&child, address) <= 0)
			continue;
		found = tag == DW_TAG_subprogram || (inlined && tag == DW_TAG_inlined_subroutine &&
						     !dwarf_is_of_header(&child));
		if (found)
			*function = child;
		found |= function_below(&child, address, inlined, function);
	} while (!found && dwarf_siblingof(&child, &child) == 0);
	return found;
}

/* Modules of Fortran have no addresses of their own, and those of a procedure do not hold its
 * internal ones, nor what GCC makes of parallel regions in it: what they contain is not found
 * through the unit. */
static bool function_within(Dwarf_Die *die, Dwarf_Addr address, bool inlined, Dwarf_Die *function)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_module:
		case DW_TAG_namespace:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			if (function_below(&child, address, inlined, function) ||
			    function_within(&child, address, inlined, function))
				return true;
			break;
		default: break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool dwarf_function_of(Dwarf_Die *unit, Dwarf_Addr address, bool inlined, Dwarf_Die *function)
{
	return function_below(unit, address, inlined, function) ||
	       function_within(unit, address, inlined, function);
}

static bool is_function_die(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram ||
	       (tag == DW_TAG_inlined_subroutine && !dwarf_is_of_header(die));
}

bool dwarf_function_around(Dwarf_Die *inlined, Dwarf_Die *function)
{
	Dwarf_Die *scopes = NULL;
	const int count = dwarf_getscopes_die(inlined, &scopes);
	bool found = false;

	for (int i = 1; i < count && !found; i++) {
		found = is_function_die(&scopes[i]);
		if (found)
			*function = scopes[i];
	}
	free(scopes);
	return found;
}

Dwarf_Line *dwarf_first_line(Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Lines *lines;
	Dwarf_Addr at;
	size_t n, low = 0;

	if (dwarf_getsrclines(unit, &lines, &n) != 0)
		return NULL;
	for (size_t high = n; low < high;) {
		const size_t middle = low + (high - low) / 2;
		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at) == 0 && at < address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n; low++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, low);
		bool ends = false;
		if (dwarf_lineaddr(line, &at) != 0 || at != address)
			break;
		if (dwarf_lineendsequence(line, &ends) == 0 && !ends)
			return line;
	}
	return NULL;
}

/* The calls in a function that replace it on the stack. */
struct tail_calls {
	uint32_t n;
	Dwarf_Die call; /* the latest */
};

static void find_tail_calls(Dwarf_Die *die, struct tail_calls *calls)
{
	Dwarf_Attribute attribute;
	Dwarf_Die child;
	bool is = false;

	if (dwarf_child(die, &child) != 0)
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram: break;
		case DW_TAG_call_site:
			if (dwarf_formflag(dwarf_attr(&child, DW_AT_call_tail_call, &attribute),
					   &is) != 0 ||
			    !is)
				break;
			calls->n++;
			calls->call = child;
			break;
		default: find_tail_calls(&child, calls); break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

bool dwarf_tail_call(Dwarf_Die *function, Dwarf_Die *call)
{
	struct tail_calls calls = { 0 };

	find_tail_calls(function, &calls);
	*call = calls.call;
	return calls.n == 1;
}

const char *dwarf_definition_file(Dwarf_Die *unit, Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t n;

	/* libdw takes number 0 as none; it is the unit's own file since DWARF 5. */
	if (file ||
	    dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &number) != 0 ||
	    number != 0 || dwarf_getsrcfiles(unit, &files, &n) != 0 || n == 0)
		return file;
	file = dwarf_filesrc(files, 0, NULL, NULL);
	return file && strcmp(file, "???") != 0 ? file : NULL;
}
