/* module: what the files of tview._library share. */
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <stdbool.h>
#include <tview/records.h>

struct state {
	PyObject *error; /* tview.Error */
	PyTypeObject *trace, *table, *array, *cursor, *records;
};

struct trace {
	PyObject_HEAD tview_trace *trace;
	Py_ssize_t users; /* tables, cursors, and arrays of its own memory */
	bool closed;
};

struct state *module_state(PyObject *self);
/* Raises tview.Error; NULL. */
PyObject *module_raise(const struct state *state, const struct tview_error *error);
/* A tuple of str as what the library takes, to be freed by PyMem_Free(). The texts are the tuple's;
 * NULL with an exception. */
const char **module_options(PyObject *tuple);
/* None for NULL. */
PyObject *module_text(const char *text);
/* For deallocators: frees an object of a type of the module. */
void module_release(PyObject *self);

/* False with ValueError. */
bool module_is_open(const struct trace *self);
/* One more that uses it, with a reference; one less, which closes it if it was the last. */
void module_use(struct trace *self);
void module_unuse(struct trace *self);

/* Memory of an owner, a reference to which it holds; of a trace it is a user. */
PyObject *module_array(PyObject *owner, const struct tview_array *is);

extern PyType_Spec module_array_spec, module_cursor_spec, module_records_spec;

/* Methods of a trace for records and definitions (module_records.c). */
PyObject *module_trace_cursor(PyObject *trace, PyObject *args);
PyObject *module_trace_definitions(PyObject *trace, PyObject *args);
PyObject *module_trace_callpath(PyObject *trace, PyObject *args);
PyObject *module_trace_string(PyObject *trace, PyObject *args);
PyObject *module_trace_shared(PyObject *trace, PyObject *args);
PyObject *module_trace_times(PyObject *trace, PyObject *unused);
/* What holds for all traces: kinds of records, kinds of events, metrics. */
PyObject *module_meanings(PyObject *module, PyObject *unused);
