static double stdc_pragma_fp(double a, double b) {
#pragma STDC FP_CONTRACT OFF
	double s = 0; for (int i = 0; i < 3; i++) s += a * b; return s; }
void stdc_pragma(void) { printf("%g\n", stdc_pragma_fp(1.5, 2)); }
