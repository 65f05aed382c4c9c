static void duff_copy(char *to, const char *from, int count)
{
	int n = (count + 7) / 8;
	switch (count % 8) {
	case 0: do { *to++ = *from++;
	case 7: *to++ = *from++;
	case 6: *to++ = *from++;
	case 5: *to++ = *from++;
	case 4: *to++ = *from++;
	case 3: *to++ = *from++;
	case 2: *to++ = *from++;
	case 1: *to++ = *from++;
		} while (--n > 0);
	}
}
void duff(void) { char b[40] = ""; duff_copy(b, "the quick brown fox jumps", 26); puts(b); for (int i = 1; i < 9; i++) { char c[40] = ""; duff_copy(c, "abcdefghijkl", i); puts(c); } }
