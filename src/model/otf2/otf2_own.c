#include "model/otf2/otf2_own.h"

#include <stdlib.h>
#include <string.h>

const struct otf2_own_name otf2_own_attributes[] = {
#define ATTRIBUTE(word, name, type, text) { name, OTF2_TYPE_##type, text },
#include "model/otf2/otf2_own.def"
};

const struct otf2_own_name otf2_own_records[] = {
#define RECORD(word, name, kind) { name, OTF2_TYPE_STRING, NULL },
#include "model/otf2/otf2_own.def"
};

const struct otf2_own_name otf2_own_places[] = {
#define PLACE(word, name, type) { name, OTF2_TYPE_##type, NULL },
#include "model/otf2/otf2_own.def"
};

size_t otf2_own_key_length(const char *key)
{
	const char *open = strrchr(key, '(');
	char *end;

	if (!open || open - key < 2 || open[-1] != ' ' || strtol(open + 1, &end, 10) < 1 ||
	    end == open + 1 || strcmp(end, ")") != 0)
		return strlen(key);
	return (size_t)(open - 1 - key);
}
