#include "correct/overhead/overhead_spread.h"
#include "base/order.h"

#include <math.h>
#include <string.h>

/* The exponent and the first four bits of the mantissa: ascending with the value. */
static uint32_t key_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return (uint32_t)(bits >> 48);
}

/* The least value of a bin. */
static double least_of(uint32_t key)
{
	const uint64_t bits = (uint64_t)key << 48;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static double width_of(uint32_t key)
{
	return least_of(key + 1) - least_of(key);
}

static struct spread_bin *bin_of(struct spread *spread, uint32_t key, double value)
{
	size_t low = 0, high = spread->bins.n;
	const struct spread_bin fresh = { .key = key, .min = value, .max = value };

	BISECT(low, high, middle, spread->bins.data[middle].key < key);
	if (low < spread->bins.n && spread->bins.data[low].key == key)
		return &spread->bins.data[low];
	vec_push(&spread->bins, fresh);
	memmove(&spread->bins.data[low + 1], &spread->bins.data[low],
		(spread->bins.n - 1 - low) * sizeof fresh);
	spread->bins.data[low] = fresh;
	return &spread->bins.data[low];
}

void spread_add(struct spread *spread, double value, double weight)
{
	struct spread_bin *bin;
	double place;

	if (!(value > 0))
		value = 0;
	bin = bin_of(spread, key_of(value), value);
	place = (value - least_of(bin->key)) / width_of(bin->key);
	bin->count++;
	bin->sum += rate_of(place);
	bin->sum2 += rate_of(place * place);
	bin->weight += fixed_of(weight);
	if (value < bin->min)
		bin->min = value;
	if (value > bin->max)
		bin->max = value;
	spread->n++;
}

void spread_add_bin(struct spread *spread, const struct spread_bin *more)
{
	struct spread_bin *bin = bin_of(spread, more->key, more->min);

	bin->count += more->count;
	bin->sum += more->sum;
	bin->sum2 += more->sum2;
	bin->weight += more->weight;
	bin->min = fmin(bin->min, more->min);
	bin->max = fmax(bin->max, more->max);
	spread->n += more->count;
}

double spread_quantile(const struct spread *spread, double q)
{
	double at;

	if (spread->n == 0)
		return 0;
	at = q * (double)(spread->n - 1);
	for (size_t i = 0; i < spread->bins.n; i++) {
		const struct spread_bin *bin = &spread->bins.data[i];
		const double count = (double)bin->count;
		if (at < count || i + 1 == spread->bins.n) {
			const double share = bin->count > 1 ? at / (count - 1) : 0;
			return bin->min + (bin->max - bin->min) * (share < 1 ? share : 1);
		}
		at -= count;
	}
	return 0;
}

static double mean_of(const struct spread_bin *bin)
{
	if (bin->min == bin->max)
		return bin->min;
	return least_of(bin->key) + width_of(bin->key) * rate_value(bin->sum) / (double)bin->count;
}

/* Sum of the squared distances from the mean. */
static double squares_of(const struct spread_bin *bin)
{
	const double width = width_of(bin->key), sum = rate_value(bin->sum);

	if (bin->min == bin->max)
		return 0;
	return fmax(0, rate_value(bin->sum2) - sum * sum / (double)bin->count) * width * width;
}

struct spread_mean spread_mean(const struct spread *spread, double cut)
{
	return spread_mean_above(spread, -1, cut);
}

struct spread_mean spread_mean_above(const struct spread *spread, double above, double cut)
{
	struct spread_mean result = { 0 };
	uint64_t n = spread->n;
	double squares = 0, left;
	size_t first = 0;

	while (first < spread->bins.n && spread->bins.data[first].max <= above)
		n -= spread->bins.data[first++].count;
	left = (double)(n - (uint64_t)((double)n * cut));
	for (size_t i = first; i < spread->bins.n && left > 0; i++) {
		const struct spread_bin *bin = &spread->bins.data[i];
		const double count = (double)bin->count, take = count < left ? count : left;
		const double mean = mean_of(bin), inside = squares_of(bin);
		const double apart = mean - result.mean;
		/* Means and squares of two sets joined (Chan et al.): nothing cancels. */
		squares +=
			inside * take / count + apart * apart * result.n * take / (result.n + take);
		result.mean += apart * take / (result.n + take);
		result.weight += (fixed_value(bin->weight) / count - result.weight) * take /
				 (result.n + take);
		result.n += take;
		left -= take;
	}
	if (result.n > 1 && squares > 0)
		result.error = sqrt(squares / (result.n - 1) / result.n);
	return result;
}

struct spread_mean spread_mean_join(struct spread_mean a, struct spread_mean b)
{
	const double n = a.n + b.n, apart = b.mean - a.mean;
	struct spread_mean both = { .n = n };
	double squares;

	if (!(a.n > 0) || !(b.n > 0))
		return a.n > 0 ? a : b;
	squares = a.error * a.error * a.n * (a.n - 1) + b.error * b.error * b.n * (b.n - 1) +
		  apart * apart * a.n * b.n / n;
	both.mean = a.mean + apart * b.n / n;
	both.weight = a.weight + (b.weight - a.weight) * b.n / n;
	both.error = sqrt(squares / (n - 1) / n);
	return both;
}

struct spread_excess spread_excess(const struct spread *spread, double usual, double limit)
{
	struct spread_excess excess = { 0, 0 };
	const struct spread_bin *bin;

	vec_each (bin, &spread->bins) {
		double amount;
		if (!(bin->min > limit))
			continue;
		amount = fixed_value(bin->weight) * (1 - usual / mean_of(bin));
		excess.amount += amount;
		excess.squares += amount * amount / (double)bin->count;
	}
	return excess;
}

void spread_fini(struct spread *spread)
{
	vec_fini(&spread->bins);
	spread->n = 0;
}
