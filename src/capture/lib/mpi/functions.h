/* functions: the functions of MPI that this library wraps by hand or calls, as mpi.h declares them;
 * the types are those of the ABI that is being compiled. Functions that are alike but for their
 * parameters are declared by their rows in calls.def (pmpi.h). */
#pragma once

int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int errorcode);
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session);
int MPI_Session_finalize(MPI_Session *session);
int MPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info,
			       MPI_Errhandler handler, MPI_Comm *comm);

/* ---- point to point ---- */

/* Each for int, and for large counts. */
#define TV_SEND_OF(name, number)                                                            \
	int MPI_##name(const void *buf, number count, MPI_Datatype type, int dest, int tag, \
		       MPI_Comm comm);
#define TV_START_OF(name, buffer, number)                                                 \
	int MPI_##name(buffer buf, number count, MPI_Datatype type, int partner, int tag, \
		       MPI_Comm comm, MPI_Request *request);
#define TV_SEND(name)         \
	TV_SEND_OF(name, int) \
	TV_SEND_OF(name##_c, MPI_Count)
#define TV_START(name, buffer)         \
	TV_START_OF(name, buffer, int) \
	TV_START_OF(name##_c, buffer, MPI_Count)

TV_SEND(Send)
TV_SEND(Bsend)
TV_SEND(Ssend)
TV_SEND(Rsend)
TV_START(Isend, const void *)
TV_START(Ibsend, const void *)
TV_START(Issend, const void *)
TV_START(Irsend, const void *)
TV_START(Send_init, const void *)
TV_START(Bsend_init, const void *)
TV_START(Ssend_init, const void *)
TV_START(Rsend_init, const void *)
TV_START(Irecv, void *)
TV_START(Recv_init, void *)

#define TV_RECEIVE(_c, number)                                                               \
	int MPI_Recv##_c(void *buf, number count, MPI_Datatype type, int source, int tag,    \
			 MPI_Comm comm, MPI_Status *status);                                 \
	int MPI_Sendrecv##_c(const void *sendbuf, number sendcount, MPI_Datatype sendtype,   \
			     int dest, int sendtag, void *recvbuf, number recvcount,         \
			     MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,  \
			     MPI_Status *status);                                            \
	int MPI_Sendrecv_replace##_c(void *buf, number count, MPI_Datatype type, int dest,   \
				     int sendtag, int source, int recvtag, MPI_Comm comm,    \
				     MPI_Status *status);                                    \
	int MPI_Isendrecv##_c(const void *sendbuf, number sendcount, MPI_Datatype sendtype,  \
			      int dest, int sendtag, void *recvbuf, number recvcount,        \
			      MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, \
			      MPI_Request *request);                                         \
	int MPI_Isendrecv_replace##_c(void *buf, number count, MPI_Datatype type, int dest,  \
				      int sendtag, int source, int recvtag, MPI_Comm comm,   \
				      MPI_Request *request);                                 \
	int MPI_Mrecv##_c(void *buf, number count, MPI_Datatype type, MPI_Message *message,  \
			  MPI_Status *status);                                               \
	int MPI_Imrecv##_c(void *buf, number count, MPI_Datatype type, MPI_Message *message, \
			   MPI_Request *request);

TV_RECEIVE(, int)
TV_RECEIVE(_c, MPI_Count)

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
		MPI_Status *status);

#define TV_PARTS(name, buffer)                                                         \
	int MPI_##name(buffer buf, int partitions, MPI_Count count, MPI_Datatype type, \
		       int partner, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request);

TV_PARTS(Psend_init, const void *)
TV_PARTS(Precv_init, void *)

int MPI_Pready(int partition, MPI_Request request);
int MPI_Pready_range(int low, int high, MPI_Request request);
int MPI_Pready_list(int length, const int partitions[], MPI_Request request);

/* ---- requests ---- */

int MPI_Start(MPI_Request *request);
int MPI_Startall(int count, MPI_Request requests[]);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
		 MPI_Status statuses[]);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status);
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);
int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
		 MPI_Status statuses[]);
int MPI_Cancel(MPI_Request *request);
int MPI_Request_free(MPI_Request *request);
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
			       MPI_Status statuses[]);
int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
			       MPI_Status *status);
int MPI_Request_get_status_some(int count, const MPI_Request requests[], int *done, int indices[],
				MPI_Status statuses[]);

/* ---- collectives ---- */

#define TV_FROM    const void *, int, MPI_Datatype
#define TV_TO      void *, int, MPI_Datatype
#define TV_FROM_V  const void *, const int *, const int *, MPI_Datatype
#define TV_TO_V    void *, const int *, const int *, MPI_Datatype
#define TV_FROM_C  const void *, MPI_Count, MPI_Datatype
#define TV_TO_C    void *, MPI_Count, MPI_Datatype
#define TV_TYPES   const int *, const int *, const MPI_Datatype *
#define TV_FROM_VC const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype
#define TV_TO_VC   void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype
#define TV_TYPES_C const MPI_Count *, const MPI_Aint *, const MPI_Datatype *

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(TV_TO, int root, MPI_Comm comm);
int MPI_Gather(TV_FROM, TV_TO, int root, MPI_Comm comm);
int MPI_Gatherv(TV_FROM, TV_TO_V, int root, MPI_Comm comm);
int MPI_Scatter(TV_FROM, TV_TO, int root, MPI_Comm comm);
int MPI_Scatterv(TV_FROM_V, TV_TO, int root, MPI_Comm comm);
int MPI_Allgather(TV_FROM, TV_TO, MPI_Comm comm);
int MPI_Allgatherv(TV_FROM, TV_TO_V, MPI_Comm comm);
int MPI_Alltoall(TV_FROM, TV_TO, MPI_Comm comm);
int MPI_Alltoallv(TV_FROM_V, TV_TO_V, MPI_Comm comm);
int MPI_Alltoallw(const void *, TV_TYPES, void *, TV_TYPES, MPI_Comm comm);
int MPI_Reduce(const void *, TV_TO, MPI_Op, int root, MPI_Comm comm);
int MPI_Allreduce(const void *, TV_TO, MPI_Op, MPI_Comm comm);
int MPI_Reduce_scatter(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *, TV_TO, MPI_Op, MPI_Comm comm);
int MPI_Scan(const void *, TV_TO, MPI_Op, MPI_Comm comm);
int MPI_Exscan(const void *, TV_TO, MPI_Op, MPI_Comm comm);

/* ---- communicators, groups, files ---- */

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made);
int MPI_Intercomm_create(MPI_Comm comm, int leader, MPI_Comm peer, int other, int tag,
			 MPI_Comm *made);
int MPI_Intercomm_create_from_groups(MPI_Group own, int leader, MPI_Group far, int other,
				     const char *tag, MPI_Info info, MPI_Errhandler handler,
				     MPI_Comm *made);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_disconnect(MPI_Comm *comm);
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request);
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request);
int MPI_Comm_set_name(MPI_Comm comm, const char *name);
int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file);
int MPI_File_close(MPI_File *file);

/* ---- that the library itself calls ---- */

int MPI_Grequest_start(int (*query)(void *of, MPI_Status *status), int (*freed)(void *of),
		       int (*cancel)(void *of, int complete), void *of, MPI_Request *request);
int MPI_Grequest_complete(MPI_Request request);

int MPI_Type_size_x(MPI_Datatype type, MPI_Count *size);
int MPI_Error_class(int code, int *error_class);
int MPI_Get_processor_name(char *name, int *length);
int MPI_Get_library_version(char *version, int *length);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
