/* module: tview._library, libtview (tview/trace.h) as objects of Python, in its limited API: one build serves
 * Python 3.11 and later. The module of Python beside it makes rows with names and columns of them.
 *
 * Ownership: a table owns a reference to its trace, an array to what its memory belongs to. A trace is closed by
 * close() once the last of its tables and arrays is gone. Threads: what may take long runs without the lock of the
 * interpreter; a table that one thread reads refuses another one. */
#include "module.h"

#include <string.h>
#include <structmember.h>

struct table {
	PyObject_HEAD struct trace *owner;
	tview_table *table;
	PyObject *names, *types;
	bool busy; /* a thread reads it */
};

struct state *module_state(PyObject *self)
{
	return PyType_GetModuleState(Py_TYPE(self));
}

/* ---- errors and options ---- */

PyObject *module_raise(const struct state *state, const struct tview_error *error)
{
	PyObject *exception = PyObject_CallFunction(state->error, "s", error->text);
	PyObject *status = exception ? PyLong_FromLong(error->status) : NULL;

	if (status && PyObject_SetAttrString(exception, "status", status) == 0)
		PyErr_SetObject(state->error, exception);
	Py_XDECREF(status);
	Py_XDECREF(exception);
	return NULL;
}

const char **module_options(PyObject *tuple)
{
	const Py_ssize_t n = PyTuple_Size(tuple);
	const char **options = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof *options);

	if (n >= 0 && !options)
		PyErr_NoMemory();
	for (Py_ssize_t i = 0; options && i < n; i++) {
		PyObject *text = PyTuple_GetItem(tuple, i);
		Py_ssize_t length = 0;
		options[i] = text ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
		if (options[i] && strlen(options[i]) == (size_t)length)
			continue;
		if (options[i])
			PyErr_SetString(PyExc_ValueError, "an option has a zero byte in it");
		PyMem_Free(options);
		options = NULL;
	}
	return options;
}

/* ---- traces ---- */

/* Of a tuple of bytes, which they are borrowed from; ends with NULL. */
static const char **paths_of(PyObject *tuple)
{
	const Py_ssize_t n = PyTuple_Size(tuple);
	const char **paths = PyMem_Calloc((size_t)n + 1, sizeof *paths);

	if (!paths)
		PyErr_NoMemory();
	for (Py_ssize_t i = 0; paths && i < n; i++) {
		char *text;
		if (PyBytes_AsStringAndSize(PyTuple_GetItem(tuple, i), &text, NULL) == 0) {
			paths[i] = text;
			continue;
		}
		PyMem_Free(paths);
		paths = NULL;
	}
	return paths;
}

static PyObject *trace_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	PyObject *paths, *options;
	const char **list, **files;
	struct tview_error error;
	tview_trace *opened;
	struct trace *self;

	(void)keywords;
	if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &paths, &PyTuple_Type, &options))
		return NULL;
	files = paths_of(paths);
	list = files ? module_options(options) : NULL;
	if (!list) {
		PyMem_Free(files);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS opened = tview_open_files(files, list, &error);
	Py_END_ALLOW_THREADS PyMem_Free(list);
	PyMem_Free(files);
	if (!opened)
		return module_raise(PyType_GetModuleState(type), &error);
	self = (struct trace *)PyType_GenericNew(type, NULL, NULL);
	if (!self)
		tview_close(opened);
	else
		self->trace = opened;
	return (PyObject *)self;
}

/* Once it is closed and nothing of it is used. */
static void end_trace(struct trace *self)
{
	tview_trace *ended = self->trace;

	if (!self->closed || self->users > 0 || !ended)
		return;
	self->trace = NULL;
	Py_BEGIN_ALLOW_THREADS tview_close(ended);
	Py_END_ALLOW_THREADS
}

void module_release(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc f = PyType_GetSlot(type, Py_tp_free);

	f(self);
	Py_DECREF(type);
}

static void trace_dealloc(PyObject *object)
{
	struct trace *self = (struct trace *)object;

	self->closed = true;
	end_trace(self);
	module_release(object);
}

void module_use(struct trace *self)
{
	Py_INCREF((PyObject *)self);
	self->users++;
}

void module_unuse(struct trace *self)
{
	self->users--;
	end_trace(self);
	Py_DECREF((PyObject *)self);
}

bool module_is_open(const struct trace *self)
{
	if (self->closed)
		PyErr_SetString(PyExc_ValueError, "the trace is closed");
	return !self->closed;
}

static PyObject *trace_close(PyObject *object, PyObject *unused)
{
	struct trace *self = (struct trace *)object;

	(void)unused;
	self->closed = true;
	end_trace(self);
	Py_RETURN_NONE;
}

PyObject *module_text(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_FromString(text);
}

static PyObject *trace_damage(PyObject *object, PyObject *unused)
{
	struct trace *self = (struct trace *)object;

	(void)unused;
	return module_is_open(self) ? module_text(tview_damage(self->trace)) : NULL;
}

/* ---- tables ---- */

