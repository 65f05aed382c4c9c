/* libFuzzer target: what a client of `tview mcp` sends: lines of JSON-RPC. Each answer is a line of
 * JSON with a result or an error, and there is at most one for a line. No program is run: of what
 * would be, the words are looked at; none of the client's is an option of its own making, and the
 * trace is below the folder that is served. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz.h"
#include "harness/mutate.h"
#include "ui/mcp/mcp.h"
#include "ui/mcp/mcp_run.h"

static const char served[] = "tests/fuzz/picl";

/* ---- in the place of a run ---- */

/* Options and the verb, "--", words, of which one is the trace. */
static void check_words(const char *const *argv)
{
	static const char *const verbs[] = { "report", "query", "export", "check" };
	bool known = false, options = true, below = false;
	int n = 2;

	must(strcmp(argv[0], "tview") == 0, "the program is tview");
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		known |= strcmp(argv[1], verbs[i]) == 0;
	must(known, "a tool is a verb that reads");
	for (; argv[n]; n++) {
		if (options && strcmp(argv[n], "--") == 0) {
			options = false;
			continue;
		}
		must(!options || (strncmp(argv[n], "--", 2) == 0 && strchr(argv[n], '=')),
		     "an option is one word");
		must(!options || strncmp(argv[n], "--output", 8) != 0, "nothing is written");
		below |= !options && argv[n][0] == '/' && strstr(argv[n], served);
	}
	must(!options && below, "the trace is below the folder");
}

/* Says text that JSON must escape, as a program's errors may be. */
bool mcp_run(const char *const *argv, struct str *said)
{
	check_words(argv);
	str_add(said, "{\"rows\": \"\\\\\"}\n");
	return strlen(argv[1]) % 2;
}

/* ---- answers ---- */

static void check_answer(const char *line, size_t n)
{
	json_t *answer = json_loadb(line, n, JSON_REJECT_DUPLICATES, NULL);
	const json_t *error = json_object_get(answer, "error");
	const char *version = json_string_value(json_object_get(answer, "jsonrpc"));

	must(answer, "an answer is a line of JSON");
	must(version && strcmp(version, "2.0") == 0 && json_object_get(answer, "id"),
	     "it has a version and an id");
	must(!error != !json_object_get(answer, "result"), "it is a result or an error");
	must(!error || (json_is_integer(json_object_get(error, "code")) &&
			json_string_length(json_object_get(error, "message")) > 0),
	     "an error has a code and a sentence");
	json_decref(answer);
}

static size_t check_answers(const char *text, size_t n)
{
	size_t lines = 0;

	for (size_t at = 0; at < n; lines++) {
		const char *end = memchr(text + at, '\n', n - at);
		must(end, "a line ends");
		check_answer(text + at, (size_t)(end - text) - at);
		at = (size_t)(end - text) + 1;
	}
	return lines;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static const char *const words[] = { "\"jsonrpc\"",
					     "\"2.0\"",
					     "\"id\"",
					     "\"method\"",
					     "\"params\"",
					     "\"initialize\"",
					     "\"ping\"",
					     "\"tools/list\"",
					     "\"tools/call\"",
					     "\"name\"",
					     "\"arguments\"",
					     "\"protocolVersion\"",
					     "\"report\"",
					     "\"query\"",
					     "\"export\"",
					     "\"explain\"",
					     "\"check\"",
					     "\"trace\"",
					     "\"question\"",
					     "\"view\"",
					     "\"limit\"",
					     "\"page\"",
					     "\"where\"",
					     "\"sort\"",
					     "\"event\"",
					     "\"sample.trc\"",
					     "\"../picl/sample.trc\"",
					     "\"../../../README.md\"",
					     "\"--output=x\"",
					     "\"calls\"",
					     "null",
					     "true",
					     "0",
					     "-1",
					     "1e9",
					     "9223372036854775807",
					     "{}",
					     "[]",
					     "\"\"",
					     "\n",
					     NULL };

	return mutate_json(data, size, most, seed, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "rb") : fopen("/dev/null", "rb");
	FILE *out;
	char *text = NULL;
	struct err err = ERR_INIT;
	size_t n, asked = 1;

	out = open_memstream(&text, &n);
	must(out, "there is memory");
	must(mcp_serve("tview", (const char *[]){ served }, 1, in, out, &err),
	     "it serves to the end");
	fclose(in);
	fclose(out);
	for (size_t i = 0; i < size; i++)
		asked += data[i] == '\n';
	must(check_answers(text, n) <= asked, "a line has one answer");
	free(text);
	return 0;
}
