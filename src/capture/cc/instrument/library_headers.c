#include "capture/cc/instrument/library_headers.h"

#include <string.h>

/* A line marker: # LINE "FILE" FLAGS. */
struct marker {
	const char *file;
	size_t file_n;
	const char *flags; /* after the file's closing quote */
	size_t flags_n;
};

static bool read_marker(const char *line, size_t n, struct marker *marker)
{
	const char *end = line + n, *p = line + 2, *quote;

	if (n < 5 || line[0] != '#' || line[1] != ' ')
		return false;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	if (p == line + 2 || end - p < 3 || p[0] != ' ' || p[1] != '"')
		return false;
	marker->file = p + 2;
	/* A name with quotes does not belong to a library. */
	quote = memchr(marker->file, '"', (size_t)(end - marker->file));
	if (!quote)
		return false;
	marker->file_n = (size_t)(quote - marker->file);
	marker->flags = quote + 1;
	marker->flags_n = (size_t)(end - quote - 1);
	return true;
}

static bool begins(const struct marker *marker, const char *with, size_t n)
{
	return n > 0 && marker->file_n >= n && !memcmp(marker->file, with, n);
}

static bool ends(const struct marker *marker, const char *with, size_t n)
{
	return marker->file_n >= n && !memcmp(marker->file + marker->file_n - n, with, n);
}

/* Length of the folder of an mpi.h with an absolute path, with its slash; 0: it is none. */
static size_t mpi_folder(const struct marker *marker)
{
	static const char name[] = "/mpi.h";
	const size_t n = sizeof name - 1;

	return marker->file[0] == '/' && ends(marker, name, n) ? marker->file_n - n + 1 : 0;
}

static bool is_own(const struct marker *marker)
{
	static const char name[] = "/tview.h";
	const size_t n = sizeof name - 1;

	return ends(marker, name, n) || (marker->file_n == n - 1 && ends(marker, name + 1, n - 1));
}

void library_headers_mark(const char *text, size_t size, struct str *out)
{
	static const char usual[] = "/usr/include/", local[] = "/usr/local/include/";
	const char *mpi = NULL;
	size_t mpi_n = 0, kept = 0;

	for (size_t at = 0, n; at < size; at += n + 1) {
		const char *end = memchr(text + at, '\n', size - at);
		struct marker marker;
		n = end ? (size_t)(end - text) - at : size - at;
		if (text[at] != '#' || !read_marker(text + at, n, &marker))
			continue;
		if (!mpi_n && (mpi_n = mpi_folder(&marker)))
			mpi = marker.file;
		if ((!begins(&marker, usual, sizeof usual - 1) &&
		     !begins(&marker, local, sizeof local - 1) && !begins(&marker, mpi, mpi_n) &&
		     !is_own(&marker)) ||
		    memchr(marker.flags, '3', marker.flags_n))
			continue;
		/* Flag 4 is after it; such a line has flag 3. */
		str_add_n(out, text + kept, at + n - kept);
		str_add(out, " 3");
		kept = at + n;
	}
	str_add_n(out, text + kept, size - kept);
}
