#include "patterns/topology/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "model/trace/sources.h"
#include "patterns/topology/topology_grid.h"
#include "patterns/topology/topology_guess.h"
#include "patterns/topology/topology_option.h"

/* ---- ranks ---- */

static bool is_rank(const struct location *location)
{
	return location->rank >= 0 && location->rank != RANK_HOST;
}

/* Number of ranks of the world as far as known: the highest one plus one. */
static uint32_t rank_end(const struct trace *trace)
{
	uint32_t end = 0;

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location *location = trace_location(trace, l);
		if (is_rank(location) && (uint32_t)location->rank >= end)
			end = (uint32_t)location->rank + 1;
	}
	return end;
}

/* ---- given ---- */

static void place_rank(const struct wish *wish, uint32_t rank, int32_t *at)
{
	for (uint32_t i = 0; i < wish->dims; i++) {
		const uint32_t d = wish->col ? wish->dims - 1 - i : i, size = wish->size[d];
		const uint32_t x = rank % size;
		at[d] = (int32_t)(wish->flip[d] ? size - 1 - x : x);
		rank /= size;
	}
}

static bool add_given(struct grids *grids, const struct trace *trace, const struct wish *wish,
		      struct err *err)
{
	const uint32_t ranks = rank_end(trace);
	struct grid *grid = &grids->grid[grids->n];
	uint64_t places = 1;

	grid_init(grid, trace, GRID_GIVEN, wish->dims);
	memcpy(grid->size, wish->size, sizeof grid->size);
	grid_name_sizes(grid);
	for (uint32_t d = 0; d < wish->dims && places < ranks; d++)
		places *= wish->size[d];
	if (places < ranks) {
		err_set(err, STATUS_USAGE, "topology %s has %llu cells, but the trace has %u ranks",
			grid->name, (unsigned long long)places, ranks);
		grid_fini(grid);
		return false;
	}
	for (uint32_t d = 0; d < wish->dims; d++)
		grid->periodic[d] = 2;
	for (uint32_t l = 0; l < grid->n; l++)
		if (is_rank(trace_location(trace, l)))
			place_rank(wish, (uint32_t)trace_location(trace, l)->rank,
				   grid_coords(grid, l));
	snprintf(grid->note, sizeof grid->note,
		 "Given with --topology; the %s dimension runs fastest.",
		 wish->col ? "last" : "first");
	grid_settle(grid);
	grids->n++;
	return true;
}

/* ---- the trace's ---- */

struct grid_place {
	int32_t rank; /* world rank, or location */
	uint32_t row; /* of the topology's coordinates */
};

ORDERING(by_rank, struct grid_place, rank, row)

static const struct grid_place *find_place(const struct grid_place *places, uint32_t n,
					   int32_t rank)
{
	uint32_t low = 0, high = n;

	BISECT(low, high, middle, places[middle].rank < rank);
	return low < n && places[low].rank == rank ? &places[low] : NULL;
}

static void place_members(struct grid *grid, const struct trace *trace, const struct topology *t)
{
	const struct comm *comm = trace_comm(trace, t->comm);
	OWNED struct grid_place *places = xcalloc((size_t)comm->size + 1, sizeof *places);

	for (uint32_t i = 0; i < comm->size; i++)
		places[i] = (struct grid_place){ comm->ranks[i], i };
	SORT(places, comm->size, by_rank);
	for (uint32_t l = 0; l < grid->n; l++) {
		const int32_t rank =
			comm->kind == COMM_THREADS ? (int32_t)l : trace_location(trace, l)->rank;
		const struct grid_place *found =
			rank == RANK_UNKNOWN ? NULL : find_place(places, comm->size, rank);
		for (uint32_t d = 0; found && d < grid->dims; d++)
			grid_coords(grid, l)[d] = t->coords[(size_t)found->row * t->dims + d];
	}
}

