/* Sums of time by state, and the cell that they make. */
#include "ui/timeline/picture/timeline_picture.h"

void timeline_mix_add(struct timeline_mix *mix, const struct timeline_level *level,
		      const uint64_t *slots)
{
	for (unsigned s = 0; s < level->slots; s++)
		if (slots[s])
			timeline_mix_put(mix, level->state[s], slots[s]);
}

struct timeline_mix timeline_mix_sum(const struct timeline_mix *a, const struct timeline_mix *b)
{
	struct timeline_mix sum = *a;

	for (uint32_t states = b->states; states;) {
		const unsigned s = timeline_next_state(&states);

		timeline_mix_put(&sum, s, b->of[s]);
	}
	return sum;
}

/* Of equal sums the first state is the one. */
static uint8_t longer(uint8_t best, uint64_t most, unsigned state, uint64_t ticks)
{
	return ticks && (best == STATE_NONE || ticks > most) ? (uint8_t)state : best;
}

struct timeline_cell timeline_cell_of(const struct timeline_mix *left,
				      const struct timeline_mix *right)
{
	struct timeline_cell cell = { STATE_NONE, STATE_NONE, STATE_NONE, .mix = NO_MIX };
	const uint64_t all = left->all + right->all;
	uint64_t shown, most_left = 0, most_right = 0, most = 0;

	for (uint32_t states = left->states | right->states; states;) {
		const unsigned s = timeline_next_state(&states);
		const uint64_t l = left->of[s], r = right->of[s];

		cell.left = longer(cell.left, most_left, s, l);
		cell.right = longer(cell.right, most_right, s, r);
		cell.whole = longer(cell.whole, most, s, l + r);
		most_left = l > most_left ? l : most_left;
		most_right = r > most_right ? r : most_right;
		most = l + r > most ? l + r : most;
	}
	/* Where nothing was recorded nothing is hidden. */
	shown = left->of[CLASS_OUTSIDE] + right->of[CLASS_OUTSIDE];
	if (cell.left < STATE_COUNT && cell.left != CLASS_OUTSIDE)
		shown += left->of[cell.left] + right->of[cell.left];
	if (cell.right < STATE_COUNT && cell.right != cell.left && cell.right != CLASS_OUTSIDE)
		shown += left->of[cell.right] + right->of[cell.right];
	cell.mixed = all > shown && all - shown >= all / 8 + (all % 8 != 0);
	return cell;
}

void timeline_mix_wait(struct timeline_mix *mix, const struct wait_sums *of, const uint64_t *waits)
{
	const struct wait_slot *slots;
	const unsigned n = wait_sums_slots(of, &slots);

	for (unsigned s = 0; s < n; s++) {
		uint64_t *const own = &mix->of[slots[s].cls];
		const uint64_t part = waits[s] < *own ? waits[s] : *own;

		if (part == 0)
			continue;
		*own -= part;
		mix->of[STATE_WAIT + slots[s].kind] += part;
		mix->states |= UINT32_C(1) << (STATE_WAIT + slots[s].kind);
	}
}
