#include "ui/mcp/mcp.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/version.h"
#include "ui/mcp/mcp_tools.h"

enum { LINE_MOST = 1 << 20 };
enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600, NO_METHOD = -32601, BAD_PARAMS = -32602 };

struct server {
	const char *program;
	struct mcp_root root;
	FILE *out;
};

static void send(struct server *s, json_t *message)
{
	json_dumpf(message, s->out, JSON_COMPACT);
	fputc('\n', s->out);
	fflush(s->out);
	json_decref(message);
}

static void answer(struct server *s, json_t *id, json_t *result)
{
	send(s, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

/* `id` NULL: it could not be read. */
static void refuse(struct server *s, json_t *id, int code, const char *why)
{
	send(s,
	     json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id",
		       id ? json_incref(id) : json_null(), "error", "code", code, "message", why));
}

static void initialize(struct server *s, json_t *id, const json_t *params)
{
	const char *version = json_string_value(json_object_get(params, "protocolVersion"));

	answer(s, id,
	       json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}, s:s}", "protocolVersion",
			 version ? version : "2025-06-18", "capabilities", "tools", "serverInfo",
			 "name", "tview", "version", TVIEW_VERSION, "instructions",
			 "Traces of MPI programs. Begin with report; then query. Times are "
			 "seconds. An answer that leaves rows out has left_out.page."));
}

static void call_tool(struct server *s, json_t *id, const json_t *params)
{
	const char *name = json_string_value(json_object_get(params, "name"));
	json_t *given = json_object_get(params, "arguments");
	json_t *arguments = given ? json_incref(given) : json_object();
	OWNED_STR said = STR_INIT;
	bool failed = false;

	if (!name || !json_is_object(arguments))
		refuse(s, id, BAD_PARAMS, "a call has a name, and arguments that are an object");
	else if (!mcp_tools_call(s->program, &s->root, name, arguments, &said, &failed))
		refuse(s, id, BAD_PARAMS, said.text);
	else
		answer(s, id,
		       json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
				 json_string_nocheck(said.n ? said.text : ""), "isError", failed));
	json_decref(arguments);
}

static void serve_message(struct server *s, json_t *message)
{
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *params = json_object_get(message, "params");
	json_t *id = json_object_get(message, "id");

	if (!method || (id && !json_is_string(id) && !json_is_number(id)))
		refuse(s, NULL, INVALID_REQUEST, "not a request of JSON-RPC 2.0");
	else if (!id)
		return; /* a notification */
	else if (strcmp(method, "initialize") == 0)
		initialize(s, id, params);
	else if (strcmp(method, "ping") == 0)
		answer(s, id, json_object());
	else if (strcmp(method, "tools/list") == 0)
		answer(s, id, mcp_tools_list());
	else if (strcmp(method, "tools/call") == 0)
		call_tool(s, id, params);
	else
		refuse(s, id, NO_METHOD, "there is no such method");
}

/* The next line without its end, of which what is too long is left out; false at the end. */
static bool read_line(FILE *in, struct str *line, bool *whole)
{
	int c;

	str_clear(line);
	*whole = true;
	while ((c = getc(in)) != EOF && c != '\n') {
		*whole = line->n < LINE_MOST;
		if (*whole)
			str_add_char(line, (char)c);
	}
	return c != EOF || line->n;
}

static void serve_line(struct server *s, const struct str *line)
{
	json_error_t where;
	json_t *message = json_loadb(line->text, line->n, JSON_REJECT_DUPLICATES, &where);

	if (message)
		serve_message(s, message);
	else
		refuse(s, NULL, PARSE_ERROR, "not JSON");
	json_decref(message);
}

static bool root_open(struct mcp_root *root, const char *const *paths, size_t n, struct err *err)
{
	root->paths = xcalloc(n, sizeof *root->paths);
	for (; root->n < n; root->n++) {
		struct stat about;
		char *path = realpath(paths[root->n], NULL);
		root->paths[root->n] = path;
		if (!path || stat(path, &about) != 0)
			return err_errno(err, STATUS_IO, "cannot open %s", paths[root->n]);
		root->folder = n == 1 && S_ISDIR(about.st_mode);
	}
	return true;
}

static void root_close(struct mcp_root *root)
{
	for (size_t i = 0; i < root->n; i++)
		free((char *)(uintptr_t)root->paths[i]);
	free(root->paths);
}

bool mcp_serve(const char *program, const char *const *paths, size_t n, FILE *in, FILE *out,
	       struct err *err)
{
	struct server s = { .program = program, .out = out };
	OWNED_STR line = STR_INIT;
	bool whole;

	if (!root_open(&s.root, paths, n, err)) {
		root_close(&s.root);
		return false;
	}
	while (read_line(in, &line, &whole)) {
		if (!whole)
			refuse(&s, NULL, PARSE_ERROR, "the line is longer than 1 MiB");
		else if (line.n)
			serve_line(&s, &line);
	}
	root_close(&s.root);
	return true;
}
