static int stmt_expr_inc(int x) { return x + 1; }
#define MAX(a, b) ({ __typeof__(a) x_ = (a); __typeof__(b) y_ = (b); x_ > y_ ? x_ : y_; })
void stmt_expr(void)
{
	int m = MAX(stmt_expr_inc(3), MAX(stmt_expr_inc(1), stmt_expr_inc(7)));
	int s = stmt_expr_inc(({ int t = 0; for (int i = 0; i < stmt_expr_inc(4); i++) t += stmt_expr_inc(i); t; }));
	for (int i = 0; i < ({ int q = 3; while (q < 5) q++; q; }); i++) s += ({ if (i == 2) continue; stmt_expr_inc(i); });
	printf("%d %d\n", m, s);
}
#undef MAX
