/* The definitions in a rank's streams, read before the events: a name may be given after its first
 * use. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "capture/run/feed_teams.h"
#include "capture/run/rank_skim.h"

enum { COMMS_MAX = 1 << 24 }; /* ids have 24 bits in a message's record */

static struct rank_comm *comm_slot(struct rank *rank, uint32_t id)
{
	static const struct rank_comm none = { 0 };

	/* They are numbered in the order of definition, so the file has room for no larger
	 * number. */
	if (id >= COMMS_MAX || id >= rank->file->size / sizeof(struct tv_define))
		return NULL;
	while (rank->comms.n <= id)
		vec_push(&rank->comms, none);
	return &rank->comms.data[id];
}

static void define_comm(struct rank *rank, const struct tv_head *head)
{
	size_t length;
	const struct tv_def_comm *def = rank_payload(head, sizeof *def, &length);
	struct rank_comm *comm = comm_slot(rank, head->id);
	size_t members;

	if (!def || !comm || def->size < 0 || def->remote < 0)
		return;
	members = (size_t)def->size + (size_t)def->remote;
	comm->def = def;
	comm->members =
		NULL; /* as many as an earlier definition had are not as many as this one has */
	if (!(def->flags & (TV_COMM_WORLD | TV_COMM_TOO_LARGE)) &&
	    (length - sizeof *def) / sizeof(int32_t) >= members)
		comm->members = (const void *)(def + 1);
}

static struct rank_window *window_slot(struct rank *rank, uint32_t id)
{
	if (id >= COMMS_MAX || id >= rank->file->size / sizeof(struct tv_define))
		return NULL;
	while (rank->windows.n <= id)
		vec_push(&rank->windows, ((struct rank_window){ .object = UINT32_MAX }));
	return &rank->windows.data[id];
}

static void define_window(struct rank *rank, const struct tv_head *head)
{
	const struct tv_def_window *def = rank_payload(head, sizeof *def, NULL);
	struct rank_window *window = window_slot(rank, head->id);

	if (!def || !window)
		return;
	window->def = def;
	window->comm = def->comm;
}

static void define_group(struct rank *rank, const struct tv_head *head)
{
	size_t length;
	const struct tv_def_comm *def = rank_payload(head, sizeof *def, &length);
	const uint32_t id = head->id;

	if (!def || def->size < 0 || def->remote != 0 || id >= COMMS_MAX ||
	    id >= rank->file->size / sizeof(struct tv_define) ||
	    (length - sizeof *def) / sizeof(int32_t) < (size_t)def->size)
		return;
	while (rank->groups.n <= id)
		vec_push(&rank->groups, ((struct rank_group){ .object = UINT32_MAX }));
	rank->groups.data[id].def = def;
	rank->groups.data[id].members = (const void *)(def + 1);
}

static void define_cart(struct rank *rank, const struct tv_head *head)
{
	size_t length;
	const int32_t *cart = rank_payload(head, sizeof *cart, &length);
	struct rank_comm *comm = comm_slot(rank, head->id);

	if (cart && comm && cart[0] > 0 && cart[0] <= 64 &&
	    length >= (1 + 2 * (size_t)cart[0]) * sizeof *cart)
		comm->cart = cart;
}

static void define_sources(struct rank *rank, const struct tv_head *head)
{
	size_t length;
	const int32_t *sources = rank_payload(head, 0, &length);
	struct rank_comm *comm = comm_slot(rank, head->id);

	if (!sources || !comm || length > TV_SOURCES_MOST * sizeof *sources)
		return;
	comm->sources = sources;
	comm->n_sources = (uint32_t)(length / sizeof *sources);
}

static void define_grid(struct rank *rank, const struct tv_head *head)
{
	size_t length;
	const struct tv_def_grid *def = rank_payload(head, sizeof *def, &length);
	const bool place = head->call == TV_DEF_PLACE;
	const char *name;

	if (!def || (def->values != 0 && (def->dims < 1 || def->dims > TV_GRID_DIMS ||
					  def->values != (place ? 1 : 2) * def->dims)))
		return;
	name = rank_text(head, sizeof *def + (size_t)def->values * sizeof(int32_t));
	if (name)
		vec_push(&rank->grids, ((struct rank_grid){ def, name, place }));
}

static void define_module(struct rank *rank, const struct tv_head *head)
{
	const struct tv_def_module *where = rank_payload(head, sizeof *where, NULL);
	const char *path = rank_text(head, sizeof *where);
	const struct rank_module *known;

	if (!where || !path)
		return;
	vec_each (known, &rank->modules) {
		if (!memcmp(&known->where, where, sizeof *where))
			return;
	}
	vec_push(&rank->modules, ((struct rank_module){ *where, path }));
}

