/* fields: the fields of a row of a .def file, pairs in brackets, one by one.
 *
 *	#define SHOW(i, sort, name) ...
 *	FIELDS_EACH(SHOW, (COMM, comm), (COUNT, lock))	SHOW(0, COMM, comm) SHOW(1, COUNT, lock)
 *	FIELDS_COUNT((COMM, comm), (COUNT, lock))	2 */
#pragma once

#define FIELDS_OPEN(sort, name)      sort, name
#define FIELDS_USE(use, i, ...)      use(i, __VA_ARGS__)
#define FIELDS_1(use, a)             FIELDS_USE(use, 0, FIELDS_OPEN a)
#define FIELDS_2(use, a, b)          FIELDS_1(use, a) FIELDS_USE(use, 1, FIELDS_OPEN b)
#define FIELDS_3(use, a, b, c)       FIELDS_2(use, a, b) FIELDS_USE(use, 2, FIELDS_OPEN c)
#define FIELDS_4(use, a, b, c, d)    FIELDS_3(use, a, b, c) FIELDS_USE(use, 3, FIELDS_OPEN d)
#define FIELDS_5(use, a, b, c, d, e) FIELDS_4(use, a, b, c, d) FIELDS_USE(use, 4, FIELDS_OPEN e)
#define FIELDS_6(use, a, b, c, d, e, f) \
	FIELDS_5(use, a, b, c, d, e) FIELDS_USE(use, 5, FIELDS_OPEN f)
#define FIELDS_7(use, a, b, c, d, e, f, g) \
	FIELDS_6(use, a, b, c, d, e, f) FIELDS_USE(use, 6, FIELDS_OPEN g)
#define FIELDS_8(use, a, b, c, d, e, f, g, h) \
	FIELDS_7(use, a, b, c, d, e, f, g) FIELDS_USE(use, 7, FIELDS_OPEN h)
#define FIELDS_9(use, a, b, c, d, e, f, g, h, i) \
	FIELDS_8(use, a, b, c, d, e, f, g, h) FIELDS_USE(use, 8, FIELDS_OPEN i)
#define FIELDS_10(use, a, b, c, d, e, f, g, h, i, j) \
	FIELDS_9(use, a, b, c, d, e, f, g, h, i) FIELDS_USE(use, 9, FIELDS_OPEN j)
#define FIELDS_11TH(a, b, c, d, e, f, g, h, i, j, k, ...) k

#define FIELDS_COUNT(...) FIELDS_11TH(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define FIELDS_EACH(use, ...)                                                                 \
	FIELDS_11TH(__VA_ARGS__, FIELDS_10, FIELDS_9, FIELDS_8, FIELDS_7, FIELDS_6, FIELDS_5, \
		    FIELDS_4, FIELDS_3, FIELDS_2, FIELDS_1, 0)                                \
	(use, __VA_ARGS__)
