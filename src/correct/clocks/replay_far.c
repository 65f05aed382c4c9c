/* What the locations of a replay say to those of other processes: senders to receivers, parties to
 * the homes of their groups, and homes to parties. What arrives has its place already. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "correct/clocks/logical_state.h"
#include "correct/clocks/replay_state.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

enum { TURNS = 256 }; /* steps until it is looked what has arrived */

enum record_kind { RECORD_NONE, RECORD_MESSAGE, RECORD_BEGIN, RECORD_ANSWER, RECORD_BREAK };

/* A record; the value follows. */
struct far_record {
	uint32_t at; /* the message among those of its sender; the group at its home; the number of
			the party */
	uint32_t party; /* of a begin; of an answer: whether it is forced */
};

enum { ANSWERED = 1, ANSWERED_FORCED = 2 };

/* An end that a home answers. */
struct due {
	uint32_t slot, party;
};

struct replay_far {
	struct stream *stream;
	struct replay_sizes sizes;
	uint32_t *sends;   /* [messages] halo_send_places() */
	char *messages;    /* [far messages] values */
	bool *has_message; /* [far messages] */
	char *answers;     /* [parties at homes] values */
	uint8_t *answered; /* [parties at homes] */
	VEC(struct due) due;
	size_t due_at;
	char *said; /* value of the last step, for `process` */
	enum record_kind says;
	struct far_record record;
	uint32_t process;
	unsigned turns;
	bool takes; /* there may be more that has arrived */
};

struct replay_far *replay_far_new(const struct replay *replay)
{
	struct replay_far *far = xcalloc(1, sizeof *far);
	const struct trace *trace = replay->trace;
	const size_t messages = trace->halo->far_end - trace->halo->far_first;
	const size_t parties = logical_far_count(replay->logical);

	far->stream = stream_new(trace->exchange);
	far->sizes = replay->sizes;
	far->sends = halo_send_places(trace);
	far->messages = xmalloc(messages * far->sizes.send + 1);
	far->has_message = xcalloc(messages + 1, sizeof *far->has_message);
	far->answers = xmalloc(parties * far->sizes.end + 1);
	far->answered = xcalloc(parties + 1, sizeof *far->answered);
	far->said = xmalloc(far->sizes.send + far->sizes.begin + far->sizes.end + 1);
	return far;
}

void replay_far_free(struct replay_far *far)
{
	if (!far)
		return;
	stream_free(far->stream);
	vec_fini(&far->due);
	free_all(far->sends, far->messages, far->has_message, far->answers, far->answered,
		 far->said, far);
}

bool replay_far_has_message(const struct replay_far *far, uint32_t place)
{
	return far->has_message[place];
}

bool replay_far_has_answer(const struct replay_far *far, uint32_t number)
{
	return far->answered[number];
}

/* ---- out ---- */

static size_t said_size(const struct replay_far *far, enum record_kind kind)
{
	switch (kind) {
	case RECORD_MESSAGE: return far->sizes.send;
	case RECORD_BEGIN: return far->sizes.begin;
	case RECORD_ANSWER: return far->sizes.end;
	default: return 0;
	}
}

/* The consumer says the value of a step. */
static void let_say(struct replay_far *far, struct replay_step *step, enum record_kind says,
		    uint32_t process, struct far_record record)
{
	memset(far->said, 0, said_size(far, says));
	step->value = far->said;
	far->says = says;
	far->process = process;
	far->record = record;
}

static void give_message(struct replay *replay, struct replay_step *step)
{
	struct replay_far *far = replay->far;
	const struct message *m = store_message(replay->trace, step->row);
	const uint32_t place = step->part == PART_SEND ? far->sends[step->row] : UINT32_MAX;

	if (place != UINT32_MAX)
		let_say(far, step, RECORD_MESSAGE,
			trace_process_of(replay->trace,
					 store_event_block(replay->trace, m->recv)->location),
			(struct far_record){ place, 0 });
	else if (step->part == PART_RECV && !step->forced &&
		 trace_message_is_far(replay->trace, step->row))
		step->value = far->messages +
			      (step->row - replay->trace->halo->far_first) * far->sizes.send;
}

void replay_far_give(struct replay *replay, struct replay_step *step)
{
	struct replay_far *far = replay->far;
	const struct logical_far *party;
	uint32_t number;

	if (step->part == PART_SEND || step->part == PART_RECV) {
		give_message(replay, step);
		return;
	}
	number = step->row - replay->groups;
	party = logical_far(replay->logical, number);
	step->cls = (enum logical_class)party->cls;
	if (step->part == PART_BEGIN) {
		let_say(far, step, RECORD_BEGIN, party->process,
			(struct far_record){ party->group, party->party });
		return;
	}
	step->value = far->answers + number * far->sizes.end;
	step->forced = far->answered[number] == ANSWERED_FORCED;
	replay->forced += step->forced;
}

static void put(struct replay_far *far, uint32_t process, enum record_kind kind,
		struct far_record record, const void *value, size_t bytes)
{
	char *data = stream_put(far->stream, process, kind, (uint32_t)(sizeof record + bytes));

