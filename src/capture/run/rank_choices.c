/* The choices of the ranks that depend on time (capture/lib/order_record.h): what the trace says of
 * them, and where a run departs from those that it was to make again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/run/choice_list.h"
#include "capture/run/merge_job.h"

/* Of a rank, as it noted them. */
struct noted {
	struct choices made;
	struct tv_choice departure; /* TV_CHOICE_NONE: none */
};

static void take(struct noted *noted, struct keymap *posted, const struct tv_choice *c)
{
	uint32_t *at;

	switch (c->kind) {
	case TV_CHOICE_DEPART: noted->departure = *c; return;
	case TV_CHOICE_TOOK:
		at = keymap_find(posted, (struct key){ { c->number } });
		if (at && *at < noted->made.list.n) {
			noted->made.list.data[*at].what = c->what;
			noted->made.list.data[*at].tag = c->tag;
		}
		return;
	case TV_CHOICE_SOURCE:
		if (c->what == TV_CHOICE_OPEN)
			*keymap_add(posted, (struct key){ { c->number } }) =
				(uint32_t)noted->made.list.n;
		break;
	case TV_CHOICE_INDEX:
	case TV_CHOICE_SET:
	case TV_CHOICE_TRUE:
	case TV_CHOICE_MEMBER:
	case TV_CHOICE_END: break;
	default: return; /* damaged */
	}
	noted->made.n += c->kind != TV_CHOICE_MEMBER && c->kind != TV_CHOICE_END;
	vec_push(&noted->made.list, *c);
}

/* Of the last set some members may not have been noted any more. */
static void close_sets(struct choices *made)
{
	for (size_t i = 0; i < made->list.n; i++) {
		struct tv_choice *c = &made->list.data[i];
		int32_t n = 0;
		if (c->kind != TV_CHOICE_SET)
			continue;
		while (i + 1 + (size_t)n < made->list.n &&
		       made->list.data[i + 1 + (size_t)n].kind == TV_CHOICE_MEMBER)
			n++;
		c->what = c->what < 0 ? c->what : n;
	}
}

static void read_notes(struct noted *noted, const struct rankfile *file)
{
	struct keymap posted = { 0 };

	for (size_t i = 0; i < file->choices.n; i++) {
		const struct tv_chunk *chunk = file->choices.data[i];
		struct tv_choice c;
		for (size_t at = sizeof *chunk; at + sizeof c <= chunk->used; at += sizeof c) {
			memcpy(&c, (const char *)chunk + at, sizeof c);
			take(noted, &posted, &c);
		}
	}
	close_sets(&noted->made);
	keymap_fini(&posted);
}

/* ---- in the trace ---- */

static void say_choices(struct job *job, const struct rank *rank, const struct choices *made)
{
	enum { MOST = 4000 }; /* bytes of a property */
	OWNED_STR text = STR_INIT;
	const struct tv_choice *c;
	uint32_t nth = 0;

	vec_each (c, &made->list) {
		if (c->kind == TV_CHOICE_MEMBER)
			continue;
		nth++;
		if (text.n)
			str_add(&text, "; ");
		else
			str_add_fmt(&text, "%" PRId32 " %" PRIu32 ": ", rank->number, nth);
		choice_text(&text, c);
		if (text.n < MOST)
			continue;
		builder_property(job->builder, "choices", text.text);
		str_clear(&text);
	}
	if (text.n)
		builder_property(job->builder, "choices", text.text);
}

/* ---- departures ---- */

/* The nth, from 1; NULL: there are not so many. */
static const struct tv_choice *nth_of(const struct choices *choices, uint32_t nth)
{
	const struct tv_choice *c;

	vec_each (c, &choices->list)
		if (c->kind != TV_CHOICE_MEMBER && --nth == 0)
			return c->kind == TV_CHOICE_END ? NULL : c;
	return NULL;
}

/* Nonblocking receives that took something else, before that choice. */
static struct tv_choice differs_before(const struct choices *made, const struct choices *list,
				       uint32_t stop)
{
	const struct tv_choice *a = made->list.data, *b = list->list.data;
	const size_t n = made->list.n < list->list.n ? made->list.n : list->list.n;
	uint32_t nth = 1;

	for (size_t i = 0; i < n && nth < stop; i++) {
		if (a[i].kind == TV_CHOICE_SOURCE && b[i].kind == TV_CHOICE_SOURCE &&
		    a[i].what >= 0 && b[i].what >= 0 && a[i].what != b[i].what)
			return (struct tv_choice){ .kind = TV_CHOICE_DEPART,
						   .why = TV_DEPART_SOURCE,
						   .call = a[i].call,
						   .number = nth,
						   .place = a[i].place };
		nth += a[i].kind != TV_CHOICE_MEMBER;
	}
	return (struct tv_choice){ .kind = TV_CHOICE_NONE };
}

