/* module_records: cursors and records (tview/records.h), and what a trace defines. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

struct cursor {
	PyObject_HEAD struct trace *owner;
	tview_cursor *cursor;
	enum tview_kind kind;
	bool busy; /* a thread reads it */
};

/* Copies, which need no trace. */
struct records {
	PyObject_HEAD enum tview_kind kind;
	char *data;
	Py_ssize_t n;
};

enum { RECORD_MOST = 128, RECORDS_FIRST = 1024 };

/* ---- cursors ---- */

PyObject *module_trace_cursor(PyObject *object, PyObject *args)
{
	struct trace *trace = (struct trace *)object;
	struct tview_error error;
	unsigned kind, location;
	tview_cursor *opened;
	struct cursor *self;
	PyObject *options;
	const char **list;

	if (!PyArg_ParseTuple(args, "IIO!", &kind, &location, &PyTuple_Type, &options) ||
	    !module_is_open(trace))
		return NULL;
	list = module_options(options);
	if (!list)
		return NULL;
	trace->users++;
	Py_BEGIN_ALLOW_THREADS opened =
		tview_cursor_open(trace->trace, (enum tview_kind)kind, location, list, &error);
	Py_END_ALLOW_THREADS trace->users--;
	PyMem_Free(list);
	if (!opened)
		return module_raise(module_state(object), &error);
	self = (struct cursor *)PyType_GenericNew(module_state(object)->cursor, NULL, NULL);
	if (!self) {
		tview_cursor_close(opened);
		return NULL;
	}
	module_use(trace);
	self->owner = trace;
	self->cursor = opened;
	self->kind = (enum tview_kind)kind;
	return (PyObject *)self;
}

static void cursor_dealloc(PyObject *object)
{
	struct cursor *self = (struct cursor *)object;

	tview_cursor_close(self->cursor);
	if (self->owner)
		module_unuse(self->owner);
	module_release(object);
}

static bool is_free(const struct cursor *self)
{
	if (self->busy)
		PyErr_SetString(PyExc_RuntimeError, "another thread reads the records");
	return !self->busy;
}

static PyObject *number_of(const char *at, char format)
{
	union {
		int64_t q;
		uint64_t Q;
		double d;
		int32_t i;
		uint32_t I;
	} is;

	memcpy(&is, at, format == 'i' || format == 'I' ? 4 : 8);
	switch (format) {
	case 'q': return PyLong_FromLongLong(is.q);
	case 'Q': return PyLong_FromUnsignedLongLong(is.Q);
	case 'd': return PyFloat_FromDouble(is.d);
	case 'i': return PyLong_FromLong(is.i);
	default: return PyLong_FromUnsignedLong(is.I);
	}
}

static PyObject *row_of(enum tview_kind kind, const char *record)
{
	const struct tview_field *fields = tview_record_fields(kind);
	Py_ssize_t n = 0;
	PyObject *row;

	while (fields[n].name)
		n++;
	row = PyTuple_New(n);
	for (Py_ssize_t i = 0; row && i < n; i++) {
		PyObject *number = number_of(record + fields[i].offset, fields[i].format);
		if (!number || PyTuple_SetItem(row, i, number) != 0)
			Py_CLEAR(row);
	}
	return row;
}

static PyObject *cursor_next(PyObject *object)
{
	struct cursor *self = (struct cursor *)object;
	_Alignas(8) char record[RECORD_MOST];

	if (!is_free(self) || tview_record_size(self->kind) > sizeof record ||
	    tview_cursor_read(self->cursor, self->kind, record, 1) == 0)
		return NULL;
	return row_of(self->kind, record);
}

/* What is left of a cursor; false where memory ran out. */
static bool read_all(struct cursor *self, struct records *to)
{
	const size_t size = tview_record_size(self->kind);
	size_t room = 0, n = 0, got;

	do {
		if (n == room) {
			char *more = realloc(to->data, (2 * room + RECORDS_FIRST) * size);
			if (!more)
				return false;
			to->data = more;
			room = 2 * room + RECORDS_FIRST;
		}
		got = tview_cursor_read(self->cursor, self->kind, to->data + n * size, room - n);
		n += got;
	} while (got > 0);
	to->n = (Py_ssize_t)n;
	return true;
}

static PyObject *cursor_read(PyObject *object, PyObject *unused)
{
	struct cursor *self = (struct cursor *)object;
	struct records *to;
	bool ok;

	(void)unused;
	if (!is_free(self))
		return NULL;
	to = (struct records *)PyType_GenericNew(module_state(object)->records, NULL, NULL);
	if (!to)
		return NULL;
	to->kind = self->kind;
	self->busy = true;
	Py_BEGIN_ALLOW_THREADS ok = read_all(self, to);
	Py_END_ALLOW_THREADS self->busy = false;
	if (ok)
		return (PyObject *)to;
	Py_DECREF((PyObject *)to);
	return PyErr_NoMemory();
}

