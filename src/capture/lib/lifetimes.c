#define _GNU_SOURCE
#include "capture/lib/lifetimes.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/lib/imports.h"
#include "capture/lib/modules.h"

/* NUMBER_MOST: there were too many at that address, its functions have no names. */
enum { LIVES_MAX = 4096, NUMBER_MOST = TV_MODULE_NUMBERS - 1 };

/* A file at an address. Only the last three fields change once it is in the table. */
struct life {
	uint64_t bias, start, end; /* as in struct tv_def_module, without the number */
	uint64_t path;             /* its hash */
	uint32_t number;           /* of the files that were mapped there, from 0 */
	uint32_t ended;            /* unloadings so far when it was gone; 0: it is mapped */
	uint64_t seen;             /* the latest walk over all modules that met it */
	bool defined, bypasses;
};

static struct {
	pthread_mutex_t lock;
	uint32_t n, latest; /* latest: where an address was found last */
	uint64_t adds, subs, walks;
	struct life life[LIVES_MAX];
} lives = { .lock = TV_LOCK_INITIALIZER };

/* ---- noting ---- */

static uint64_t hash_of(const char *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
	return hash;
}

static bool overlap(const struct life *a, const struct life *b)
{
	return a->start < b->end && b->start < a->end;
}

/* The entry of a module that is mapped; NULL: the table is full. */
static struct life *life_of(const struct life *is)
{
	uint32_t number = 0;
	struct life *life;

	for (uint32_t i = 0; i < lives.n; i++) {
		life = &lives.life[i];
		if (!overlap(life, is))
			continue;
		if (life->path == is->path && life->bias == is->bias && life->start == is->start &&
		    life->end == is->end)
			return life;
		number = life->number + 1 > number ? life->number + 1 : number;
	}
	if (lives.n == LIVES_MAX)
		return NULL;
	life = &lives.life[lives.n];
	*life = *is;
	life->number = number < NUMBER_MOST ? number : NUMBER_MOST;
	life->ended = UINT32_MAX; /* until it is counted as mapped */
	life->defined = life->number == NUMBER_MOST;
	__atomic_store_n(&lives.n, lives.n + 1, __ATOMIC_RELEASE);
	return life;
}

static void define(struct tv_thread *t, struct life *life, const char *path)
{
	const uint64_t number = (uint64_t)life->number << TV_ADDRESS_BITS;
	const struct tv_def_module def = { life->bias + number, life->start + number,
					   life->end + number };

	life->defined = tv_define(t, TV_DEF_MODULE, 0, &def, sizeof def, path, strlen(path) + 1);
}

/* False: it has no code. */
static bool bounds_of(const struct dl_phdr_info *info, struct life *is)
{
	*is = (struct life){ .bias = info->dlpi_addr, .start = UINT64_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uint64_t start = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		is->start = start < is->start ? start : is->start;
		is->end = start + ph->p_memsz > is->end ? start + ph->p_memsz : is->end;
	}
	return is->end != 0;
}

/* Walks are numbered in the order in which they held the dynamic linker's lock. */
struct walk {
	struct tv_thread *t; /* NULL: it cannot write definitions */
	bool all;            /* else only if a module was loaded or unloaded since the last time */
	uint64_t number;
};

static bool begin_walk(struct walk *walk, const struct dl_phdr_info *info)
{
	if (!walk->all && info->dlpi_adds == lives.adds && info->dlpi_subs == lives.subs)
		return false;
	lives.adds = info->dlpi_adds;
	lives.subs = info->dlpi_subs;
	walk->number = ++lives.walks;
	return true;
}

/* The lock of the table is taken after that of the dynamic linker, always. */
static int note_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct walk *walk = context;
	const char *path = info->dlpi_name;
	char self[PATH_MAX];
	struct life is, *life;

	(void)size;
	if (!walk->number && !begin_walk(walk, info))
		return 1;
	if (!bounds_of(info, &is))
		return 0;
	if (!path || !*path) {
		/* The program itself has no name. */
		const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
		if (n <= 0)
			return 0;
		self[n] = '\0';
		path = self;
	}
	is.path = hash_of(path);
	tv_take(&lives.lock);
	life = life_of(&is);
	if (life) {
		life->seen = walk->number;
		__atomic_store_n(&life->ended, 0, __ATOMIC_RELEASE);
		if (!life->defined && walk->t && walk->t->chunk)
			define(walk->t, life, path);
		if (!life->bypasses && walk->t && walk->t->chunk && tv_imports_bypass(info))
			life->bypasses = tv_define(walk->t, TV_DEF_BYPASS, 0, path,
						   strlen(path) + 1, NULL, 0);
	}
	tv_give(&lives.lock);
	return 0;
}