static void add_recorded(struct str *out, const struct tv_choice *c)
{
	if (c && c->kind == TV_CHOICE_SOURCE && c->what >= 0) {
		str_add_fmt(out, "rank %" PRId32, c->what);
		if (c->comm)
			str_add_fmt(out, " of communicator %" PRIu32, c->comm);
	} else if (c && c->kind == TV_CHOICE_INDEX && c->what >= 0) {
		str_add_fmt(out, "request %" PRId32, c->what);
	} else if (c && c->kind != TV_CHOICE_SOURCE && c->kind != TV_CHOICE_END) {
		choice_what(out, c);
	} else {
		str_add(out, "another answer");
	}
}

static void add_why(struct str *out, const struct tv_choice *departure, const struct tv_choice *c,
		    const struct tv_choice *made)
{
	const bool source = !c || c->kind == TV_CHOICE_SOURCE;

	switch (departure->why) {
	case TV_DEPART_MORE: str_add(out, "no further choice was recorded"); return;
	case TV_DEPART_CALL:
		str_add_fmt(out, "%s was recorded", c ? choice_call(c->call) : "nothing");
		return;
	case TV_DEPART_COMM: str_add(out, "another communicator was recorded"); return;
	case TV_DEPART_POLLS:
		str_add(out, "another number of tests that say no was recorded");
		return;
	case TV_DEPART_LIST: str_add(out, "the recorded choices could not be read"); return;
	default: break;
	}
	add_recorded(out, c);
	str_add(out, " was recorded");
	switch (departure->why) {
	case TV_DEPART_MEMBER: str_add(out, ", which there is not"); break;
	case TV_DEPART_FINISHED:
		str_add(out, source ? ", which ended without sending that"
				    : ", but a sender ended without sending that");
		break;
	case TV_DEPART_STUCK: str_add(out, ", but ranks waited for each other"); break;
	case TV_DEPART_UNSEEN:
		str_add(out, ", but nothing came in time (tvrun --replay-wait) and what ranks of "
			     "other nodes do is not seen");
		break;
	case TV_DEPART_SOURCE:
		if (made && made->what >= 0)
			str_add_fmt(out, ", it took %" PRId32, made->what);
		break;
	default: break;
	}
}

/* A list may end before the run does. */
static uint32_t less(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void depart(struct job *job, struct rank *rank, const struct choices *list,
		   const struct noted *noted)
{
	struct tv_choice departure = noted->departure;
	const uint32_t stop =
		departure.kind == TV_CHOICE_DEPART ? departure.number : noted->made.n + 1;
	const struct tv_choice earlier = differs_before(&noted->made, list, stop);
	struct str text = STR_INIT;

	if (earlier.kind == TV_CHOICE_DEPART) {
		const uint8_t why = departure.why;
		const char *call = choice_call(departure.call);
		const bool waited =
			departure.kind == TV_CHOICE_DEPART &&
			(!strncmp(call, "MPI_Wait", 8) || !strncmp(call, "MPI_Test", 8));
		departure = earlier;
		/* It was given up where it was waited for. */
		if (waited && (why == TV_DEPART_STUCK || why == TV_DEPART_FINISHED))
			departure.why = why;
	}
	if (departure.kind == TV_CHOICE_DEPART) {
		str_add_fmt(&text, "rank %" PRId32 ", choice %" PRIu32 ",", rank->number,
			    departure.number);
		job_add_call(&text, job, rank, departure.call, departure.place);
		str_add(&text, ": ");
		add_why(&text, &departure, nth_of(list, departure.number),
			nth_of(&noted->made, departure.number));
		job->summary->replayed += less(departure.number - 1, list->n);
	} else {
		job->summary->replayed += less(noted->made.n, list->n);
		if (noted->made.n < list->n)
			str_add_fmt(&text,
				    "rank %" PRId32 " made only %" PRIu32 " of %" PRIu32
				    " recorded choices",
				    rank->number, noted->made.n, list->n);
	}
	if (text.n)
		vec_push(&job->departures, str_take(&text));
	str_fini(&text);
}

void job_choices(struct job *job)
{
	struct choice_list list = { 0 };
	static const struct choices none;
	struct rank *rank;
	size_t i = 0;

	job->summary->replay = choice_list_of_run(&list, job->options->folder);
	vec_each (rank, &job->ranks) {
		struct noted noted = { 0 };
		read_notes(&noted, rank->file);
		say_choices(job, rank, &noted.made);
		if (job->summary->replay) {
			i = (size_t)rank->number;
			depart(job, rank, i < list.ranks.n ? &list.ranks.data[i] : &none, &noted);
		}
		vec_fini(&noted.made.list);
	}
	job->summary->departed = (uint32_t)job->departures.n;
	if (job->summary->replay) {
		OWNED_STR text = STR_INIT;
		str_add_fmt(&text, "%" PRIu64, job->summary->replayed);
		builder_property(job->builder, "replay", text.text);
	}
	if (job->departures.n)
		snprintf(job->summary->first_departure, sizeof job->summary->first_departure, "%s",
			 job->departures.data[0]);
	choice_list_fini(&list);
}