static void define_sites(struct rank *rank, const struct tv_head *head)
{
	const struct tv_def_sites *where = rank_payload(head, sizeof *where, NULL);
	const char *path = rank_text(head, sizeof *where);
	const uint32_t id = head->id;

	if (!where || !path || id >= TV_SITE_MODULES_MAX || where->stop < where->start)
		return;
	while (rank->site_modules.n <= id)
		vec_push(&rank->site_modules,
			 ((struct rank_sites){ .path = NULL, .module = UINT32_MAX }));
	rank->site_modules.data[id] = (struct rank_sites){ *where, path, UINT32_MAX };
}

static void define_stack(struct rank *rank, const struct tv_head *head)
{
	size_t length;
	const uint64_t *address = rank_payload(head, sizeof *address, &length);
	const uint32_t id = head->id;

	if (!address || !id || id > rank->file->size / sizeof(struct tv_define))
		return;
	while (rank->stacks.n < id)
		vec_push(&rank->stacks, ((struct rank_stack){ NULL, 0 }));
	rank->stacks.data[id - 1] =
		(struct rank_stack){ address, (uint32_t)(length / sizeof *address) };
}

static void define_frame(struct rank *rank, const struct tv_head *head)
{
	const struct tv_def_frame *def = rank_payload(head, sizeof *def, NULL);
	const char *name = rank_text(head, sizeof *def);
	const char *file = name ? rank_text(head, sizeof *def + strlen(name) + 1) : NULL;
	const uint32_t id = head->id;

	if (!def || !file || !id || id > rank->file->size / sizeof(struct tv_define))
		return;
	while (rank->frames.n < id)
		vec_push(&rank->frames, ((struct rank_frame){ NULL, NULL, NULL }));
	rank->frames.data[id - 1] = (struct rank_frame){ def, name, file };
}

static void define_left_out(struct rank *rank, const struct tv_head *head)
{
	const uint64_t *function = NULL;
	const uint32_t *slot = NULL;

	if (head->call == TV_DEF_FUNCTION_OUT)
		function = rank_payload(head, sizeof *function, NULL);
	else
		slot = rank_payload(head, sizeof *slot, NULL);
	if (function)
		vec_push(&rank->functions_out, *function);
	if (slot)
		vec_push(&rank->left_out, ((struct rank_left_out){ head->id, *slot }));
}

static void define(struct rank *rank, uint32_t thread, const struct tv_head *head)
{
	const char *text = rank_text(head, 0);
	const void *payload;

	switch (head->call) {
	case TV_DEF_STRING:
		if (text)
			vec_push(&rank->strings, ((struct rank_string){ thread, head->id, text }));
		break;
	case TV_DEF_COMM: define_comm(rank, head); break;
	case TV_DEF_COMM_NAME:
		if (text && comm_slot(rank, head->id))
			comm_slot(rank, head->id)->name = text;
		break;
	case TV_DEF_CART: define_cart(rank, head); break;
	case TV_DEF_SOURCES: define_sources(rank, head); break;
	case TV_DEF_WINDOW: define_window(rank, head); break;
	case TV_DEF_WINDOW_NAME:
		if (text && window_slot(rank, head->id))
			window_slot(rank, head->id)->name = text;
		break;
	case TV_DEF_GROUP: define_group(rank, head); break;
	case TV_DEF_MODULE: define_module(rank, head); break;
	case TV_DEF_SITES: define_sites(rank, head); break;
	case TV_DEF_GRID:
	case TV_DEF_PLACE: define_grid(rank, head); break;
	case TV_DEF_OFFSET:
		payload = rank_payload(head, sizeof(struct tv_def_offset), NULL);
		if (payload)
			vec_push(&rank->offsets, (const struct tv_def_offset *)payload);
		break;
	case TV_DEF_STACK: define_stack(rank, head); break;
	case TV_DEF_FRAME: define_frame(rank, head); break;
	case TV_DEF_LEFT_OUT:
	case TV_DEF_FUNCTION_OUT: define_left_out(rank, head); break;
	case TV_DEF_LEVELS:
		payload = rank_payload(head, LEVEL_KINDS * sizeof(int32_t), NULL);
		if (payload)
			vec_push(&rank->levels, ((struct rank_levels){ head->time, payload }));
		break;
	case TV_DEF_TOOL: rank->tool = text; break;
	case TV_DEF_BYPASS:
		if (text)
			vec_push(&rank->bypasses, text);
		break;
	case TV_DEF_COST:
		payload = rank_payload(head, sizeof(struct tv_def_cost), NULL);
		if (payload)
			*(rank->cost ? &rank->last_cost : &rank->cost) = payload;
		break;
	case TV_DEF_SPENT:
		payload = rank_payload(head, 2 * sizeof(uint64_t), NULL);
		if (payload)
			rank->spent = payload;
		break;
	case TV_DEF_PROPERTY:
		if (text)
			vec_push(&rank->properties, text);
		break;
	default: break; /* names of files are for a later version of the trace */
	}
}

