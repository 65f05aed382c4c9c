/* What is open after a segment without records: streams made by hand, and made-up programs whose
 * every call is known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "capture/run/segments.h"
#include "harness/test.h"

enum { CALL_WORK, CALL_OWN, CALLS, CHUNKS_MAX = 64 };

/* A rank's file in memory, of one thread. */
struct stream {
	struct tv_file *head;
	struct rankfile file;
	uint64_t time;
};

static void stream_begin(struct stream *s)
{
	memset(s, 0, sizeof *s);
	s->head = xcalloc(1, sizeof *s->head);
	s->head->calls = CALLS;
	s->head->call[CALL_WORK].cls = TV_MPI;
	s->head->call[CALL_OWN].cls = TV_OVERHEAD;
	s->file.head = s->head;
}

static void stream_end(struct stream *s)
{
	const struct tv_chunk **chunk;

	vec_each (chunk, &s->file.chunks)
		free((void *)(uintptr_t)*chunk);
	vec_fini(&s->file.chunks);
	free(s->head);
}

static void *add(struct stream *s, size_t size)
{
	struct tv_chunk *chunk =
		s->file.chunks.n ? (void *)(uintptr_t)*vec_last(&s->file.chunks) : NULL;
	void *at;

	if (!chunk || chunk->used + size > TV_CHUNK_SIZE) {
		chunk = xcalloc(1, TV_CHUNK_SIZE);
		chunk->used = sizeof *chunk;
		chunk->serial = (uint32_t)s->file.chunks.n;
		vec_push(&s->file.chunks, chunk);
	}
	at = (char *)chunk + chunk->used;
	chunk->used += size;
	return at;
}

static void function(struct stream *s, enum tv_kind kind, uint64_t address)
{
	struct tv_function *f = add(s, sizeof *f);

	*f = (struct tv_function){ ++s->time, kind | address << 8 };
}

static void head(struct stream *s, enum tv_kind kind, uint32_t flags, uint32_t call, uint32_t id)
{
	struct tv_head *h = add(s, sizeof *h);

	*h = (struct tv_head){ ++s->time, (uint8_t)kind, (uint8_t)flags, (uint16_t)call, id };
}

/* A call of MPI from a place; `then` says how the segment behind it is. */
static void call_of(struct stream *s, uint32_t call, uint64_t site, uint64_t frame, uint32_t then)
{
	struct tv_enter *e = add(s, sizeof *e);

	*e = (struct tv_enter){ { ++s->time, TV_ENTER, 0, (uint16_t)call, 0 }, site, frame };
	head(s, TV_LEAVE, then, call, 0);
}

/* The stack of a path as text: its frames from the outermost on, a digit or letter each. */
static const char *text_of(const struct segments *s, uint32_t path)
{
	static char text[2][64];
	static int turn;
	const struct segment_path *p = &s->paths.data[path];
	char *out = text[turn ^= 1];

	assert_true(p->depth < sizeof text[0]);
	out[p->depth] = '\0';
	for (; path; path = p->parent) {
		p = &s->paths.data[path];
		out[p->depth - 1] = (char)(p->what & 0x7f);
	}
	return out;
}

/* ---- streams as text ---- */

/* Sites: a letter is the module here, the slot is always 7. */
static void site(struct stream *s, enum tv_kind kind, uint32_t letter, uint32_t from)
{
	struct tv_function *f = add(s, sizeof *f);

	*f = (struct tv_function){ ++s->time, tv_site_make(kind, letter, 7, from) };
}

/* Adds the record that a word stands for, x being a letter:
 *
 *	+x  -x		enter and leave a function
 *	+x/3  -x/0	the same for a site, entered from 3
 *	{x  }x		enter and leave a region that the program marks
 *	1@100  1@100!	MPI from site 1 with the stack pointer 100; !: then a segment without records
 *	own		a call of the recorder's own
 *	seg  seg!	a segment begins without MPI
 *	end		the thread ends */
static void add_word(struct stream *s, const char *word)
{
	const uint32_t then = word[strlen(word) - 1] == '!' ? TV_UNRECORDED : 0;
	const bool enters = word[0] == '+' || word[0] == '{';
	const uint32_t x = (unsigned char)word[1];
	unsigned place, frame;

	if (strchr("+-", word[0]) && word[2] == '/')
		site(s, enters ? TV_SITE_ENTER : TV_SITE_LEAVE, x,
		     (uint32_t)strtoul(word + 3, NULL, 10));
	else if (strchr("+-", word[0]))
		function(s, enters ? TV_FUNCTION_ENTER : TV_FUNCTION_LEAVE, x);
	else if (strchr("{}", word[0]))
		head(s, enters ? TV_USER_ENTER : TV_USER_LEAVE, 0, 0, x);
	else if (!strcmp(word, "own"))
		call_of(s, CALL_OWN, 0, 0, 0);
	else if (!strncmp(word, "seg", 3))
		head(s, TV_SEGMENT, then, 0, 0);
	else if (!strcmp(word, "end"))
		head(s, TV_THREAD_END, 0, 0, 0);
	else if (sscanf(word, "%u@%u", &place, &frame) == 2)
		call_of(s, CALL_WORK, place, frame, then);
	else
		fail_msg("no record is written '%s'", word);
}

