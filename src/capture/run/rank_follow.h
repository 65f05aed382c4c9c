/* rank_follow: the records that a rank writes while it runs, each once, soon after it was written.
 * Nothing waits, as for rankfile_look().
 *
 *	struct rank_follow *f = rank_follow_new(path, room);
 *	while (...) {
 *		rank_follow_look(f, tell, context);
 *		...
 *	}
 *	rank_follow_free(f);
 *
 * Where records were overwritten (tvrun --last) before they were read, `tell` is called with NULL:
 * what was open in that thread is not known any more. Chunks that are being written are read again
 * from their start at each look: at most TV_CHUNK_SIZE a thread, beside what is new. */
#pragma once

#include "capture/run/rankfile.h"

struct rank_follow;
struct follow_room;

/* Room for looks, one at a time: 3 MiB. */
struct follow_room *follow_room_new(void);
void follow_room_free(struct follow_room *room);

/* Borrows the room. */
struct rank_follow *rank_follow_new(const char *path, struct follow_room *room);
void rank_follow_free(struct rank_follow *f);

/* Maps what there is of the file, which grows; false: its process is just beginning. */
bool rank_follow_map(struct rank_follow *f);
/* Its header, once it is mapped; good until the next look. */
const struct tv_file *rank_follow_head(const struct rank_follow *f);

/* Definitions and events; of a thread in their order. */
typedef void rank_follow_tell(void *context, uint32_t thread, const struct tv_head *head);
void rank_follow_look(struct rank_follow *f, rank_follow_tell *tell, void *context);
