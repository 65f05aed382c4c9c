#include "model/chrome.h"

bool chrome_write(struct trace *trace, FILE *out, const struct save_options *options,
		  const struct progress *progress, struct err *err)
{
	(void)trace;
	(void)out;
	(void)options;
	(void)progress;
	return err_set(err, STATUS_USAGE, "tview cannot write Chrome JSON yet");
}
