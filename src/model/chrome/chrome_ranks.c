/* Which process is which rank: what the files say, else their names, else the order. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/path.h"
#include "model/chrome/chrome_state.h"

enum { NUMBERS_MOST = 16 };

/* ---- processes ---- */

static const char *name_of(const struct chrome_reading *c, uint32_t process)
{
	return builder_text(c->builder, c->processes.data[process].name);
}

/* TensorFlow names devices "/device:GPU:0 ...", and the host, too. */
static bool is_named_device(const char *name)
{
	const char *device = strstr(name, "/device:");

	return device && strncmp(device, "/device:CPU", 11) != 0;
}

/* Beside the streams of a device ("Stream #13(Compute)"; of a TPU "XLA Ops"), TensorFlow has rows
 * of the same work by operation, module and step. */
enum row_of_work { NO_ROW_OF_WORK, ROW_OF_OPERATIONS, ROW_OF_STREAM };

static enum row_of_work row_of(const struct chrome_reading *c, const struct chrome_place *place)
{
	const char *name = builder_text(c->builder, place->name);

	return strncmp(name, "Stream #", 8) == 0 ? ROW_OF_STREAM
	       : strcmp(name, "XLA Ops") == 0    ? ROW_OF_OPERATIONS
						 : NO_ROW_OF_WORK;
}

static void find_derived(struct chrome_reading *c)
{
	OWNED enum row_of_work *best = xcalloc(c->processes.n + 1, sizeof *best);
	struct chrome_place *place;

	vec_each (place, &c->places)
		if (is_named_device(name_of(c, place->process)) &&
		    row_of(c, place) > best[place->process])
			best[place->process] = row_of(c, place);
	vec_each (place, &c->places)
		place->derived = row_of(c, place) < best[place->process];
}

static void find_devices(struct chrome_reading *c)
{
	struct chrome_place *place;

	find_derived(c);
	vec_each (place, &c->places) {
		const char *name = name_of(c, place->process);
		struct chrome_process *process = &c->processes.data[place->process];
		struct chrome_source *file = &c->files.data[process->file];
		place->device |= is_named_device(name);
		process->device |= place->device;
		file->profiler |= process->device || strncmp(name, "/host:CPU", 9) == 0;
	}
}

/* Of a profiler's file, the first process without devices; else the first one. */
static void find_hosts(struct chrome_reading *c)
{
	OWNED uint32_t *host = xmalloc((c->files.n + 1) * sizeof *host);
	OWNED bool *has_places = xcalloc(c->processes.n + 1, sizeof *has_places);
	const struct chrome_place *place;

	vec_each (place, &c->places)
		has_places[place->process] = true;
	for (uint32_t f = 0; f < c->files.n; f++)
		host[f] = UINT32_MAX;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t p = 0; p < c->processes.n; p++) {
			const struct chrome_process *process = &c->processes.data[p];
			if (host[process->file] == UINT32_MAX && has_places[p] &&
			    (pass > 0 || !process->device))
				host[process->file] = p;
		}
	for (uint32_t p = 0; p < c->processes.n; p++) {
		struct chrome_process *process = &c->processes.data[p];
		const bool one = c->files.data[process->file].profiler;
		process->host = one && host[process->file] != UINT32_MAX ? host[process->file] : p;
	}
}

static bool is_unit(const struct chrome_reading *c, uint32_t process)
{
	return c->processes.data[process].host == process;
}

/* ---- numbers that a process may have ---- */

bool chrome_rank_in_name(const struct chrome_reading *c, uint32_t process, int32_t *rank)
{
	const char *name = name_of(c, process);
	char *end;
	long value;

	if (strncmp(name, "rank ", 5) != 0 || name[5] < '0' || name[5] > '9')
		return false;
	value = strtol(name + 5, &end, 10);
	*rank = (int32_t)value;
	return *end == '\0' && value < RANK_HOST;
}

static bool rank_said(const struct chrome_reading *c, uint32_t process, int32_t *rank)
{
	*rank = c->files.data[c->processes.data[process].file].rank;
	return *rank >= 0;
}

static const char *file_name(const struct chrome_reading *c, uint32_t process)
{
	const struct chrome_source *file = &c->files.data[c->processes.data[process].file];

	return path_name(builder_text(c->builder, file->name));
}

/* The numbers of a text; how many. */
static size_t numbers_of(const char *text, uint64_t numbers[NUMBERS_MOST])
{
	size_t n = 0;

	for (const char *p = text; *p && n < NUMBERS_MOST; p++) {
		char *end;
		if (*p < '0' || *p > '9')
			continue;
		numbers[n++] = strtoull(p, &end, 10);
		p = end - 1;
	}
	return n;
}

