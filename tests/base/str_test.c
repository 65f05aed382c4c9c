/* Text: building it, and making hostile bytes harmless. jansson is the second source for UTF-8 and
 * JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "harness/test.h"

TEST(grows_as_it_is_added_to)
{
	struct str s = STR_INIT;
	char *taken;

	assert_string_equal(s.text, "");
	str_add(&s, "rank ");
	str_add_int(&s, 12);
	str_add_char(&s, ':');
	str_add_n(&s, "abcdef", 3);
	str_add_fmt(&s, " %s=%d", "tag", -7);
	assert_string_equal(s.text, "rank 12:abc tag=-7");
	assert_int_equal(s.n, strlen(s.text));
	str_clear(&s);
	assert_string_equal(s.text, "");
	assert_int_equal(s.n, 0);
	str_add(&s, "again");
	taken = str_take(&s);
	assert_string_equal(taken, "again");
	assert_string_equal(s.text, "");
	free(taken);
	taken = str_take(&s); /* of an empty one, too, there is something to free */
	assert_string_equal(taken, "");
	free(taken);
	str_fini(&s);
}

TEST(formats_of_any_length_fit)
{
	OWNED_STR s = STR_INIT;
	char long_text[5000];

	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	/* Around the first reservation, where an off-by-one would cut. */
	for (size_t n = 0; n < 200; n++) {
		str_clear(&s);
		str_add_fmt(&s, "%.*s|", (int)n, long_text);
		assert_int_equal(s.n, n + 1);
		assert_int_equal(strlen(s.text), n + 1);
		assert_int_equal(s.text[n], '|');
	}
	str_add_fmt(&s, "%s", long_text);
	assert_int_equal(s.n, 200 + sizeof long_text - 1);
}

TEST(integers_at_the_edges)
{
	OWNED_STR s = STR_INIT;

	str_add_int(&s, 0);
	str_add_char(&s, ' ');
	str_add_int(&s, INT64_MAX);
	str_add_char(&s, ' ');
	str_add_int(&s, INT64_MIN);
	assert_string_equal(s.text, "0 9223372036854775807 -9223372036854775808");
}

static void assert_clean(const char *bytes, size_t n, const char *wanted)
{
	char out[256];
	const size_t length = str_clean(out, sizeof out, bytes, n);

	assert_string_equal(out, wanted);
	assert_int_equal(length, strlen(wanted));
}

#define CLEAN(literal, wanted) assert_clean(literal, sizeof(literal) - 1, wanted)

TEST(hostile_bytes_are_replaced)
{
	CLEAN("", "");
	CLEAN("MPI_Send", "MPI_Send");
	CLEAN("\033[31mred\033[0m", "?[31mred?[0m");
	CLEAN("\033]0;title\007", "?]0;title?");
	CLEAN("a\tb\nc\rd", "a b c d");
	CLEAN("nul\0nul", "nul?nul");
	CLEAN("del\177", "del?");
	CLEAN("\302\233"
	      "31m",
	      "?31m"); /* CSI as one C1 character */
	CLEAN("\233"
	      "31m",
	      "?31m"); /* the same as a bare byte */
	CLEAN("\303\251 \346\274\242 \360\237\230\200", "\303\251 \346\274\242 \360\237\230\200");
	CLEAN("\300\200", "??");                   /* overlong NUL */
	CLEAN("\340\200\257", "???");              /* overlong slash */
	CLEAN("\355\240\200", "???");              /* surrogate */
	CLEAN("\364\220\200\200", "????");         /* beyond U+10FFFF */
	CLEAN("\346\274", "??");                   /* cut off */
	CLEAN("a\342\200\256b", "a?b");            /* right-to-left override */
	CLEAN("a\342\200\213b", "a?b");            /* zero width space */
	CLEAN("\357\273\277x", "?x");              /* byte order mark */
	CLEAN("\342\201\246x\342\201\251", "?x?"); /* isolates */
}

