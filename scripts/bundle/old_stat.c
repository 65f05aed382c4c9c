/* old_stat: functions of files that have symbols since glibc 2.33, by those that it has had since ever.
 * For programs linked by scripts/bundle/old-libc alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>

/* Until glibc 2.33 these had a version of struct stat before all else. */
#define STAT_VERSION 1

int __xstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstatat(int version, int fd, const char *path, struct stat *st, int flags);

int stat(const char *path, struct stat *st)
{
	return __xstat(STAT_VERSION, path, st);
}

int lstat(const char *path, struct stat *st)
{
	return __lxstat(STAT_VERSION, path, st);
}

int fstat(int fd, struct stat *st)
{
	return __fxstat(STAT_VERSION, fd, st);
}

int fstatat(int fd, const char *path, struct stat *st, int flags)
{
	return __fxstatat(STAT_VERSION, fd, path, st, flags);
}

/* The carried libraries were compiled for large files, which all files are on 64 bits. */
int stat64(const char *path, struct stat64 *st) __attribute__((alias("stat")));
int lstat64(const char *path, struct stat64 *st) __attribute__((alias("lstat")));
int fstat64(int fd, struct stat64 *st) __attribute__((alias("fstat")));

int fcntl64(int fd, int command, ...)
{
	va_list arguments;

	va_start(arguments, command);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	return fcntl(fd, command, argument);
}
