/* Why no rank may have recorded anything: looks at the programs that the command names. */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/run/launch.h"

/* The file that a word would run, NULL where none. */
static const char *executable(const char *word, char *path, size_t size)
{
	const char *at = getenv("PATH");
	struct stat st;

	if (strchr(word, '/')) {
		snprintf(path, size, "%s", word);
		return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0
			       ? path
			       : NULL;
	}
	for (; at && *at; at += strcspn(at, ":"), at += *at == ':') {
		snprintf(path, size, "%.*s/%s", (int)strcspn(at, ":"), at, word);
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0)
			return path;
	}
	return NULL;
}

enum kind { KIND_OTHER, KIND_DYNAMIC, KIND_STATIC };

/* A static program has no segment that names a loader. */
static enum kind kind_of(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum kind kind = KIND_OTHER;
	Elf64_Phdr segment;
	Elf64_Ehdr head;

	if (fd < 0)
		return kind;
	if (read(fd, &head, sizeof head) == sizeof head && !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
	    head.e_ident[EI_CLASS] == ELFCLASS64) {
		kind = KIND_STATIC;
		for (int i = 0; i < head.e_phnum; i++) {
			const off_t at = (off_t)head.e_phoff + (off_t)i * head.e_phentsize;
			if (pread(fd, &segment, sizeof segment, at) == sizeof segment &&
			    segment.p_type == PT_INTERP)
				kind = KIND_DYNAMIC;
		}
	}
	close(fd);
	return kind;
}

static bool setuid_or_setgid(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID));
}

static bool drops_environment(const char *word)
{
	while (*word == '-')
		word++;
	return !strcmp(word, "genvnone") || !strcmp(word, "envnone") || !strcmp(word, "genvlist") ||
	       !strcmp(word, "envlist");
}

void launch_explain(char **argv, uint32_t files, struct str *out)
{
	char path[PATH_MAX];

	if (files) {
		str_add(out,
			"The program started, but no rank with records returned from MPI_Init");
		return;
	}
	for (char **word = argv; *word; word++) {
		if (drops_environment(*word)) {
			str_add_fmt(
				out,
				"%s hides LD_PRELOAD and TVIEW_* from the ranks; remove it or list "
				"them",
				*word);
			return;
		}
		if (word == argv || !executable(*word, path, sizeof path))
			continue;
		if (kind_of(path) == KIND_STATIC) {
			str_add_fmt(out,
				    "%s is linked statically; tvrun needs a dynamically linked MPI",
				    *word);
			return;
		}
		if (setuid_or_setgid(path)) {
			str_add_fmt(out, "%s is setuid or setgid, so that LD_PRELOAD is ignored",
				    *word);
			return;
		}
	}
	str_add(out,
		"No MPI process seen. Check: 1. the program uses a shared libmpi (ldd); 2. the "
		"launcher passes on the environment; 3. all nodes see the buffer folder "
		"(--buffer-dir).");
}