static PyObject *names_of(const tview_table *table, bool types)
{
	const unsigned n = tview_column_count(table);
	PyObject *tuple = PyTuple_New((Py_ssize_t)n);

	for (unsigned c = 0; tuple && c < n; c++) {
		PyObject *is = types ? PyLong_FromLong(tview_column_type(table, c))
				     : PyUnicode_FromString(tview_column_name(table, c));
		if (!is || PyTuple_SetItem(tuple, (Py_ssize_t)c, is) != 0)
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *table_of(struct trace *owner, tview_table *opened)
{
	struct table *self =
		(struct table *)PyType_GenericNew(module_state((PyObject *)owner)->table, NULL,
						  NULL);

	if (!self) {
		tview_table_close(opened);
		return NULL;
	}
	module_use(owner);
	self->owner = owner;
	self->table = opened;
	self->names = names_of(opened, false);
	self->types = names_of(opened, true);
	if (self->names && self->types)
		return (PyObject *)self;
	Py_DECREF((PyObject *)self);
	return NULL;
}

static PyObject *trace_table(PyObject *object, PyObject *args)
{
	struct trace *self = (struct trace *)object;
	const char *name, **list;
	PyObject *options;
	struct tview_error error;
	tview_table *opened;

	if (!PyArg_ParseTuple(args, "sO!", &name, &PyTuple_Type, &options) || !module_is_open(self))
		return NULL;
	list = module_options(options);
	if (!list)
		return NULL;
	self->users++;
	Py_BEGIN_ALLOW_THREADS opened = tview_table_open(self->trace, name, list, &error);
	Py_END_ALLOW_THREADS self->users--;
	PyMem_Free(list);
	return opened ? table_of(self, opened) : module_raise(module_state(object), &error);
}

static void table_dealloc(PyObject *object)
{
	struct table *self = (struct table *)object;

	tview_table_close(self->table);
	if (self->owner)
		module_unuse(self->owner);
	Py_XDECREF(self->names);
	Py_XDECREF(self->types);
	module_release(object);
}

static bool is_free(const struct table *self)
{
	if (self->busy)
		PyErr_SetString(PyExc_RuntimeError, "another thread reads the table");
	return !self->busy;
}

static PyObject *cell_of(const tview_table *table, int column)
{
	if (!tview_known(table, column))
		Py_RETURN_NONE;
	switch (tview_column_type(table, (unsigned)column)) {
	case TVIEW_TEXT: return PyUnicode_FromString(tview_text(table, column));
	case TVIEW_REAL: return PyFloat_FromDouble(tview_real(table, column));
	default: return PyLong_FromLongLong(tview_integer(table, column));
	}
}

static PyObject *table_next(PyObject *object)
{
	struct table *self = (struct table *)object;
	const int n = (int)tview_column_count(self->table);
	PyObject *row;

	if (!is_free(self) || !tview_next(self->table))
		return NULL;
	row = PyTuple_New(n);
	for (int c = 0; row && c < n; c++) {
		PyObject *cell = cell_of(self->table, c);
		if (!cell || PyTuple_SetItem(row, c, cell) != 0)
			Py_CLEAR(row);
	}
	return row;
}

static PyObject *table_read(PyObject *object, PyObject *unused)
{
	struct table *self = (struct table *)object;
	int64_t n;

	(void)unused;
	if (!is_free(self))
		return NULL;
	self->busy = true;
	Py_BEGIN_ALLOW_THREADS n = tview_read(self->table);
	Py_END_ALLOW_THREADS self->busy = false;
	return PyLong_FromLongLong(n);
}

static PyObject *table_categories(PyObject *object, PyObject *args)
{
	struct table *self = (struct table *)object;
	PyObject *list = PyList_New(0);
	const char *text;
	int column;

	if (!list || !PyArg_ParseTuple(args, "i", &column) || !is_free(self))
		Py_CLEAR(list);
	for (int64_t code = 0; list && (text = tview_category(self->table, column, code)); code++) {
		PyObject *is = PyUnicode_FromString(text);
		if (!is || PyList_Append(list, is) != 0)
			Py_CLEAR(list);
		Py_XDECREF(is);
	}
	return list;
}

typedef bool column_getter(const tview_table *table, int column, struct tview_array *array);

/* None where there is no such array. */
static PyObject *column_of(PyObject *object, PyObject *args, column_getter *get)
{
	struct table *self = (struct table *)object;
	struct tview_array array;
	int column;

	if (!PyArg_ParseTuple(args, "i", &column) || !is_free(self))
		return NULL;
	if (!get(self->table, column, &array))
		Py_RETURN_NONE;
	return module_array(object, &array);
}

static PyObject *table_values(PyObject *object, PyObject *args)
{
	return column_of(object, args, tview_values);
}

static PyObject *table_known(PyObject *object, PyObject *args)
{
	return column_of(object, args, tview_known_values);
}

/* ---- the module ---- */

static PyMethodDef trace_methods[] = {
	{ "close", trace_close, METH_NOARGS, NULL },
	{ "damage", trace_damage, METH_NOARGS, NULL },
	{ "table", trace_table, METH_VARARGS, NULL },
	{ "cursor", module_trace_cursor, METH_VARARGS, NULL },
	{ "definitions", module_trace_definitions, METH_VARARGS, NULL },
	{ "callpath", module_trace_callpath, METH_VARARGS, NULL },
	{ "string", module_trace_string, METH_VARARGS, NULL },
	{ "shared", module_trace_shared, METH_VARARGS, NULL },
	{ "times", module_trace_times, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
static PyType_Slot trace_slots[] = {
	{ Py_tp_new, trace_new },
	{ Py_tp_dealloc, trace_dealloc },
	{ Py_tp_methods, trace_methods },
	{ 0, NULL },
};
static PyType_Spec trace_spec = {
	"tview._library.Trace", sizeof(struct trace), 0, Py_TPFLAGS_DEFAULT, trace_slots,
};

static PyMethodDef table_methods[] = {
	{ "read", table_read, METH_NOARGS, NULL },
	{ "values", table_values, METH_VARARGS, NULL },
	{ "known", table_known, METH_VARARGS, NULL },
	{ "categories", table_categories, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
static PyMemberDef table_members[] = {
	{ "names", T_OBJECT, offsetof(struct table, names), READONLY, NULL },
	{ "types", T_OBJECT, offsetof(struct table, types), READONLY, NULL },
	{ NULL, 0, 0, 0, NULL },
};
static PyType_Slot table_slots[] = {
	{ Py_tp_dealloc, table_dealloc }, { Py_tp_methods, table_methods },
	{ Py_tp_members, table_members }, { Py_tp_iter, PyObject_SelfIter },
	{ Py_tp_iternext, table_next },   { 0, NULL },
};
static PyType_Spec table_spec = {
	"tview._library.Table",
	sizeof(struct table),
	0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	table_slots,
};

static PyObject *module_tables(PyObject *module, PyObject *unused)
{
	PyObject *tables = PyDict_New();
	const char *name;

	(void)module;
	(void)unused;
	for (unsigned i = 0; tables && (name = tview_table_name(i)); i++) {
		PyObject *help = module_text(tview_table_help(i));
		if (!help || PyDict_SetItemString(tables, name, help) != 0)
			Py_CLEAR(tables);
		Py_XDECREF(help);
	}
	return tables;
}

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec)
{
	PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);

	if (type && PyModule_AddType(module, (PyTypeObject *)type) != 0)
		Py_CLEAR(type);
	return (PyTypeObject *)type;
}

static int module_exec(PyObject *module)
{
	struct state *state = PyModule_GetState(module);

	state->error = PyErr_NewExceptionWithDoc(
		"tview.Error",
		"What tview says where it cannot answer: str() is its sentence, `status` what the command would end "
		"with (1: the trace cannot answer, 2: wrong name or option, 3: cannot be read).",
		NULL, NULL);
	state->trace = add_type(module, &trace_spec);
	state->table = add_type(module, &table_spec);
	state->array = add_type(module, &module_array_spec);
	state->cursor = add_type(module, &module_cursor_spec);
	state->records = add_type(module, &module_records_spec);
	if (!state->error || !state->trace || !state->table || !state->array || !state->cursor ||
	    !state->records)
		return -1;
	return PyModule_AddObjectRef(module, "Error", state->error) ||
			       PyModule_AddStringConstant(module, "version", tview_version()) ||
			       PyModule_AddIntConstant(module, "HOST", TVIEW_HOST)
		       ? -1
		       : 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
	const struct state *state = PyModule_GetState(module);

	Py_VISIT(state->error);
	Py_VISIT(state->trace);
	Py_VISIT(state->table);
	Py_VISIT(state->array);
	Py_VISIT(state->cursor);
	Py_VISIT(state->records);
	return 0;
}

static int module_clear(PyObject *module)
{
	struct state *state = PyModule_GetState(module);

	Py_CLEAR(state->error);
	Py_CLEAR(state->trace);
	Py_CLEAR(state->table);
	Py_CLEAR(state->array);
	Py_CLEAR(state->cursor);
	Py_CLEAR(state->records);
	return 0;
}

PyMODINIT_FUNC PyInit__library(void);
PyMODINIT_FUNC PyInit__library(void)
{
	static PyMethodDef methods[] = {
		{ "tables", module_tables, METH_NOARGS, NULL },
		{ "meanings", module_meanings, METH_NOARGS, NULL },
		{ NULL, NULL, 0, NULL },
	};
	static PyModuleDef_Slot slots[] = { { Py_mod_exec, module_exec }, { 0, NULL } };
	static struct PyModuleDef definition = {
		PyModuleDef_HEAD_INIT,   .m_name = "tview._library", .m_size = sizeof(struct state),
		.m_methods = methods,    .m_slots = slots,           .m_traverse = module_traverse,
		.m_clear = module_clear,
	};

	return PyModuleDef_Init(&definition);
}