/* What the walk did not meet is gone. */
static void end_others(uint64_t walk)
{
	uint32_t unloads = tv.unloads;

	for (uint32_t i = 0; i < lives.n; i++)
		if (!lives.life[i].ended && lives.life[i].seen < walk)
			__atomic_store_n(&lives.life[i].ended, ++unloads, __ATOMIC_RELEASE);
	if (unloads == tv.unloads)
		return;
	__atomic_store_n(&tv.unloads, unloads, __ATOMIC_RELEASE);
	__atomic_fetch_add(&tv.generation, 1, __ATOMIC_ACQ_REL);
}

static void note(struct tv_thread *t, bool all)
{
	struct walk walk = { t, all, 0 };

	dl_iterate_phdr(note_module, &walk);
	if (!walk.number)
		return;
	tv_take(&lives.lock);
	end_others(walk.number);
	tv_give(&lives.lock);
	tv_imports_correct();
}

void tv_note_modules(struct tv_thread *t)
{
	note(t, true);
}

/* ---- places ---- */

static bool covers(const struct life *life, uint64_t address)
{
	return address - life->start < life->end - life->start;
}

/* What is mapped at an address, else what was there last; NULL: nothing. */
static const struct life *life_at(uint64_t address)
{
	const uint32_t n = __atomic_load_n(&lives.n, __ATOMIC_ACQUIRE);
	const struct life *life = &lives.life[__atomic_load_n(&lives.latest, __ATOMIC_RELAXED)];
	const struct life *last = NULL;
	uint32_t ended, most = 0;

	if (covers(life, address) && !__atomic_load_n(&life->ended, __ATOMIC_ACQUIRE))
		return life;
	for (uint32_t i = 0; i < n; i++) {
		life = &lives.life[i];
		if (!covers(life, address))
			continue;
		ended = __atomic_load_n(&life->ended, __ATOMIC_ACQUIRE);
		if (!ended) {
			__atomic_store_n(&lives.latest, i, __ATOMIC_RELAXED);
			return life;
		}
		if (ended > most) {
			most = ended;
			last = life;
		}
	}
	return last;
}

static uint64_t place_in(const struct life *life, uint64_t address)
{
	return life ? address | (uint64_t)life->number << TV_ADDRESS_BITS : address;
}

uint64_t tv_lasting_known(uint64_t address)
{
	return address >> TV_ADDRESS_BITS ? address : place_in(life_at(address), address);
}

void tv_lasting_note(struct tv_thread *t, uint64_t address)
{
	const struct life *life;

	if (address >> TV_ADDRESS_BITS)
		return;
	life = life_at(address);
	if (!life || life->ended)
		note(t, false);
}

static __attribute__((noinline)) uint64_t look_up(struct tv_thread *t, uint64_t address)
{
	const uintptr_t before = tv_busy_save(t);

	tv_lasting_note(t, address);
	tv_busy_restore(t, before);
	return tv_lasting_known(address);
}

uint64_t tv_lasting_find(struct tv_thread *t, uint64_t address)
{
	const uint32_t generation = __atomic_load_n(&tv.generation, __ATOMIC_RELAXED);
	struct tv_place_cache *known = &t->known[(address >> 2) % TV_KNOWN_PLACES];

	if (address >> TV_ADDRESS_BITS)
		return address;
	if (TV_UNLIKELY(known->address != address || known->generation != generation))
		*known = (struct tv_place_cache){ address, look_up(t, address), generation };
	return known->place;
}

/* ---- unloading ---- */

static void before_unloading(struct tv_thread *t)
{
	const uintptr_t before = tv_busy_save(t);

	/* The notes of a gap have addresses. */
	if (tv_in_gap(t))
		tv_gap_stop(t);
	note(t->live ? t : NULL, false);
	tv_busy_restore(t, before);
}

/* A library's destructors are the program's code, and are recorded. */
TV_PUBLIC int dlclose(void *handle)
{
	struct tv_thread *t = &tv_self;
	uintptr_t before;
	int rc;

	if (!tv.file || tv.dead)
		return tv_real_dlclose(handle);
	before_unloading(t);
	rc = tv_real_dlclose(handle);
	before = tv_busy_save(t);
	note(t->live ? t : NULL, false);
	tv_busy_restore(t, before);
	return rc;
}
