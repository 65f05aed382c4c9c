#include "base/median.h"

#include "base/order.h"

ORDERING_OF_NUMBERS(ascending, double)

double median_of(double *values, size_t n)
{
	if (n == 0)
		return 0;
	SORT(values, n, ascending);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
