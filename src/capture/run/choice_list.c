#include "capture/run/choice_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/formats/load.h"

static const char *const calls[] = {
#define TV_CALL(name, ...) "MPI_" #name,
#include "capture/lib/calls.def"
};

enum { CALLS = sizeof calls / sizeof *calls, NAME_MOST = 63 };

const char *choice_call(uint32_t call)
{
	return call < CALLS ? calls[call] : "MPI";
}

void choice_list_fini(struct choice_list *list)
{
	struct choices *c;

	vec_each (c, &list->ranks)
		vec_fini(&c->list);
	vec_fini(&list->ranks);
}

static struct choices *of_rank(struct choice_list *list, uint32_t rank)
{
	while (list->ranks.n <= rank)
		vec_add(&list->ranks);
	return &list->ranks.data[rank];
}

/* ---- as text ---- */

/* A rank; `#INDEX` of a request, `{INDEX,...}` of several; `yes`; `-`: none. */
void choice_what(struct str *out, const struct tv_choice *c)
{
	switch (c->kind) {
	case TV_CHOICE_SOURCE:
		if (c->what < 0)
			str_add(out, "-");
		else
			str_add_fmt(out, "%" PRId32, c->what);
		break;
	case TV_CHOICE_INDEX:
		if (c->what < 0)
			str_add(out, "#-");
		else
			str_add_fmt(out, "#%" PRId32, c->what);
		break;
	case TV_CHOICE_SET:
		str_add(out, "{");
		if (c->what < 0)
			str_add(out, "-");
		for (int32_t i = 0; i < c->what; i++)
			str_add_fmt(out, "%s%" PRId32, i ? "," : "", c[1 + i].what);
		str_add(out, "}");
		break;
	case TV_CHOICE_TRUE: str_add(out, "yes"); break;
	default: str_add(out, "-"); break;
	}
}

void choice_text(struct str *out, const struct tv_choice *c)
{
	str_add_fmt(out, "%s %" PRIu32 " ", c->kind == TV_CHOICE_END ? "end" : choice_call(c->call),
		    c->comm);
	choice_what(out, c);
	if (c->kind == TV_CHOICE_SOURCE && c->what >= 0)
		str_add_fmt(out, " %" PRId32 " ", c->tag);
	else
		str_add(out, " - ");
	str_add_fmt(out, "%" PRIu32, c->falses);
}

static bool number(const char **at, int32_t *value)
{
	char *end;
	const long n = strtol(*at, &end, 10);

	if (end == *at || n < 0 || n > INT32_MAX)
		return false;
	*value = (int32_t)n;
	*at = end;
	return true;
}

/* The members follow the choice in `list`. */
static bool parse_set(const char *at, struct choices *list, size_t set)
{
	int32_t n = 0, member;

	if (strcmp(at, "-}") == 0) {
		list->list.data[set].what = -1;
		return true;
	}
	while (*at != '}' || at[1]) {
		if (!number(&at, &member) || (*at != ',' && *at != '}'))
			return false;
		vec_push(&list->list,
			 ((struct tv_choice){ .kind = TV_CHOICE_MEMBER, .what = member }));
		n++;
		at += *at == ',';
	}
	list->list.data[set].what = n;
	return true;
}

static bool parse_what(const char *text, struct choices *list, size_t nth)
{
	struct tv_choice *c = &list->list.data[nth];
	const char *at = text + (*text == '#');

	if (strcmp(text, "yes") == 0) {
		c->kind = TV_CHOICE_TRUE;
		return true;
	}
	if (*text == '{') {
		c->kind = TV_CHOICE_SET;
		return parse_set(text + 1, list, nth);
	}
	c->kind = *text == '#' ? TV_CHOICE_INDEX : TV_CHOICE_SOURCE;
	if (strcmp(at, "-") == 0) {
		c->what = *text == '#' ? -1 : TV_CHOICE_OPEN;
		return true;
	}
	return number(&at, &c->what) && !*at;
}

static bool parse_call(const char *name, struct tv_choice *c)
{
	for (uint32_t i = 0; i < CALLS; i++) {
		c->call = (uint16_t)i;
		if (strcmp(calls[i], name) == 0)
			return true;
	}
	return false;
}