/* A program that makes the same grid repeatedly has one grid. */
static bool is_known(const struct grids *grids, const struct grid *grid)
{
	for (uint32_t i = 0; i < grids->n; i++) {
		const struct grid *other = &grids->grid[i];
		if (other->source == grid->source && other->dims == grid->dims &&
		    memcmp(other->size, grid->size, sizeof grid->size) == 0 &&
		    memcmp(other->periodic, grid->periodic, sizeof grid->periodic) == 0 &&
		    memcmp(other->coords, grid->coords,
			   (size_t)grid->n * grid->dims * sizeof *grid->coords) == 0)
			return true;
	}
	return false;
}

static void note_trace(struct grid *grid, const struct trace *trace, const struct topology *t)
{
	char name[28], comm[28];
	const char *text = trace_string(trace, t->name);
	const char *of = trace_string(trace, trace_comm(trace, t->comm)->name);
	char rings[3 * GRID_DIMS + 1] = "";
	int n = 0;

	str_clean(name, sizeof name, text, strlen(text));
	str_clean(comm, sizeof comm, of, strlen(of));
	for (uint32_t d = 0; d < grid->dims; d++)
		if (grid->periodic[d])
			n += snprintf(rings + n, sizeof rings - (size_t)n, "%s%c", n ? ", " : "",
				      "xyzuvwst"[d]);
	snprintf(grid->note, sizeof grid->note, "Recorded in the trace: \"%s\"%s%s%s%s%s%s.", name,
		 comm[0] ? " (communicator \"" : "", comm, comm[0] ? "\")" : "",
		 n ? "; periodic in " : "", rings,
		 grid->places < grid->n ? "; other ranks are not on it" : "");
}

/* Topologies that Score-P writes for every run, whatever the program does. */
static bool is_of_the_machine(const struct trace *trace, const struct topology *t)
{
	static const char name[] = "Process x Thread";

	return strncmp(trace_string(trace, t->name), name, sizeof name - 1) == 0;
}

static void add_of_trace(struct grids *grids, const struct trace *trace, enum grid_source source)
{
	unsigned live[GRID_DIMS];

	for (uint32_t i = 0; i < trace_topology_count(trace) && grids->n < GRIDS_MOST; i++) {
		const struct topology *t = trace_topology(trace, i);
		struct grid *grid = &grids->grid[grids->n];
		if (t->dims < 1 || t->dims > GRID_DIMS || topology_is_sources(trace, t) ||
		    is_of_the_machine(trace, t) != (source == GRID_PHYSICAL))
			continue;
		grid_init(grid, trace, source, t->dims);
		grid->topology = i;
		for (uint32_t d = 0; d < t->dims; d++) {
			grid->size[d] = t->size[d] > 0 ? (uint32_t)t->size[d] : 0;
			grid->periodic[d] = t->periodic[d] != 0;
		}
		place_members(grid, trace, t);
		grid_settle(grid);
		note_trace(grid, trace, t);
		/* Processes without threads form a row, which is offered anyway. */
		if (grid->places && !is_known(grids, grid) &&
		    (source == GRID_TRACE || grid_live(grid, live) > 1))
			grids->n++;
		else
			grid_fini(grid);
	}
}

/* ---- a guess ---- */

struct grid_talk {
	struct guess_pair *data;
	size_t n, cap;
};

ORDERING(by_pair, struct guess_pair, p, q)

/* The pairs of all processes that share the trace, each once, in an order that does not depend on
 * them. */
static void settle_pairs(const struct trace *trace, struct grid_talk *talk)
{
	size_t n = 0;

	exchange_rows(trace_exchange(trace), talk);
	vec_sort(talk, by_pair);
	for (size_t i = 0; i < talk->n; i++) {
		const struct guess_pair *pair = &talk->data[i];
		if (n && by_pair(&talk->data[n - 1], pair) == 0) {
			talk->data[n - 1].messages += pair->messages;
			talk->data[n - 1].bytes += pair->bytes;
		} else {
			talk->data[n++] = *pair;
		}
	}
	talk->n = n;
}

