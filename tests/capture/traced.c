#include "capture/traced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/order.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/trace/message.h"
#include "model/trace/region_meaning.h"

enum { SECONDS = 30 };

bool traced_possible(void)
{
	if (system("command -v mpiexec.mpich >/dev/null") == 0)
		return true;
	print_message("there is no mpiexec.mpich here: install the package mpich\n");
	return false;
}

static void read_account(struct traced *t)
{
	char path[128], line[256];

	for (int rank = 0; rank < t->ranks; rank++) {
		FILE *in;
		snprintf(path, sizeof path, "%s/tally.%d", t->folder, rank);
		in = fopen(path, "r");
		while (in && fgets(line, sizeof line, in)) {
			struct tally_line *one = vec_add(&t->account);
			one->rank = rank;
			if (sscanf(line, "%11s %ld %ld %ld", one->what, &one->a, &one->b, &one->c) <
			    4)
				assert_true(sscanf(line, "%11s %39s %ld %ld %ld", one->what,
						   one->name, &one->a, &one->b, &one->c) >= 3);
		}
		if (in)
			fclose(in);
	}
}

static struct traced *command_to(const char *file, int ranks, const char *options,
				 const char *command)
{
	struct traced *t = xcalloc(1, sizeof *t);
	struct str line = STR_INIT;
	struct err err = ERR_INIT;
	char path[128];

	if (!traced_possible())
		skip();
	t->ranks = ranks;
	str_init(&t->said);
	folder_make(t->folder, "traced");
	str_add_fmt(
		&line,
		"BUILD=%s; export BUILD TALLY=%s/tally; timeout -k 5 %d $BUILD/tvrun %s -o %s/%s %s "
		">%s/said 2>&1 </dev/null",
		TEST_BUILD, t->folder, SECONDS, options, t->folder, file, command, t->folder);
	t->status = system(line.text);
	t->status = WIFEXITED(t->status) ? WEXITSTATUS(t->status) : -1;
	snprintf(path, sizeof path, "%s/said", t->folder);
	file_read(path, &t->said);
	read_account(t);
	snprintf(path, sizeof path, "%s/%s", t->folder, file);
	if (access(path, R_OK) == 0) {
		t->trace = trace_load(path, &(struct load_options){ .strict = true }, NULL, &err);
		if (!t->trace)
			print_error("%s\n", err.text);
	}
	str_fini(&line);
	return t;
}

struct traced *traced_command(int ranks, const char *options, const char *command)
{
	return command_to("run.trc", ranks, options, command);
}

struct traced *traced_run_to(const char *file, int ranks, const char *options, const char *program,
			     const char *arguments)
{
	struct str command = STR_INIT;
	struct traced *t;

	str_add_fmt(&command, "mpiexec.mpich -n %d $BUILD/%s %s", ranks, program, arguments);
	t = command_to(file, ranks, options, command.text);
	str_fini(&command);
	return t;
}

struct traced *traced_run(int ranks, const char *options, const char *program,
			  const char *arguments)
{
	return traced_run_to("run.trc", ranks, options, program, arguments);
}

struct traced *traced_well(int ranks, const char *options, const char *program,
			   const char *arguments)
{
	struct traced *t = traced_run(ranks, options, program, arguments);

	if (t->status != 0 || !t->trace)
		fail_msg("%s ended with %d: %s", program, t->status, t->said.text);
	return t;
}

void traced_free(struct traced *t)
{
	trace_free(t->trace);
	str_fini(&t->said);
	vec_fini(&t->account);
	folder_remove(t->folder);
	free(t);
}

/* ---- messages ---- */

struct flow {
	long source, destination, tag, bytes;
};

typedef VEC(struct flow) flows;

static int by_flow(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct flow));
}

static void compare_flows(flows *expected, flows *found, const char *what)
{
	SORT(expected->data, expected->n, by_flow);
	SORT(found->data, found->n, by_flow);
	for (size_t i = 0; i < expected->n && i < found->n; i++) {
		const struct flow *e = &expected->data[i], *f = &found->data[i];
		if (by_flow(e, f) != 0)
			fail_msg(
				"%s: the program has %ld -> %ld tag %ld %ld bytes, the trace %ld -> %ld tag "
				"%ld %ld bytes",
				what, e->source, e->destination, e->tag, e->bytes, f->source,
				f->destination, f->tag, f->bytes);
	}
	assert_int_equal(expected->n, found->n);
	vec_fini(expected);
}