/* "CALL COMM WHAT TAG FALSES"; then `*at` is at what follows. */
static bool parse(const char **at, struct choices *list)
{
	char call[NAME_MOST + 1], tag[NAME_MOST + 1];
	OWNED_STR what = STR_INIT;
	const size_t nth = list->list.n;
	struct tv_choice c = { .kind = TV_CHOICE_END };
	const char *text = *at, *of_tag = tag;
	int from = 0, to = 0, n = 0;

	/* What a set has may be of any length. */
	if (sscanf(text, "%63s %" SCNu32 " %n%*s%n", call, &c.comm, &from, &to) < 2 || to <= from)
		return false;
	str_add_n(&what, text + from, (size_t)(to - from));
	if (sscanf(text + to, "%63s %" SCNu32 "%n", tag, &c.falses, &n) < 2)
		return false;
	*at = text + to + n;
	vec_push(&list->list, c);
	if (strcmp(call, "end") == 0)
		return true;
	list->n++;
	if (strcmp(tag, "-") != 0 && !number(&of_tag, &list->list.data[nth].tag))
		return false;
	return parse_call(call, &list->list.data[nth]) && parse_what(what.text, list, nth);
}

/* "RANK NTH" and what is between it and the choice. */
static struct choices *parse_rank(const char **at, struct choice_list *list, const char *between)
{
	uint32_t rank, nth;
	struct choices *c;
	int n = 0;

	if (sscanf(*at, "%" SCNu32 " %" SCNu32 "%n", &rank, &nth, &n) < 2 ||
	    rank >= TV_REPLAY_RANKS || strncmp(*at + n, between, strlen(between)) != 0)
		return NULL;
	*at += (size_t)n + strlen(between);
	c = of_rank(list, rank);
	return nth == c->n + 1 ? c : NULL;
}

static bool parse_line(const char *line, struct choice_list *list)
{
	struct choices *c = parse_rank(&line, list, " ");

	return c && parse(&line, c) && line[strspn(line, " \t\r\n")] == '\0';
}

/* ---- reading ---- */

static bool is_nothing(const char *line)
{
	line += strspn(line, " \t\r\n");
	return *line == '\0' || *line == '#';
}

/* Whether the first line that says something begins like a choice, or none says anything. */
static bool is_text(FILE *file)
{
	OWNED char *line = NULL;
	size_t room = 0;
	uint32_t numbers[2];
	char call[5] = "";
	bool any = false;

	while (getline(&line, &room, file) > 0 && is_nothing(line))
		any = true;
	any = line && (is_nothing(line) ? any
					: sscanf(line, "%" SCNu32 " %" SCNu32 " %4s", &numbers[0],
						 &numbers[1], call) == 3 &&
						  (!strcmp(call, "MPI_") || !strcmp(call, "end")));
	rewind(file);
	return any;
}

static bool read_text(struct choice_list *list, FILE *file, const char *path, struct err *err)
{
	OWNED char *line = NULL;
	size_t room = 0;

	for (uint64_t nth = 1; getline(&line, &room, file) > 0; nth++)
		if (!is_nothing(line) && !parse_line(line, list))
			return err_set(err, STATUS_USAGE,
				       "%s:%" PRIu64 ": not a choice: RANK NTH CALL COMM WHAT TAG "
				       "FALSES, the NTH of a rank one after the other",
				       path, nth);
	return true;
}

static bool read_property(struct choice_list *list, const char *text)
{
	struct choices *c = parse_rank(&text, list, ": ");

	if (!c)
		return false;
	for (;;) {
		if (!parse(&text, c))
			return false;
		if (!*text)
			return true;
		if (strncmp(text, "; ", 2) != 0)
			return false;
		text += 2;
	}
}

static bool is_choices(const struct trace *trace, size_t property, const char **value)
{
	const struct property *p = trace_property(trace, property);

	*value = trace_string(trace, p->value);
	return strcmp(trace_string(trace, p->key), "choices") == 0;
}

static bool read_trace(struct choice_list *list, const char *path, struct err *err)
{
	struct trace *trace = trace_load(path, NULL, NULL, err);
	bool ok = true, any = false;
	const char *value;

	if (!trace)
		return false;
	for (size_t i = 0; ok && i < trace_property_count(trace); i++) {
		if (!is_choices(trace, i, &value))
			continue;
		any = true;
		ok = read_property(list, value);
	}
	trace_free(trace);
	if (!any)
		return err_set(err, STATUS_USAGE,
			       "%s: has no choices that depend on time (tvrun records them in runs "
			       "with events, or with --order)",
			       path);
	return ok || err_set(err, STATUS_USAGE, "%s: its choices cannot be read", path);
}

bool choice_list_read(struct choice_list *list, const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	bool text, ok;

	if (!file)
		return err_errno(err, STATUS_IO, "%s: cannot be read", path);
	text = is_text(file);
	ok = !text || read_text(list, file, path, err);
	fclose(file);
	return text ? ok : read_trace(list, path, err);
}

/* ---- writing ---- */

