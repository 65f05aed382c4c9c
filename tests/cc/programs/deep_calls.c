static int deep_calls_s(int x) { return x + 1; }
void deep_calls(void) { printf("%d\n", deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(deep_calls_s(0))))))))))))))))))))); }
