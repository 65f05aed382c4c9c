#include "harness/random_trace.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "harness/random.h"
#include "model/build/builder.h"
#include "model/picl/picl_values.h"

enum { RANKS = 4, LOCATIONS = 8, REGIONS = 40, ANY = 12 };

struct request {
	int64_t id;
	bool send;
};

struct maker {
	struct rng random;
	struct builder *b;
	uint32_t regions[REGIONS], sites[REGIONS], n_regions;
	enum region_class cls[REGIONS];
	uint32_t locations[LOCATIONS];
	uint32_t comms[6];
	uint32_t attributes[ANY];
	uint32_t windows; /* objects so far */
	uint32_t metric_sets, set_size[3];
	int64_t time;
	VEC(uint32_t) open;          /* rows of `regions`, of the location under way */
	VEC(struct request) waiting; /* requests of messages */
	VEC(int64_t) under_way;      /* of collectives */
	int64_t next_request;
	bool silent; /* the location under way neither sends nor receives */
	bool messages, threads_talk;
};

static uint32_t below(struct maker *m, uint32_t n)
{
	return rng_below(&m->random, n);
}

static uint64_t any(struct maker *m)
{
	switch (below(m, 5)) {
	case 0: return below(m, 10);
	case 1: return UINT64_MAX - below(m, 3);
	case 2: return (uint64_t)1 << 63;
	default: return rng_next(&m->random) << 16 ^ rng_next(&m->random);
	}
}

static uint32_t string(struct maker *m)
{
	static const char *const texts[] = { "",         "solve",       "a b  c ",
					     "x=y=z",    "line\nbreak", "100 %0A",
					     "\xc3\xbc", "tab\t%",      "-1",
					     " " };
	char text[32];

	if (below(m, 2))
		return builder_string(m->b, texts[below(m, 10)], strlen(texts[0]));
	snprintf(text, sizeof text, "%s %u", texts[below(m, 10)], below(m, 50));
	return builder_string(m->b, text, strlen(text));
}

/* ---- definitions ---- */

static void add_region(struct maker *m, const char *name, enum region_class cls, int32_t picl)
{
	const struct region region = { .name = builder_string(m->b, name, strlen(name)),
				       .file = string(m),
				       .line = below(m, 3) ? below(m, 500) : 0,
				       .picl = picl,
				       .cls = (uint8_t)cls,
				       .role = (uint8_t)below(m, 20),
				       .paradigm = (uint8_t)below(m, 20),
				       .flags = below(m, 8),
				       .end_line = below(m, 900),
				       .canonical = string(m),
				       .description = string(m) };
	const uint32_t row = m->n_regions++;

	m->cls[row] = cls;
	m->regions[row] = builder_region_define(m->b, &region);
	m->sites[row] = builder_site(m->b, m->regions[row], below(m, 2) ? string(m) : 0,
				     below(m, 2) ? below(m, 99) : 0, picl);
}

static void add_regions(struct maker *m)
{
	static const struct {
		const char *name;
		enum region_class cls;
		int32_t picl;
	} mpi[] = {
		{ "MPI_Send", CLASS_P2P, -21 },
		{ "MPI_Isend", CLASS_P2P, -27 },
		{ "MPI_Issend", CLASS_P2P, -39 },
		{ "MPI_Recv", CLASS_P2P, -51 },
		{ "MPI_Irecv", CLASS_P2P, -57 },
		{ "MPI_Wait", CLASS_P2P, -60 },
		{ "MPI_Test", CLASS_P2P, -59 },
		{ "MPI_Waitall", CLASS_P2P, 2 },
		{ "MPI_Barrier", CLASS_SYNC, -402 },
		{ "MPI_Allreduce", CLASS_COLLECTIVE, -782 },
		{ "MPI_Bcast", CLASS_COLLECTIVE, -785 },
		{ "MPI_Ibcast", CLASS_COLLECTIVE, 3 },
		{ "flush", CLASS_OVERHEAD, -912 },
		{ "MPI_Send", CLASS_P2P, -21 },
		{ "fwrite", CLASS_IO, 4 },
	};
	const uint32_t n = sizeof mpi / sizeof *mpi;

	for (uint32_t i = 0; i < n; i++)
		add_region(m, mpi[i].name, mpi[i].cls, mpi[i].picl);
	for (uint32_t i = n; i < REGIONS; i++)
		add_region(m, i % 3 ? "main" : "inner", CLASS_USER,
			   10 + (int32_t)below(m, REGIONS));
}

