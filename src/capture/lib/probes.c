/* What the probes of tvcc call (sites.h): procedures and loops are entered and left, statements
 * announced; programs and libraries that bear such probes come and go. */
#define _GNU_SOURCE
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "capture/lib/pause.h"
#include "capture/lib/probes.h"

/* A program or library with sites. Its number is that of its file: loaded again, at another place,
 * it has the same. */
struct module {
	struct tv_probes *probes; /* NULL: unloaded */
	const char *start, *stop;
	uint64_t bias;
	bool noted; /* in a stream, as TV_DEF_SITES */
	char *path;
};

static struct {
	pthread_mutex_t lock;
	uint32_t n;
	struct module module[TV_SITE_MODULES_MAX];
} modules = { .lock = TV_LOCK_INITIALIZER };

/* ---- places ---- */

static const struct module *module_of(const void *site)
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
	struct tv_statement_cache *known =
		&t->known[((uintptr_t)site / TV_SLOT_SIZE) % TV_KNOWN_STATEMENTS];

	t->statement = NULL;
	if (TV_UNLIKELY(known->site != site || known->generation != generation))
		*known = (struct tv_statement_cache){ site, tv_site_place(site), generation };
	return known->place;
}

/* ---- procedures ---- */

/* The call statement that a procedure is entered from, `from` being that of its own module: that of
 * the frame below, be it of another library. What is called by a function without probes of tvcc,
 * but with the compiler's hooks, is called from nowhere that a site would tell. */
static const struct tv_site *call_statement(const struct tv_thread *t, const struct tv_site **at,
					    const struct tv_site *from)
{
	const struct tv_frame *below;

	if (t->rows.depth == 0)
		return from;
	below = tv_top(&t->rows);
	if (TV_LIKELY(below->at == at))
		return from;
	if (below->flags & (TV_FRAME_FUNCTION | TV_FRAME_GUARDED))
		return NULL;
	if (!below->at)
		return from;
	from = *below->at;
	*below->at = NULL;
	return from;
}

static inline unsigned site_open(struct tv_thread *t, struct tv_entry *entry,
				 const struct tv_site *site, const struct tv_site **at, void *frame,
				 uint32_t flags, uint64_t now)
{
	struct tv_function *record = NULL;
	struct tv_frame *f;

	if (TV_LIKELY(!entry->procedure->limited))
		record = tv_site_room(t, entry);
	f = tv_open(t, entry, (uint64_t)(uintptr_t)site, frame, at,
		    record ? flags | TV_FRAME_WRITTEN : flags);
	if (TV_LIKELY(!now))
		now = tv_now();
	if (record)
		tv_site_commit(t, entry, record, entry->what, now);
	if (TV_UNLIKELY(!f))
		return 0;
	f->start = now;
	f->iteration = 0;
	f->parent = site->parent;
	return t->rows.depth;
}

/* In a gap the stack is as deep as it will be when the notes are records. */
static unsigned note_enter(struct tv_thread *t, const struct tv_site *site, uint64_t loop,
			   const struct tv_site *from, void *frame, const struct tv_site **at)
{
	const uint32_t depth = ++t->segment.depth;

	tv_note(t, TV_SITE_ENTER | (uint64_t)(uintptr_t)site << 8 | loop, (uintptr_t)from, frame,
		at);
	return t->mode == TV_GAP ? depth : t->rows.depth;
}

static inline unsigned procedure_enter(struct tv_thread *t, const struct tv_site *site,
				       const struct tv_site **at, const struct tv_site *from,
				       void *frame, uint64_t now)
{
	tv_look_for_longjmp(t, frame);
	from = call_statement(t, at, from);
	return site_open(t, tv_entry_find(t, (uintptr_t)site, (uintptr_t)from, TV_KEY_SITE), site,
			 at, frame, TV_FRAME_SITE, now);
}

static inline unsigned site_enter(struct tv_thread *t, const struct tv_site *site,
				  const struct tv_site **at, void *frame)
{
	const struct tv_site *from = *at;
	uint64_t now = 0;

	*at = NULL;
	if (TV_UNLIKELY(t->mode != TV_ON)) {
		if (t->mode == TV_GAP) {
			t->segment.at = at;
			return note_enter(t, site, 0, from, frame, at);
		}
		if (t->mode == TV_PAUSED && tv_pause_holds(t))
			return tv_pause_enter(t, (uintptr_t)site, frame, at, TV_FRAME_SITE);
		if (!tv_probe_slow(t, (uintptr_t)site, &now))
			return 0;
	}
	return procedure_enter(t, site, at, from, frame, now);
}

