#include "capture/cc/driver/unit_note.h"

#include <string.h>

#include "capture/lib/sites.h"

/* Appends a text with its NUL and returns its offset. */
static uint32_t add_text(struct str *texts, const char *text)
{
	const uint32_t offset = (uint32_t)texts->n;

	str_add_n(texts, text, strlen(text) + 1);
	return offset;
}

static void add_number(struct str *out, uint32_t value)
{
	str_add_fmt(out, "\t.4byte %u\n", value);
}

static void add_bytes(struct str *out, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		str_add_fmt(out, "%s%u%s", i % 16 ? "," : "\t.byte ", (unsigned char)bytes[i],
			    i % 16 == 15 || i + 1 == n ? "\n" : "");
}

void unit_note(struct str *out, const char *source, const char *directory, const char *reason)
{
	enum { TEXT_AT = 2 * TV_SLOT_SIZE };
	OWNED_STR texts = STR_INIT;
	const uint32_t none = add_text(&texts, ""), file = add_text(&texts, source),
		       where = add_text(&texts, directory), why = add_text(&texts, reason),
		       size = (uint32_t)(TEXT_AT + texts.n + TV_SLOT_SIZE - 1) / TV_SLOT_SIZE *
			      TV_SLOT_SIZE;
	/* struct tv_unit, and struct tv_site after its first four bytes; no line is 0. */
	const uint32_t head[] = { TV_UNIT_MAGIC, TV_UNIT_VERSION,   size, 1,
				  TEXT_AT,       (uint32_t)texts.n, file, where };
	const uint32_t site[] = { none, none, TV_NO_SITE, file, file, TV_NO_SITE, why };

	str_add(out, "\t.section " TV_SITES_SECTION ",\"a\"\n\t.balign 32\n");
	for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
		add_number(out, head[i]);
	str_add_fmt(out, "\t.byte %d,%d\n\t.2byte 0\n", TV_SITE_PROCEDURE, TV_SITE_ALONE);
	for (size_t i = 0; i < sizeof site / sizeof site[0]; i++)
		add_number(out, site[i]);
	add_bytes(out, texts.text, texts.n);
	str_add(out, "\t.balign 32\n");
}
