static int *lvalues_cell(int i) { static int a[5]; return &a[i]; }
static int lvalues_idx(int i) { return i % 5; }
void lvalues(void) { *lvalues_cell(1) = 4; lvalues_cell(2)[0] += *lvalues_cell(lvalues_idx(6)); ++*lvalues_cell(lvalues_idx(lvalues_idx(3))); (*lvalues_cell(3))--; lvalues_cell(0)[lvalues_idx(4)] = 9; printf("%d %d %d %d\n", *lvalues_cell(1), *lvalues_cell(2), *lvalues_cell(3), *lvalues_cell(4)); }
