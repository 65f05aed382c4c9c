/* Writes large traces for benchmarks and proofs of scale: a made-up MPI program (program.h) as PICL
 * or OTF2, of any size, the same for the same seed, in little memory.
 *
 *	generate --events 50M --locations 16 --format otf2 [--seed 1] FILE.otf2
 *
 * Prints how many events it wrote: at least as many as asked for, up to a whole step of the
 * program. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

static const char usage[] =
	"usage: generate [--events N[k|M]] [--locations N] [--format picl|otf2] [--seed N] "
	"FILE\n(OTF2: FILE ends in .otf2)\n";

/* A number with k or M behind it; 0 for what is none, or nothing. */
static uint64_t number_of(const char *text)
{
	char *end;
	double x = strtod(text, &end);

	if (*end == 'k' || *end == 'K')
		x *= 1e3;
	else if (*end == 'M')
		x *= 1e6;
	else if (*end)
		return 0;
	if (*end && end[1])
		return 0;
	return x >= 1 && x < 1e15 ? (uint64_t)x : 0;
}

static bool ends_in(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "events", required_argument, NULL, 'e' },
						 { "locations", required_argument, NULL, 'l' },
						 { "format", required_argument, NULL, 'f' },
						 { "seed", required_argument, NULL, 's' },
						 { NULL, 0, NULL, 0 } };
	uint64_t events = 1000000, locations = 16, seed = 1;
	bool otf2 = false, fine = true;
	struct program program;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'e': fine = fine && (events = number_of(optarg)) > 0; break;
		case 'l': fine = fine && (locations = number_of(optarg)) > 0; break;
		case 'f':
			otf2 = strcmp(optarg, "otf2") == 0;
			fine = fine && (otf2 || strcmp(optarg, "picl") == 0);
			break;
		case 's': seed = strtoull(optarg, NULL, 10); break;
		default: fine = false;
		}
	}
	if (!fine || locations > 1000000 || optind + 1 != argc ||
	    (otf2 && !ends_in(argv[optind], ".otf2"))) {
		fputs(usage, stderr);
		return 2;
	}
	program_init(&program, seed, (uint32_t)locations, events);
	if (!(otf2 ? write_otf2 : write_picl)(&program, argv[optind])) {
		fprintf(stderr, "generate: cannot write %s%s%s\n", argv[optind], otf2 ? "" : ": ",
			otf2 ? "" : strerror(errno));
		return 1;
	}
	printf("%" PRIu64 " events, %" PRIu32 " locations, %.6f s: %s\n", program.events,
	       program.ranks, 1e-9 * (double)program.end, argv[optind]);
	return 0;
}
