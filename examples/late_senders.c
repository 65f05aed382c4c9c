/* Finds late senders by itself: how long each location waited in calls that receive for messages
 * whose send was called later.
 *
 *	cc late_senders.c $(pkg-config --cflags --libs tview) -o late_senders
 *	./late_senders run.trc */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tview/records.h>

int main(int argc, char **argv)
{
	struct tview_error error = { 0, "usage: late_senders TRACE" };
	tview_trace *trace = argc == 2 ? tview_open(argv[1], NULL, &error) : NULL;
	tview_cursor *events = NULL;
	struct tview_array messages;
	struct tview_location location;
	struct tview_event e;

	if (trace)
		events = tview_cursor_open(trace, TVIEW_EVENTS, TVIEW_NONE, NULL, &error);
	if (!events || !tview_shared(trace, "messages.tag", &messages))
		return fprintf(stderr, "%s\n", error.text), 1;
	/* When locations entered what they are in, and so when messages' sends were called. */
	int64_t *entered = calloc(tview_location_count(trace), sizeof *entered);
	int64_t *waited = calloc(tview_location_count(trace), sizeof *waited);
	int64_t *called = calloc((size_t)messages.shape[0], sizeof *called);
	while (tview_next_event(events, &e)) { /* in the order of time */
		const char *kind = tview_event_kind(e.kind);
		if (strcmp(kind, "enter") == 0)
			entered[e.location] = e.time;
		else if (e.of == TVIEW_NONE) /* of no message */
			continue;
		else if (strcmp(kind, "send") == 0)
			called[e.of] = entered[e.location];
		else if (strcmp(kind, "recv") == 0 && called[e.of] > entered[e.location])
			waited[e.location] += called[e.of] - entered[e.location];
	}
	for (uint32_t i = 0; tview_location(trace, i, &location); i++)
		printf("%s waited %.9f s\n", location.name,
		       (double)waited[i] / (double)tview_ticks_per_second(trace));
	free(entered);
	free(waited);
	free(called);
	tview_cursor_close(events);
	tview_close(trace);
	return 0;
}
