/* Whether files are of this format, and what they say before their events. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/chrome/chrome.h"
#include "model/chrome/chrome_state.h"

bool chrome_recognise(const char *bytes, size_t n)
{
	size_t i = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (i < n && strchr(" \n\r\t", bytes[i]) && bytes[i])
		i++;
	if (i == n || (bytes[i] != '[' && bytes[i] != '{'))
		return false;
	for (i++; i < n && strchr(" \n\r\t", bytes[i]) && bytes[i];)
		i++;
	return i == n || strchr("\"{}]", bytes[i]);
}

int32_t chrome_rank_of(const char *number)
{
	char *end;
	const long rank = strtol(number, &end, 10);

	return end != number && !*end && rank >= 0 && rank < RANK_HOST ? (int32_t)rank : -1;
}

static void look_at_job(struct json_scan *s, struct str *key, struct str *value,
			struct chrome_head *head)
{
	if (json_next(s) != JSON_OBJECT) {
		json_skip(s);
		return;
	}
	json_enter(s, '{');
	while (json_key(s, key)) {
		const enum json_kind kind = json_scalar(s, value);
		if (kind == JSON_ARRAY || kind == JSON_OBJECT)
			json_skip(s);
		else if (strcmp(key->text, "rank") == 0)
			head->rank = chrome_rank_of(value->text);
	}
}

static void look(struct source *source, struct chrome_head *head)
{
	OWNED_STR key = STR_INIT, value = STR_INIT;
	struct json_scan s;

	json_scan_init(&s, source);
	if (json_peek(&s) == '{' && json_enter(&s, '{'))
		while (head->rank < 0 && json_key(&s, &key) &&
		       strcmp(key.text, "traceEvents") != 0) {
			if (strcmp(key.text, "distributedInfo") == 0)
				look_at_job(&s, &key, &value, head);
			else
				json_skip(&s);
		}
	json_scan_fini(&s);
}

static bool look_at(int fd, struct chrome_head *head)
{
	struct source *source = source_new(fd, false);
	char bytes[64];
	const ssize_t n = source_read(source, bytes, sizeof bytes);
	const bool is = n > 0 && chrome_recognise(bytes, (size_t)n);

	source_rewind(source);
	if (is)
		look(source, head);
	source_free(source);
	return is;
}

bool chrome_look(const char *path, struct chrome_head *head)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool is;

	*head = (struct chrome_head){ .rank = -1 };
	is = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && look_at(fd, head);
	if (fd >= 0)
		close(fd);
	return is;
}
