/* Programs and libraries with probes of tvcc: they are loaded and unloaded, and each place belongs
 * to one of them. */
#define _GNU_SOURCE
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "capture/lib/chosen.h"
#include "capture/lib/open.h"
#include "capture/lib/probes.h"

/* A program or library with sites. Its number belongs to its file: it keeps the number when it is
 * loaded again at another address. */
struct module {
	struct tv_probes *probes; /* NULL: unloaded */
	const char *start, *stop;
	uint64_t bias;
	uint8_t *chosen; /* which slots are recorded (chosen.h); NULL: not decided yet */
	bool noted;      /* in a stream, as TV_DEF_SITES */
	char *path;
};

static struct {
	pthread_mutex_t lock;
	uint32_t n;
	struct module module[TV_SITE_MODULES_MAX];
} modules = { .lock = TV_LOCK_INITIALIZER };

/* ---- places ---- */

static struct module *module_of(const void *site)
{
	const uint32_t n = __atomic_load_n(&modules.n, __ATOMIC_ACQUIRE);
	const char *at = site;

	for (uint32_t i = 0; i < n; i++)
		if (at >= modules.module[i].start && at < modules.module[i].stop &&
		    __atomic_load_n(&modules.module[i].probes, __ATOMIC_RELAXED))
			return &modules.module[i];
	return NULL;
}

uint64_t tv_site_place(const struct tv_site *site)
{
	const struct module *module = module_of(site);
	uint64_t slot;

	if (!module)
		return 0;
	slot = (uint64_t)((const char *)(const void *)site - module->start) / TV_SLOT_SIZE;
	return slot < TV_SLOTS_MAX
		       ? tv_place_site((uint32_t)(module - modules.module), (uint32_t)slot)
		       : 0;
}

uint64_t tv_statement_place(struct tv_thread *t)
{
	const struct tv_site *site = t->statement;
	const uint32_t generation = __atomic_load_n(&tv.generation, __ATOMIC_RELAXED);
	struct tv_place_cache *known = tv_statement_cached(t, site);
	const uint64_t address = (uint64_t)(uintptr_t)site;

	t->statement = NULL;
	if (TV_UNLIKELY(known->address != address || known->generation != generation))
		*known = (struct tv_place_cache){ address, tv_site_place(site), generation };
	return known->place;
}

/* ---- sites that are not to be recorded ---- */

static __attribute__((noinline)) uint8_t *decide(struct module *m)
{
	tv_take(&modules.lock);
	if (!m->chosen)
		__atomic_store_n(&m->chosen, tv_chosen_slots(m->start, m->stop), __ATOMIC_RELEASE);
	tv_give(&modules.lock);
	return m->chosen;
}

/* NULL: there are no rules. */
static uint8_t *slot_of(const struct tv_site *site)
{
	struct module *m = tv.choose ? module_of(site) : NULL;
	uint8_t *slot;

	if (!m)
		return NULL;
	slot = __atomic_load_n(&m->chosen, __ATOMIC_ACQUIRE);
	if (TV_UNLIKELY(!slot))
		slot = decide(m);
	return slot ? slot + (size_t)((const char *)(const void *)site - m->start) / TV_SLOT_SIZE
		    : NULL;
}

bool tv_site_out(const struct tv_thread *t, const struct tv_site *site)
{
	const uint8_t *slot;

	if (TV_UNLIKELY(t->mode == TV_OFF))
		tv_thread_start(); /* it reads the rules */
	slot = slot_of(site);
	return slot && *slot != TV_SLOT_IN;
}

