/* xml_text: text of a trace in XML. */
#pragma once

#include "base/str.h"

/* Appends text for content and attributes alike; characters that XML cannot hold become '?'. */
void xml_text_add(struct str *out, const char *text);
