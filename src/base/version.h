/* version: the program's version, and the version of tview's additions to a PICL trace.
 *
 * Promise on the format version MAJOR.MINOR (tview:format in a trace's header): a reader accepts
 * every MINOR of its own MAJOR and every older MAJOR; additions of a newer MINOR are kept and
 * counted, not understood. A newer MAJOR is opened as plain PICL with a sentence that says so.
 * doc/format.md repeats this for people. */
#pragma once

#define TVIEW_VERSION      "0.1.0"
#define TVIEW_FORMAT_MAJOR 1
#define TVIEW_FORMAT_MINOR 3
