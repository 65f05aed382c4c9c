#define _GNU_SOURCE
#include "base/pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>
#include <zstd.h>

#include "base/mem.h"

/* The lowest is a fifth cheaper than the default, and traces do not get larger by it. */
enum { LEVEL = 1 };

struct pack {
	FILE *plain;
	ZSTD_CCtx *zstd;
	size_t room;
	char out[];
};

/* Runs until all of `in` is consumed, and at the end until all output is written. */
static bool compress(struct pack *p, ZSTD_inBuffer *in, ZSTD_EndDirective how)
{
	for (;;) {
		ZSTD_outBuffer out = { p->out, p->room, 0 };
		const size_t left = ZSTD_compressStream2(p->zstd, &out, in, how);
		if (ZSTD_isError(left)) {
			errno = ENOMEM;
			return false;
		}
		if (fwrite(p->out, 1, out.pos, p->plain) != out.pos)
			return false;
		if (how == ZSTD_e_end ? left == 0 : in->pos == in->size)
			return true;
	}
}

static ssize_t on_write(void *context, const char *text, size_t n)
{
	ZSTD_inBuffer in = { text, n, 0 };

	return compress(context, &in, ZSTD_e_continue) ? (ssize_t)n : 0;
}

static int on_close(void *context)
{
	struct pack *p = context;
	ZSTD_inBuffer none = { NULL, 0, 0 };
	bool ok = compress(p, &none, ZSTD_e_end) && !ferror(p->plain);

	ZSTD_freeCCtx(p->zstd);
	ok = fclose(p->plain) == 0 && ok;
	free(p);
	return ok ? 0 : -1;
}

FILE *pack_open(FILE *plain)
{
	const size_t room = ZSTD_CStreamOutSize();
	struct pack *p = xmalloc(sizeof *p + room);
	FILE *stream = NULL;

	*p = (struct pack){ .plain = plain, .zstd = ZSTD_createCCtx(), .room = room };
	if (p->zstd)
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, LEVEL);
	if (p->zstd)
		stream = fopencookie(p, "w",
				     (cookie_io_functions_t){ .write = on_write,
							      .close = on_close });
	if (stream)
		return stream;
	ZSTD_freeCCtx(p->zstd);
	free(p);
	fclose(plain);
	return NULL;
}