static void add_locations(struct maker *m)
{
	for (uint32_t i = 0; i < 3; i++)
		builder_tree_node(m->b, &(struct tree_node){ string(m), string(m),
							     i ? below(m, i) : UINT32_MAX });
	for (uint32_t i = 0; i < 3; i++)
		builder_process(m->b,
				&(struct process){ string(m), below(m, 3), (uint8_t)below(m, 3),
						   i ? below(m, 3) : UINT32_MAX });
	for (uint32_t i = 0; i < LOCATIONS; i++) {
		const bool ranked = i < RANKS + 2;
		const struct location l = { .rank = ranked ? (int32_t)(i % RANKS) : RANK_UNKNOWN,
					    .process = below(m, 2) ? -1 : (int32_t)below(m, 9000),
					    .thread = (int32_t)(i / RANKS),
					    .name = string(m),
					    .node = string(m),
					    .source_id = i % 2 ? UINT64_MAX - i : i * 1000003u,
					    .source_name = string(m) };
		m->locations[i] = builder_location(m->b, &l);
		builder_location_owner(m->b, m->locations[i],
				       below(m, 4) ? below(m, 3) : UINT32_MAX, (uint8_t)below(m, 4),
				       l.source_id);
	}
}

static void add_comms(struct maker *m)
{
	static const int32_t world[RANKS] = { 0, 1, 2, 3 }, half[] = { 0, 2 }, other[] = { 1, 3 },
			     one[] = { 1 }, team[] = { 0, 4, 6 };
	const struct comm comms[] = {
		{ .size = RANKS, .ranks = world, .parent = UINT32_MAX },
		{ .size = 2, .ranks = half, .parent = 1, .flags = 1 },
		{ .size = 1, .ranks = one, .parent = UINT32_MAX, .kind = COMM_SELF },
		{ .size = 2,
		  .ranks = half,
		  .parent = UINT32_MAX,
		  .remote_size = 2,
		  .remote = other,
		  .kind = COMM_INTER },
		{ .size = 3, .ranks = team, .parent = UINT32_MAX, .kind = COMM_THREADS },
	};

	builder_world(m->b, world, RANKS);
	for (uint32_t i = 0; i < 5; i++) {
		struct comm comm = comms[i];
		comm.name = string(m);
		m->comms[i + 1] = builder_comm_define(m->b, &comm);
	}
}

/* A value of that sort that means something. */
static uint64_t value_of(struct maker *m, enum picl_value sort)
{
	switch (sort) {
	case VALUE_STRING: return string(m);
	case VALUE_REGION: return m->regions[below(m, m->n_regions)];
	case VALUE_SITE: return m->sites[below(m, m->n_regions)];
	case VALUE_COMM: return below(m, 5) ? m->comms[below(m, 6)] : UINT64_MAX;
	case VALUE_LOCATION: return m->locations[below(m, LOCATIONS)];
	case VALUE_SOURCE: return (uint64_t)string(m) << 32 | below(m, 1000);
	default: return any(m);
	}
}

static uint32_t values_of(struct maker *m, enum detail_type type, uint64_t *out)
{
	const struct detail_info *info = detail_info(type);
	uint32_t n = info->fields;

	if (n && info->field[n - 1].kind == FIELD_VALUES)
		n += below(m, 30);
	for (uint32_t i = 0; i < n; i++)
		out[i] = value_of(m, picl_value_of(type, i));
	return n;
}

static void add_two_of(struct maker *m, int first, int end)
{
	uint64_t v[64];

	for (int t = first; t < end; t++)
		for (uint32_t i = 0; i < 2; i++)
			if (t != OBJECT_ATTRIBUTE)
				builder_object(m->b, (enum detail_type)t, string(m), v,
					       values_of(m, (enum detail_type)t, v));
}

static void add_objects(struct maker *m)
{
	static const uint8_t types[ANY] = { 1, 4, 8, 10, 11, 13, 14, 17, 20, 21, 24, 5 };
	uint64_t v[64];

	for (uint32_t i = 0; i < ANY; i++) {
		v[0] = string(m);
		v[1] = types[i];
		m->attributes[i] = builder_object(m->b, OBJECT_ATTRIBUTE, string(m), v, 2);
	}
	add_two_of(m, OBJECT_PARAMETER, OBJECT_DOMAIN);
	for (uint32_t i = 0; i < 4; i++)
		builder_metric(m->b, &(struct metric){
					     string(m), string(m), string(m), (uint8_t)below(m, 4),
					     (uint8_t)below(m, METRIC_MODES),
					     (uint8_t)(FIELD_UINT + below(m, 3)),
					     below(m, 2) ? 2 : 10, (int64_t)below(m, 9) - 4 });
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t metrics[] = { below(m, 4), below(m, 4), below(m, 4) };
		m->set_size[i] = below(m, 4);
		builder_metric_set(m->b,
				   &(struct metric_set){
					   m->set_size[i], metrics,
					   below(m, 2) ? m->locations[below(m, 8)] : UINT32_MAX,
					   (uint8_t)below(m, 3), (uint8_t)below(m, 5), any(m) });
	}
	for (uint32_t i = 0; i < 5; i++)
		builder_marker(m->b,
			       &(struct marker){ (int64_t)below(m, 100000) - 500, below(m, 99),
						 string(m), string(m), (uint8_t)below(m, 4),
						 (uint8_t)(1 + below(m, 3)), below(m, 8) });
	builder_property_define(m->b, &(struct property){ string(m), string(m) });
	builder_property(m->b, "a=b", "c\nd");
	builder_property(m->b, "node", "is a key of the header");
	builder_property(m->b, "plain", "value");
}

