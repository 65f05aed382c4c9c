/* base64: bytes as text, for what terminals take in escape sequences. */
#pragma once

#include "base/str.h"

void base64_add(struct str *out, const void *bytes, size_t n);