/* Pairs that exchange messages, at most one more than the guess would consider. */
static void collect_pairs(const struct trace *trace, uint32_t ranks, struct grid_talk *talk)
{
	const size_t most = (size_t)guess_limits.pairs * ranks;
	ENDED_BY(keymap_fini) struct keymap pairs = { 0 };

	for (uint32_t m = 0; m < trace_message_count(trace) && talk->n <= most; m++) {
		const struct message *message = trace_message(trace, m);
		const int32_t from = message_source(trace, message);
		const int32_t to = message_destination(trace, message);
		uint32_t p, q, row;
		messages_ahead(trace, BASE_MEASURED, m);
		if (from < 0 || to < 0 || from == to || (uint32_t)from >= ranks ||
		    (uint32_t)to >= ranks || (message->flags & MSG_CANCELLED) ||
		    trace_message_is_far(trace, m))
			continue;
		p = (uint32_t)(from < to ? from : to);
		q = (uint32_t)(from < to ? to : from);
		if (keymap_new(&pairs, KEY_OF(p, q), talk->n, &row))
			vec_push(talk, ((struct guess_pair){ .p = p, .q = q }));
		talk->data[row].messages++;
		if (!(message->flags & MSG_NO_BYTES))
			talk->data[row].bytes += message_bytes(message);
	}
	settle_pairs(trace, talk);
}

static void add_guess(struct grids *grids, const struct trace *trace, struct guess *guess,
		      bool ambiguous)
{
	struct grid *grid = &grids->grid[grids->n++];

	grid_init(grid, trace, GRID_GUESSED, guess->dims);
	memcpy(grid->size, guess->size, guess->dims * sizeof *guess->size);
	memcpy(grid->periodic, guess->periodic, guess->dims);
	grid->score = guess->score;
	for (uint32_t l = 0; l < grid->n; l++) {
		const struct location *location = trace_location(trace, l);
		for (uint32_t d = 0; is_rank(location) && d < grid->dims; d++)
			grid_coords(grid, l)[d] =
				(int32_t)guess->coords[(size_t)location->rank * grid->dims + d];
	}
	grid_settle(grid);
	snprintf(grid->note, sizeof grid->note,
		 "%s from the messages%s%s; --topology sets the orientation.",
		 guess->score >= guess_limits.grid ? "Guessed" : "Uncertain, guessed",
		 ambiguous ? "; another grid is as likely" : "",
		 guess->permuted ? "; ranks in another order" : "");
}

/* Whether ranks 0 to n-1 all exist: the whole cannot be guessed from a part. */
static bool all_ranks(const struct trace *trace, uint32_t ranks)
{
	uint32_t found = 0;

	if (ranks > trace_location_count(trace))
		return false;
	for (uint32_t r = 0; r < ranks; r++)
		found += trace_location_of_rank(trace, (int32_t)r) != UINT32_MAX;
	return found == ranks;
}

static void add_guesses(struct grids *grids, const struct trace *trace)
{
	const uint32_t ranks = rank_end(trace);
	struct grid_talk talk = { 0 };
	struct guesses guesses;

	if (!all_ranks(trace, ranks)) {
		snprintf(grids->no_guess, sizeof grids->no_guess,
			 "No grid is guessed: some ranks are not loaded.");
		return;
	}
	collect_pairs(trace, ranks, &talk);
	guesses_make(&guesses, ranks, talk.data, talk.n, &guess_limits);
	for (unsigned i = 0; i < guesses.n; i++)
		add_guess(grids, trace, &guesses.guess[i], guesses.n > 1);
	snprintf(grids->no_guess, sizeof grids->no_guess, "%s", guesses.why);
	guesses_fini(&guesses);
	vec_fini(&talk);
}

/* ---- nodes x ranks ---- */

struct node_place {
	uint32_t node, location;
	int32_t rank, thread;
};

ORDERING(by_node, struct node_place, node, rank, location)

/* Nodes are numbered in the order of their lowest rank; threads are at their rank's place,
 * locations without a rank at places of their own. */
