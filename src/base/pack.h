/* pack: a stream that compresses with zstd what is written to it. */
#pragma once

#include <stdio.h>

/* Takes `plain`, which is closed with the result; NULL with errno: then `plain` is closed. What
 * cannot be written shows as an error of the stream, at the latest when it is closed. */
FILE *pack_open(FILE *plain);
