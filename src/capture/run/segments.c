#include "capture/run/segments.h"

/* ---- what begins and ends gaps ---- */

static bool is_user(const struct tv_head *head)
{
	return head->kind == TV_USER_ENTER || head->kind == TV_USER_LEAVE ||
	       head->kind == TV_USER_MARK;
}

/* The library's own work and definitions happen anywhere. */
bool segment_is_own(const struct rankfile *file, const struct tv_head *head)
{
	if (head->kind == TV_DEFINE)
		return true;
	return (head->kind == TV_ENTER || head->kind == TV_LEAVE) &&
	       head->call < file->head->calls && file->head->call[head->call].cls == TV_OVERHEAD;
}

int segment_turn(bool *inside, const struct rankfile *file, const struct tv_head *head)
{
	const bool ends = *inside;
	bool begins;

	if (segment_is_own(file, head))
		return 0;
	begins = (ends && is_user(head)) || ((head->kind == TV_LEAVE || head->kind == TV_SEGMENT) &&
					     head->flags & TV_UNRECORDED);
	*inside = begins;
	return (ends ? SEGMENT_ENDS : 0) | (begins ? SEGMENT_BEGINS : 0);
}

uint32_t segments_common(const struct segments *s, uint32_t a, uint32_t b)
{
	const struct segment_path *paths = s->paths.data;

	while (a != b) {
		if (paths[a].depth >= paths[b].depth)
			a = paths[a].parent;
		else
			b = paths[b].parent;
	}
	return a;
}

void segments_fini(struct segments *s)
{
	vec_fini(&s->paths);
	vec_fini(&s->gaps);
	keymap_fini(&s->children);
}