	memcpy(data, &record, sizeof record);
	if (bytes)
		memcpy(data + sizeof record, value, bytes);
}

void replay_far_say(struct replay *replay)
{
	struct replay_far *far = replay->far;

	if (far->says != RECORD_NONE)
		put(far, far->process, far->says, far->record, far->said,
		    said_size(far, far->says));
	far->says = RECORD_NONE;
}

void replay_far_break(struct replay *replay, uint32_t number)
{
	const struct logical_far *party = logical_far(replay->logical, number);

	put(replay->far, party->process, RECORD_BREAK, (struct far_record){ party->group, 0 }, NULL,
	    0);
}

/* ---- homes ---- */

void replay_far_answer(struct replay *replay, uint32_t slot, uint32_t party)
{
	vec_push(&replay->far->due, ((struct due){ slot, party }));
}

/* Hands out a part of a party elsewhere. */
static void take_home(struct replay *replay, uint32_t slot, enum logical_part part, uint32_t party,
		      struct replay_step *step)
{
	const struct open *open = replay->open.data[slot];

	*step = (struct replay_step){ .location = open->group.parties[party].location,
				      .block = UINT32_MAX,
				      .part = part,
				      .row = open->id,
				      .party = party,
				      .home = true };
	replay_take_party(replay, slot, step);
}

static void next_answer(struct replay *replay, struct replay_step *step)
{
	struct replay_far *far = replay->far;
	const struct due due = far->due.data[far->due_at++];

	if (far->due_at == far->due.n)
		far->due.n = far->due_at = 0;
	take_home(replay, due.slot, PART_END, due.party, step);
	let_say(far, step, RECORD_ANSWER, trace_process_of(replay->trace, step->location),
		(struct far_record){ logical_far_number(replay->logical, step->row, due.party),
				     step->forced });
}

/* ---- in ---- */

static void take_message(struct replay *replay, uint32_t from, uint32_t at, const char *value)
{
	struct replay_far *far = replay->far;
	const struct halo *halo = replay->trace->halo;
	const size_t row = halo->lists[HALO_SENDS].taken_first[from] + at;

	memcpy(far->messages + row * far->sizes.send, value, far->sizes.send);
	far->has_message[row] = true;
	replay_wake_receivers(replay, halo->lists[HALO_SENDS].taken[row]);
}

static void take_answer(struct replay *replay, uint32_t number, bool forced, const char *value)
{
	struct replay_far *far = replay->far;
	const uint32_t location = logical_far(replay->logical, number)->location;
	const struct replay_place *place = &replay->places[location];

	memcpy(far->answers + number * far->sizes.end, value, far->sizes.end);
	far->answered[number] = forced ? ANSWERED_FORCED : ANSWERED;
	if (place->waits == WAITS_HOME && place->row == replay->groups + number)
		replay_wake(replay, location);
}

/* True: there is a step. */
static bool take_record(struct replay *replay, const struct stream_head *head, const char *data,
			struct replay_step *step)
{
	struct far_record record;

	memcpy(&record, data, sizeof record);
	data += sizeof record;
	switch ((enum record_kind)head->kind) {
	case RECORD_MESSAGE: take_message(replay, head->from, record.at, data); return false;
	case RECORD_ANSWER: take_answer(replay, record.at, record.party, data); return false;
	case RECORD_BREAK:
		replay_break_group(replay, replay_group(replay, record.at));
		return false;
	default: break;
	}
	take_home(replay, replay_group(replay, record.at), PART_BEGIN, record.party, step);
	step->value = (void *)(uintptr_t)data;
	return true;
}

bool replay_far_next(struct replay *replay, struct replay_step *step)
{
	struct replay_far *far = replay->far;
	struct stream_head head;
	const void *data;

	if (far->due.n) {
		next_answer(replay, step);
		return true;
	}
	if (!far->takes && ++far->turns < TURNS)
		return false;
	far->turns = 0;
	far->takes = true;
	while ((data = stream_take(far->stream, &head))) {
		if (take_record(replay, &head, data, step))
			return true;
		if (far->due.n) {
			next_answer(replay, step);
			return true;
		}
	}
	far->takes = false;
	stream_flush(far->stream);
	return false;
}

/* ---- no location can go on ---- */

bool replay_far_wait(struct replay *replay)
{
	return replay->far->takes = stream_wait(replay->far->stream);
}

bool replay_far_is_earliest(struct replay *replay, const struct time_entry *mine, bool *none)
{
	struct exchange *x = replay->trace->exchange;
	const uint64_t time = mine ? (uint64_t)mine->time ^ (uint64_t)1 << 63 : UINT64_MAX;
	uint64_t least = time, location;

	exchange_least(x, &least, 1);
	location = mine && time == least ? mine->location : UINT64_MAX;
	exchange_least(x, &location, 1);
	*none = location == UINT64_MAX;
	return mine && location == mine->location;
}
