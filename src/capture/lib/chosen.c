#define _GNU_SOURCE
#include "capture/lib/chosen.h"

#include <dlfcn.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/lib/function_names.h"
#include "capture/lib/probes.h"
#include "capture/lib/sites.h"

/* What is known of a function. */
enum { OUT = 1, TOLD = 2, PLACE_SHIFT = 2 };

enum { KNOWN_BITS = 16, PROBES_MAX = 64 };

static struct {
	pthread_mutex_t lock;
	uint32_t n;
	struct rule {
		enum rule_kind { EXCLUDE, ONLY, NO_LOOPS } kind;
		regex_t expression;
	} * rule;
	uint64_t *known; /* places above OUT and TOLD; a power of two of them */
	char *(*demangle)(const char *name, char *out, size_t *size, int *status);
} chosen = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void add(const char *line, size_t length)
{
	static const char *const words[] = {
		[EXCLUDE] = "exclude ", [ONLY] = "only ", [NO_LOOPS] = "no-loops "
	};
	struct rule *rule = &chosen.rule[chosen.n];
	size_t word = 0;
	char *pattern;

	for (unsigned kind = EXCLUDE; kind <= NO_LOOPS && !word; kind++) {
		if (strncmp(line, words[kind], strlen(words[kind])) != 0)
			continue;
		word = strlen(words[kind]);
		rule->kind = (enum rule_kind)kind;
	}
	if (!word || length <= word)
		return;
	pattern = strndup(line + word, length - word);
	if (pattern && regcomp(&rule->expression, pattern, REG_EXTENDED | REG_NOSUB) == 0)
		chosen.n++;
	free(pattern);
}

bool tv_chosen_start(void)
{
	const char *line = getenv("TVIEW_RULES");
	size_t most = 1;
	void *known;

	if (!line || !*line)
		return false;
	for (const char *end = line; *end; end++)
		most += *end == '\n';
	chosen.rule = calloc(most, sizeof *chosen.rule);
	known = mmap(NULL, sizeof *chosen.known << KNOWN_BITS, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!chosen.rule || known == MAP_FAILED)
		return false;
	chosen.known = known;
	while (*line) {
		const size_t length = strcspn(line, "\n");
		add(line, length);
		line += length + (line[length] != '\0');
	}
	return chosen.n > 0;
}

static bool matches(const struct rule *rule, const char *name)
{
	return regexec(&rule->expression, name, 0, NULL, 0) == 0;
}

/* `source`: the function's name where that is another one; NULL: it is not. */
static bool is_chosen(const char *name, const char *source)
{
	bool in = true, first = true;

	for (uint32_t i = 0; i < chosen.n; i++) {
		const struct rule *rule = &chosen.rule[i];
		if (rule->kind == NO_LOOPS)
			continue;
		if (first)
			in = rule->kind == EXCLUDE;
		first = false;
		if (matches(rule, name) || (source && matches(rule, source)))
			in = rule->kind == ONLY;
	}
	return in;
}

static bool without_loops(const char *name)
{
	for (uint32_t i = 0; i < chosen.n; i++)
		if (chosen.rule[i].kind == NO_LOOPS && matches(&chosen.rule[i], name))
			return true;
	return false;
}

/* "search" of gfortran's "__mod_MOD_search", of "search_" where there is Fortran, and of
 * "search.0", which is internal, or a clone. */
static char *plain_name(const char *linked)
{
	const char *name = strncmp(linked, "__", 2) != 0 ? NULL : strstr(linked, "_MOD_");
	size_t n;

	name = name ? name + strlen("_MOD_") : linked;
	n = strcspn(name, ".");
	if (name == linked && n > 1 && name[n - 1] == '_' &&
	    dlsym(RTLD_DEFAULT, "_gfortran_set_args"))
		n--;
	return strndup(name, n);
}

/* Names of C++ are as in the source, without parameters, where the program has what is needed for
 * that: all that was linked as C++ has. */
static char *cxx_name(const char *linked)
{
	char *text = NULL, *end;
	int status = -1;

	if (!chosen.demangle)
		*(void **)&chosen.demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
	if (chosen.demangle)
		text = chosen.demangle(linked, NULL, NULL, &status);
	end = text ? strrchr(text, ')') : NULL;
	for (int depth = 0; end && end > text; end--) {
		depth += (*end == ')') - (*end == '(');
		if (depth > 0)
			continue;
		*end = '\0';
		break;
	}
	return text;
}

