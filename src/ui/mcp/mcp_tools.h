/* mcp_tools: the tools that a client may call: their description, and the command that one is. */
#pragma once

#include <jansson.h>

#include "base/str.h"
#include "ui/mcp/mcp.h"

/* The list for tools/list; the caller's. */
json_t *mcp_tools_list(void);
/* Runs a tool. False: no such tool, or wrong arguments, which `said` explains; *failed: the run
 * said an error. */
bool mcp_tools_call(const char *program, const struct mcp_root *root, const char *name,
		    const json_t *arguments, struct str *said, bool *failed);
