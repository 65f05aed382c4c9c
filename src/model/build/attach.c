/* What is attached to the event that was appended last on a location. */
#include "model/build/build.h"

void builder_attribute(struct builder *b, uint32_t location, uint32_t object, uint64_t value)
{
	const struct tail *tail = &b->tails.data[location];

	if (b->trace->attributes.n == UINT32_MAX)
		err_set(&b->err, STATUS_IO,
			"%s has more attributes than tview can hold (2^32); load a part of it with "
			"--ranks or --time",
			b->home->path);
	if (!b->err.status && tail->block)
		vec_push(&b->trace->attributes,
			 ((struct event_attribute){ tail->id * BLOCK_EVENTS + tail->block->n - 1u,
						    object, value }));
}

/* ---- text of the source ---- */

static void attach(struct builder *b, uint32_t location, struct event_texts *texts,
		   const char *text, size_t length)
{
	const struct tail *tail = &b->tails.data[location];
	uint32_t id;

	/* Of an event of another process, too: all have the same texts. */
	if (b->err.status || (!tail->block && !tail->left_out))
		return;
	id = builder_string(b, text, length);
	if (!tail->elsewhere)
		vec_push(&texts->rows,
			 ((struct event_text){ tail->id * BLOCK_EVENTS + tail->block->n - 1u,
					       id }));
}

void builder_extra(struct builder *b, uint32_t location, const char *text, size_t length)
{
	attach(b, location, &b->trace->extras, text, length);
}

void builder_time_text(struct builder *b, uint32_t location, const char *text, size_t length)
{
	attach(b, location, &b->trace->time_texts, text, length);
}