void tv_site_left_out(struct tv_thread *t, const struct tv_site *site)
{
	uint8_t *chosen = slot_of(site);
	const struct module *m = module_of(site);
	uint8_t out = TV_SLOT_OUT;
	uint32_t slot;

	/* Without a buffer the note must wait for the next time. */
	if (!t->chunk || !chosen || *chosen != TV_SLOT_OUT ||
	    !__atomic_compare_exchange_n(chosen, &out, TV_SLOT_OUT_ENTERED, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return;
	if (tv.file && site->kind == TV_SITE_PROCEDURE)
		__atomic_fetch_add(&tv.file->left_out, 1, __ATOMIC_RELAXED);
	slot = (uint32_t)((size_t)((const char *)(const void *)site - m->start) / TV_SLOT_SIZE);
	tv_define(t, TV_DEF_LEFT_OUT, (uint32_t)(m - modules.module), &slot, sizeof slot, NULL, 0);
}

const char *tv_site_main(void)
{
	const uint32_t n = tv_sites_modules();

	for (uint32_t i = 0; i < n; i++) {
		const struct module *m = &modules.module[i];
		const char *at = __atomic_load_n(&m->probes, __ATOMIC_RELAXED) ? m->start : m->stop;
		for (const struct tv_unit *unit; (unit = tv_unit_next(&at, m->stop));) {
			const struct tv_site *sites = (const void *)(unit + 1);
			for (uint32_t s = 0; s < unit->sites; s++)
				if (sites[s].flags & TV_SITE_MAIN)
					return (const char *)unit + unit->text + sites[s].name;
		}
	}
	return NULL;
}

/* ---- coming and going ---- */

/* Sites of the first unit of a section. */
static void find_sample(const struct module *m, const struct tv_site **procedure,
			const struct tv_site **loop)
{
	const struct tv_unit *unit = (const void *)m->start;
	const struct tv_site *sites = (const void *)(unit + 1);

	if ((size_t)(m->stop - m->start) < sizeof *unit || unit->magic != TV_UNIT_MAGIC)
		return;
	for (uint32_t i = 0; i < unit->sites && (const char *)(sites + i + 1) <= m->stop; i++) {
		const struct tv_site **of = sites[i].kind == TV_SITE_PROCEDURE ? procedure
					    : sites[i].kind == TV_SITE_LOOP    ? loop
									       : NULL;
		if (of && !*of && !(sites[i].flags & TV_SITE_ALONE))
			*of = &sites[i];
	}
}

const struct tv_probes *tv_sites_sample(const struct tv_site **procedure,
					const struct tv_site **loop)
{
	const struct tv_probes *probes;

	*procedure = *loop = NULL;
	if (!tv_sites_modules())
		return NULL;
	probes = __atomic_load_n(&modules.module[0].probes, __ATOMIC_RELAXED);
	if (probes)
		find_sample(&modules.module[0], procedure, loop);
	return probes;
}

uint32_t tv_sites_modules(void)
{
	return __atomic_load_n(&modules.n, __ATOMIC_RELAXED);
}

void tv_sites_guards(bool up)
{
	const uint32_t n = __atomic_load_n(&modules.n, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++) {
		struct tv_probes *probes =
			__atomic_load_n(&modules.module[i].probes, __ATOMIC_RELAXED);
		if (probes)
			__atomic_store_n(&probes->mode, up, __ATOMIC_RELAXED);
	}
}

void tv_sites_note(struct tv_thread *t)
{
	tv_take(&modules.lock);
	for (uint32_t i = 0; i < modules.n; i++) {
		struct module *m = &modules.module[i];
		const struct tv_def_sites def = { m->bias, (uint64_t)(uintptr_t)m->start,
						  (uint64_t)(uintptr_t)m->stop };
		if (!m->noted)
			m->noted = tv_define(t, TV_DEF_SITES, i, &def, sizeof def, m->path,
					     strlen(m->path) + 1);
	}
	tv_give(&modules.lock);
}

/* Whose section it is. */
struct search {
	const char *start;
	uint64_t bias;
	char path[PATH_MAX];
};

static int look_into(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	const uint64_t at = (uint64_t)(uintptr_t)search->start;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uint64_t start = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type != PT_LOAD || at < start || at - start >= ph->p_memsz)
			continue;
		search->bias = info->dlpi_addr;
		if (info->dlpi_name && *info->dlpi_name) {
			strncat(search->path, info->dlpi_name, sizeof search->path - 1);
			return 1;
		}
		if (readlink("/proc/self/exe", search->path, sizeof search->path - 1) < 0)
			search->path[0] = '\0';
		return 1;
	}
	return 0;
}

/* The module's place in the table; NULL: none is free. With the lock held. */
static struct module *place_for(const struct tv_probes *probes, const struct search *found)
{
	struct module *m;

	for (uint32_t i = 0; i < modules.n; i++) {
		m = &modules.module[i];
		if (!m->probes && !strcmp(m->path, found->path) &&
		    m->stop - m->start == probes->stop - probes->start &&
		    (uintptr_t)m->start - m->bias == (uintptr_t)probes->start - found->bias)
			return m;
	}
	if (modules.n == TV_SITE_MODULES_MAX)
		return NULL;
	m = &modules.module[modules.n];
	m->path = strdup(found->path);
	return m->path ? m : NULL;
}

TV_PUBLIC void tview_join_sites(struct tv_probes *probes);
TV_PUBLIC void tview_part_sites(struct tv_probes *probes);

static void join(struct tv_probes *probes, const struct search *found)
{
	struct module *m;

	tv_probes_fill(probes);
	tv_take(&modules.lock);
	m = place_for(probes, found);
	if (m) {
		m->start = probes->start;
		m->stop = probes->stop;
		m->bias = found->bias;
		__atomic_store_n(&m->probes, probes, __ATOMIC_RELEASE);
		if (m == &modules.module[modules.n])
			__atomic_store_n(&modules.n, modules.n + 1, __ATOMIC_RELEASE);
	}
	tv_give(&modules.lock);
	if (!m)
		return;
	if (tv_self.chunk)
		tv_sites_note(&tv_self);
	tv_set_mode(&tv_self, (enum tv_mode)tv_self.mode);
}

void tview_join_sites(struct tv_probes *probes)
{
	struct search found = { .start = probes->start };
	uintptr_t before;

	if (!tv.wanted || !probes->start || probes->stop <= probes->start ||
	    !dl_iterate_phdr(look_into, &found))
		return;
	before = tv_busy_save(&tv_self);
	join(probes, &found);
	tv_busy_restore(&tv_self, before);
}

void tview_part_sites(struct tv_probes *probes)
{
	const struct tv_rows *rows = &tv_self.rows;
	const uintptr_t before = tv_busy_save(&tv_self);

	tv_take(&modules.lock);
	for (uint32_t i = 0; i < modules.n; i++)
		if (modules.module[i].probes == probes)
			__atomic_store_n(&modules.module[i].probes, NULL, __ATOMIC_RELEASE);
	__atomic_fetch_add(&tv.generation, 1, __ATOMIC_ACQ_REL);
	tv_give(&modules.lock);
	probes->mode = 0;
	probes->statement = NULL;
	/* Its variables go with it; no thread is in it any more, but longjmp may have left what
	 * says so. */
	for (uint32_t i = 0; i < rows->depth; i++) {
		struct tv_frame *f = &rows->stack[i];
		const uint64_t start = (uint64_t)(uintptr_t)probes->start;
		if (f->flags & TV_FRAME_SITE &&
		    f->site - start < (uint64_t)(probes->stop - probes->start))
			f->at = NULL;
	}
	tv_busy_restore(&tv_self, before);
}
