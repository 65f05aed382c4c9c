/* mcp_run: a run of the program, and what it said. */
#pragma once

#include "base/str.h"

enum { MCP_MOST = 400 * 1024 /* bytes of an answer */ };

/* Runs argv, which ends with NULL, without input. What it writes is appended to `said`, of a run
 * that fails what it writes as errors. False: it failed, or wrote more than MCP_MOST. */
bool mcp_run(const char *const *argv, struct str *said);
