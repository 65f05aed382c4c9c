/* program_sample: the records of a program by statement, without an event, whose every number can
 * be worked out by hand (ns; app.c):
 *
 *	10 main				rank 0	rank 1
 *	12   for			 600	 500	1 time, 10 iterations; own 100, 100
 *	13     work()			 400	 300	10 times; own 100, 60
 *	14     MPI_Send			 100	 100	10 times; to the other rank; trans 60, 90; sync 40, 10; 800 B each
 *	20   work()			 200	 300	1 time; own 50, 90
 *	21   MPI_Barrier		 150	  50	1 time; trans 10, 10; sync 140, 40
 *	22   setup()			 no probe: "it calls setjmp"
 *	30 work				 600	 600	11 times
 *	31   while			 450	 450	11 times, 110 iterations
 *
 * main takes 1,000 on both, 50 of it itself on rank 0, 150 on rank 1. */
#pragma once

#include "model/trace/program.h"

struct trace *program_sample(void);