static PyMethodDef cursor_methods[] = {
	{ "read", cursor_read, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
static PyType_Slot cursor_slots[] = {
	{ Py_tp_dealloc, cursor_dealloc },
	{ Py_tp_methods, cursor_methods },
	{ Py_tp_iter, PyObject_SelfIter },
	{ Py_tp_iternext, cursor_next },
	{ 0, NULL },
};
PyType_Spec module_cursor_spec = {
	"tview._library.Cursor",
	sizeof(struct cursor),
	0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	cursor_slots,
};

/* ---- records ---- */

static void records_dealloc(PyObject *object)
{
	free(((struct records *)object)->data);
	module_release(object);
}

/* A field of all records; without a name all bytes, a row a record. */
static PyObject *records_values(PyObject *object, PyObject *args)
{
	struct records *self = (struct records *)object;
	const int64_t size = (int64_t)tview_record_size(self->kind);
	const struct tview_field *f = tview_record_fields(self->kind);
	struct tview_array array = { .data = self->data,
				     .shape = { self->n, size },
				     .stride = { size, 1 },
				     .dims = 2,
				     .format = 'B' };
	const char *name = NULL;

	if (!PyArg_ParseTuple(args, "|s", &name))
		return NULL;
	if (!name)
		return module_array(object, &array);
	while (f->name && strcmp(f->name, name) != 0)
		f++;
	if (!f->name)
		Py_RETURN_NONE;
	array = (struct tview_array){ .data = self->data + f->offset,
				      .shape = { self->n, 1 },
				      .stride = { size, size },
				      .dims = 1,
				      .format = f->format };
	return module_array(object, &array);
}

static Py_ssize_t records_length(PyObject *object)
{
	return ((struct records *)object)->n;
}

static PyObject *records_item(PyObject *object, Py_ssize_t i)
{
	struct records *self = (struct records *)object;

	if (i < 0 || i >= self->n) {
		PyErr_SetString(PyExc_IndexError, "there is no such record");
		return NULL;
	}
	return row_of(self->kind, self->data + (size_t)i * tview_record_size(self->kind));
}

static PyMethodDef records_methods[] = {
	{ "values", records_values, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
static PyType_Slot records_slots[] = {
	{ Py_tp_dealloc, records_dealloc },
	{ Py_tp_methods, records_methods },
	{ Py_sq_length, records_length },
	{ Py_sq_item, records_item },
	{ 0, NULL },
};
PyType_Spec module_records_spec = {
	"tview._library.Records",
	sizeof(struct records),
	0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	records_slots,
};

/* ---- definitions ---- */

/* The i-th of a sort; NULL without an exception after the last. */
typedef PyObject *definition(tview_trace *trace, uint32_t i);

static PyObject *location(tview_trace *trace, uint32_t i)
{
	struct tview_location l;

	return tview_location(trace, i, &l)
		       ? Py_BuildValue("(ssiiLLKI)", l.name, l.node, l.rank, l.thread,
				       (long long)l.begin, (long long)l.end,
				       (unsigned long long)l.events, l.type)
		       : NULL;
}

static PyObject *region(tview_trace *trace, uint32_t i)
{
	struct tview_region r;

	return tview_region(trace, i, &r) ? Py_BuildValue("(sssI)", r.name, r.cls, r.file, r.line)
					  : NULL;
}

static PyObject *callpath(tview_trace *trace, uint32_t i)
{
	struct tview_callpath p;

	return tview_callpath(trace, i, &p) ? Py_BuildValue("(IIIIsI)", p.parent, p.region,
							    p.canonical, p.depth, p.file, p.line)
					    : NULL;
}

static PyObject *ranks(const int32_t *of, uint32_t n)
{
	PyObject *tuple = PyTuple_New((Py_ssize_t)n);

	for (uint32_t i = 0; tuple && i < n; i++) {
		PyObject *rank = PyLong_FromLong(of[i]);
		if (!rank || PyTuple_SetItem(tuple, (Py_ssize_t)i, rank) != 0)
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *comm(tview_trace *trace, uint32_t i)
{
	struct tview_comm c;

	return tview_comm(trace, i, &c) ? Py_BuildValue("(sNNIO)", c.name, ranks(c.ranks, c.size),
							ranks(c.remote, c.remote_size), c.parent,
							c.of_threads ? Py_True : Py_False)
					: NULL;
}

static PyObject *grid(tview_trace *trace, uint32_t i)
{
	PyObject *size, *periodic;
	struct tview_grid g;

	if (!tview_grid(trace, i, &g))
		return NULL;
	size = PyTuple_New((Py_ssize_t)g.dims);
	periodic = PyTuple_New((Py_ssize_t)g.dims);
	for (uint32_t d = 0; size && periodic && d < g.dims; d++) {
		PyTuple_SetItem(size, (Py_ssize_t)d, PyLong_FromUnsignedLong(g.size[d]));
		PyTuple_SetItem(periodic, (Py_ssize_t)d, PyLong_FromLong(g.periodic[d]));
	}
	return Py_BuildValue("(ssONN)", g.name, g.note, g.guessed ? Py_True : Py_False, size,
			     periodic);
}

PyObject *module_trace_definitions(PyObject *object, PyObject *args)
{
	static const struct {
		const char *name;
		definition *get;
	} sorts[] = {
		{ "locations", location }, { "regions", region }, { "callpaths", callpath },
		{ "comms", comm },         { "grids", grid },
	};
	struct trace *self = (struct trace *)object;
	PyObject *list = NULL, *one;
	definition *get = NULL;
	const char *name;

	if (!PyArg_ParseTuple(args, "s", &name) || !module_is_open(self))
		return NULL;
	for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
		if (strcmp(sorts[i].name, name) == 0)
			get = sorts[i].get;
	if (get)
		list = PyList_New(0);
	for (uint32_t i = 0; list && (one = get(self->trace, i)); i++) {
		if (PyList_Append(list, one) != 0)
			Py_CLEAR(list);
		Py_DECREF(one);
	}
	if (PyErr_Occurred())
		Py_CLEAR(list);
	else if (!list)
		PyErr_SetString(PyExc_ValueError, name);
	return list;
}

PyObject *module_trace_callpath(PyObject *object, PyObject *args)
{
	struct trace *self = (struct trace *)object;
	PyObject *is = NULL;
	unsigned id;
	size_t n;
	char *text;

	if (!PyArg_ParseTuple(args, "I", &id) || !module_is_open(self))
		return NULL;
	n = tview_callpath_text(self->trace, id, NULL, 0);
	text = PyMem_Malloc(n + 1);
	if (!text)
		return PyErr_NoMemory();
	tview_callpath_text(self->trace, id, text, n + 1);
	is = PyUnicode_FromString(text);
	PyMem_Free(text);
	return is;
}

PyObject *module_trace_string(PyObject *object, PyObject *args)
{
	struct trace *self = (struct trace *)object;
	unsigned id;

	if (!PyArg_ParseTuple(args, "I", &id) || !module_is_open(self))
		return NULL;
	return module_text(tview_string(self->trace, id));
}

/* None where there is no such array. A number: the places of that grid. */
PyObject *module_trace_shared(PyObject *object, PyObject *args)
{
	struct trace *self = (struct trace *)object;
	struct tview_array array;
	const char *name;
	unsigned grid_of = 0;

	if (!PyArg_ParseTuple(args, "z|I", &name, &grid_of) || !module_is_open(self))
		return NULL;
	if (name ? !tview_shared(self->trace, name, &array)
		 : !tview_grid_places(self->trace, grid_of, &array))
		Py_RETURN_NONE;
	return module_array(object, &array);
}

PyObject *module_trace_times(PyObject *object, PyObject *unused)
{
	struct trace *self = (struct trace *)object;
	PyObject *bases = PyList_New(0);
	int64_t begin, end;
	const char *name;

	(void)unused;
	if (!module_is_open(self))
		Py_CLEAR(bases);
	for (unsigned i = 0; bases && (name = tview_base_name(self->trace, i)); i++) {
		PyObject *text = PyUnicode_FromString(name);
		if (!text || PyList_Append(bases, text) != 0)
			Py_CLEAR(bases);
		Py_XDECREF(text);
	}
	if (!bases)
		return NULL;
	tview_span(self->trace, &begin, &end);
	return Py_BuildValue("(LsNLL)", (long long)tview_ticks_per_second(self->trace),
			     tview_base(self->trace), bases, (long long)begin, (long long)end);
}

/* ---- what holds for all traces ---- */

static PyObject *fields_of(enum tview_kind kind)
{
	PyObject *list = PyList_New(0);

	for (const struct tview_field *f = tview_record_fields(kind); list && f->name; f++) {
		PyObject *field = Py_BuildValue("(sCI)", f->name, f->format, f->offset);
		if (!field || PyList_Append(list, field) != 0)
			Py_CLEAR(list);
		Py_XDECREF(field);
	}
	return list;
}

static PyObject *kind_of(uint32_t i)
{
	const char *name = tview_kind_name((enum tview_kind)i);

	return name ? Py_BuildValue("(snN)", name,
				    (Py_ssize_t)tview_record_size((enum tview_kind)i),
				    fields_of((enum tview_kind)i))
		    : NULL;
}

static PyObject *event_kind(uint32_t i)
{
	return tview_event_kind(i) ? PyUnicode_FromString(tview_event_kind(i)) : NULL;
}

static PyObject *metric(uint32_t i)
{
	struct tview_metric m;

	return tview_metric(i, &m)
		       ? Py_BuildValue("(ssssI)", m.name, m.title, m.unit, m.text, m.parent)
		       : NULL;
}

static PyObject *list_of(PyObject *(*get)(uint32_t i))
{
	PyObject *list = PyList_New(0), *one;

	for (uint32_t i = 0; list && (one = get(i)); i++) {
		if (PyList_Append(list, one) != 0)
			Py_CLEAR(list);
		Py_DECREF(one);
	}
	if (PyErr_Occurred())
		Py_CLEAR(list);
	return list;
}

PyObject *module_meanings(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return Py_BuildValue("(NNN)", list_of(kind_of), list_of(event_kind), list_of(metric));
}