static void number_nodes(struct node_place *places, uint32_t n, struct grid *grid)
{
	ENDED_BY(keymap_fini) struct keymap nodes = { 0 };
	uint32_t most = 1, count = 0;
	int32_t slot = 0;

	for (uint32_t i = 0; i < n; i++)
		count += keymap_new(&nodes, KEY_OF(places[i].node), count, &places[i].node);
	SORT(places, n, by_node);
	for (uint32_t i = 0; i < n; i++) {
		const bool same = i > 0 && places[i].node == places[i - 1].node;
		if (!same)
			slot = 0;
		else if (places[i].rank != places[i - 1].rank || places[i].rank < 0)
			slot++;
		grid->coords[(size_t)places[i].location * 2] = slot;
		grid->coords[(size_t)places[i].location * 2 + 1] = (int32_t)places[i].node;
		if ((uint32_t)slot + 1 > most)
			most = (uint32_t)slot + 1;
	}
	grid->size[0] = most;
	grid->size[1] = count ? count : 1;
}

ORDERING(by_rank_only, struct node_place, rank, location)

/* Of all locations that have states. */
static void add_physical(struct grids *grids, const struct trace *trace)
{
	struct grid *grid = &grids->grid[grids->n++];
	struct node_place *places;
	bool known = false, ranks = true;
	const char *noun;
	uint32_t n = 0;

	grid_init(grid, trace, GRID_PHYSICAL, 2);
	places = xcalloc((size_t)grid->n + 1, sizeof *places);
	for (uint32_t l = 0; l < grid->n; l++) {
		const struct location *location = trace_location(trace, l);
		if (!location_has_states(location))
			continue;
		places[n++] = (struct node_place){ .node = location->node,
						   .location = l,
						   .rank = location->rank };
		known = known || location->node;
		ranks = ranks && is_rank(location);
	}
	SORT(places, n, by_rank_only);
	number_nodes(places, n, grid);
	free(places);
	grid->others = !ranks;
	noun = ranks ? "rank" : "location";
	if (known && grid->size[1] > 1)
		snprintf(grid->name, sizeof grid->name, "%u nodes x ", grid->size[1]);
	else if (known)
		snprintf(grid->name, sizeof grid->name, "one node x ");
	snprintf(grid->name + strlen(grid->name), sizeof grid->name - strlen(grid->name), "%u %s%s",
		 grid->size[0], noun, grid->size[0] == 1 ? "" : "s");
	if (known)
		snprintf(grid->note, sizeof grid->note, "Physical: one row per node.");
	else
		snprintf(grid->note, sizeof grid->note,
			 "All %ss in one row: the trace does not name their nodes.", noun);
	grid_settle(grid);
}

/* ---- all of them ---- */

bool grids_make(struct grids *grids, const struct trace *trace, const char *wish, struct err *err)
{
	struct wish wanted = { 0 };

	*grids = (struct grids){ 0 };
	if (wish && !wish_parse(wish, &wanted, err))
		return false;
	grids->grid = xcalloc(GRIDS_MOST + GUESSES + 2, sizeof *grids->grid);
	if (wanted.dims && !add_given(grids, trace, &wanted, err)) {
		grids_fini(grids);
		return false;
	}
	if (wanted.guess)
		add_guesses(grids, trace);
	add_of_trace(grids, trace, GRID_TRACE);
	if (grids->n == 0 && !wanted.guess)
		add_guesses(grids, trace);
	add_of_trace(grids, trace, GRID_PHYSICAL);
	add_physical(grids, trace);
	return true;
}

void grids_fini(struct grids *grids)
{
	for (uint32_t i = 0; i < grids->n; i++)
		grid_fini(&grids->grid[i]);
	free(grids->grid);
	*grids = (struct grids){ 0 };
}

const struct grid *grids_best(const struct grids *grids)
{
	const struct grid *best = NULL;
	unsigned dims[GRID_DIMS];

	for (uint32_t i = 0; i < grids->n; i++) {
		const struct grid *grid = &grids->grid[i];
		if (grid->source == GRID_PHYSICAL ||
		    (grid->source == GRID_GUESSED && grid->score < guess_limits.grid))
			continue;
		if (!best || (grid->source == best->source && grid->source == GRID_TRACE &&
			      (grid->places > best->places ||
			       (grid->places == best->places &&
				grid_live(grid, dims) > grid_live(best, dims)))))
			best = grid;
	}
	return best;
}
