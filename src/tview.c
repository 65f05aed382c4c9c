/* tview: main() and the verbs. */
#include <stdio.h>

#include "base/version.h"

int main(void)
{
	printf("tview %s\n", TVIEW_VERSION);
	return 0;
}
