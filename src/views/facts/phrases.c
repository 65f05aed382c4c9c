#include "views/facts/phrases.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "model/trace/core_wait.h"
#include "model/trace/crowd.h"
#include "views/facts/place_words.h"

/* Of the ranks' time, where they do not share cores with each other. */
#define CORE_WAIT_SAID 0.02

static int digits_of(const struct phrases *p)
{
	return p->digits ? p->digits : 3;
}

void phrases_fini(struct phrases *p)
{
	for (size_t i = 0; i < p->texts.n; i++)
		free(p->texts.data[i]);
	vec_fini(&p->texts);
}

/* Keeps a copy of s, which is emptied. */
static const char *keep(struct phrases *p, struct str *s)
{
	str_add(s, "");
	if (!s->n)
		return "";
	vec_push(&p->texts, str_take(s));
	return p->texts.data[p->texts.n - 1];
}

const char *phrase(struct phrases *p, const char *fmt, ...)
{
	struct str s = STR_INIT;
	va_list args;

	va_start(args, fmt);
	str_add_fmt_v(&s, fmt, args);
	va_end(args);
	return keep(p, &s);
}

const char *phrase_capital(struct phrases *p, const char *text)
{
	return *text ? phrase(p, "%c%s", toupper((unsigned char)*text), text + 1) : "";
}

const char *phrase_time(struct phrases *p, double ticks)
{
	struct str s = STR_INIT;

	units_human_time(&s, llround(fmin(fmax(ticks, -9e18), 9e18)), trace_scale(p->trace),
			 digits_of(p));
	return keep(p, &s);
}

const char *phrase_part(struct phrases *p, double ticks)
{
	struct str s = STR_INIT;

	units_human_part(&s, ticks, trace_scale(p->trace), digits_of(p));
	return keep(p, &s);
}

const char *phrase_date(struct phrases *p, const char *date)
{
	const size_t n = strlen(date);

	if (n == sizeof "2026-11-21T04:24:27Z" - 1 && date[10] == 'T' && date[n - 1] == 'Z')
		return phrase(p, "%.10s %.8s UTC", date, date + 11);
	return date;
}

const char *phrase_number(struct phrases *p, uint64_t n)
{
	struct str s = STR_INIT;

	units_count(&s, n);
	return keep(p, &s);
}

const char *phrase_count(struct phrases *p, uint64_t n, const char *one, const char *many)
{
	return phrase(p, "%s %s", phrase_number(p, n), n == 1 ? one : many);
}

const char *phrase_bytes(struct phrases *p, uint64_t bytes)
{
	struct str s = STR_INIT;

	units_bytes(&s, bytes);
	return keep(p, &s);
}

const char *phrase_share(struct phrases *p, double share)
{
	struct str s = STR_INIT;

	if (share >= 10)
		return phrase(p, "x %s", phrase_number(p, (uint64_t)fmin(share + 0.5, 9e18)));
	units_share(&s, share);
	return keep(p, &s);
}

const char *phrase_time_share(struct phrases *p, struct time_parts part, struct time_parts whole)
{
	const char *share = phrase_share(p, time_share(part, whole));

	return part.streams > 0 && whole.hosts > 0
		       ? phrase(p, "%s of %s", share, time_share_of(part, whole))
		       : share;
}

const char *phrase_trace(struct phrases *p)
{
	struct str s = STR_INIT;

	trace_add_name(p->trace, &s);
	return keep(p, &s);
}

const char *phrase_location(struct phrases *p, uint32_t location)
{
	struct str s = STR_INIT;

	words_location(p->trace, location, false, &s);
	return keep(p, &s);
}

const char *phrase_path(struct phrases *p, uint32_t path)
{
	struct str s = STR_INIT;

	words_path(p->trace, path, &s);
	return keep(p, &s);
}

const char *phrase_region(struct phrases *p, uint32_t region)
{
	struct str s = STR_INIT;

	words_region(p->trace, region, &s);
	return keep(p, &s);
}

static bool is_rank(const struct location *l)
{
	return l->rank >= 0 && l->rank != RANK_HOST && l->thread <= 0;
}

/* "3 locations (29 more with counters alone)". */
static const char *phrase_all_locations(struct phrases *p)
{
	const uint32_t all = trace_location_count(p->trace), n = trace_state_locations(p->trace);
	const char *rows = phrase_count(p, n, "location", "locations");

	return n < all ? phrase(p, "%s (%u more with counters alone)", rows, all - n) : rows;
}

/* "4 ranks and 8 device streams" of the whole trace, where the time of streams does not count. */
static const char *and_streams(struct phrases *p, const char *members)
{
	uint32_t n = 0;

	for (uint32_t l = 0; l < trace_location_count(p->trace); l++)
		n += trace_location(p->trace, l)->type == LOCATION_ACCELERATOR;
	return n ? phrase(p, "%s and %s", members,
			  phrase_count(p, n, "device stream", "device streams"))
		 : members;
}

const char *phrase_members(struct phrases *p, const uint32_t *locations, uint32_t n)
{
	uint32_t ranks = 0, threads = 0;
	const char *members;

	const uint32_t all = trace_location_count(p->trace);

	for (uint32_t i = 0; i < (locations ? n : all); i++) {
		const struct location *l = trace_location(p->trace, locations ? locations[i] : i);
		if (!locations && n < all && !location_runs_code(l))
			continue;
		ranks += is_rank(l);
		threads += l->rank >= 0 && l->rank != RANK_HOST;
	}
	if (!locations && n == all && threads < n)
		return phrase_all_locations(p);
	if (!ranks || threads < n)
		members = phrase_count(p, n, "location", "locations");
	else if (threads == ranks)
		members = phrase_count(p, n, "rank", "ranks");
	else
		members = phrase(p, "%s, %s", phrase_count(p, ranks, "rank", "ranks"),
				 phrase_count(p, threads, "thread", "threads"));
	return !locations && n < all ? and_streams(p, members) : members;
}

const char *phrase_member(struct phrases *p)
{
	for (uint32_t l = 0; l < trace_location_count(p->trace); l++)
		if (!is_rank(trace_location(p->trace, l)))
			return "location";
	return "rank";
}

const char *phrase_crowd(struct phrases *p, const char *means)
{
	const struct crowd crowd = trace_crowd(p->trace);
	const struct core_waited core = trace_core_waited(p->trace);
	const double part = core.of > 0 ? core.waited / core.of : 0;
	const bool crowded = crowd.ranks || crowd.threads;

	if (!crowded && part < CORE_WAIT_SAID)
		return "";
	if (!crowded)
		return phrase(p, "%s waited %s for a core (%s of their time): %s.",
			      phrase_members(p, NULL, trace_location_count(p->trace)),
			      phrase_time(p, core.waited), phrase_share(p, part), means);
	return phrase(p, "%s of a node shared %s%s: %s.",
		      crowd.ranks ? phrase_count(p, crowd.ranks, "rank", "ranks")
				  : phrase_count(p, crowd.threads, "thread", "threads"),
		      phrase_count(p, crowd.cores, "core", "cores"),
		      part > 0 ? phrase(p, ", and waited %s for one (%s of their time)",
					phrase_time(p, core.waited), phrase_share(p, part))
			       : "",
		      means);
}
