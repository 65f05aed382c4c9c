/* Valid in every C and C++, and nothing to be warned about: with probes there must be nothing either. */
#include <stdio.h>

struct pair {
	int a;
	int b[2];
};

int twice(int x);
int choose(int (*f)(int), int x);
struct pair make(int a);
int total(struct pair p);
void nothing(int *x);

int twice(int x)
{
	return x + x;
}

int choose(int (*f)(int), int x)
{
	return x > 2 ? f(f(x)) : twice(f(x));
}

struct pair make(int a)
{
	struct pair p;
	p.a = a;
	p.b[0] = twice(a);
	p.b[1] = 0;
	return p;
}

int total(struct pair p)
{
	int s = p.a, i;
	for (i = 0; i < 2; i++)
		s += p.b[i];
	return s;
}

void nothing(int *x)
{
	if (*x)
		return;
	while (*x < 5)
		if (++*x == 3)
			return;
}

int main(void)
{
	int x = 0, i, j;
	nothing(&x);
	for (i = 0; i < 3; i++)
		for (j = 0; j < i; j++)
			if (i == 2)
				x += choose(twice, twice(i));
			else
				x += make(twice(j)).a;
	do
		x++;
	while (x % 7);
	switch (x % 3) {
	case 0:
		for (;;) {
			if (x++ > 100)
				break;
		}
		break;
	case 1:
		while (x > 10)
			x--;
		break;
	default: do { x += 3;
		} while (x < 50);
	}
	printf("%d\n", x + total(make(twice(4))));
	return 0;
}
