/* Colours and glyphs of states. */
#include "ui/timeline/drawing/timeline_draw.h"

/* Nested levels of user code alternate between two tones. */
enum role timeline_state_role(unsigned state, unsigned level)
{
	if (state >= STATE_FUNCTION && state < STATE_COUNT)
		return (enum role)((unsigned)ROLE_FUNCTION_FIRST + state - STATE_FUNCTION);
	if (state >= STATE_WAIT && state < STATE_FUNCTION)
		return (enum role)((unsigned)ROLE_WAIT + state - STATE_WAIT);
	if (state >= CLASS_OUTSIDE)
		return ROLE_DEFAULT;
	if (state == CLASS_USER && level > 0 && level % 2 == 0)
		return ROLE_USER_NESTED;
	return (enum role)((unsigned)ROLE_CLASS_FIRST + state);
}

uint32_t timeline_state_glyph(unsigned state, bool ascii)
{
	if (state == STATE_FILTERED)
		return theme_glyph(GLYPH_DOT, ascii);
	if (state == STATE_OTHERS)
		return ':';
	if (state >= STATE_FUNCTION && state < STATE_OTHERS)
		return '1' + state - STATE_FUNCTION;
	if (state >= STATE_WAIT && state < STATE_FUNCTION)
		return theme_wait_glyph(state - STATE_WAIT);
	return state == STATE_COUNT ? ' ' : theme_class_glyph(state, ascii);
}

bool timeline_is_hatched(const struct timeline_cell *cell)
{
	return cell->estimated && (cell->whole == CLASS_USER || cell->whole == CLASS_OUTSIDE ||
				   cell->whole >= STATE_FUNCTION);
}
