/* Finds late senders by itself: how long each rank's MPI_Recv waited for messages that were not
 * sent yet.
 *
 *	cc late_senders.c $(pkg-config --cflags --libs tview) -o late_senders
 *	./late_senders run.trc */
#include <stdio.h>
#include <tview/trace.h>

/* Calls and messages in the order of their times, side by side. */
static double waited(tview_table *calls, tview_table *messages, int rank)
{
	const int begin = tview_column(calls, "begin_s"), took = tview_column(calls, "duration_s");
	const int sent = tview_column(messages, "send_time_s"), dst = tview_column(messages, "dst");
	const int received = tview_column(messages, "recv_time_s");
	double sum = 0;

	while (tview_next(calls)) {
		const double from = tview_real(calls, begin), to = from + tview_real(calls, took);
		while (tview_next(messages))
			if (tview_integer(messages, dst) == rank &&
			    tview_real(messages, received) >= from)
				break;
		if (tview_real(messages, sent) > from && tview_real(messages, sent) < to)
			sum += tview_real(messages, sent) - from;
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct tview_error error = { 0, "usage: late_senders TRACE" };
	tview_trace *trace = argc == 2 ? tview_open(argv[1], NULL, &error) : NULL;
	int rank = 0;

	for (; trace; rank++) {
		char ranks[32];
		const char *of_calls[] = { ranks, "filter=region == MPI_Recv", NULL };
		const char *of_messages[] = { ranks, "sort=recv_time_s up", NULL };

		snprintf(ranks, sizeof ranks, "ranks=%d", rank);
		tview_table *calls = tview_table_open(trace, "calls", of_calls, &error);
		tview_table *messages = tview_table_open(trace, "messages", of_messages, &error);
		if (calls && messages)
			printf("rank %d waited %.9f s\n", rank, waited(calls, messages, rank));
		tview_table_close(calls);
		tview_table_close(messages);
		if (!calls || !messages) /* there is no such rank */
			break;
	}
	tview_close(trace);
	return rank ? 0 : (fprintf(stderr, "%s\n", error.text), 1);
}