TEST(cut_at_a_characters_start)
{
	char out[8];

	assert_int_equal(str_clean(out, 4, "ab\303\251", 4),
			 2); /* two bytes more would need five */
	assert_string_equal(out, "ab");
	assert_int_equal(str_clean(out, 5, "ab\303\251", 4), 4);
	assert_string_equal(out, "ab\303\251");
	assert_int_equal(str_clean(out, 1, "abc", 3), 0);
	assert_string_equal(out, "");
	out[0] = 'z';
	assert_int_equal(str_clean(out, 0, "abc", 3), 0);
	assert_int_equal(out[0], 'z');
}

static bool jansson_takes(const char *bytes, size_t n)
{
	json_t *json = json_stringn(bytes, n);

	json_decref(json);
	return json != NULL;
}

/* Bytes with many that matter: ASCII, controls, and the borders of what UTF-8 allows. */
static size_t random_bytes(unsigned *seed, char *out, size_t most)
{
	static const unsigned char borders[] = { 0x00, 0x1b, 0x7f, 0x80, 0x8f, 0x90, 0x9b,
						 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0,
						 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff,
						 'a',  ' ',  0xbb, 0xae, 0x8b };
	const size_t n = (size_t)rand_r(seed) % (most + 1);

	for (size_t i = 0; i < n; i++)
		out[i] = (char)(rand_r(seed) & 1 ? borders[(size_t)rand_r(seed) % sizeof borders]
						 : rand_r(seed) & 0xff);
	return n;
}

TEST(utf8_agrees_with_jansson)
{
	unsigned seed = 11;

	for (int i = 0; i < 200000; i++) {
		char bytes[6];
		const size_t n = random_bytes(&seed, bytes, sizeof bytes);
		size_t at = 0;

		while (at < n) {
			const size_t length = str_utf8_length(bytes + at, n - at);

			if (length == 0)
				break;
			at += length;
		}
		assert_int_equal(at == n, jansson_takes(bytes, n));
	}
}

TEST(cleaned_text_is_harmless)
{
	unsigned seed = 13;

	for (int i = 0; i < 50000; i++) {
		char bytes[64], once[64], twice[64];
		const size_t n = random_bytes(&seed, bytes, sizeof bytes);
		const size_t size = 1 + (size_t)rand_r(&seed) % sizeof once;
		const size_t length = str_clean(once, size, bytes, n);

		assert_true(length < size);
		assert_int_equal(strlen(once), length);
		assert_true(jansson_takes(once, length));
		for (size_t k = 0; k < length; k++) {
			const unsigned char c = (unsigned char)once[k];

			assert_true(c >= 0x20 && c != 0x7f);
			assert_false(c == 0xc2 && (unsigned char)once[k + 1] < 0xa0);
		}
		/* Clean text stays as it is. */
		assert_int_equal(str_clean(twice, sizeof twice, once, length), length);
		assert_string_equal(once, twice);
	}
}

TEST(add_clean_appends)
{
	OWNED_STR s = STR_INIT;

	str_add(&s, "region ");
	str_add_clean(&s, "a\033b", 3);
	str_add_clean(&s, "", 0);
	str_add(&s, " end");
	assert_string_equal(s.text, "region a?b end");
	assert_int_equal(s.n, strlen(s.text));
}

static void assert_csv(const char *text, const char *wanted)
{
	OWNED_STR s = STR_INIT;

	str_add_csv(&s, text);
	assert_string_equal(s.text, wanted);
}

static void assert_csv_safe(const char *text, const char *wanted)
{
	struct str s;

	str_init(&s);
	str_add_csv_safe(&s, text);
	assert_string_equal(s.text, wanted);
	str_fini(&s);
}

/* What OWASP lists under "CSV injection". */
TEST(safe_csv_has_no_formulas)
{
	assert_csv_safe("", "");
	assert_csv_safe("MPI_Send", "MPI_Send");
	assert_csv_safe("a=b", "a=b");
	assert_csv_safe("=1+1", "'=1+1");
	assert_csv_safe("+1", "'+1");
	assert_csv_safe("-1", "'-1");
	assert_csv_safe("@SUM(A1)", "'@SUM(A1)");
	assert_csv_safe("\tx", "'\tx");
	assert_csv_safe("\r=1", "\"'\r=1\"");
	assert_csv_safe("=cmd(\"a\",1)", "\"'=cmd(\"\"a\"\",1)\"");
}