void traced_compare_messages(const struct traced *t)
{
	flows sent = VEC_INIT, received = VEC_INIT, found = VEC_INIT;
	const struct tally_line *line;

	vec_each (line, &t->account) {
		if (!strcmp(line->what, "sent"))
			vec_push(&sent, ((struct flow){ line->rank, line->a, line->b, line->c }));
		if (!strcmp(line->what, "received"))
			vec_push(&received,
				 ((struct flow){ line->a, line->rank, line->b, line->c }));
	}
	for (uint32_t i = 0; i < trace_message_count(t->trace); i++) {
		const struct message *m = trace_message(t->trace, i);
		if (m->flags & MSG_CANCELLED)
			continue;
		assert_int_equal(m->flags &
					 (MSG_NO_SEND | MSG_NO_RECV | MSG_GUESSED | MSG_NO_BYTES),
				 0);
		vec_push(&found, ((struct flow){ message_source(t->trace, m),
						 message_destination(t->trace, m), m->tag,
						 (long)message_bytes(m) }));
	}
	assert_true(t->account.n > 0);
	compare_flows(&sent, &found, "sent");
	compare_flows(&received, &found, "received");
	vec_fini(&found);
}

/* ---- collectives; the programs do not note those that make communicators ---- */

struct part {
	int64_t time;
	uint32_t collective;
	const struct member *member;
};

ORDERING(by_time, struct part, time)

static void compare_rank(const struct traced *t, int rank)
{
	VEC(struct part) parts = VEC_INIT;
	const struct tally_line *line;
	size_t next = 0;

	for (uint32_t c = 0; c < trace_collective_count(t->trace); c++) {
		const struct collective *collective = trace_collective(t->trace, c);
		if (region_meaning(t->trace, collective->region).collective == COLLECTIVE_CREATES)
			continue;
		for (uint32_t i = 0; i < collective->members; i++) {
			const struct member *m = trace_member(t->trace, collective->first + i);
			const uint32_t location = trace_event_location(t->trace, m->begin);
			if (trace_location(t->trace, location)->rank == rank)
				vec_push(&parts,
					 ((struct part){ trace_event_time(t->trace, BASE_MEASURED,
									  m->begin),
							 c, m }));
		}
	}
	SORT(parts.data, parts.n, by_time);
	vec_each (line, &t->account) {
		const struct collective *collective;
		if (line->rank != rank || strcmp(line->what, "collective") != 0)
			continue;
		assert_true(next < parts.n);
		collective = trace_collective(t->trace, parts.data[next].collective);
		assert_string_equal(trace_region_name(t->trace, collective->region), line->name);
		assert_int_equal(collective->root, line->a);
		assert_int_equal(parts.data[next].member->sent, line->b);
		assert_int_equal(parts.data[next].member->received, line->c);
		assert_int_equal(collective->flags, 0);
		next++;
	}
	assert_int_equal(next, parts.n);
	vec_fini(&parts);
}

void traced_compare_collectives(const struct traced *t)
{
	for (int rank = 0; rank < t->ranks; rank++)
		compare_rank(t, rank);
}

void traced_compare(const struct traced *t)
{
	traced_compare_messages(t);
	traced_compare_collectives(t);
}

/* ---- counting ---- */

void traced_has(const struct traced *t, const char *property, const char *part)
{
	const char *value = trace_property_value(t->trace, property);

	if (!value || !strstr(value, part))
		fail_msg("%s is %s, without %s", property, value ? value : "not there", part);
}

long traced_did(const struct traced *t, const char *what)
{
	const struct tally_line *line;
	long sum = 0;

	vec_each (line, &t->account) {
		if (!strcmp(line->what, "did") && !strcmp(line->name, what))
			sum += line->a;
	}
	return sum;
}

long traced_count(const struct traced *t, enum event_kind kind, const char *region)
{
	long n = 0;

	for (uint32_t l = 0; l < trace_location_count(t->trace); l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, t->trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			uint32_t path;
			if (what_kind(cursor_what(&c)) != kind)
				continue;
			path = trace_event_path(t->trace, c.id);
			if (!region ||
			    (path &&
			     !strcmp(trace_region_name(t->trace,
						       trace_callpath_region(t->trace, path)),
				     region)))
				n++;
		}
	}
	return n;
}

uint32_t traced_region(const struct traced *t, const char *name)
{
	for (uint32_t i = 0; i < trace_region_count(t->trace); i++)
		if (!strcmp(trace_region_name(t->trace, i), name))
			return i;
	return UINT32_MAX;
}
