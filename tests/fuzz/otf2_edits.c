#include "fuzz/otf2_edits.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "harness/fuzz.h"

enum { HEAD = 18, TIME = 5, TIME_BYTES = 9, ENTER = 12, LEAVE = 13, FIELDS_MOST = 24 };

/* ---- files ---- */

static void read_one(struct otf2_contents *all, const char *folder, const char *name)
{
	struct otf2_content *content = &all->file[all->n];
	char path[256];
	FILE *in;

	must(all->n < OTF2_FILES && strlen(name) < sizeof content->name, "there is room");
	snprintf(content->name, sizeof content->name, "%s", name);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	in = fopen(path, "rb");
	must(in, "there is an archive: run from the root of the repository");
	content->n = fread(content->bytes, 1, sizeof content->bytes, in);
	fclose(in);
	all->n++;
}

/* The sizes of chunks are two numbers of 8 bytes, 'B': the least byte first. */
static void least_chunks(struct otf2_content *anchor)
{
	enum { AT = 12, BYTES = 16, LITTLE = 'B' };
	const bool little = anchor->bytes[1] == LITTLE;

	must(anchor->n > AT + BYTES, "an anchor has sizes of chunks");
	memset(anchor->bytes + AT, 0, BYTES);
	anchor->bytes[AT + (little ? 2 : 5)] = 4; /* 256 KiB */
	anchor->bytes[AT + 8 + (little ? 2 : 5)] = 4;
}

void otf2_contents_read(struct otf2_contents *all, const char *folder, const char *name)
{
	char path[256];
	const struct dirent *entry;
	DIR *dir;

	memset(all, 0, sizeof *all);
	snprintf(path, sizeof path, "%s.otf2", name);
	read_one(all, folder, path);
	least_chunks(&all->file[0]);
	snprintf(path, sizeof path, "%s.def", name);
	read_one(all, folder, path);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	dir = opendir(path);
	must(dir, "there is a folder");
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%.40s", name, entry->d_name);
		read_one(all, folder, path);
	}
	closedir(dir);
}

void otf2_contents_copy(struct otf2_contents *to, const struct otf2_contents *from)
{
	to->n = from->n;
	for (size_t i = 0; i < from->n; i++) {
		struct otf2_content *c = &to->file[i];
		memcpy(c->name, from->file[i].name, sizeof c->name);
		memcpy(c->bytes, from->file[i].bytes, from->file[i].n);
		c->n = from->file[i].n;
		c->changed = false;
	}
}

/* ---- records ---- */

struct record {
	size_t at, n, fields; /* all of it; where its numbers begin */
};

static size_t number_bytes(const struct otf2_content *c, size_t at)
{
	const unsigned first = c->bytes[at];

	return first >= 1 && first <= 8 ? 1 + first : 1;
}

/* False at the end, or where nothing more can be understood. */
static bool record_at(const struct otf2_content *c, size_t at, struct record *r)
{
	*r = (struct record){ .at = at };
	if (at + 2 > c->n || c->bytes[at] <= 2)
		return false;
	if (c->bytes[at] == TIME) {
		r->n = r->fields = TIME_BYTES;
	} else if (c->bytes[at] == ENTER || c->bytes[at] == LEAVE) {
		r->fields = 1;
		r->n = 1 + number_bytes(c, at + 1);
	} else {
		r->fields = 2;
		r->n = 2u + c->bytes[at + 1];
	}
	return at + r->n <= c->n;
}

/* The nth record, or the last one before. */
static bool record_of(const struct otf2_content *c, size_t nth, struct record *found)
{
	struct record r;
	bool any = false;

	for (size_t at = HEAD, i = 0; i <= nth && record_at(c, at, &r); i++) {
		any = true;
		*found = r;
		at += r.n;
	}
	return any;
}

static void replace(struct otf2_content *c, size_t at, size_t bytes, const void *with, size_t n)
{
	if (c->n - bytes + n > OTF2_FILE_MOST)
		return;
	memmove(c->bytes + at + n, c->bytes + at + bytes, c->n - at - bytes);
	memcpy(c->bytes + at, with, n);
	c->n += n - bytes;
	c->changed = true;
}