/* The only one of the numbers in files' names that differs; NUMBERS_MOST: there is none. */
static size_t number_that_differs(const struct chrome_reading *c)
{
	uint64_t first[NUMBERS_MOST] = { 0 }, here[NUMBERS_MOST] = { 0 };
	size_t n = SIZE_MAX, differs = NUMBERS_MOST;

	for (uint32_t p = 0; p < c->processes.n; p++) {
		size_t k;
		if (!is_unit(c, p))
			continue;
		k = numbers_of(file_name(c, p), n == SIZE_MAX ? first : here);
		if (n != SIZE_MAX && k != n)
			return NUMBERS_MOST;
		for (size_t i = 0; n != SIZE_MAX && i < k; i++) {
			if (here[i] == first[i] || i == differs)
				continue;
			if (differs != NUMBERS_MOST)
				return NUMBERS_MOST;
			differs = i;
		}
		n = k;
	}
	return differs;
}

static bool rank_in_file_name(const struct chrome_reading *c, uint32_t process, int32_t *rank)
{
	const size_t which = c->file_number;
	uint64_t numbers[NUMBERS_MOST];

	if (which == NUMBERS_MOST || which >= numbers_of(file_name(c, process), numbers) ||
	    numbers[which] >= RANK_HOST)
		return false;
	*rank = (int32_t)numbers[which];
	return true;
}

/* ---- the choice ---- */

typedef bool rank_rule(const struct chrome_reading *c, uint32_t process, int32_t *rank);

/* All processes have a number by the rule, each another one. */
static bool number_by(struct chrome_reading *c, rank_rule *rule)
{
	ENDED_BY(keymap_fini) struct keymap seen = { NULL, 0, 0 };

	for (uint32_t p = 0; p < c->processes.n; p++) {
		int32_t rank;
		uint32_t *other;
		if (!is_unit(c, p))
			continue;
		if (!rule(c, p, &rank))
			return false;
		other = keymap_add(&seen, KEY_OF((uint32_t)rank));
		if (*other != UINT32_MAX)
			return false;
		*other = p;
		c->processes.data[p].rank = rank;
	}
	return c->processes.n > 0;
}

/* By file, then by what it says, then by number, then as they came. */
struct process_turn {
	int64_t sort, number;
	uint32_t file, process;
};

ORDERING(by_process_turn, struct process_turn, file, sort, number, process)

static void number_by_order(struct chrome_reading *c)
{
	OWNED struct process_turn *turns = xmalloc((c->processes.n + 1) * sizeof *turns);
	size_t n = 0;

	for (uint32_t p = 0; p < c->processes.n; p++) {
		const struct chrome_process *process = &c->processes.data[p];
		if (is_unit(c, p))
			turns[n++] = (struct process_turn){
				process->sort,
				strtoll(builder_text(c->builder, process->pid), NULL, 10),
				process->file, p
			};
	}
	SORT(turns, n, by_process_turn);
	for (size_t i = 0; i < n; i++)
		c->processes.data[turns[i].process].rank = (int32_t)i;
}

/* Ranks of the job that no file has. */
static void tell_missing(struct chrome_reading *c)
{
	OWNED_STR text = STR_INIT;
	const struct chrome_source *file;
	uint32_t world = 0, here = 0;

	vec_each (file, &c->files)
		world = file->world > world ? file->world : world;
	for (uint32_t p = 0; p < c->processes.n; p++)
		here += is_unit(c, p);
	if (c->files.n < 2 || world <= here)
		return;
	str_add_fmt(&text, "%u of %u ranks of the job are in the files", here, world);
	builder_finding(c->builder, FINDING_INFO, "ranks-missing", 0, text.text);
}

void chrome_number_ranks(struct chrome_reading *c)
{
	const bool several = c->files.n > 1;

	find_devices(c);
	find_hosts(c);
	c->file_number = number_that_differs(c);
	if (number_by(c, chrome_rank_in_name)) {
		/* tview's own, or said by each process */
	} else if (number_by(c, rank_said)) {
		if (several)
			builder_finding(c->builder, FINDING_INFO, "ranks-said", 0,
					"ranks are those that the files name (distributedInfo)");
	} else if (several && number_by(c, rank_in_file_name)) {
		builder_finding(c->builder, FINDING_GUESS, "ranks-by-name", 0,
				"ranks are the numbers in the files' names");
	} else {
		number_by_order(c);
		if (several)
			builder_finding(c->builder, FINDING_GUESS, "ranks-by-order", 0,
					"ranks follow the order of the files' names");
	}
	for (uint32_t p = 0; p < c->processes.n; p++)
		c->processes.data[p].rank = c->processes.data[c->processes.data[p].host].rank;
	tell_missing(c);
}
