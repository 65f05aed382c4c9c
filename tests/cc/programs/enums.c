enum { enums_A = sizeof(int), enums_B = enums_A * 2, enums_C = 1 ? 3 : 4 };
static int enums_en_(int x) { enum { LOCAL = 6 }; switch (x) { case enums_A: return LOCAL; case enums_B ... enums_B + 1: return enums_C; } return 0; }
void enums(void) { int arr[enums_C] = { enums_en_(enums_A), enums_en_(enums_B), enums_en_(1) }; for (int i = 0; i < enums_C; i++) printf("%d ", arr[i]); puts(""); }
