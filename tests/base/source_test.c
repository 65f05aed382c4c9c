/* Compressed files as streams: all of them, members and frames in a row, cut off and damaged ones,
 * with and without a thread. What must come out is what the libraries were given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/source.h"
#include "base/str.h"
#include "harness/random.h"
#include "harness/test.h"

/* Text that compresses like a trace does: words from a few, numbers. */
static void make_text(struct str *out, size_t n, uint64_t seed)
{
	struct rng random = { seed };

	while (out->n < n)
		str_add_fmt(out, "-3 %u 0.%09u %u 0 0\n", rng_below(&random, 30),
			    rng_below(&random, 1000000000), rng_below(&random, 16));
}

static void add_gzip(struct str *out, const char *text, size_t n)
{
	z_stream z = { 0 };
	unsigned char *packed = xmalloc(n + 1024);

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)text;
	z.avail_in = (unsigned)n;
	z.next_out = packed;
	z.avail_out = (unsigned)(n + 1024);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	str_add_n(out, (char *)packed, z.total_out);
	deflateEnd(&z);
	free(packed);
}

static void add_zstd(struct str *out, const char *text, size_t n)
{
	const size_t bound = ZSTD_compressBound(n);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	char *packed = xmalloc(bound);
	size_t size;

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	size = ZSTD_compress2(context, packed, bound, text, n);
	assert_false(ZSTD_isError(size));
	str_add_n(out, packed, size);
	ZSTD_freeCCtx(context);
	free(packed);
}

/* All that comes out of a file with these bytes, in reads of odd sizes; twice, to rewind. */
static void unpack(const struct str *bytes, bool threaded, struct str *out, const char **damage)
{
	FILE *file = tmpfile();
	char buffer[70001];
	struct source *source;
	ssize_t n;

	assert_non_null(file);
	assert_int_equal(fwrite(bytes->text, 1, bytes->n, file), bytes->n);
	assert_int_equal(fflush(file), 0);
	source = source_new(fileno(file), threaded);
	assert_int_equal(source_size(source), bytes->n);
	for (int pass = 0; pass < 2; pass++) {
		str_clear(out);
		if (pass)
			source_rewind(source);
		while ((n = source_read(source, buffer, sizeof buffer)) > 0)
			str_add_n(out, buffer, (size_t)n);
		assert_int_equal(n, 0);
	}
	assert_true(source_done(source) <= bytes->n);
	*damage = source_damage(source);
	source_free(source);
	fclose(file);
}

static void assert_unpacks(const struct str *bytes, const struct str *wanted, bool whole)
{
	for (int threaded = 0; threaded < 2; threaded++) {
		OWNED_STR out = STR_INIT;
		const char *damage;

		unpack(bytes, threaded, &out, &damage);
		if (whole) {
			assert_int_equal(out.n, wanted->n);
			assert_null(damage);
		} else {
			assert_true(out.n <= wanted->n);
		}
		assert_memory_equal(out.text, wanted->text, out.n);
	}
}

typedef void packer(struct str *out, const char *text, size_t n);
static packer *const packers[] = { add_gzip, add_zstd };

TEST(files_come_out_whole)
{
	static const size_t sizes[] = { 0, 1, 1000, 300000, 2500000 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		OWNED_STR text = STR_INIT;

		make_text(&text, sizes[i], 7 + i);
		assert_unpacks(&text, &text, true);
		for (size_t k = 0; k < 2; k++) {
			OWNED_STR packed = STR_INIT;
			packers[k](&packed, text.text, text.n);
			assert_true(source_is_compressed(packed.text, packed.n));
			assert_unpacks(&packed, &text, true);
		}
	}
	assert_false(source_is_compressed("-3 7 0.1 0 0 0\n", 15));
	assert_false(source_is_compressed("", 0));
}

/* As `cat a.gz b.gz` makes them. */
TEST(members_follow_one_another)
{
	OWNED_STR text = STR_INIT;

	make_text(&text, 900000, 3);
	for (size_t k = 0; k < 2; k++) {
		OWNED_STR packed = STR_INIT;
		packers[k](&packed, text.text, 400000);
		packers[k](&packed, text.text + 400000, 0);
		packers[k](&packed, text.text + 400000, text.n - 400000);
		assert_unpacks(&packed, &text, true);
	}
}

TEST(cut_files_give_what_is_there)
{
	OWNED_STR text = STR_INIT;

	make_text(&text, 700000, 4);
	for (size_t k = 0; k < 2; k++) {
		OWNED_STR packed = STR_INIT, out = STR_INIT;
		size_t before = 0;
		const char *damage;

		packers[k](&packed, text.text, text.n);
		for (size_t parts = 1; parts < 9; parts++) {
			OWNED_STR cut = STR_INIT;
			str_add_n(&cut, packed.text, packed.n * parts / 9);
			for (int threaded = 0; threaded < 2; threaded++) {
				unpack(&cut, threaded, &out, &damage);
				assert_non_null(damage);
				assert_non_null(strstr(damage, "ends too early"));
				assert_memory_equal(out.text, text.text, out.n);
			}
			/* The further the cut, the more there is; a block of zstd is at most 128
			 * KiB. */
			assert_true(out.n >= before && out.n < text.n);
			assert_true(out.n + (256 << 10) >= text.n * parts / 9);
			before = out.n;
		}
	}
}

TEST(damage_is_told)
{
	OWNED_STR text = STR_INIT;
	struct rng random = { 99 };

	make_text(&text, 200000, 5);
	for (size_t k = 0; k < 2; k++) {
		OWNED_STR packed = STR_INIT, out = STR_INIT;
		const char *damage;

		packers[k](&packed, text.text, text.n);
		for (int i = 0; i < 200; i++) {
			const size_t at = 4 + rng_below(&random, (uint32_t)packed.n - 4);
			const char was = packed.text[at];
			packed.text[at] = (char)(was ^ (1 << rng_below(&random, 8)));
			unpack(&packed, i % 2, &out, &damage);
			/* Bits of a head may mean nothing; else a checksum tells. */
			if (!damage) {
				assert_int_equal(out.n, text.n);
				assert_memory_equal(out.text, text.text, out.n);
			}
			packed.text[at] = was;
		}
		str_add(&packed, "\n-3 7 0.1 0 0 0\n");
		unpack(&packed, false, &out, &damage);
		assert_non_null(strstr(damage, "more data after"));
		assert_int_equal(out.n, text.n);
	}
}

/* Given up in the middle, whatever the thread is doing. */
TEST(a_source_can_be_left)
{
	OWNED_STR text = STR_INIT, packed = STR_INIT;
	FILE *file = tmpfile();
	char byte[1];

	assert_non_null(file);
	make_text(&text, 4000000, 6);
	add_zstd(&packed, text.text, text.n);
	assert_int_equal(fwrite(packed.text, 1, packed.n, file), packed.n);
	fflush(file);
	for (int i = 0; i < 50; i++) {
		struct source *source = source_new(fileno(file), true);
		for (int k = 0; k <= i % 3; k++)
			assert_int_equal(source_read(source, byte, 1), 1);
		if (i % 2)
			source_rewind(source);
		source_free(source);
	}
	fclose(file);
}
