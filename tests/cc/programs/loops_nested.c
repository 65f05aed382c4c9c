void loops_nested(void)
{
	int s = 0;
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			while (s % 3)
				do s++; while (s & 1);
	for (int i = 0; i < 4; i++) for (int j = i; j < 4; j++) s += i * j;
	printf("%d\n", s);
}