/* The choices of a property, a line each. */
static void save_property(FILE *file, const char *text)
{
	uint32_t rank = 0, nth = 0;
	int n = 0;

	if (sscanf(text, "%" SCNu32 " %" SCNu32 ": %n", &rank, &nth, &n) < 2)
		return;
	for (text += n; *text; nth++) {
		const char *end = strstr(text, "; ");
		const size_t length = end ? (size_t)(end - text) : strlen(text);
		fprintf(file, "%" PRIu32 " %" PRIu32 " %.*s\n", rank, nth, (int)length, text);
		text += length + (end ? 2 : 0);
	}
}

bool choice_list_save(const struct trace *trace, const char *path, struct err *err)
{
	FILE *file = fopen(path, "we");
	const char *value;

	if (!file)
		return err_errno(err, STATUS_IO, "%s: cannot be written", path);
	fputs("# choices that depend on time (tvrun --order): RANK NTH CALL COMM WHAT TAG FALSES\n",
	      file);
	for (size_t i = 0; i < trace_property_count(trace); i++)
		if (is_choices(trace, i, &value))
			save_property(file, value);
	if (ferror(file) | (fclose(file) != 0))
		return err_errno(err, STATUS_IO, "%s: cannot be written", path);
	return true;
}

static bool write_list(FILE *file, const struct choice_list *list)
{
	static const struct tv_replay_rank none;
	const struct tv_replay_file head = { .magic = TV_REPLAY_MAGIC,
					     .ranks = (uint32_t)list->ranks.n };
	const struct tv_choice end = { .kind = TV_CHOICE_END, .falses = TV_CHOICE_UNCOUNTED };
	uint64_t at = sizeof head + TV_REPLAY_RANKS * sizeof none;

	fwrite(&head, sizeof head, 1, file);
	for (size_t i = 0; i < TV_REPLAY_RANKS; i++) {
		struct tv_replay_rank rank = none;
		if (i < list->ranks.n) {
			rank.at = at;
			rank.n = list->ranks.data[i].list.n;
			at += (rank.n + 1) * sizeof end;
		}
		fwrite(&rank, sizeof rank, 1, file);
	}
	for (size_t i = 0; i < list->ranks.n; i++) {
		const struct choices *c = &list->ranks.data[i];
		fwrite(c->list.data, sizeof end, c->list.n, file);
		fwrite(&end, sizeof end, 1, file);
	}
	return !ferror(file);
}

/* By link(): of the tvruns of several ranks the first one makes it, and it is whole when it is
 * there. */
bool choice_list_write(const struct choice_list *list, const char *folder, struct err *err)
{
	OWNED_STR path = STR_INIT, own = STR_INIT;
	FILE *file;
	bool ok;

	str_add_fmt(&path, "%s/" CHOICE_LIST_FILE, folder);
	str_add_fmt(&own, "%s.%ld", path.text, (long)getpid());
	file = fopen(own.text, "we");
	ok = file && write_list(file, list);
	if (file)
		ok &= fclose(file) == 0;
	ok = ok && (link(own.text, path.text) == 0 || errno == EEXIST);
	unlink(own.text);
	return ok || err_errno(err, STATUS_IO, "%s: cannot be written", path.text);
}

static bool read_rank(struct choices *c, FILE *file, const struct tv_replay_rank *rank)
{
	if (fseek(file, (long)rank->at, SEEK_SET) != 0)
		return false;
	for (uint64_t i = 0; i < rank->n; i++) {
		struct tv_choice choice;
		if (fread(&choice, sizeof choice, 1, file) != 1)
			return false;
		vec_push(&c->list, choice);
		c->n += choice.kind != TV_CHOICE_MEMBER && choice.kind != TV_CHOICE_END;
	}
	return true;
}

bool choice_list_of_run(struct choice_list *list, const char *folder)
{
	OWNED_STR path = STR_INIT;
	OWNED_VEC(struct tv_replay_rank) ranks = VEC_INIT;
	struct tv_replay_file head;
	FILE *file;
	bool ok;

	str_add_fmt(&path, "%s/" CHOICE_LIST_FILE, folder);
	file = fopen(path.text, "re");
	ok = file && fread(&head, sizeof head, 1, file) == 1 && head.magic == TV_REPLAY_MAGIC &&
	     head.ranks <= TV_REPLAY_RANKS;
	for (uint32_t i = 0; ok && i < head.ranks; i++)
		ok = fread(vec_add(&ranks), sizeof *ranks.data, 1, file) == 1;
	for (uint32_t i = 0; ok && i < head.ranks; i++)
		ok = read_rank(of_rank(list, i), file, &ranks.data[i]);
	if (file)
		fclose(file);
	return ok;
}
