/* The yardstick of loading PICL: a plain loop over the bytes that makes numbers of the fields and
 * stores a 32-byte struct per record. It checks nothing, matches nothing and knows no format.
 *
 * With several threads, each takes its part of the file.
 *
 *	byte_loop FILE [THREADS]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
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

/* A thread's part of the file: the lines that begin in [from, to). */
struct part {
	const char *path;
	off_t from, to;
	ptrdiff_t records;
	int64_t sum;
	int failed;
};

/* Reads from `from` on; the line that begins before it belongs to the part before. */
static void loop_over(struct part *part, int fd, char *buffer, size_t size)
{
	const off_t bytes = part->to - part->from;
	struct loop loop = { 0 };
	off_t at = part->from;
	ssize_t got;

	/* The shortest record has 12 bytes with its line's end; what is not used is not touched. */
	loop.records = loop.at = malloc(((size_t)bytes / 12 + 2) * sizeof *loop.records);
	if (!loop.records) {
		part->failed = 1;
		return;
	}
	while (at < part->to) {
		const size_t want = (size_t)(part->to - at) < size ? (size_t)(part->to - at) : size;
		got = pread(fd, buffer, want, at);
		if (got <= 0)
			break;
		eat(&loop, buffer, buffer + got);
		at += got;
	}
	part->failed = at < part->to;
	part->records = loop.at - loop.records;
	for (const struct record *r = loop.records; r < loop.at; r += 4096)
		part->sum += r->time;
	free(loop.records);
}

static void *run_part(void *argument)
{
	enum { BUFFER = 1 << 20 };
	struct part *part = argument;
	const int fd = open(part->path, O_RDONLY);
	char *buffer = malloc(BUFFER);

	part->failed = 1;
	if (fd >= 0 && buffer)
		loop_over(part, fd, buffer, BUFFER);
	free(buffer);
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* Where the line begins that holds byte `at`. */
static off_t line_start(int fd, off_t at)
{
	char c;

	while (at > 0 && pread(fd, &c, 1, at - 1) == 1 && c != '\n')
		at--;
	return at;
}

int main(int argc, char **argv)
{
	enum { MOST = 16 };
	const unsigned wanted = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
	const unsigned threads = wanted < 1 ? 1 : wanted > MOST ? MOST : wanted;
	const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct part parts[MOST] = { { 0 } };
	pthread_t ids[MOST];
	ptrdiff_t records = 0;
	int64_t sum = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		fputs("usage: byte_loop FILE [THREADS]\n", stderr);
		return 2;
	}
	for (unsigned i = 0; i < threads; i++) {
		parts[i].path = argv[1];
		parts[i].from = line_start(fd, st.st_size * i / threads);
		parts[i].to = i + 1 == threads ? st.st_size
					       : line_start(fd, st.st_size * (i + 1) / threads);
		if (i > 0 && pthread_create(&ids[i], NULL, run_part, &parts[i]) != 0)
			return 1;
	}
	run_part(&parts[0]);
	for (unsigned i = 0; i < threads; i++) {
		if (i > 0)
			pthread_join(ids[i], NULL);
		if (parts[i].failed)
			return 1;
		records += parts[i].records;
		sum += parts[i].sum;
	}
	printf("records %td\nsum %" PRId64 "\n", records, sum);
	close(fd);
	return 0;
}
