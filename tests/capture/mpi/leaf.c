/* leaf: a library, to be compiled with -finstrument-functions: leaf() calls a function without a name outside of it. */
static volatile int n;

__attribute__((noinline)) static void inner(void)
{
	n++;
}

void leaf(void)
{
	inner();
	n++;
}