TEST(csv_follows_rfc_4180)
{
	assert_csv("", "");
	assert_csv("MPI_Send", "MPI_Send");
	assert_csv("with blank", "with blank");
	assert_csv("a,b", "\"a,b\"");
	assert_csv("say \"hi\"", "\"say \"\"hi\"\"\"");
	assert_csv("\"", "\"\"\"\"");
	assert_csv("two\nlines", "\"two\nlines\"");
	assert_csv("two\r\nlines", "\"two\r\nlines\"");
	assert_csv("main > solve", "main > solve");
}

static void assert_json(const char *text, const char *wanted)
{
	OWNED_STR s = STR_INIT;

	str_add_json(&s, text);
	assert_string_equal(s.text, wanted);
}

TEST(json_follows_rfc_8259)
{
	assert_json("", "\"\"");
	assert_json("a\"b\\c", "\"a\\\"b\\\\c\"");
	assert_json("a\nb\tc", "\"a\\u000ab\\u0009c\"");
	assert_json("\033[2J", "\"\\u001b[2J\"");
	assert_json("\302\233"
		    "2J",
		    "\"\\u009b2J\"");
	assert_json("\342\200\256", "\"\\u202e\"");
	assert_json("\303\251/", "\"\303\251/\"");
	assert_json("\377", "\"\\ufffd\"");
}

/* Whatever the bytes, jansson reads what was written, and finds the text where it was UTF-8. */
TEST(jansson_reads_our_json)
{
	unsigned seed = 17;

	for (int i = 0; i < 50000; i++) {
		char bytes[40];
		const size_t n = random_bytes(&seed, bytes, sizeof bytes - 1);
		OWNED_STR s = STR_INIT;
		json_t *json;

		for (size_t k = 0; k < n; k++)
			bytes[k] = (char)(bytes[k] ? bytes[k] : '0');
		bytes[n] = '\0';
		str_add_json(&s, bytes);
		json = json_loads(s.text, JSON_DECODE_ANY, NULL);
		assert_non_null(json);
		if (jansson_takes(bytes, n))
			assert_string_equal(json_string_value(json), bytes);
		json_decref(json);
	}
}

TEST(markdown_is_text)
{
	OWNED_STR s = STR_INIT;

	str_add_markdown(&s, "# a|b [x](y) `c` *d* <e> \\ f_g 1.2");
	assert_string_equal(s.text, "\\# a\\|b \\[x\\](y) \\`c\\` \\*d\\* \\<e\\> \\\\ f\\_g 1.2");
}

TEST(wrapped_text)
{
	OWNED_STR s = STR_INIT;

	str_add_wrapped(&s, "one two three, and-a-long-word", 4, 12);
	assert_string_equal(s.text, "one two\n    three,\n    and-a-long-word\n");
}

/* Numbers of every length, as the C library writes them. */
TEST(numbers_are_those_of_printf)
{
	uint64_t seed = 7;

	for (int i = 0; i < 20000; i++) {
		char expected[32];
		OWNED_STR text = STR_INIT;
		int64_t value;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		value = (int64_t)(seed >> (i % 64)) - (i & 1);
		snprintf(expected, sizeof expected, "%" PRId64, i & 2 ? -value : value);
		str_add_int(&text, i & 2 ? -value : value);
		assert_string_equal(text.text, expected);
	}
}

/* Every length, with zeros before it and none. */
TEST(fixed_digits_are_those_of_printf)
{
	uint64_t seed = 11, most = 1;

	for (int n = 1; n <= 19; n++) {
		most *= 10;
		for (int i = 0; i < 500; i++) {
			char expected[32], digits[32] = { 0 };
			uint64_t value;
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			value = i == 0 ? 0 : i == 1 ? most - 1 : (seed >> (i % 64)) % most;
			snprintf(expected, sizeof expected, "%0*" PRIu64, n, value);
			assert_ptr_equal(str_put_fixed(digits, value, n), digits + n);
			assert_string_equal(digits, expected);
		}
	}
}
