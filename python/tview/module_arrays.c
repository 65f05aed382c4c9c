/* module_arrays: memory of the library that Python sees through its buffer protocol, to be read only. */
#include "module.h"

struct array {
	PyObject_HEAD PyObject *owner; /* what the memory belongs to: a table, records, a trace */
	struct tview_array is;
	Py_ssize_t shape[2], stride[2], item;
	char format[2];
};

static Py_ssize_t size_of(char format)
{
	switch (format) {
	case '?':
	case 'B': return 1;
	case 'H': return 2;
	case 'i':
	case 'I': return 4;
	default: return 8;
	}
}

static struct trace *trace_of(PyObject *owner)
{
	return PyObject_TypeCheck(owner, module_state(owner)->trace) ? (struct trace *)owner : NULL;
}

PyObject *module_array(PyObject *owner, const struct tview_array *is)
{
	struct array *self =
		(struct array *)PyType_GenericNew(module_state(owner)->array, NULL, NULL);

	if (!self)
		return NULL;
	if (trace_of(owner))
		module_use(trace_of(owner));
	else
		Py_INCREF(owner);
	self->owner = owner;
	self->is = *is;
	for (int i = 0; i < 2; i++) {
		self->shape[i] = (Py_ssize_t)is->shape[i];
		self->stride[i] = (Py_ssize_t)is->stride[i];
	}
	self->item = size_of(is->format);
	self->format[0] = is->format;
	return (PyObject *)self;
}

static void array_dealloc(PyObject *object)
{
	PyObject *owner = ((struct array *)object)->owner;

	if (owner && trace_of(owner))
		module_unuse(trace_of(owner));
	else
		Py_XDECREF(owner);
	module_release(object);
}

static bool is_contiguous(const struct array *self)
{
	const Py_ssize_t row = self->is.dims > 1 ? self->shape[1] * self->item : self->item;

	return self->stride[0] == row && (self->is.dims < 2 || self->stride[1] == self->item);
}

static int array_buffer(PyObject *object, Py_buffer *view, int flags)
{
	static char nothing[8];
	struct array *self = (struct array *)object;
	const bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;

	view->obj = NULL;
	if ((flags & PyBUF_WRITABLE) || (!strided && !is_contiguous(self))) {
		PyErr_SetString(PyExc_BufferError, flags & PyBUF_WRITABLE
							   ? "columns can only be read"
							   : "the column has strides");
		return -1;
	}
	*view = (Py_buffer){
		.obj = object,
		.buf = self->is.data ? (void *)(uintptr_t)self->is.data : nothing,
		.len = self->item * self->shape[0] * (self->is.dims > 1 ? self->shape[1] : 1),
		.itemsize = self->item,
		.readonly = 1,
		.ndim = self->is.dims,
		.format = flags & PyBUF_FORMAT ? self->format : NULL,
		.shape = flags & PyBUF_ND ? self->shape : NULL,
		.strides = strided ? self->stride : NULL,
	};
	Py_INCREF(object);
	return 0;
}

static PyType_Slot array_slots[] = {
	{ Py_tp_dealloc, array_dealloc },
	{ Py_bf_getbuffer, array_buffer },
	{ 0, NULL },
};
PyType_Spec module_array_spec = {
	"tview._library.Array",
	sizeof(struct array),
	0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	array_slots,
};
