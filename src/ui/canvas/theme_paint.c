#include "ui/canvas/theme_paint.h"

#include "ui/canvas/canvas.h"

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };

#define B ATTR_BOLD
#define D ATTR_DIM
#define U ATTR_UNDERLINE
#define R ATTR_REVERSE
/* A colour of things: the same as ink on the terminal's ground and as a fill. */
#define STATE(c, ink, c8, ink8)                  \
	{                                        \
		c, c, c8, c8, ink, ink8, 0, 0, 0 \
	}
/* The same, with an exact colour, and one of 16. */
#define BARS(c, rgb, ink, c8, ink8, c16)             \
	{                                            \
		c, c, c8, c8, ink, ink8, rgb, c16, 0 \
	}
/* Text in a colour. */
#define INK(c, c8)                             \
	{                                      \
		c, -1, c8, -1, -1, -1, 0, 0, 0 \
	}
/* A bar: text on a fill. */
#define BAR(c, fill, c8, fill8)                    \
	{                                          \
		c, fill, c8, fill8, c, c8, 0, 0, 0 \
	}
#define CLASS(name, ...)   NTH(CLASS, CLASS_##name, __VA_ARGS__)
#define NTH(group, n, ...) [ROLE_##group##_FIRST + (n)] = { 0, 0, __VA_ARGS__ } /* dark, light */

/* Most of a picture is quiet: user code is a dark slate, what MPI does is muted, and differs by
 * lightness and by blue against tan, which every eye sees; what is before and after the program is
 * grey. Waiting alone is loud: Okabe and Ito's orange and vermilion in four tones. The ink of a bar
 * is black, but on the dark ones, so that the name of a call is in one ink where a part of it waits
 * (palette_test has the contrasts, and the distances for eyes without red or green). Of the 8
 * classic colours red is waiting's alone. */