/* MAIN__ in the source: by tvfc, else by the debug information. */
static const char *main_name(uint64_t function)
{
	const char *name = tv_site_main();

	return name ? name : tv_main_name(function);
}

static bool decide(uint64_t function)
{
	const char *linked = tv_function_name(function);
	char *name;
	bool in;

	if (!linked)
		return is_chosen("", NULL);
	if (!strcmp(linked, "MAIN__"))
		return is_chosen(linked, main_name(function));
	name = strncmp(linked, "_Z", 2) != 0 ? plain_name(linked) : cxx_name(linked);
	in = name && !strncmp(linked, "_Z", 2) ? is_chosen(name, NULL) : is_chosen(linked, name);
	free(name);
	return in;
}

/* ---- sites ---- */

static bool is_in(const struct tv_unit *unit, uint32_t site, const uint8_t *slot)
{
	const struct tv_site *sites = (const void *)(unit + 1);
	const char *text = (const char *)unit + unit->text;
	uint32_t up = site;

	if (sites[site].kind == TV_SITE_PROCEDURE)
		return is_chosen(text + sites[site].name, NULL);
	/* What contains a site is before it in the table. */
	if (sites[site].parent >= site)
		return true;
	if (slot[sites[site].parent] != TV_SLOT_IN)
		return false;
	if (sites[site].kind != TV_SITE_LOOP)
		return true;
	while (sites[up].parent < up)
		up = sites[up].parent;
	return !without_loops(text + sites[up].name);
}

static void decide_unit(const struct tv_unit *unit, uint8_t *slot)
{
	for (uint32_t i = 0; i < unit->sites; i++)
		slot[i] = is_in(unit, i, slot) ? TV_SLOT_IN : TV_SLOT_OUT;
}

uint8_t *tv_chosen_slots(const char *start, const char *stop)
{
	const size_t slots = (size_t)(stop - start) / TV_SLOT_SIZE;
	const char *at = start;
	uint8_t *out =
		mmap(NULL, slots + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (out == MAP_FAILED)
		return NULL;
	for (const struct tv_unit *unit; (unit = tv_unit_next(&at, stop));)
		decide_unit(unit, out + ((const char *)(unit + 1) - start) / TV_SLOT_SIZE);
	return out;
}

/* ---- functions by their addresses ---- */

static uint64_t *place_of(uint64_t function)
{
	const uint64_t hash = function * UINT64_C(0x9e3779b97f4a7c15) >> (64 - KNOWN_BITS);

	for (uint64_t i = 0; i < PROBES_MAX; i++) {
		uint64_t *at = &chosen.known[(hash + i) & ((UINT64_C(1) << KNOWN_BITS) - 1)];
		const uint64_t is = __atomic_load_n(at, __ATOMIC_RELAXED);
		if (!is || is >> PLACE_SHIFT == function)
			return at;
	}
	return NULL;
}

/* The trace names a function that is left out. */
static void tell(struct tv_thread *t, uint64_t function)
{
	uint64_t *at = place_of(function), out = function << PLACE_SHIFT | OUT;

	if (at && t->chunk &&
	    __atomic_compare_exchange_n(at, &out, out | TOLD, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		tv_define(t, TV_DEF_FUNCTION_OUT, 0, &function, sizeof function, NULL, 0);
}

bool tv_chosen(struct tv_thread *t, uint64_t function)
{
	static _Thread_local bool busy; /* what is called for the decision is of no interest */
	uint64_t *at = place_of(function);
	const uint64_t is = at ? __atomic_load_n(at, __ATOMIC_RELAXED) : 0;
	bool in;

	if (TV_UNLIKELY((is & (OUT | TOLD)) == OUT))
		tell(t, function);
	if (is)
		return !(is & OUT);
	if (busy)
		return false;
	busy = true;
	pthread_mutex_lock(&chosen.lock);
	in = decide(function);
	at = place_of(function);
	if (at && !*at) {
		if (!in && tv.file)
			tv.file->left_out++;
		__atomic_store_n(at, function << PLACE_SHIFT | !in, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&chosen.lock);
	busy = false;
	if (!in)
		tell(t, function);
	return in;
}