static unsigned enter(const struct tv_site *site, const struct tv_site **at, void *frame)
{
	struct tv_thread *t = &tv_self;
	unsigned token;

	if (TV_UNLIKELY(!tv_busy_begin(t, true)))
		return 0;
	token = site_enter(t, site, at, frame);
	tv_busy_end(t);
	return token;
}

/* Leaves a function that was entered while probes were off: only writes the event. */
static void left_alone(struct tv_thread *t, const struct tv_site *site, uint64_t now)
{
	const uint64_t place = tv_site_place(site);
	const struct tv_procedure *procedure = tv_procedure_find(&t->rows, place);
	struct tv_function *record;

	if (!place || (procedure && procedure->limited))
		return;
	record = tv_room(t, sizeof *record);
	if (!record)
		return;
	record->what = tv_site_left(tv_site_what(place, 0));
	record->time = now;
	tv_commit(t, sizeof *record);
}

/* True: the site is now the innermost one, and ends. */
static __attribute__((noinline)) bool left_oddly(struct tv_thread *t, const struct tv_site *site,
						 unsigned token, uint64_t now)
{
	const struct tv_rows *rows = &t->rows;
	const uint64_t address = (uint64_t)(uintptr_t)site;

	if (token == 0 && t->has_paused)
		return false;
	if (token == 0) {
		left_alone(t, site, now);
		return false;
	}
	/* After a longjmp in a gap tokens are too large. What is not there was ended already. */
	if (token > rows->depth || rows->stack[token - 1].site != address)
		token = tv_depth_of(rows, address);
	if (token)
		tv_close_lost(t, token, now, true);
	return token != 0;
}

static inline void site_close(struct tv_thread *t, const struct tv_site *site, unsigned token,
			      bool loop, uint64_t iterations, uint64_t now)
{
	const struct tv_entry *entry;
	const struct tv_frame *f;
	struct tv_function *record;
	bool written;

	if (TV_LIKELY(!now))
		now = tv_now();
	if (TV_UNLIKELY(token != t->rows.depth || token == 0 ||
			tv_top(&t->rows)->site != (uint64_t)(uintptr_t)site) &&
	    !left_oddly(t, site, token, now))
		return;
	f = tv_top(&t->rows);
	entry = f->entry;
	written = f->flags & TV_FRAME_WRITTEN;
	if (!loop) {
		/* Clears the call statement that a call of a function without probes has left
		 * there. */
		if (f->at)
			*f->at = NULL;
		t->statement = NULL;
	}
	if (loop)
		tv_close_loop(t, now, iterations);
	else
		tv_close(t, now, 0);
	if (!written)
		return;
	record = tv_site_room(t, entry);
	if (TV_LIKELY(record))
		tv_site_commit(t, entry, record, tv_site_left(entry->what), now);
}

static void note_leave(struct tv_thread *t, const struct tv_site *site, bool loop,
		       uint64_t iterations)
{
	struct tv_segment *s = &t->segment;

	if (!loop) {
		if (s->at)
			*s->at = NULL;
		t->statement = NULL;
	}
	s->depth -= s->depth > 0;
	tv_note(t, TV_SITE_LEAVE | (uint64_t)(uintptr_t)site << 8 | (loop ? TV_NOTE_LOOP : 0),
		iterations, NULL, NULL);
}

static __attribute__((noinline)) void paused_leave(struct tv_thread *t, const struct tv_site *site,
						   unsigned token)
{
	if ((token && token == t->rows.depth &&
	     tv_top(&t->rows)->site == (uint64_t)(uintptr_t)site) ||
	    left_oddly(t, site, token, tv_now()))
		tv_pause_leave(t);
}

static inline void site_leave(const struct tv_site *site, unsigned token, bool loop,
			      uint64_t iterations)
{
	struct tv_thread *t = &tv_self;
	uint64_t now = 0;

	if (TV_UNLIKELY(!tv_busy_begin(t, false)))
		return;
	if (TV_UNLIKELY(t->mode == TV_GAP))
		note_leave(t, site, loop, iterations);
	else if (TV_UNLIKELY(t->mode == TV_PAUSED && tv_pause_holds(t)))
		paused_leave(t, site, token);
	else if (TV_LIKELY(t->mode == TV_ON || tv_probe_slow(t, (uintptr_t)site, &now)))
		site_close(t, site, token, loop, iterations, now);
	tv_busy_end(t);
}

static void leave(const struct tv_site *site, unsigned token)
{
	site_leave(site, token, false, 0);
}

/* ---- loops ---- */