ORDERING(by_thread_and_id, struct rank_string, thread, id)
ORDERING(by_time, struct rank_levels, time)

/* Time at which recording was switched off; 0: it is on. */
static uint64_t count_pause(struct rank *rank, const struct tv_head *head, uint64_t since)
{
	rank->has_paused = true;
	if (head->id)
		return since ? since : head->time;
	if (since && head->time > since)
		rank->paused += head->time - since;
	return 0;
}

static void note_refused(struct rank *rank, uint32_t thread, const struct tv_head *head)
{
	if (head->call < TV_CALLS_MAX)
		rank->refused[head->call]++;
	/* A call that is refused is short: no time has the same lower half between its ends. */
	vec_push(&rank->file->refused,
		 ((struct rank_refused){ thread, head->time - ((uint32_t)head->time - head->id),
					 head->time }));
}

void rank_define(struct rank *rank)
{
	rank->first = UINT64_MAX;
	rank->entered = xcalloc(TV_CALLS_MAX, sizeof *rank->entered);
	rank->refused = xcalloc(TV_CALLS_MAX, sizeof *rank->refused);
	for (uint32_t thread = 0; thread < rank->file->threads; thread++) {
		struct rank_skim k = { .rank = rank };
		const struct tv_head *head;
		team_numbers forked = { 0 };
		uint64_t paused = 0;

		rank_skim_begin(&k, thread);
		while ((head = rank_skim_next(&k))) {
			if (rank_is_pause(head))
				paused = count_pause(rank, head, paused);
			if (head->kind == TV_SEGMENT && head->time > k.left) {
				rank->gaps++;
				rank->gap_time += head->time - k.left;
			}
			if (head->kind == TV_REFUSED)
				note_refused(rank, thread, head);
			if (head->kind == TV_DEFINE)
				define(rank, thread, head);
			else
				rank_survey_team(rank, &forked, thread, head);
		}
		vec_fini(&forked);
		if (paused && k.time > paused)
			rank->paused += k.time - paused;
	}
	if (rank->file->head->state & TV_STATISTICS) {
		rank->first = rank->file->head->first_tick;
		rank->last =
			rankfile_statistics_time(rank->file->head, rank->file->head->last_tick);
		/* For a process that was killed this is the only sign of how long it ran. */
		if (rank->file->latest > rank->last)
			rank->last = rank->file->latest;
	} else if (rank->first == UINT64_MAX) {
		rank->first = rank->last = rank->file->head->first_tick;
	}
	/* Threads are there from the cut on, whether they have records there or not. */
	if (rank->cut.is) {
		rank->first = rank->file->since;
		rank->last = rank->last < rank->first ? rank->first : rank->last;
	}
	if (rank->file->now != UINT64_MAX)
		rank->last = rank->file->now;
	vec_sort(&rank->strings, by_thread_and_id);
	rank_survey_outside(rank);
	vec_sort(&rank->levels, by_time);
}

void rank_fini(struct rank *rank)
{
	rankfile_close(rank->file);
	vec_fini(&rank->comms);
	vec_fini(&rank->windows);
	vec_fini(&rank->groups);
	vec_fini(&rank->strings);
	vec_fini(&rank->stacks);
	vec_fini(&rank->frames);
	keymap_fini(&rank->frame_sites);
	vec_fini(&rank->left_out);
	vec_fini(&rank->functions_out);
	vec_fini(&rank->levels);
	vec_fini(&rank->modules);
	vec_fini(&rank->offsets);
	vec_fini(&rank->properties);
	vec_fini(&rank->grids);
	free_all(rank->entered, rank->refused);
	vec_fini(&rank->site_modules);
	vec_fini(&rank->locations);
	keymap_fini(&rank->sites);
	vec_fini(&rank->teams);
	keymap_fini(&rank->team_comms);
	keymap_fini(&rank->locks);
	keymap_fini(&rank->outside.requests);
	vec_fini(&rank->bypasses);
}
