static int comments_c1(int x) /* a */ { /* b */ return /* { */ x; /* } */ }
void comments(void) { int n = 0; for /* ( */ (int i = 0; /* ; */ i < 3; i++) /* { */ n += comments_c1 /* x */ (i) /* ) */ ; // while (
	do /* d */ n++; /* w */ while /* c */ (n < /* ) */ 9) /* s */ ; printf("%d \"{for(\" %c\n", n, '{'); }
