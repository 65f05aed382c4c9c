/* exchange_account: an exchange that counts what a process does and sends, for tview-replay
 * --account and the benches.
 *
 *	account = exchange_account_new(mpi);
 *	x = exchange_counted(account);
 *	... reads ...
 *	exchange_account_phase(account, ACCOUNT_COMPUTING);
 *	... computes ...
 *	figures = exchange_account_figures(account);
 *
 * Before each exchange of all, the processes meet: so it is known what of it is waiting for the
 * last one, and what is exchange. That makes it slower: for figures, not for speed. */
#pragma once

#include "base/exchange.h"

enum account_phase {
	ACCOUNT_READING,
	ACCOUNT_COMPUTING,
	ACCOUNT_PHASES,
};

/* Of one process; plain data. */
struct account_figures {
	int64_t work_ns[ACCOUNT_PHASES]; /* processor time of its threads, outside exchanges */
	int64_t exchange_ns;             /* processor time in exchanges, after all came there */
	int64_t waiting_ns;              /* elapsed time until the last one came, or a record */
	uint64_t meetings;               /* exchanges of all processes */
	uint64_t sent;                   /* bytes for one other process each */
	uint64_t records;                /* buffers of them: messages between two processes */
	uint64_t to_all;                 /* bytes that all others get, or that are summed */
};

struct exchange_account;

/* Counts what goes through x, which stays the caller's and must live longer. NULL: of a process
 * that is alone, its work. */
struct exchange_account *exchange_account_new(struct exchange *x);
void exchange_account_free(struct exchange_account *account);
/* To be used instead of x; the account's. NULL for NULL. */
struct exchange *exchange_counted(struct exchange_account *account);
/* What the process does from now on; reading at first. */
void exchange_account_phase(struct exchange_account *account, enum account_phase phase);
struct account_figures exchange_account_figures(struct exchange_account *account);
