/* otf2_edits: OTF2 archives in memory, and edits of them as a fuzzer makes them.
 *
 * A file of definitions or events has 18 bytes of a head, then records: a kind, a length in bytes
 * and numbers, each a byte with its length and so many bytes (0 and 0xff: these are 0 and
 * "undefined"); a time is 5 and eight bytes; an enter and a leave have no length. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OTF2_FILES = 16, OTF2_FILE_MOST = 1 << 15, OTF2_EDIT = 6 };

struct otf2_content {
	char name[64]; /* below the archive's folder */
	unsigned char bytes[OTF2_FILE_MOST];
	size_t n;
	bool changed;
};

struct otf2_contents {
	struct otf2_content file[OTF2_FILES];
	size_t n;
};

/* Reads the files of FOLDER/NAME.otf2 whose names are shorter; the chunks that its anchor asks for
 * become the least, since the library takes that much memory each time. */
void otf2_contents_read(struct otf2_contents *all, const char *folder, const char *name);
/* All of the files that is used. */
void otf2_contents_copy(struct otf2_contents *to, const struct otf2_contents *from);
/* An edit of OTF2_EDIT bytes: file and what to do, two bytes of place, three that say more. */
void otf2_edit(struct otf2_contents *all, const uint8_t edit[OTF2_EDIT]);
