/* tview.h: marks regions of your own program in a trace made by tvrun.
 *
 *	#include <tview.h>
 *
 *	tview_begin("assemble");
 *	...
 *	tview_end("assemble");
 *	tview_mark("step done");
 *
 * Without tvrun the calls do nothing (one test of a pointer). Nothing has to be linked; with C libraries older than
 * glibc 2.34 add -ldl. Regions nest properly within a thread: what began last ends first. Names are copied when a
 * thread first uses them; keep them to string constants, a name costs memory for good. */
#ifndef TVIEW_H
#define TVIEW_H

#include <dlfcn.h>
#include <stddef.h>

/* Not to be seen in the trace themselves, where the program's functions are (-finstrument-functions). */
#define TVIEW_INLINE static inline __attribute__((no_instrument_function))

#ifdef __cplusplus
extern "C" {
#endif

/* What the library offers under the name tview_api; later versions only append. */
struct tview_api {
	unsigned version; /* 1 */
	void (*begin)(const char *name);
	void (*end)(const char *name);
	void (*mark)(const char *name);
};

static const struct tview_api tview_no_api = { 0, NULL, NULL, NULL };

/* The library's functions, looked up once; tview_no_api where the program does not run under tvrun. */
TVIEW_INLINE const struct tview_api *tview_api_find(void)
{
	static const struct tview_api *found;
	const struct tview_api *api = __atomic_load_n(&found, __ATOMIC_RELAXED);

	if (!api) {
		void *self = dlopen(NULL, RTLD_LAZY);
		api = self ? (const struct tview_api *)dlsym(self, "tview_api") : NULL;
		if (!api)
			api = &tview_no_api;
		__atomic_store_n(&found, api, __ATOMIC_RELAXED);
	}
	return api;
}

/* A region begins, in this thread. */
TVIEW_INLINE void tview_begin(const char *name)
{
	const struct tview_api *api = tview_api_find();

	if (api->begin)
		api->begin(name);
}

/* The region of that name that began last ends. */
TVIEW_INLINE void tview_end(const char *name)
{
	const struct tview_api *api = tview_api_find();

	if (api->end)
		api->end(name);
}

/* Something happened here, once. */
TVIEW_INLINE void tview_mark(const char *name)
{
	const struct tview_api *api = tview_api_find();

	if (api->mark)
		api->mark(name);
}

#ifdef __cplusplus
}
#endif

#endif
