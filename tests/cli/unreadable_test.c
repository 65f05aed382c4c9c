/* Input that is no file, that others wrote, that ends too early, and output that cannot be written:
 * the program ends by itself with a status that says so and a sentence that names the file. */
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "cli/hostile_aid.h"
#include "harness/test.h"
#include "model/formats/load.h"

/* ---- what is no file ---- */

TEST_WITH(unreadable, const struct hostile *const s)
{
	assert_int_equal(hostile_run(s, "check", s->folder).status, STATUS_IO);
	hostile_says(s, "folder", s->folder);
	assert_int_equal(hostile_run(s, "check", "/nowhere/at all.trc").status, STATUS_IO);
	hostile_says(s, "missing", "/nowhere/at all.trc: No such file or directory");
	assert_int_equal(hostile_run(s, "check", "/dev/null").status, STATUS_IO);
	hostile_says(s, "null", "/dev/null");
	/* Without an end. */
	assert_int_equal(hostile_run(s, "check", "/dev/zero").status, STATUS_IO);
	hostile_says(s, "zero", "/dev/zero");
	assert_int_equal(hostile_run(s, "check", "/proc/self/mem").status, STATUS_IO);
	wild_write(s, &sound_file);
	assert_int_equal(chmod(s->trace, 0), 0);
	assert_int_equal(hostile_run_from(s, "/dev/null", geteuid() == 0,
					  (const char *const[]){ "check", s->trace, NULL })
				 .status,
			 STATUS_IO);
	hostile_says(s, "forbidden", "Permission denied");
	unlink(s->trace);
}

TEST_WITH(pipes, const struct hostile *const s)
{
	OWNED_STR from_file = STR_INIT, from_stdin = STR_INIT, from_pipe = STR_INIT;
	pid_t feeder;

	wild_write(s, &sound_file);
	assert_int_equal(hostile_run(s, "export", "events", s->trace, "--format", "csv").status,
			 STATUS_OK);
	file_read(s->out, &from_file);
	assert_true(from_file.n > 300);
	assert_int_equal(hostile_run_from(s, s->trace, false,
					  (const char *const[]){ "export", "events", "/dev/stdin",
								 "--format", "csv", NULL })
				 .status,
			 STATUS_OK);
	file_read(s->out, &from_stdin);
	assert_string_equal(from_stdin.text, from_file.text);

	unlink(s->trace);
	assert_int_equal(mkfifo(s->trace, 0600), 0);
	feeder = fork();
	if (feeder == 0) {
		wild_write(s, &sound_file);
		_exit(0);
	}
	assert_int_equal(hostile_run(s, "export", "events", s->trace, "--format", "csv").status,
			 STATUS_OK);
	waitpid(feeder, NULL, 0);
	file_read(s->out, &from_pipe);
	assert_string_equal(from_pipe.text, from_file.text);
	unlink(s->trace);
}

TEST_WITH(full_disk, const struct hostile *const s)
{
	wild_write(s, &sound_file);
	assert_int_equal(hostile_run(s, "export", "events", s->trace, "-o", "/dev/full").status,
			 STATUS_IO);
	hostile_says(s, "export", "No space left");
	assert_int_equal(hostile_run(s, "convert", s->trace, "/dev/full").status, STATUS_IO);
	hostile_says(s, "convert", "No space left");
	assert_int_equal(hostile_run(s, "convert", s->trace, "/nowhere/x.trc").status, STATUS_IO);
	hostile_says(s, "convert", "/nowhere/x.trc");
	/* Nothing of the input is lost when somebody converts a file onto itself. */
	hostile_run(s, "convert", s->trace, s->trace);
	assert_true(hostile_run(s, "check", s->trace).status == STATUS_OK);
}

/* ---- not so wild ---- */

TEST_WITH(line_ends_of_others, const struct hostile *const s)
{
	OWNED_STR text = STR_INIT, returns = STR_INIT, plain = STR_INIT, other = STR_INIT;

	wild_write(s, &sound_file);
	hostile_run(s, "export", "events", s->trace, "--format", "csv");
	file_read(s->out, &plain);
	file_read(s->trace, &text);
	for (size_t i = 0; i < text.n; i++) {
		if (text.text[i] == '\n')
			str_add_char(&returns, '\r');
		str_add_char(&returns, text.text[i]);
	}
	file_write(s->copy, returns.text, returns.n);
	assert_int_equal(hostile_run(s, "export", "events", s->copy, "--format", "csv").status,
			 STATUS_OK);
	file_read(s->out, &other);
	assert_string_equal(other.text, plain.text);
}

/* Cut off behind every byte: it loads, or the reason is said; in this process, for speed. */
TEST_WITH(cut_off_anywhere, const struct hostile *const s)
{
	const struct load_options options = { .jobs = 1 };
	OWNED_STR text = STR_INIT;
	uint64_t before = 0;

	wild_write(s, &sound_file);
	file_read(s->trace, &text);
	for (size_t n = 0; n <= text.n; n++) {
		struct err err = ERR_INIT;
		OWNED_TRACE *trace = NULL;

		file_write(s->trace, text.text, n);
		trace = trace_load(s->trace, &options, NULL, &err);
		if (!trace) {
			assert_int_equal(err.status, STATUS_IO);
			assert_non_null(strstr(err.text, s->trace));
			continue;
		}
		/* What stood in whole lines is there. */
		if (n && text.text[n - 1] == '\n') {
			assert_true(trace_event_count(trace) >= before);
			before = trace_event_count(trace);
		}
	}
	assert_true(before >= 15);
}

GROUP_FIXTURE(hostile_begin, hostile_end)
