/* text_role: the role of a piece of text or of a bar, which the views set. The theme of a screen
 * gives it a colour (theme_role()); an export ignores it. */
#pragma once

enum text_role {
	TEXT_PLAIN,
	TEXT_TITLE,
	TEXT_HEADER,
	TEXT_VALUE,
	TEXT_MUTED,
	TEXT_GOOD,
	TEXT_WARNING,
	TEXT_ERROR,
	TEXT_WAIT,
	TEXT_CLASS /* + enum region_class: the last one */
};
