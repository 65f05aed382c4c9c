#include "model/picl/write/picl_plain.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/picl/picl_text.h"
#include "model/picl/write/picl_out.h"
#include "model/trace/record_type.h"
#include "model/trace/store.h"

enum { HEAD = 16, TAIL = 32, PAIR = 24 };
static_assert(PAIR == sizeof((struct picl_out_place *)0)->pair, "as places keep it");

/* "TYPE EVENTTYPE " before the time, and the data after processor and process. */
struct picl_plain {
	char head[HEAD], tail[TAIL];
	uint8_t head_n; /* 0: such records are composed */
	uint8_t tail_n;
	bool nested; /* it opens or closes a region of MPI or I/O */
};

/* False where it is too long. */
static bool keep(char *to, size_t room, uint8_t *n, const struct str *text)
{
	if (text->n > room)
		return false;
	memcpy(to, text->text, text->n);
	*n = (uint8_t)text->n;
	return true;
}

static void make(const struct picl_writer *w, uint32_t id, bool enters, struct picl_plain *plain)
{
	const struct picl_out_site *site = &w->sites[id];
	struct picl_out_values values = { .n = 0 };
	OWNED_STR head = STR_INIT;
	OWNED_STR tail = STR_INIT;
	uint8_t head_n;

	if (!picl_is_alone(site, enters))
		return;
	if (enters)
		picl_bare_values((struct picl_writer *)(uintptr_t)w, site, &values);
	picl_add_pair(&head, enters ? REC_ENTRY : REC_EXIT, site->type);
	picl_trim_values(&values);
	picl_add_values(&tail, values.v, values.n);
	str_add_char(&tail, '\n');
	plain->nested = picl_is_nested(site);
	if (keep(plain->head, HEAD, &head_n, &head) &&
	    keep(plain->tail, TAIL, &plain->tail_n, &tail))
		plain->head_n = head_n;
}

void picl_plain_init(struct picl_writer *w)
{
	const uint32_t n = trace_site_count(w->trace);

	for (uint32_t l = 0; l < trace_location_count(w->trace); l++) {
		struct picl_out_place *place = &w->places[l];
		OWNED_STR pair = STR_INIT;
		str_add_char(&pair, ' ');
		picl_add_pair(&pair, place->processor, place->process);
		if (!keep(place->pair, PAIR, &place->pair_n, &pair))
			return;
	}
	/* Texts and attributes of single events would have to be looked up. */
	if (w->texts || w->attributes)
		return;
	w->plain = xcalloc(2 * (size_t)n + 1, sizeof *w->plain);
	for (uint32_t site = 0; site < n; site++) {
		make(w, site, true, &w->plain[2 * (size_t)site + EV_ENTER]);
		make(w, site, false, &w->plain[2 * (size_t)site + EV_LEAVE]);
	}
}

void picl_plain_fini(struct picl_writer *w)
{
	free(w->plain);
}

static_assert(EV_ENTER == 0 && EV_LEAVE == 1, "places in `plain`");

bool picl_plain_compose(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;
	const uint32_t what = cursor_what(c);
	const enum event_kind kind = what_kind(what);
	const int64_t time = cursor_time(c);
	const struct picl_plain *plain;
	char *p;

	if (kind > EV_LEAVE || !w->plain || !units_is_near(&w->near, time))
		return false;
	plain = &w->plain[2 * (size_t)w->trace->paths.data[what_id(what)].site + kind];
	if (!plain->head_n)
		return false;
	if (plain->nested && kind == EV_ENTER)
		place->nested++;
	else if (plain->nested && place->nested)
		place->nested--;
	p = str_room(&w->text, HEAD + UNITS_NEAR + PAIR + TAIL);
	memcpy(p, plain->head, HEAD);
	p = units_put_near(p + plain->head_n, time, &w->near);
	memcpy(p, place->pair, PAIR);
	p += place->pair_n;
	memcpy(p, plain->tail, TAIL);
	str_end(&w->text, p + plain->tail_n);
	place->more = cursor_next(c) && picl_in_window(w, c);
	return true;
}
