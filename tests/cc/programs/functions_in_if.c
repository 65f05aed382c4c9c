static int functions_in_if_z(void) { return 0; }
static int functions_in_if_o(void) { return 1; }
void functions_in_if(void) { if (functions_in_if_z()) puts("functions_in_if_z"); else if (functions_in_if_o()) puts("functions_in_if_o"); else puts("?"); if (!functions_in_if_z()) { if (functions_in_if_o() == 1) puts("in"); } else puts("out"); switch (functions_in_if_o()) case 1: puts("one"); switch (functions_in_if_z() + functions_in_if_o()) { default: puts("d"); } while (functions_in_if_z()) ; do puts("x"); while (functions_in_if_z()); return (void)functions_in_if_o(); }