/* ---- events ---- */

static void any_attributes(struct maker *m, uint32_t l)
{
	static const uint8_t types[ANY] = { 1, 4, 8, 10, 11, 13, 14, 17, 20, 21, 24, 5 };

	for (uint32_t n = below(m, 12) == 0 ? 1 + below(m, 3) : 0; n; n--) {
		const uint32_t i = below(m, ANY);
		builder_attribute(m->b, l, m->attributes[i],
				  value_of(m, picl_value_of_attribute(types[i])));
	}
}

/* Which of these calls is the innermost open one, -1 none. */
static int in_mpi(const struct maker *m)
{
	return m->open.n ? (int)*vec_last(&m->open) : -1;
}

static struct message_end an_end(struct maker *m)
{
	struct message_end end = { .rank = (int32_t)below(m, RANKS),
				   .process = -1,
				   .tag = below(m, 20) ? (int32_t)below(m, 3) : -7,
				   .comm = m->comms[below(m, 3)],
				   .bytes = below(m, 100000) };
	return end;
}

static void a_send(struct maker *m, uint32_t l)
{
	struct message_end end = an_end(m);
	const int where = in_mpi(m);

	if (where == 1 || where == 2 || below(m, 3) == 0) {
		end.has_request = true;
		end.request = ++m->next_request;
		end.flags |= MSG_SEND_REQUEST;
		vec_push(&m->waiting, ((struct request){ end.request, true }));
	}
	if (where == 2 || below(m, 6) == 0)
		end.flags |= 2 << MSG_MODE_SHIFT;
	builder_send(m->b, l, m->time, &end);
}

static void a_receive(struct maker *m, uint32_t l)
{
	struct message_end end = an_end(m);

	if (below(m, 3) == 0) {
		/* A wildcard's text is kept: what the completion knows stands in its place. */
		end.flags = MSG_NO_BYTES;
		if (below(m, 2))
			end.rank = RANK_UNKNOWN;
		end.has_request = true;
		end.request = ++m->next_request;
		vec_push(&m->waiting, ((struct request){ end.request, false }));
		builder_recv_request(m->b, l, m->time, &end);
		return;
	}
	if (below(m, 3) == 0)
		end.flags |= MSG_RECV_BLOCKED;
	builder_recv(m->b, l, m->time, &end);
}

static void a_completion(struct maker *m, uint32_t l)
{
	struct message_end end = an_end(m);
	struct request request;
	uint32_t at;

	if (!m->waiting.n) {
		a_send(m, l);
		return;
	}
	at = below(m, (uint32_t)m->waiting.n);
	request = m->waiting.data[at];
	if (below(m, 6) == 0) {
		builder_request_test(m->b, l, m->time, request.id);
		return;
	}
	m->waiting.data[at] = vec_pop(&m->waiting);
	if (below(m, 8) == 0) {
		builder_request_cancelled(m->b, l, m->time, request.id);
	} else if (request.send) {
		builder_send_complete(m->b, l, m->time, request.id,
				      below(m, 2) ? MSG_SEND_BLOCKED : 0);
	} else {
		end.has_request = true;
		end.request = request.id;
		end.flags = MSG_RECV_REQUEST | (below(m, 2) ? MSG_RECV_BLOCKED : 0);
		builder_recv(m->b, l, m->time, &end);
	}
}

static void a_collective_request(struct maker *m, uint32_t l)
{
	uint32_t at;

	if (!m->under_way.n || below(m, 2)) {
		vec_push(&m->under_way, ++m->next_request);
		builder_collective_request(m->b, l, m->time, m->next_request);
		return;
	}
	at = below(m, (uint32_t)m->under_way.n);
	builder_collective_complete(m->b, l, m->time, m->under_way.data[at], m->comms[below(m, 3)],
				    m->regions[11], below(m, 3) ? 0 : RANK_UNKNOWN,
				    below(m, 4) ? below(m, 900) : UINT64_MAX, below(m, 900));
	m->under_way.data[at] = vec_pop(&m->under_way);
}

