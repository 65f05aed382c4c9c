#include "harness/builder_calls.h"

unsigned call_byte(struct call_bytes *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

void called_define(struct builder *b, struct called *called)
{
	static const char *const names[] = { "main", "MPI_Init", "MPI_Send", "MPI_Bcast",
					     "MPI_Recv" };
	static const int32_t ranks[] = { 0, 2 }, others[] = { 1 }, team[] = { 0, 1, 2 };
	static const uint64_t types[][2] = { { 0, 4 }, { 0, 11 } }; /* a number, a string */
	const struct comm kinds[] = {
		{ .size = 2, .ranks = ranks, .kind = COMM_SELF },
		{ .size = 2,
		  .ranks = ranks,
		  .remote_size = 1,
		  .remote = others,
		  .kind = COMM_INTER },
		{ .size = 3, .ranks = team, .kind = COMM_THREADS },
	};

	for (int i = 0; i < CALLED_REGIONS; i++) {
		called->region[i] = builder_region(b, names[i], (enum region_class)i, i);
		called->site[i] = builder_site(b, called->region[i], 0, 0, i);
	}
	called->comm[0] = 0;
	called->comm[1] = builder_comm(b, "pair", ranks, 2, -2);
	for (int i = 0; i < 3; i++)
		called->comm[2 + i] = builder_comm_define(b, &kinds[i]);
	called->known = builder_string(b, "known before", 12);
	for (int i = 0; i < 2; i++)
		called->attribute[i] =
			builder_object(b, OBJECT_ATTRIBUTE, called->known, types[i], 2);
	called->parameter = builder_object(b, OBJECT_PARAMETER, called->known, types[0], 1);
}

/* Mostly a little later than the last; sometimes earlier, sometimes far away. */
static int64_t take_time(struct call_bytes *in)
{
	const unsigned step = call_byte(in);

	if (step < 240)
		in->now += step / 4;
	else if (step < 248)
		in->now -= 50;
	else
		in->now = (int64_t)((uint64_t)(step & 1 ? 1 : -1) << (step & 3) * 20);
	return in->now;
}

static struct message_end take_end(struct call_bytes *in)
{
	const unsigned bits = call_byte(in);
	struct message_end end = { .rank = (int32_t)(bits & 3),
				   .process = -1,
				   .tag = bits >> 2 & 3,
				   .bytes = call_byte(in),
				   .request = bits >> 4 & 3 };

	if (bits >> 6 == 1)
		end.rank = RANK_UNKNOWN;
	else if (bits >> 6 == 2)
		end.rank = -1;
	else if (bits >> 6 == 3)
		end.has_request = true;
	return end;
}

static void collective(struct builder *b, const struct called *called, uint32_t l, int64_t t,
		       unsigned bits)
{
	const uint32_t comm = called->comm[(bits >> 3) % CALLED_COMMS];
	const int64_t request = bits >> 6;

	switch (bits & 7) {
	case 0:
	case 1:
		builder_collective_begin(b, l, t, comm, called->region[3], (int32_t)(bits >> 6),
					 bits, UINT64_MAX);
		break;
	case 2: builder_collective_begin_unknown(b, l, t); break;
	case 3: builder_collective_is(b, l, comm, called->region[2], -1); break;
	case 4:
	case 5: builder_collective_end(b, l, t, UINT64_MAX, bits); break;
	case 6: builder_collective_request(b, l, t, request); break;
	default:
		builder_collective_complete(b, l, t, request, comm, called->region[3], RANK_UNKNOWN,
					    1, 2);
	}
}

static void detail(struct builder *b, const struct called *called, uint32_t l, int64_t t,
		   unsigned bits, uint32_t text)
{
	const uint64_t value[] = { called->parameter, text },
		       texts[] = { text, called->known, text };
	const uint64_t numbers[] = { called->parameter, 3, bits, 4, 5, 6 };

	switch (bits & 7) {
	case 0:
	case 1: builder_detail(b, l, t, DETAIL_PARAMETER_STRING, value, 2); break;
	case 2:
	case 3: builder_detail(b, l, t, DETAIL_METRIC, numbers, 1 + (bits >> 4) % 6); break;
	case 4: builder_detail(b, l, t, DETAIL_RMA_ATOMIC, numbers, 6); break;
	case 5: builder_detail(b, l, t, DETAIL_UNKNOWN, NULL, 0); break;
	default: builder_detail(b, l, t, DETAIL_PROGRAM_BEGIN, texts, 1 + (bits >> 4) % 3); break;
	}
}

/* What stands beside events; findings have numbers of lines that tell locations apart. */
static void rest(struct builder *b, const struct called *called, uint32_t l, int64_t t,
		 unsigned bits, uint32_t text)
{
	const struct record record = { 1000, called->site[0], text };

	switch (bits & 7) {
	case 0: builder_attribute(b, l, called->attribute[0], bits); break;
	case 1: builder_attribute(b, l, called->attribute[1], text); break;
	case 2: builder_extra(b, l, "extra", 5 - (bits >> 3) % 4); break;
	case 3: builder_time_text(b, l, "1.5e3", 5); break;
	case 4: builder_request_test(b, l, t, bits >> 6); break;
	case 5:
		builder_finding(b, FINDING_ODDITY, "some-finding", l * 1000 + 1, "some finding");
		break;
	default: builder_record(b, l, t, EV_DATA, &record); break;
	}
}

static void rare(struct builder *b, const struct called *called, uint32_t l, int64_t t,
		 struct call_bytes *in)
{
	const unsigned what = call_byte(in), bits = call_byte(in);
	const char letter = (char)('a' + (what >> 1) % 30);
	const uint32_t text = what >> 6 ? builder_string(b, &letter, 1) : called->known;

	(what & 1 ? detail : rest)(b, called, l, t, bits, text);
}

void call_builder(struct builder *b, const struct called *called, uint32_t location,
		  struct call_bytes *in)
{
	const unsigned op = call_byte(in);
	const uint32_t l = location, site = called->site[(op >> 4) % CALLED_REGIONS];
	const int64_t t = take_time(in);
	struct message_end end;

	switch (op & 15) {
	case 0:
	case 1: builder_enter(b, l, t, site); break;
	case 2: builder_leave(b, l, t, site); break;
	case 3: builder_mark(b, l, t, site); break;
	case 4: builder_tracing(b, l, t, site, op >> 7); break;
	case 5:
	case 6: rare(b, called, l, t, in); break;
	case 7:
	case 8:
		end = take_end(in);
		builder_send(b, l, t, &end);
		break;
	case 9: builder_send_complete(b, l, t, call_byte(in) & 3, MSG_SEND_BLOCKED); break;
	case 10:
		end = take_end(in);
		builder_recv_request(b, l, t, &end);
		break;
	case 11:
	case 12:
		end = take_end(in);
		builder_recv(b, l, t, &end);
		break;
	case 13: builder_request_cancelled(b, l, t, call_byte(in) & 3); break;
	default: collective(b, called, l, t, call_byte(in)); break;
	}
}
