/* old_start: how programs of the bundle begin with a glibc before 2.34, which calls what it is given, and
 * with a later one, which does the same for programs that begin by the old symbol. */

typedef int main_function(int argc, char **argv, char **environment);
typedef void start_function(int argc, char **argv, char **environment);
extern start_function *const __init_array_start[], *const __init_array_end[];
int __real___libc_start_main(main_function *main, int argc, char **argv, start_function *init,
			     void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __wrap___libc_start_main(main_function *main, int argc, char **argv, start_function *init,
			     void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

/* Programs that start by the old symbol call their constructors themselves. */
static void construct(int argc, char **argv, char **environment)
{
	for (start_function *const *at = __init_array_start; at < __init_array_end; at++)
		(*at)(argc, argv, environment);
}

int __wrap___libc_start_main(main_function *main, int argc, char **argv, start_function *init,
			     void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	(void)init;
	return __real___libc_start_main(main, argc, argv, construct, fini, rtld_fini, stack_end);
}