/* Puts another number in the place of a record's nth: its length follows. */
static void change_field(struct otf2_content *c, const struct record *r, unsigned nth, int step)
{
	unsigned char number[9] = { 0 };
	size_t at = r->at + r->fields, bytes, n = 1;
	uint64_t value = 0;

	if (c->bytes[r->at] == TIME) {
		c->bytes[r->at + 1 + nth % 8] =
			(unsigned char)(c->bytes[r->at + 1 + nth % 8] + step);
		c->changed = true;
		return;
	}
	for (nth %= FIELDS_MOST; nth > 0 && at < r->at + r->n; nth--)
		at += number_bytes(c, at);
	bytes = at < r->at + r->n ? number_bytes(c, at) : 0;
	if (bytes == 0 || at + bytes > r->at + r->n)
		return;
	for (size_t i = bytes - 1; i > 0; i--)
		value = value << 8 | c->bytes[at + i];
	value += (uint64_t)(int64_t)step;
	if (step == 127)
		number[0] = 0xff;
	for (; step != 127 && value; value >>= 8) {
		number[n++] = (unsigned char)value;
		number[0]++;
	}
	if (r->fields == 2 && r->n - 2 - bytes + n > 254)
		return;
	if (r->fields == 2)
		c->bytes[r->at + 1] = (unsigned char)(r->n - 2 - bytes + n);
	replace(c, at, bytes, number, n);
}

static void copy_record(const struct otf2_content *from, const struct record *r,
			struct otf2_content *to, const struct record *before)
{
	unsigned char bytes[2 + UINT8_MAX];

	memcpy(bytes, from->bytes + r->at, r->n);
	replace(to, before->at, 0, bytes, r->n);
}

static void swap_files(struct otf2_content *a, struct otf2_content *b)
{
	static struct otf2_content third;

	third = *a;
	memcpy(a->bytes, b->bytes, b->n);
	memcpy(b->bytes, third.bytes, third.n);
	a->n = b->n;
	b->n = third.n;
	a->changed = b->changed = true;
}

static void edit_records(struct otf2_contents *all, struct otf2_content *c, const uint8_t *d,
			 unsigned what)
{
	struct otf2_content *other = &all->file[d[5] % all->n];
	struct record r, s;

	if (!record_of(c, (size_t)(d[1] << 8 | d[2]) % 512, &r))
		return;
	switch (what) {
	case 0: replace(c, r.at, r.n, "", 0); break;
	case 1:
		if (record_of(other, d[4], &s))
			copy_record(c, &r, other, &s);
		break;
	case 2:
		c->bytes[r.at] = d[3];
		c->changed = true;
		break;
	default: change_field(c, &r, d[4], (int8_t)d[3]);
	}
}

/* ---- bytes ---- */

static void edit_bytes(struct otf2_content *c, const uint8_t *d, unsigned what)
{
	const size_t at = c->n ? (size_t)(d[1] << 8 | d[2]) % c->n : 0, length = d[4] % 9u;
	unsigned char bytes[9];

	c->changed = true;
	if (c->n == 0)
		return;
	switch (what) {
	case 0: c->bytes[at] ^= (unsigned char)(1u << (d[3] & 7)); break;
	case 1: c->bytes[at] = d[3]; break;
	case 2: c->n = at; break;
	default: memset(bytes, d[3], sizeof bytes); replace(c, at, 0, bytes, length);
	}
}

void otf2_edit(struct otf2_contents *all, const uint8_t d[OTF2_EDIT])
{
	struct otf2_content *c = &all->file[d[0] % OTF2_FILES % all->n];
	const unsigned what = d[0] / OTF2_FILES;

	if (what < 4)
		edit_bytes(c, d, what);
	else if (what == 15)
		swap_files(c, &all->file[d[5] % all->n]);
	else
		edit_records(all, c, d, what - 4);
}
