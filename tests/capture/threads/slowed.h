/* A function that probes slow down, for programs whose threads are slowed in turn. */
#pragma once

#define PLAIN __attribute__((no_instrument_function))

enum { VISITS = 20, MS = 1000000 };

static volatile int sink;

__attribute__((noinline)) static void probed(int i)
{
	sink = i;
}

/* Two records each, of a call of probed(). */
PLAIN static void slowed(void)
{
	for (int i = 0; i < VISITS; i++)
		probed(i);
}
