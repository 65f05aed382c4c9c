#include "base/median.h"

#include "base/order.h"

enum { FEW = 16 };

ORDERING_OF_NUMBERS(ascending, double)

static void swap(double *a, double *b)
{
	const double value = *a;

	*a = *b;
	*b = value;
}

/* The middle one of the first, the middle and the last value. */
static double guess(const double *values, size_t n)
{
	const double a = values[0], b = values[n / 2], c = values[n - 1];

	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

/* Puts the k-th smallest value where it is when they are sorted, none greater before it. Divides by
 * a guess (Hoare 1961), and sorts where that does not get on. */
static double select_value(double *values, size_t n, size_t k)
{
	size_t low = 0, high = n;

	for (size_t left = n; left > 0 && high - low > FEW; left /= 2) {
		const double pivot = guess(values + low, high - low);
		size_t i = low, j = high - 1;
		for (;; i++, j--) {
			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&values[i], &values[j]);
		}
		/* Up to j none is greater than the pivot, from i on none is less; between them,
		 * and where they meet, all equal it. */
		if (k < j || (k == j && i > j))
			high = j + (i > j);
		else if (k > i || (k == i && i > j))
			low = i + (i == j);
		else
			return values[k];
	}
	SORT(values + low, high - low, ascending);
	return values[k];
}

double median_of(double *values, size_t n)
{
	double middle, below;

	if (n == 0)
		return 0;
	middle = select_value(values, n, n / 2);
	if (n % 2)
		return middle;
	below = values[0];
	for (size_t i = 1; i < n / 2; i++)
		below = values[i] > below ? values[i] : below;
	return (below + middle) / 2;
}
