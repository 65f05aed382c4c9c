/* A stand-in for libtvcapture in programs that the tests instrument: exports what their probes look up, keeps a stack as the
 * library does, counts, and at the end writes to the file $DOUBLE_OUT what it counted, one line for each site that was seen:
 *
 *	P FILE LINE ENTERED LEFT NAME		L FILE LINE ENTERED ITERATIONS NAME
 *	C FILE LINE TAKEN - NAME		S FILE LINE TOLD - NAME
 *	I FILE LINE BEGUN - NAME		iterations that had a probe
 *	end LOST OPEN BAD			left by longjmp; open at the end; contradictions
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "capture/lib/sites.h"

enum { DEPTH = 100000, SITES = 200000 };

struct count {
	unsigned long entered, left, taken, told, iterations, begun;
};

static __thread struct open {
	const struct tv_site *site;
	const char *frame;
} stack[DEPTH];
static __thread unsigned depth;
static struct count counts[SITES];
static const char *section;
static long lost, bad, still;

static struct count *count_of(const struct tv_site *site)
{
	const size_t slot = (size_t)((const char *)site - section) / TV_SLOT_SIZE;

	if ((const char *)site < section || slot >= SITES ||
	    ((const char *)site - section) % TV_SLOT_SIZE)
		abort();
	return &counts[slot];
}

static unsigned open_site(const struct tv_site *site, void *frame)
{
	while (depth && stack[depth - 1].frame < (const char *)frame) {
		depth--;
		__atomic_add_fetch(&lost, 1, __ATOMIC_RELAXED);
	}
	if (depth == DEPTH)
		abort();
	stack[depth].site = site;
	stack[depth].frame = frame;
	__atomic_add_fetch(&count_of(site)->entered, 1, __ATOMIC_RELAXED);
	return ++depth;
}

static void close_site(const struct tv_site *site, unsigned token)
{
	for (; depth > token; depth--)
		__atomic_add_fetch(&lost, 1, __ATOMIC_RELAXED);
	if (!token || depth != token || stack[depth - 1].site != site)
		__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
	else
		depth--;
	__atomic_add_fetch(&count_of(site)->left, 1, __ATOMIC_RELAXED);
}

static unsigned enter(const struct tv_site *site, const struct tv_site **at, void *frame)
{
	if (site->kind != TV_SITE_PROCEDURE || (site->flags & TV_SITE_ALONE))
		__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
	if (*at) {
		__atomic_add_fetch(&count_of(*at)->taken, 1, __ATOMIC_RELAXED);
		if ((*at)->kind != TV_SITE_CALL || ((*at)->flags & TV_SITE_ALONE))
			__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
	}
	*at = NULL;
	return open_site(site, frame);
}

static void leave(const struct tv_site *site, unsigned token)
{
	close_site(site, token);
}

static unsigned enter_loop(const struct tv_site *site, void *frame)
{
	if (site->kind != TV_SITE_LOOP || (site->flags & TV_SITE_ALONE))
		__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
	return open_site(site, frame);
}

static void leave_loop(const struct tv_site *site, unsigned token, unsigned long iterations)
{
	__atomic_add_fetch(&count_of(site)->iterations, iterations, __ATOMIC_RELAXED);
	close_site(site, token);
}

static void iterate(const struct tv_site *site, unsigned token)
{
	if (!token || depth < token || stack[token - 1].site != site)
		__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&count_of(site)->begun, 1, __ATOMIC_RELAXED);
}

static void count(const struct tv_site *site, unsigned long executions, unsigned long iterations)
{
	if (site->kind != TV_SITE_LOOP || !(site->flags & TV_SITE_UNTIMED))
		__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&count_of(site)->entered, executions, __ATOMIC_RELAXED);
	__atomic_add_fetch(&count_of(site)->iterations, iterations, __ATOMIC_RELAXED);
}

static void statement(const struct tv_site *site)
{
	if (site->kind != TV_SITE_COMMUNICATION)
		__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&count_of(site)->told, 1, __ATOMIC_RELAXED);
}

void tview_join_sites(struct tv_probes *probes);
void tview_part_sites(struct tv_probes *probes);

void tview_join_sites(struct tv_probes *probes)
{
	section = probes->start;
	probes->enter = enter;
	probes->leave = leave;
	probes->enter_loop = enter_loop;
	probes->leave_loop = leave_loop;
	probes->iterate = iterate;
	probes->count = count;
	probes->statement = statement;
	probes->mode = 1;
}

static void tell(FILE *out, char kind, const struct tv_unit *unit, const struct tv_site *site,
		 unsigned long one, unsigned long two)
{
	const char *text = (const char *)unit + unit->text;

	if (one)
		fprintf(out, "%c %s %u %lu %lu %s\n", kind, text + site->file, site->line, one, two,
			text + site->name);
}

void tview_part_sites(struct tv_probes *probes)
{
	const char *path = getenv("DOUBLE_OUT");
	FILE *out = path ? fopen(path, "w") : NULL;

	if (!out)
		return;
	probes->mode = 0;
	still = depth;
	for (const char *at = probes->start; at < probes->stop;) {
		const struct tv_unit *unit = (const struct tv_unit *)at;
		if (unit->magic != TV_UNIT_MAGIC) {
			at += TV_SLOT_SIZE;
			continue;
		}
		const struct tv_site *sites = (const struct tv_site *)(unit + 1);
		for (uint32_t i = 0; i < unit->sites; i++) {
			const struct count *count = count_of(&sites[i]);
			if (sites[i].kind == TV_SITE_PROCEDURE)
				tell(out, 'P', unit, &sites[i], count->entered, count->left);
			else if (sites[i].kind == TV_SITE_LOOP)
				tell(out, 'L', unit, &sites[i], count->entered, count->iterations);
			tell(out, 'C', unit, &sites[i], count->taken, 0);
			tell(out, 'S', unit, &sites[i], count->told, 0);
			tell(out, 'I', unit, &sites[i], count->begun, 0);
		}
		at += unit->size;
	}
	fprintf(out, "end %ld %ld %ld\n", lost, still, bad);
	fclose(out);
}
