static int vla_dim(int n) { return n + 1; }
static int vla_fill(int n, int (*m)[n]) { int s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < n; j++) s += m[i][j] = i * n + j; return s; }
void vla(void)
{
	int n = vla_dim(2), m[2][n], w[vla_dim(n)];
	for (int i = 0; i < vla_dim(n); i++) { int v[i + 1]; for (int j = 0; j <= i; j++) v[j] = j; w[i] = v[i]; }
	printf("%d %d %d %d\n", vla_fill(n, m), (int)(sizeof w / sizeof *w), w[3], (int)sizeof(int[vla_dim(4)]));
}
