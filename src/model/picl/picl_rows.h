/* picl_rows: the fields of the lines of tview's tables (doc/format.md), in their order, each with
 * the sort of its words. The reader and the writer go through the same list:
 *
 *	#define TAKE(field, sort) region.field = next_##sort(r, w);
 *	PICL_REGION(TAKE)
 *
 * class	the name of a class of regions
 * byte, int32, uint32, int64, uint64	a number; of 64 bits always with a sign
 * row	the number of a row of a table, -1 for UINT32_MAX
 * location	its number in the tables
 * text	the number of a string
 * time	seconds */
#pragma once

/* clang-format off */
#define PICL_REGION(F) \
	F(cls, class) F(picl, int32) F(role, byte) F(paradigm, byte) F(flags, uint32) \
	F(line, uint32) F(end_line, uint32) \
	F(name, text) F(file, text) F(canonical, text) F(description, text)
#define PICL_TREE_NODE(F) \
	F(parent, row) F(cls, text) F(name, text)
#define PICL_PROCESS(F) \
	F(node, row) F(type, byte) F(creator, row) F(name, text)
#define PICL_LOCATION(F) \
	F(rank, int32) F(process, int32) F(thread, int32) F(type, byte) F(owner, row) \
	F(source_id, uint64) F(name, text) F(node, text) F(source_name, text)
#define PICL_METRIC(F) \
	F(type, byte) F(mode, byte) F(value, byte) F(base, byte) F(exponent, int64) \
	F(name, text) F(description, text) F(unit, text)
#define PICL_METRIC_SET(F) \
	F(recorder, location) F(occurrence, byte) F(scope_kind, byte) F(scope, uint64)
#define PICL_MARKER(F) \
	F(time, time) F(duration, time) F(severity, byte) F(scope_kind, byte) F(scope, uint64) \
	F(category, text) F(text, text)
#define PICL_PROPERTY(F) \
	F(key, text) F(value, text)
#define PICL_STATEMENT(F) \
	F(name, text) F(file, text) F(reason, text)
/* clang-format on */
