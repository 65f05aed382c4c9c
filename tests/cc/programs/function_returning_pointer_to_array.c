static int function_returning_pointer_to_array_store[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
static int (*function_returning_pointer_to_array_row(int i))[3] { return &function_returning_pointer_to_array_store[i]; }
static int (*function_returning_pointer_to_array_pickf(int k))(int (*)[3]);
static int function_returning_pointer_to_array_addr(int (*r)[3]) { int s = 0; for (int i = 0; i < 3; i++) s += (*r)[i]; return s; }
static int (*function_returning_pointer_to_array_pickf(int k))(int (*)[3]) { return k ? function_returning_pointer_to_array_addr : 0; }
void function_returning_pointer_to_array(void) { printf("%d %d %d\n", (*function_returning_pointer_to_array_row(1))[2], function_returning_pointer_to_array_addr(function_returning_pointer_to_array_row(0)), function_returning_pointer_to_array_pickf(1)(function_returning_pointer_to_array_row(1))); }
