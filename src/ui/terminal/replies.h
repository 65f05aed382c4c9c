/* replies: what a terminal answers to the program's questions: is its background light (OSC 11),
 * does it show pictures, and how large is a cell of them. Answers come among the keys, soon, late,
 * broken or never; nothing waits for them. Late ones do not become keys, but say nothing. Pure.
 *
 *	replies_ask(&answers, ASKED_GROUND, now);	and write REPLIES_GROUND
 *	replies_escaped(&answers, now);			an Escape came
 *	switch (replies_take(&answers, ch, now)) ...	and other characters
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define REPLIES_GROUND "\033]11;?\007"
/* One pixel by kitty's protocol; the size of a cell (XTWINOPS); how many colours and pixels a sixel
 * picture may have (XTSMGRAPHICS). At the end device attributes, which every terminal answers. */
#define REPLIES_KITTY  "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\"
#define REPLIES_CELL   "\033[16t"
#define REPLIES_LIMIT  "\033[?1;1;0S\033[?2;1;0S"
#define REPLIES_END    "\033[c"

enum { ASKED_GROUND = 1, ASKED_PICTURES = 2 };

enum answer {
	ANSWER_NONE,  /* the character is none of an answer: a key */
	ANSWER_MORE,  /* it is, and there is more to come */
	ANSWER_OTHER, /* it was the last one of an answer that says nothing, or too late */
	ANSWER_LIGHT,
	ANSWER_DARK,
	ANSWER_KITTY, /* it shows kitty's pictures */
	ANSWER_CELL,  /* numbers: 6, height, width in pixels */
	ANSWER_LIMIT, /* numbers: 1, 0, colours; or 2, 0, width, height of pictures in pixels */
	ANSWER_END    /* numbers: device attributes; nothing more comes about pictures */
};

struct replies {
	unsigned asked; /* what was not answered yet */
	int64_t until;  /* ms: later answers say nothing */
	int64_t last;   /* ms: the last character of the one that has begun */
	uint32_t intro; /* its second character, after the Escape; 0: none has begun */
	bool escaped;   /* the last character was an Escape, which may begin one */
	bool escape;    /* the last character of it was an Escape, too */
	unsigned n;
	char text[64]; /* after "ESC" and the intro; what is longer is lost */
};

void replies_ask(struct replies *answers, unsigned what, int64_t now);
/* An Escape came that is not within an answer. */
void replies_escaped(struct replies *answers, int64_t now);
/* Any other character. Where an answer ends with ANSWER_NONE, and replies_is_short(), its second
 * character was a key, too. */
enum answer replies_take(struct replies *answers, uint32_t ch, int64_t now);
bool replies_is_short(const struct replies *answers);
/* Numbers of the last answer, at most `most`; how many there are. */
unsigned replies_numbers(const struct replies *answers, int *numbers, unsigned most);