/* Finds the gaps of a stream. `gaps`: the stacks at their begin and end, "m>ma ma>m", in order. */
static void find_gaps(struct segments *found, const char *stream, const char *gaps)
{
	char words[256], *rest = words;
	OWNED_STR text = STR_INIT;
	ENDED_BY(stream_end) struct stream s;

	stream_begin(&s);
	snprintf(words, sizeof words, "%s", stream);
	for (const char *word; (word = strtok_r(rest, " ", &rest));)
		add_word(&s, word);
	segments_find(found, &s.file, 0);
	for (size_t i = 0; i < found->gaps.n; i++)
		str_add_fmt(&text, "%s%s>%s", i ? " " : "",
			    text_of(found, found->gaps.data[i].from),
			    text_of(found, found->gaps.data[i].to));
	assert_string_equal(text.text, gaps);
}

static void gaps_are(const char *stream, const char *gaps)
{
	ENDED_BY(segments_fini) struct segments found;

	find_gaps(&found, stream, gaps);
}

TEST(test_nothing_happens)
{
	gaps_are("+m 1@100 2@100! 3@100 -m end", "m>m");
}

/* The gap leaves a and enters b, and c in it: the leaves after it show that. */
TEST(test_leaves_tell)
{
	gaps_are("+m +a 1@100! 2@100 -c -b -m end", "ma>mbc");
}

/* The same without the end of the run: m's leave comes after another gap. */
TEST(test_leaves_behind_the_next_gap)
{
	gaps_are("+m +a 1@100! 2@100 -b 3@100! 4@100 -m", "ma>mb m>m");
}

/* The first gap enters x, the second leaves it. No leave shows that it was open between them, but
 * its calls were seen before. */
TEST(test_places_tell)
{
	ENDED_BY(segments_fini) struct segments found;

	find_gaps(&found, "+m +x 1@90 2@90 -x 3@100! 1@90 2@90! 3@100 -m", "m>mx mx>m");
	assert_int_equal(found.guessed, 0);
}

/* One call site at two depths of recursion: the stack pointer distinguishes them. */
TEST(test_recursion)
{
	gaps_are("+m +r 1@90 +r 1@80 -r -r 2@100! 1@80! 1@90! 2@100 -m", "m>mrr mrr>mr mr>m");
}

/* Regions that the program marks are always recorded, and divide the gap; a new chunk does not. */
TEST(test_user_regions)
{
	gaps_are("+m 1@100! own {u }u 2@100 -m", "m>m mu>mu m>m");
}

/* Without MPI a segment begins and ends between functions, at one depth. */
TEST(test_counted)
{
	gaps_are("+m +w seg! seg +l -l -w -m", "mw>mw");
}

/* The leave of a site need not say where it was entered from; a site that is open again after the
 * gap keeps its place. */
TEST(test_sites)
{
	ENDED_BY(segments_fini) struct segments found;
	uint64_t what;

	/* The gap leaves b and enters a. */
	find_gaps(&found, "+m/0 +a/3 1@100 -a/0 +b/4 2@100! 1@100 -a/0 -m/0 end", "mb>ma");
	what = found.paths.data[found.gaps.data[0].to].what;
	assert_true(what & SEGMENT_SITE);
	assert_int_equal(tv_site_from(what << 8), 3);
	assert_int_equal(tv_site_slot(what << 8), 7);
}

/* The process ended in the gap, which has no end; and the enter of its first function was not
 * seen. */
TEST(test_ends_cut_off)
{
	ENDED_BY(segments_fini) struct segments found;

	find_gaps(&found, "1@90 -w 2@100! 2@100!", ">");
	assert_string_equal(text_of(&found, found.first), "w");
}

/* ---- made-up programs ---- */

enum { FUNCTIONS = 8, DEPTH = 6, BODY = 4, STEP = 3 };

/* A program: what each function does, in order. Functions call only those of higher numbers, or
 * themselves. */
