/* OTF2 files that are cut off and damaged, as the fuzzer made them. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/built.h"
#include "harness/files.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/otf2/otf2_full_aid.h"
#include "model/otf2/read/otf2_guard.h"

/* At a place of a file so many bytes go, and others come. */
struct edit {
	size_t at, gone;
	const char *bytes;
};

static void edit_file(const char *path, const struct edit *edits, size_t n)
{
	OWNED_STR old = STR_INIT, now = STR_INIT;
	size_t at = 0;

	file_read(path, &old);
	for (size_t i = 0; i < n; i++) {
		str_add_n(&now, old.text + at, edits[i].at - at);
		str_add(&now, edits[i].bytes);
		at = edits[i].at + edits[i].gone;
	}
	str_add_n(&now, old.text + at, old.n - at);
	file_write(path, now.text, now.n - 2); /* without the marks of its end */
}

#if !defined(__SANITIZE_ADDRESS__)
/* An event says that it has 2^32 - 1 values: libotf2 asks for 16 GiB, which nobody fills. */
TEST(memory_does_not_follow_damaged_numbers)
{
	static const struct edit edits[] = { { 548, 1, "\010" },
					     { 992, 0, "\304\304\304\304\304\304\304" },
					     { 1074, 0, "\034\034\034\034\034\034\034" },
					     { 1145, 1, "\375" },
					     { 1219, 1, "S" } };
	const int MOST = 400 << 10; /* KiB */
	OWNED_STR path = STR_INIT, out = STR_INIT;
	char folder[FOLDER_NAME];
	pid_t child;
	int status;

	folder_make(folder, "damaged");
	assert_int_equal(command_read(&out, "cp -r traces/otf2/ez-pp-2/. %s && chmod -R u+w %s",
				      folder, folder),
			 0);
	str_add_fmt(&path, "%s/eztrace_log/1073741823.evt", folder);
	edit_file(path.text, edits, sizeof edits / sizeof *edits);
	str_clear(&path);
	str_add_fmt(&path, "%s/eztrace_log.otf2", folder);
	child = fork();
	if (child == 0) {
		const struct load_options options = { .jobs = 1, .no_cache = true };
		struct rusage used;

		trace_free(trace_load(path.text, &options, NULL, NULL));
		getrusage(RUSAGE_SELF, &used);
		_exit(used.ru_maxrss < MOST ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	folder_remove(folder);
}
#endif

/* Bytes that came into a file of definitions, which has its end: a record of 169 bytes is longer than
 * what is left, and libotf2 reads on in what an earlier file left behind it. */
TEST(definitions_that_do_not_lead_to_their_end_are_not_whole)
{
	static const char sound[] = "\003B\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\002\001";
	static const char record[] = "\003B\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\005\002ab\002\001";
	static const char longer[] = "\003B\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\005\251ab\002\001";
	static const char moved[] =
		"\003B\001\0\0\0\0\251\251\251\251\0\0\0\0\0\0\0\0\0\0\0\002\001";
	const struct {
		const char *bytes;
		size_t n;
		bool whole;
	} files[] = { { sound, sizeof sound - 1, true },
		      { record, sizeof record - 1, true },
		      { longer, sizeof longer - 1, false },
		      { moved, sizeof moved - 1, false },
		      { sound, sizeof sound - 2, false } };
	OWNED_STR path = STR_INIT;
	char folder[FOLDER_NAME];

	folder_make(folder, "definitions");
	str_add_fmt(&path, "%s/0.def", folder);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		file_write(path.text, files[i].bytes, files[i].n);
		assert_int_equal(otf2_guard_defs_are_whole(path.text), files[i].whole);
	}
	folder_remove(folder);
}

static void write_visit(struct otf2_aid *aid, OTF2_LocationRef location, OTF2_TimeStamp from,
			OTF2_TimeStamp to, OTF2_TimeStamp last)
{
	OTF2_EvtWriter *w = otf2_aid_events(aid, location);

	EVENT(Enter, from, R_MAIN);
	EVENT(Leave, to, R_MAIN);
	EVENT(MeasurementOnOff, last, OTF2_MEASUREMENT_ON);
	otf2_aid_events_end(aid, w);
}

static int64_t time_of(const struct trace *trace, uint64_t location, int nth)
{
	struct cursor c;
	bool ok = cursor_first(&c, trace, BASE_MEASURED, otf2_full_location(trace, location));

	for (; ok && nth > 0; nth--)
		ok = cursor_next(&c);
	assert_true(ok);
	return cursor_time(&c);
}

/* The clock properties say 1,000 to 101,000; a record of 46 minutes later is where the one before it
 * is. One whose records are all there has another clock, and little more is no damage. */
TEST(times_that_the_clock_cannot_show_are_not_believed)
{
	const OTF2_TimeStamp far = 2800000001000;
	ARCHIVE aid = otf2_full_begin(1000000000);

	write_visit(&aid, LOCATION_0, 1100, 1200, far);
	write_visit(&aid, LOCATION_1, far, far + 10, far + 20);
	write_visit(&aid, LOCATION_2, 1100, 101100, 101200);
	OWNED_TRACE *trace = otf2_full_load(&aid, 1);
	assert_int_equal(found(trace, "time-beyond-clock"), 1);
	assert_int_equal(time_of(trace, LOCATION_0, 1), 200);
	assert_int_equal(time_of(trace, LOCATION_0, 2), 200);
	assert_int_equal(found(trace, "clock-other"), 1);
	assert_int_equal(time_of(trace, LOCATION_1, 0), (int64_t)far - 1000);
	assert_int_equal(time_of(trace, LOCATION_1, 2), (int64_t)far - 980);
	assert_int_equal(time_of(trace, LOCATION_2, 2), 100200);
}
