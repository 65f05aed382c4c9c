/* The yardstick of loading JSON: the library jansson alone, which makes a tree of all values.
 *
 *	json_parse FILE.json
 */
#include <jansson.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *root;

	if (argc != 2)
		return 2;
	root = json_load_file(argv[1], 0, &error);
	if (!root) {
		fprintf(stderr, "json_parse: %s\n", error.text);
		return 1;
	}
	printf("%zu\n", json_array_size(json_object_get(root, "traceEvents")));
	json_decref(root);
	return 0;
}