struct program {
	struct {
		bool mpi;
		int callee, times;
	} body[FUNCTIONS][BODY];
	int recursive;  /* this one calls itself once */
	int step[STEP]; /* what main() calls in turn */
	int region;     /* this one is no function, but a region that is marked: always recorded */
	struct stream s;
	bool inside;
	uint32_t share; /* per cent of the segments */
	uint32_t random;
	int calls, calls_max;
	uint64_t stack[DEPTH + 1];
	uint32_t depth;
	uint64_t frame;    /* stack pointer: each function has a frame of its own size */
	VEC(char *) truth; /* the stack at each call of MPI */
};

static uint32_t draw(struct program *p, uint32_t n)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 17;
	p->random ^= p->random << 5;
	return p->random % n;
}

static void make(struct program *p)
{
	for (int f = 0; f < FUNCTIONS; f++) {
		for (int i = 0; i < BODY; i++) {
			p->body[f][i].mpi = f == FUNCTIONS - 1 || draw(p, 2);
			p->body[f][i].callee = f + 1 + (int)draw(p, FUNCTIONS - (uint32_t)f);
			p->body[f][i].times = 1 + (int)draw(p, 2);
		}
	}
	p->recursive = 1 + (int)draw(p, FUNCTIONS - 1);
	p->region = (int)draw(p, 2 * FUNCTIONS);
	p->region += p->region == 0;
	for (int i = 0; i < STEP; i++)
		p->step[i] = 1 + (int)draw(p, FUNCTIONS - 1);
}

static void call_mpi(struct program *p, uint64_t site)
{
	const uint32_t then = draw(p, 100) < p->share ? TV_UNRECORDED : 0;
	char *text = xcalloc(1, DEPTH + 2);

	for (uint32_t i = 0; i < p->depth; i++)
		text[i] = (char)p->stack[i];
	vec_push(&p->truth, text);
	call_of(&p->s, CALL_WORK, site, p->frame, then);
	p->inside = then;
	p->calls++;
}

static void run_function(struct program *p, int f, bool again)
{
	const uint64_t address = (uint64_t)'a' + (uint64_t)f;

	if (f == p->region)
		head(&p->s, TV_USER_ENTER, 0, 0, (uint32_t)address);
	else if (!p->inside)
		function(&p->s, TV_FUNCTION_ENTER, address);
	p->stack[p->depth++] = address;
	p->frame -= 32 + 16 * (uint64_t)f;
	for (int i = 0; i < BODY; i++) {
		for (int k = 0; k < p->body[f][i].times; k++) {
			if (p->body[f][i].mpi)
				call_mpi(p, (uint64_t)f * BODY + (uint64_t)i + 1);
			else if (p->body[f][i].callee < FUNCTIONS && p->depth < DEPTH)
				run_function(p, p->body[f][i].callee, false);
		}
		if (f == p->recursive && !again && p->depth < DEPTH)
			run_function(p, f, true);
	}
	p->depth--;
	p->frame += 32 + 16 * (uint64_t)f;
	if (f == p->region)
		head(&p->s, TV_USER_LEAVE, 0, 0, (uint32_t)address);
	else if (!p->inside)
		function(&p->s, TV_FUNCTION_LEAVE, address);
}

/* main() never ends in a gap: MPI_Finalize is not followed by one. */
static void run_program(struct program *p)
{
	const uint32_t share = p->share;

	stream_begin(&p->s);
	function(&p->s, TV_FUNCTION_ENTER, 'a');
	p->stack[p->depth++] = 'a';
	while (p->calls < p->calls_max)
		for (int i = 0; i < STEP; i++)
			run_function(p, p->step[i], false);
	p->share = 0;
	call_mpi(p, 999);
	p->share = share;
	function(&p->s, TV_FUNCTION_LEAVE, 'a');
	head(&p->s, TV_THREAD_END, 0, 0, 0);
}

static size_t regions_in(const struct program *p, const uint64_t *stack, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += stack[i] == (uint64_t)'a' + (uint64_t)p->region;
	return found;
}

/* Plays the stream with the gaps that were found, as the merge does: leaves must fit, and the
 * stacks at calls of MPI are compared with the truth. Returns how many are wrong. */
