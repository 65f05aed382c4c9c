#include "model/picl/picl_header.h"

#include <string.h>

static const char *const keys[] = {
#define KEY(key, take) key,
#include "model/picl/picl_header.def"
};

bool picl_header_is_key(const char *key)
{
	if (strncmp(key, PICL_TABLE_PREFIX, strlen(PICL_TABLE_PREFIX)) == 0)
		return true;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}