const struct role_paint theme_paints[ROLE_COUNT] = {
	[ROLE_DEFAULT] = { 0, 0, INK(-1, -1), INK(-1, -1) },
	[ROLE_KEEP] = { 0, 0, INK(-1, -1), INK(-1, -1) },
	[ROLE_TITLE] = { B, R, BAR(253, 237, WHITE, BLUE), BAR(235, 253, WHITE, BLUE) },
	[ROLE_TAB] = { 0, 0, INK(246, -1), INK(241, -1) },
	[ROLE_TAB_ACTIVE] = { B, B | R, BAR(255, 25, BLACK, CYAN), BAR(255, 25, WHITE, BLUE) },
	[ROLE_HEADER] = { B, B | U, INK(110, CYAN), INK(24, BLUE) },
	[ROLE_FRAME] = { 0, 0, INK(240, -1), INK(249, -1) },
	[ROLE_LABEL] = { 0, 0, INK(252, -1), INK(236, -1) },
	[ROLE_MUTED] = { 0, 0, INK(246, -1), INK(241, -1) },
	[ROLE_VALUE] = { B, B, INK(-1, -1), INK(-1, -1) },
	[ROLE_CURSOR] = { 0, R, BAR(255, 25, BLACK, WHITE), BAR(16, 111, WHITE, BLACK) },
	[ROLE_SELECTION] = { 0, R | U, BAR(255, 60, WHITE, BLUE), BAR(16, 189, BLACK, CYAN) },
	[ROLE_MATCH] = { 0, B | U, BAR(16, 221, BLACK, YELLOW), BAR(16, 221, BLACK, YELLOW) },
	[ROLE_HINT_KEY] = { B, B, INK(117, CYAN), INK(25, BLUE) },
	[ROLE_HINT] = { 0, 0, INK(246, -1), INK(241, -1) },
	[ROLE_PROMPT] = { B, B, INK(-1, -1), INK(-1, -1) },
	[ROLE_ERROR] = { B, B, INK(209, RED), INK(160, RED) },
	[ROLE_WARNING] = { 0, B, INK(215, YELLOW), INK(94, MAGENTA) },
	[ROLE_GOOD] = { 0, 0, INK(79, GREEN), INK(22, GREEN) },
	[ROLE_PROGRESS] = { 0, 0, STATE(74, 16, CYAN, BLACK), STATE(32, 16, BLUE, WHITE) },
	[ROLE_MESSAGE] = { 0, 0, INK(247, WHITE), INK(243, BLACK) },
	[ROLE_MESSAGE_SELECTED] = { B, B, INK(228, YELLOW), INK(18, BLUE) },
	[ROLE_COLLECTIVE_LINE] = { 0, 0, BAR(139, 236, MAGENTA, -1), BAR(96, 254, MAGENTA, -1) },
	[ROLE_CRITICAL] = { B, B, INK(114, GREEN), INK(22, GREEN) },
	[ROLE_WAIT + 0] = { 0, 0, BARS(202, 0xff6a1a, 16, RED, WHITE, 9),
			    BARS(202, 0xff6414, 16, RED, WHITE, 9) },
	[ROLE_WAIT + 1] = { 0, 0, BARS(166, 0xd4552a, 16, RED, WHITE, 0),
			    BARS(166, 0xd2481e, 16, RED, WHITE, 0) },
	[ROLE_WAIT + 2] = { 0, 0, BARS(208, 0xffa02e, 16, RED, WHITE, 3),
			    BARS(208, 0xff9a20, 16, RED, WHITE, 3) },
	[ROLE_WAIT + 3] = { 0, 0, BARS(179, 0xdcb464, 16, RED, WHITE, 11),
			    BARS(179, 0xd0a040, 16, RED, WHITE, 11) },
	CLASS(USER, BARS(24, 0x2a5470, 255, BLUE, WHITE, 0),
	      BARS(153, 0xb9d3ea, 16, BLUE, WHITE, 12)),
	[ROLE_USER_NESTED] = { 0, 0, BARS(66, 0x4f8488, 16, BLUE, WHITE, 12),
			       BARS(110, 0x86add4, 16, BLUE, WHITE, 0) },
	CLASS(P2P, BARS(103, 0x8583b2, 16, CYAN, BLACK, 0),
	      BARS(103, 0x9088ba, 16, CYAN, BLACK, 0)),
	CLASS(COLLECTIVE, BARS(109, 0x8fb6bc, 16, MAGENTA, WHITE, 0),
	      BARS(109, 0x88b0b4, 16, MAGENTA, WHITE, 0)),
	CLASS(SYNC, BARS(187, 0xd8d4ac, 16, MAGENTA, WHITE, 13),
	      BARS(187, 0xe2deb6, 16, MAGENTA, WHITE, 13)),
	CLASS(RMA, BARS(144, 0xaca47a, 16, CYAN, BLACK, 14),
	      BARS(137, 0xa88a52, 16, CYAN, BLACK, 14)),
	CLASS(IO, BARS(72, 0x58b08a, 16, GREEN, BLACK, 0), BARS(72, 0x62b48e, 16, GREEN, BLACK, 0)),
	CLASS(START_END, BARS(241, 0x5d6166, 255, CYAN, BLACK, 8),
	      BARS(251, 0xcccdcf, 16, CYAN, BLACK, 0)),
	CLASS(MPI_OTHER, BARS(137, 0xa8845c, 16, CYAN, BLACK, 0),
	      BARS(180, 0xd8b48a, 16, CYAN, BLACK, 0)),
	CLASS(DEVICE, BARS(173, 0xd88a62, 16, YELLOW, BLACK, 0),
	      BARS(173, 0xd88a62, 16, YELLOW, BLACK, 0)),
	CLASS(OVERHEAD, BARS(238, 0x424548, 255, BLACK, WHITE, 0),
	      BARS(244, 0x828588, 16, WHITE, BLACK, 8)),
	NTH(FUNCTION, 0, BARS(74, 0x56b4e9, 16, CYAN, BLACK, 14),
	    BARS(74, 0x56b4e9, 16, CYAN, BLACK, 14)),
	NTH(FUNCTION, 1, BARS(72, 0x1fae84, 16, GREEN, BLACK, 10),
	    BARS(36, 0x009e73, 16, GREEN, BLACK, 10)),
	NTH(FUNCTION, 2, BARS(221, 0xf0e070, 16, YELLOW, BLACK, 11),
	    BARS(227, 0xf0e442, 16, YELLOW, BLACK, 11)),
	NTH(FUNCTION, 3, BARS(175, 0xd98abf, 16, MAGENTA, BLACK, 13),
	    BARS(175, 0xcc79a7, 16, MAGENTA, BLACK, 13)),
	NTH(FUNCTION, 4, BARS(25, 0x0b62a8, 255, BLUE, WHITE, 0),
	    BARS(25, 0x0065a0, 255, BLUE, WHITE, 0)),
	NTH(FUNCTION, 5, BARS(172, 0xe69f00, 16, RED, BLACK, 3),
	    BARS(172, 0xe69f00, 16, RED, BLACK, 3)),
	NTH(FUNCTION, 6, BARS(96, 0x7c5084, 255, MAGENTA, WHITE, 5),
	    BARS(96, 0x7c5084, 255, MAGENTA, WHITE, 5)),
	NTH(FUNCTION, 7, BARS(253, 0xd8d8d2, 16, WHITE, BLACK, 15),
	    BARS(239, 0x50504c, 255, BLACK, WHITE, 8)),
	[ROLE_FUNCTION_OTHERS] = { 0, 0, BARS(240, 0x56595e, 255, WHITE, BLACK, 8),
				   BARS(251, 0xcccdcf, 16, WHITE, BLACK, 0) },
	CLASS(OUTSIDE, INK(238, -1), INK(252, -1)),
	/* From near the ground to far from it: lighter in steps that every eye sees, or darker. */
	NTH(HEAT, 0, BARS(236, 0x2b3645, 255, BLUE, WHITE, 0),
	    BARS(254, 0xddeff4, 16, WHITE, BLACK, 0)),
	NTH(HEAT, 1, BARS(238, 0x344f65, 255, BLUE, WHITE, 0),
	    BARS(153, 0xb3d6e2, 16, WHITE, BLACK, 0)),
	NTH(HEAT, 2, BARS(24, 0x3a6a82, 255, BLUE, WHITE, 0),
	    BARS(110, 0x8fbccf, 16, CYAN, BLACK, 0)),
	NTH(HEAT, 3, BARS(30, 0x468796, 16, GREEN, BLACK, 0),
	    BARS(67, 0x6fa2bb, 16, CYAN, BLACK, 0)),
	NTH(HEAT, 4, BARS(73, 0x5aa49f, 16, GREEN, BLACK, 0),
	    BARS(60, 0x3b7197, 255, GREEN, BLACK, 0)),
	NTH(HEAT, 5, BARS(115, 0x86bf99, 16, CYAN, BLACK, 0),
	    BARS(24, 0x2b5d84, 255, GREEN, BLACK, 0)),
	NTH(HEAT, 6, BARS(187, 0xbed598, 16, YELLOW, BLACK, 0),
	    BARS(238, 0x204a71, 255, BLUE, WHITE, 0)),
	NTH(HEAT, 7, BARS(230, 0xeeeaa8, 16, YELLOW, BLACK, 0),
	    BARS(235, 0x16335a, 255, BLUE, WHITE, 0)),
	NTH(MOVE, 0, INK(243, BLUE), INK(66, CYAN)),
	NTH(MOVE, 1, INK(67, BLUE), INK(243, CYAN)),
	NTH(MOVE, 2, INK(73, BLUE), INK(242, CYAN)),
	NTH(MOVE, 3, INK(110, GREEN), INK(60, GREEN)),
	NTH(MOVE, 4, INK(115, GREEN), INK(24, GREEN)),
	NTH(MOVE, 5, INK(152, CYAN), INK(239, BLUE)),
	NTH(MOVE, 6, INK(189, CYAN), INK(237, BLUE)),
	NTH(MOVE, 7, INK(230, YELLOW), INK(235, BLUE)),
};
