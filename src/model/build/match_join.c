/* One message of a send and a receive, which both know what the other may not. */
#include "model/build/build.h"

void build_join(struct trace *trace, uint32_t row, struct message *recv)
{
	struct message *m = store_message(trace, row);

	m->recv = recv->recv;
	m->flags &= (uint16_t)~MSG_NO_RECV;
	m->flags |= recv->flags & (MSG_RECV_REQUEST | MSG_RECV_PENDING | MSG_RECV_BLOCKED);
	if (m->flags & MSG_NO_BYTES && !(recv->flags & MSG_NO_BYTES)) {
		m->bytes_low = recv->bytes_low;
		m->bytes_high = recv->bytes_high;
		m->flags &= (uint16_t)~MSG_NO_BYTES;
	} else if (!(recv->flags & (MSG_NO_BYTES | MSG_RECV_PENDING)) &&
		   message_bytes(m) != message_bytes(recv)) {
		store_finding(
			trace, FINDING_ODDITY, "bytes-differ", 0, 1,
			"a receive and its send differ in size: the size of the send is shown");
	}
	if (m->flags & MSG_NO_TAG && !(recv->flags & MSG_NO_TAG)) {
		m->tag = recv->tag;
		m->flags &= (uint16_t)~MSG_NO_TAG;
	}
	recv->send = row;
	recv->flags |= RECV_CLOSED;
}
