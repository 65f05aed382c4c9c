/* record_lines: the yardstick of merging: makes a line of text of every record of a folder of ranks'
 * files, as a plain loop would. It checks nothing, sorts nothing and matches nothing.
 *
 *	record_lines FOLDER FILE
 *
 * A line is the kind, the nanoseconds, the rank and two numbers of the record. Prints "records N". */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/lib/record_words.h"

enum { ROOM = 1 << 20, LINE = 128 };

struct lines {
	int fd;
	size_t n;
	uint64_t records;
	struct tv_words_slot_read *slots;
	char text[ROOM];
};

static char *put(char *at, uint64_t number)
{
	char digits[20];
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n > 0)
		*at++ = digits[--n];
	*at++ = ' ';
	return at;
}

static void flush(struct lines *lines)
{
	if (write(lines->fd, lines->text, lines->n) != (ssize_t)lines->n)
		_exit(1);
	lines->n = 0;
}

static void add_chunk(struct lines *lines, const struct tv_chunk *chunk, int rank)
{
	struct tv_words_reader r = { .slots = lines->slots };
	const struct tv_head *head;

	if (chunk->used < sizeof *chunk)
		return;
	tv_words_begin(&r, chunk);
	while ((head = tv_words_next(&r, chunk->used))) {
		char *at = lines->text + lines->n;
		at = put(at, head->kind);
		at = put(at, head->time);
		at = put(at, (uint64_t)rank);
		at = put(at, head->call);
		at = put(at, head->id);
		at[-1] = '\n';
		lines->n = (size_t)(at - lines->text);
		lines->records++;
		if (lines->n > ROOM - LINE)
			flush(lines);
	}
}

static void add_file(struct lines *lines, const char *path)
{
	const int fd = open(path, O_RDONLY);
	const struct tv_file *head;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		_exit(1);
	head = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (head == MAP_FAILED)
		_exit(1);
	for (uint32_t i = 0; i < head->chunks; i++)
		add_chunk(lines,
			  (const void *)((const char *)head + TV_HEADER_SIZE +
					 (size_t)i * TV_CHUNK_SIZE),
			  head->rank);
	munmap((void *)(uintptr_t)head, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	static struct lines lines;
	const struct dirent *entry;
	DIR *folder;

	if (argc != 3 || !(folder = opendir(argv[1])))
		return 2;
	lines.fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	lines.slots = calloc(TV_WORD_SLOTS, sizeof *lines.slots);
	if (lines.fd < 0 || !lines.slots)
		return 1;
	while ((entry = readdir(folder))) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
		if (str_ends_with(path, ".tvrank"))
			add_file(&lines, path);
	}
	flush(&lines);
	closedir(folder);
	printf("records %llu\n", (unsigned long long)lines.records);
	return close(lines.fd) != 0;
}
