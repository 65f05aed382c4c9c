static int globals_base_(void) { return 3; }
static int (*const globals_table[])(void) = { globals_base_, globals_base_ };
static int globals_total_ = sizeof(globals_table) / sizeof(*globals_table);
void globals(void) { static int kept; static int (*fp)(void) = globals_base_; for (int i = 0; i < globals_total_; i++) kept += globals_table[i]() * fp(); printf("%d\n", kept); }
