static int line_directives_lined(int x)
{
#line 100 "elsewhere.y"
	for (int i = 0; i < 3; i++)
		x += i;
#line 5 "programs/line_directives.c"
	return x;
}
void line_directives(void) { printf("%d\n", line_directives_lined(1)); }
