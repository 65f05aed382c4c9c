#include "ui/timeline/picture/timeline_hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/detail.h"

uint32_t *timeline_hosts(const struct trace *trace, const uint32_t *locations, uint32_t n)
{
	const uint32_t all = trace_location_count(trace), processes = trace_process_count(trace);
	uint32_t *hosts = xmalloc(((size_t)all + 1) * sizeof *hosts);
	OWNED uint32_t *last = xmalloc(((size_t)processes + 1) * sizeof *last);

	memset(hosts, 0xff, ((size_t)all + 1) * sizeof *hosts);
	memset(last, 0xff, ((size_t)processes + 1) * sizeof *last);
	for (uint32_t i = 0; i < n; i++) {
		const struct location *l = trace_location(trace, locations[i]);
		if (location_runs_code(l) && l->owner < processes)
			last[l->owner] = locations[i];
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct location *l = trace_location(trace, locations[i]);
		const uint32_t process = location_program(trace, l);
		if (!location_runs_code(l) && process < processes)
			hosts[locations[i]] = last[process];
	}
	return hosts;
}

void timeline_hosted_make(struct timeline_hosted *h, const struct trace *trace,
			  const uint32_t *hosts, const uint32_t *locations, uint32_t n)
{
	const size_t bytes = ((size_t)trace_location_count(trace) + 1) * sizeof *h->first;

	h->first = xmalloc(bytes);
	h->next = xmalloc(bytes);
	memset(h->first, 0xff, bytes);
	memset(h->next, 0xff, bytes);
	for (uint32_t i = n; i-- > 0;) {
		const uint32_t l = locations[i];
		if (hosts[l] == UINT32_MAX)
			continue;
		h->next[l] = h->first[hosts[l]];
		h->first[hosts[l]] = l;
	}
}

void timeline_hosted_fini(struct timeline_hosted *h)
{
	free_all(h->first, h->next);
	*h = (struct timeline_hosted){ .first = NULL };
}

uint32_t timeline_hosts_order(const struct timeline_hosted *h, const struct trace *trace,
			      const uint32_t *hosts, uint32_t *locations, uint32_t n)
{
	OWNED uint32_t *given = xmalloc(((size_t)n + 1) * sizeof *given);
	uint32_t left = 0;

	memcpy(given, locations, (size_t)n * sizeof *given);
	for (uint32_t i = 0; i < n; i++) {
		if (hosts[given[i]] != UINT32_MAX)
			continue;
		locations[left++] = given[i];
		for (uint32_t l = h->first[given[i]]; l != UINT32_MAX; l = h->next[l])
			if (location_has_states(trace_location(trace, l)))
				locations[left++] = l;
	}
	return left;
}
