/* The yardstick of loading PICL: a plain loop over the bytes that makes numbers of the fields and
 * stores a 32-byte struct per record. It checks nothing, matches nothing and knows no format.
 *
 *	byte_loop FILE
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct record {
	int64_t time;
	int32_t field[6];
};

struct loop {
	struct record *records, *at;
	int64_t number;
	unsigned field;
	int negative;
};

static void eat(struct loop *loop, const char *p, const char *end)
{
	int64_t x = loop->number;
	unsigned field = loop->field;
	int negative = loop->negative;

	for (; p < end; p++) {
		const char c = *p;
		if (c >= '0' && c <= '9') {
			x = x * 10 + (c - '0');
		} else if (c == '-') {
			negative = 1;
		} else if (c == ' ' || c == '\n') {
			const int64_t value = negative ? -x : x;
			if (field == 2)
				loop->at->time = value;
			else if (field < 7)
				loop->at->field[field < 2 ? field : field - 1] = (int32_t)value;
			field++;
			x = negative = 0;
			if (c == '\n') {
				loop->at++;
				field = 0;
			}
		}
	}
	loop->number = x;
	loop->field = field;
	loop->negative = negative;
}

int main(int argc, char **argv)
{
	static char buffer[1 << 20];
	const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct loop loop = { 0 };
	struct stat st;
	ssize_t got;
	int64_t sum = 0;

	if (fd < 0 || fstat(fd, &st) != 0) {
		fputs("usage: byte_loop FILE\n", stderr);
		return 2;
	}
	/* The shortest record has 12 bytes with its line's end; what is not used is not touched. */
	loop.records = loop.at = malloc(((size_t)st.st_size / 12 + 1) * sizeof *loop.records);
	if (!loop.records)
		return 1;
	while ((got = read(fd, buffer, sizeof buffer)) > 0)
		eat(&loop, buffer, buffer + got);
	for (const struct record *r = loop.records; r < loop.at; r += 4096)
		sum += r->time;
	printf("records %td\nsum %" PRId64 "\n", loop.at - loop.records, sum);
	free(loop.records);
	close(fd);
	return got < 0;
}
