#include "capture/cc/instrument/site_table.h"

void site_table_string(struct str *out, const char *bytes, size_t n)
{
	str_add_char(out, '"');
	for (size_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)bytes[i];
		if (c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '?')
			str_add_char(out, (char)c);
		else
			str_add_fmt(out, "\\%03o", c);
	}
	str_add_char(out, '"');
}

void site_table_write(const struct tv_site *sites, size_t n, const struct str *strings,
		      uint32_t source, uint32_t directory, struct str *out)
{
	const size_t text_at = (n + 1) * TV_SLOT_SIZE;
	const size_t room = (strings->n + TV_SLOT_SIZE) / TV_SLOT_SIZE * TV_SLOT_SIZE;

	str_add_fmt(out,
		    "static const struct {unsigned int head[8];struct tvi_site sites[%zu];char "
		    "text[%zu];} tvi_unit "
		    "__attribute__((section(\"" TV_SITES_SECTION
		    "\"),used,aligned(32)))={{%uu,%d,%zu,%zu,%zu,%zu,%u,%u},{",
		    n, room, TV_UNIT_MAGIC, TV_UNIT_VERSION, text_at + room, n, text_at, strings->n,
		    source, directory);
	for (size_t i = 0; i < n; i++) {
		const struct tv_site *site = &sites[i];
		str_add_fmt(out, "%s{%u,%u,%u,%u,%u,%uu,%u,%u,%uu,%u}", i ? "," : "", site->kind,
			    site->flags, site->column, site->line, site->end_line, site->parent,
			    site->name, site->file, site->callee, site->reason);
	}
	str_add(out, "},");
	site_table_string(out, strings->text, strings->n - 1);
	str_add(out, "};");
}
