#include <stdlib.h>
static void exits_ending(void) { for (int i = 0; i < 2; i++) printf("bye %d\n", i); }
void exits(void) { atexit(exits_ending); }
