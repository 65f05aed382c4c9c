/* detail_fields: the fields of a row of details.def, one by one.
 *
 *	#define SHOW(i, sort, name) ...
 *	FIELDS_EACH(SHOW, (COMM, comm), (COUNT, lock))	SHOW(0, COMM, comm) SHOW(1, COUNT, lock)
 *	FIELDS_COUNT((COMM, comm), (COUNT, lock))	2 */
#ifndef TVIEW_MODEL_TRACE_DETAIL_FIELDS_H
#define TVIEW_MODEL_TRACE_DETAIL_FIELDS_H

#define FIELDS_OPEN(sort, name)      sort, name
#define FIELDS_USE(use, i, ...)      use(i, __VA_ARGS__)
#define FIELDS_1(use, a)             FIELDS_USE(use, 0, FIELDS_OPEN a)
#define FIELDS_2(use, a, b)          FIELDS_1(use, a) FIELDS_USE(use, 1, FIELDS_OPEN b)
#define FIELDS_3(use, a, b, c)       FIELDS_2(use, a, b) FIELDS_USE(use, 2, FIELDS_OPEN c)
#define FIELDS_4(use, a, b, c, d)    FIELDS_3(use, a, b, c) FIELDS_USE(use, 3, FIELDS_OPEN d)
#define FIELDS_5(use, a, b, c, d, e) FIELDS_4(use, a, b, c, d) FIELDS_USE(use, 4, FIELDS_OPEN e)
#define FIELDS_6(use, a, b, c, d, e, f) \
	FIELDS_5(use, a, b, c, d, e) FIELDS_USE(use, 5, FIELDS_OPEN f)
#define FIELDS_SEVENTH(a, b, c, d, e, f, g, ...) g
#define FIELDS_COUNT(...)                        FIELDS_SEVENTH(__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0)
#define FIELDS_EACH(use, ...)                                                                      \
	FIELDS_SEVENTH(__VA_ARGS__, FIELDS_6, FIELDS_5, FIELDS_4, FIELDS_3, FIELDS_2, FIELDS_1, 0) \
	(use, __VA_ARGS__)

#endif