static bool is_of_threads(enum detail_type type)
{
	const enum event_kind kind = detail_info(type)->kind;

	return kind == EV_THREAD || kind == EV_THREAD_BEGIN || kind == EV_THREAD_END;
}

static void a_detail(struct maker *m, uint32_t l)
{
	const enum detail_type type = (enum detail_type)below(m, OBJECT_PARAMETER);
	uint64_t v[64];
	uint32_t n;

	if (m->messages && (detail_info(type)->kind == EV_RMA || is_of_threads(type)))
		return;
	n = values_of(m, type, v);
	if (type == DETAIL_METRIC) {
		v[0] = below(m, 3);
		n = 1 + m->set_size[v[0]];
	}
	builder_detail(m->b, l, m->time, type, v, n);
}

/* A whole collective: all of it at the ends of its call, or inside. */
static void a_collective(struct maker *m, uint32_t l)
{
	const uint32_t row = 8 + below(m, 3);
	const bool barrier = row == 8;
	const int32_t root = row == 10 ? (int32_t)below(m, RANKS) : -1;

	builder_enter(m->b, l, m->time, m->sites[row]);
	any_attributes(m, l);
	m->time += below(m, 3);
	builder_collective_begin(m->b, l, m->time, m->comms[below(m, 3)], m->regions[row],
				 below(m, 9) ? root : RANK_UNKNOWN,
				 barrier && below(m, 2) ? 0 : below(m, 70), UINT64_MAX);
	any_attributes(m, l);
	m->time += below(m, 30);
	builder_collective_end(m->b, l, m->time, UINT64_MAX,
			       barrier && below(m, 2) ? 0 : below(m, 99));
	any_attributes(m, l);
	m->time += below(m, 3);
	builder_leave(m->b, l, m->time, m->sites[row]);
}

static void enter_or_leave(struct maker *m, uint32_t l)
{
	uint32_t row;

	if (m->open.n > 6 || (m->open.n && below(m, 2))) {
		row = vec_pop(&m->open);
		builder_leave(m->b, l, m->time, m->sites[row]);
		return;
	}
	do
		row = below(m, m->n_regions);
	while (row >= 8 && row <= 10); /* the collectives' */
	vec_push(&m->open, row);
	builder_enter(m->b, l, m->time, m->sites[row]);
}

static void a_step(struct maker *m, uint32_t l)
{
	/* Equal times are frequent. */
	m->time += below(m, 3) ? 0 : 1 + below(m, 60);
	/* Which of two threads of a rank sent first is nobody's to say: one does. */
	switch (m->silent ? 5 + below(m, 7) : below(m, 12)) {
	case 0: a_send(m, l); break;
	case 1: a_receive(m, l); break;
	case 2: a_completion(m, l); break;
	case 3: a_collective(m, l); break;
	case 4: a_collective_request(m, l); break;
	case 5:
	case 6: a_detail(m, l); break;
	case 7: builder_mark(m->b, l, m->time, m->sites[below(m, m->n_regions)]); break;
	default: enter_or_leave(m, l); break;
	}
	any_attributes(m, l);
}

static struct trace *make(struct maker m, uint64_t seed, uint32_t steps, int64_t per_second)
{
	struct timescale scale = { per_second, 0 };
	struct err err = ERR_INIT;
	struct trace *trace;

	m.random = (struct rng){ seed * 2654435761u + 1 };
	scale.digits = units_export_digits(&scale);
	m.b = builder_new("random", &scale, &err);
	assert(m.b);
	add_regions(&m);
	add_locations(&m);
	add_comms(&m);
	add_objects(&m);
	for (uint32_t i = 0; i < LOCATIONS; i++) {
		m.time = (int64_t)below(&m, 1000) - 300;
		m.silent = i >= RANKS && !m.threads_talk;
		m.open.n = m.waiting.n = m.under_way.n = 0;
		for (uint32_t k = 0; k < steps; k++)
			a_step(&m, m.locations[i]);
	}
	vec_fini(&m.open);
	vec_fini(&m.waiting);
	vec_fini(&m.under_way);
	/* What nothing names comes last: seeds keep their meaning. */
	add_two_of(&m, OBJECT_DOMAIN, DETAIL_TYPES);
	trace = builder_finish(m.b, NULL, NULL, &err);
	assert(trace);
	return trace;
}

struct trace *random_trace(uint64_t seed, uint32_t steps, int64_t per_second)
{
	return make((struct maker){ 0 }, seed, steps, per_second);
}

struct trace *random_trace_of_messages(uint64_t seed, uint32_t steps, int64_t per_second,
				       bool threads_talk)
{
	return make((struct maker){ .messages = true, .threads_talk = threads_talk }, seed, steps,
		    per_second);
}