/* Loops of the same activation that are open beside this one, not around it: longjmp left them. */
static void look_for_siblings(struct tv_thread *t, const struct tv_site *site, uintptr_t frame)
{
	const struct tv_rows *rows = &t->rows;

	for (uint32_t depth = rows->depth; depth > 0; depth--) {
		const struct tv_frame *f = &rows->stack[depth - 1];
		if (!(f->flags & TV_FRAME_LOOP) || f->frame != frame)
			return;
		if (f->parent != site->parent)
			continue;
		tv_close_lost(t, depth - 1, tv_probe_time(t), true);
		return;
	}
}

static inline unsigned loop_enter(struct tv_thread *t, const struct tv_site *site, void *frame,
				  uint64_t now)
{
	const struct tv_site **at;

	tv_look_for_longjmp(t, frame);
	if (t->rows.depth && tv_top(&t->rows)->flags & TV_FRAME_LOOP)
		look_for_siblings(t, site, (uintptr_t)frame);
	at = t->rows.depth ? tv_top(&t->rows)->at : NULL;
	return site_open(t, tv_entry_find(t, (uintptr_t)site, 0, TV_KEY_SITE), site, at, frame,
			 TV_FRAME_SITE | TV_FRAME_LOOP, now);
}

static unsigned enter_loop(const struct tv_site *site, void *frame)
{
	struct tv_thread *t = &tv_self;
	unsigned token = 0;
	uint64_t now = 0;

	if (TV_UNLIKELY(!tv_busy_begin(t, true)))
		return 0;
	if (TV_UNLIKELY(t->mode == TV_GAP))
		token = note_enter(t, site, TV_NOTE_LOOP, NULL, frame, NULL);
	else if (TV_UNLIKELY(t->mode == TV_PAUSED && tv_pause_holds(t)))
		token = tv_pause_enter(t, (uintptr_t)site, frame,
				       t->rows.depth ? tv_top(&t->rows)->at : NULL,
				       TV_FRAME_SITE | TV_FRAME_LOOP);
	else if (TV_LIKELY(t->mode == TV_ON || tv_probe_slow(t, (uintptr_t)site, &now)))
		token = loop_enter(t, site, frame, now);
	tv_busy_end(t);
	return token;
}

static void leave_loop(const struct tv_site *site, unsigned token, unsigned long iterations)
{
	site_leave(site, token, true, iterations);
}

/* A loop without a time of its own, so often and with so many iterations. */
static void count(const struct tv_site *site, unsigned long executions, unsigned long iterations)
{
	struct tv_thread *t = &tv_self;
	struct tv_statistic *row;

	if (!executions || (t->mode == TV_OFF && !tv_thread_start()) || t->mode == TV_SKIP ||
	    !t->live)
		return;
	row = tv_entry_find(t, (uintptr_t)site, 0, TV_KEY_SITE)->row;
	tv_row_begin(row);
	row->count += executions;
	row->loop.iterations += iterations;
	tv_row_end(row);
}

static void iterate(const struct tv_site *site, unsigned token)
{
	struct tv_thread *t = &tv_self;
	struct tv_frame *f;
	uint64_t now;

	if (TV_UNLIKELY(!t->live || t->mode >= TV_GAP) || token == 0 || token > t->rows.depth)
		return;
	f = &t->rows.stack[token - 1];
	if (f->site != (uint64_t)(uintptr_t)site)
		return;
	if (TV_UNLIKELY(!tv_busy_begin(t, false)))
		return;
	now = tv_now();
	if (token < t->rows.depth)
		tv_close_lost(t, token, now, true);
	tv_loop_iterated(f->entry, f->iteration, now);
	f->iteration = now;
	tv_busy_end(t);
}

void tv_record_site(struct tv_thread *t, const struct tv_note *note)
{
	const struct tv_site *site = (const void *)(uintptr_t)tv_function_address(note->what);
	const bool loop = note->what & TV_NOTE_LOOP;

	if ((note->what & 0xff) == TV_SITE_LEAVE)
		site_close(t, site, t->rows.depth ? t->rows.depth : UINT32_MAX, loop, note->with,
			   t->given);
	else if (loop)
		loop_enter(t, site, note->frame, t->given);
	else
		procedure_enter(t, site, note->at, (const void *)(uintptr_t)note->with, note->frame,
				t->given);
}

static void statement(const struct tv_site *site)
{
	tv_self.statement = site;
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

	probes->enter = enter;
	probes->leave = leave;
	probes->enter_loop = enter_loop;
	probes->leave_loop = leave_loop;
	probes->iterate = iterate;
	probes->count = count;
	probes->statement = statement;
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