static size_t play(const struct program *p, const struct segments *found)
{
	VEC(uint64_t) stack = VEC_INIT;
	const struct tv_head *h;
	struct rank_stream at;
	size_t gap = 0, call = 0, wrong = 0;
	bool inside = false;

	rank_stream_begin(&at, &p->s.file, 0);
	while ((h = rank_stream_next(&at))) {
		const struct tv_function *f = (const void *)h;
		const int turn = segment_turn(&inside, &p->s.file, h);
		if (turn & SEGMENT_ENDS) {
			const size_t regions = regions_in(p, stack.data, stack.n);
			uint32_t path = found->gaps.data[gap++].to;
			stack.n = 0;
			for (const char *c = text_of(found, path); *c; c++)
				vec_push(&stack, (uint64_t)*c);
			assert_int_equal(regions_in(p, stack.data, stack.n), regions);
		}
		if (h->kind == TV_USER_ENTER)
			vec_push(&stack, h->id);
		if (h->kind == TV_USER_LEAVE) {
			assert_true(stack.n > 0);
			assert_int_equal(vec_pop(&stack), h->id);
		}
		if (h->kind == TV_FUNCTION_ENTER)
			vec_push(&stack, tv_function_address(f->what));
		if (h->kind == TV_FUNCTION_LEAVE) {
			assert_true(stack.n > 0);
			assert_int_equal(vec_pop(&stack), tv_function_address(f->what));
		}
		if (h->kind == TV_ENTER) {
			const char *truth = p->truth.data[call++];
			bool same = strlen(truth) == stack.n;
			for (size_t i = 0; same && i < stack.n; i++)
				same = stack.data[i] == (uint64_t)truth[i];
			wrong += !same;
		}
		if (turn & SEGMENT_BEGINS) {
			const char *from = text_of(found, found->gaps.data[gap].from);
			assert_int_equal(strlen(from), stack.n);
			for (size_t i = 0; i < stack.n; i++)
				assert_int_equal(stack.data[i], (uint64_t)from[i]);
		}
	}
	assert_int_equal(gap, found->gaps.n);
	assert_int_equal(call, p->truth.n);
	assert_int_equal(stack.n, 0); /* what was entered has ended */
	vec_fini(&stack);
	return wrong;
}

static size_t try(uint32_t seed, uint32_t share, int calls, size_t *all)
{
	struct program p = { .random = seed * 2654435761u | 1,
			     .share = share,
			     .calls_max = calls,
			     .frame = 1 << 20 };
	ENDED_BY(segments_fini) struct segments found;
	size_t wrong;
	char **text;

	make(&p);
	run_program(&p);
	segments_find(&found, &p.s.file, 0);
	wrong = play(&p, &found);
	*all += p.truth.n;
	vec_each (text, &p.truth)
		free(*text);
	vec_fini(&p.truth);
	stream_end(&p.s);
	return wrong;
}

TEST(test_made_up_programs)
{
	size_t wrong = 0, all = 0;

	for (uint32_t seed = 1; seed <= 300; seed++)
		wrong += try(seed, 10, 2000, &all);
	print_message("stacks of %zu of %zu calls are wrong\n", wrong, all);
	assert_true(wrong * 200 < all);
}

TEST(test_many_gaps)
{
	size_t wrong = 0, all = 0;

	for (uint32_t seed = 1; seed <= 100; seed++)
		wrong += try(seed, 50, 1000, &all);
	print_message("stacks of %zu of %zu calls are wrong\n", wrong, all);
	assert_true(wrong * 10 < all);
}

/* Whatever a damaged buffer holds: as many gaps as end, and stacks that exist. */
TEST(test_garbage)
{
	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct program p = { .random = seed * 2654435761u | 1 };
		const struct tv_head *h;
		ENDED_BY(segments_fini) struct segments found;
		struct rank_stream at;
		size_t ends = 0;
		bool inside = false;

		stream_begin(&p.s);
		for (int i = 0; i < 2000; i++) {
			const uint32_t what = draw(&p, 12), x = 'a' + draw(&p, 5);
			if (what < 6)
				function(&p.s, 1 + what % 2, x);
			else if (what < 9)
				head(&p.s, TV_USER_ENTER + what % 3, 0, 0, x);
			else if (what < 10)
				head(&p.s, TV_SEGMENT, draw(&p, 2), 0, 0);
			else
				call_of(&p.s, CALL_WORK, draw(&p, 4), draw(&p, 3), draw(&p, 2));
		}
		segments_find(&found, &p.s.file, 0);
		rank_stream_begin(&at, &p.s.file, 0);
		while ((h = rank_stream_next(&at)))
			ends += (segment_turn(&inside, &p.s.file, h) & SEGMENT_ENDS) != 0;
		assert_int_equal(found.gaps.n, ends);
		for (size_t i = 0; i < found.gaps.n; i++) {
			assert_true(found.gaps.data[i].from < found.paths.n);
			assert_true(found.gaps.data[i].to < found.paths.n);
		}
		stream_end(&p.s);
	}
}
