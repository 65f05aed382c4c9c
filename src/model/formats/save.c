#include "model/formats/save.h"

#include <string.h>

#include "base/output.h"
#include "base/str.h"
#include "model/formats/chrome_write.h"
#include "model/otf2/write/otf2_files.h"
#include "model/picl/picl.h"

static const char *const names[SAVE_FORMATS] = {
	[SAVE_PICL] = "picl",
	[SAVE_OTF2] = "otf2",
	[SAVE_CHROME] = "json",
};

enum save_format save_format_find(const char *name)
{
	int format = 0;

	while (format < SAVE_FORMATS && strcmp(names[format], name) != 0)
		format++;
	return (enum save_format)format;
}

enum save_format save_format_of_file(const char *path)
{
	return str_ends_with(path, ".otf2") || str_ends_with(path, ".otf2.zst")   ? SAVE_OTF2
	       : str_ends_with(path, ".json") || str_ends_with(path, ".json.zst") ? SAVE_CHROME
										  : SAVE_PICL;
}

static bool may_be_archive(const char *path, struct err *err)
{
	return !str_ends_with(path, ".zst") ||
	       err_set(err, STATUS_USAGE,
		       "%s: an OTF2 archive has several files, which are not compressed (write "
		       "NAME.otf2, or NAME.trc.zst)",
		       path);
}

bool trace_save(struct trace *trace, enum save_format format, const char *path, const char *input,
		const struct save_options *options, const struct progress *progress,
		struct err *err)
{
	static const struct save_options all = { BASE_MEASURED, INT64_MIN, INT64_MAX, NULL };
	struct output output;
	bool ok;

	if (!options)
		options = &all;
	if (format == SAVE_OTF2)
		return may_be_archive(path, err) &&
		       otf2_save(trace, path, input, options, progress, err);
	if (!output_open(&output, path, input, err))
		return false;
	ok = (format == SAVE_CHROME ? chrome_write : picl_write)(trace, output.stream, options,
								 progress, err) &&
	     trace_is_unchanged(trace, err);
	return output_close(&output, ok, err);
}

bool save_check(enum save_format format, const char *path, struct err *err)
{
	struct output output;

	if (format == SAVE_OTF2)
		return may_be_archive(path, err) && otf2_save_check(path, err);
	return output_open(&output, path, NULL, err) && (output_drop(&output), true);
}
