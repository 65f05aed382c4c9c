#include <string.h>
#include <ctype.h>
static size_t system_calls_own(const char *s) { return strlen(s) + 1; }
void system_calls(void) { char b[20]; strcpy(b, "Hello"); for (char *p = b; *p; p++) *p = (char)toupper(*p); printf("%s %d %d\n", b, (int)system_calls_own(b), (int)strlen(strcat(b, "!"))); }
