/* The floor: what a libuv loop costs that carries the same bytes and understands none of them. */
#define _GNU_SOURCE /* for what uv.h needs */
#include "CSeamBench.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

typedef struct reader {
    uv_pipe_t pipe;
    struct reader *next;
} reader;

typedef struct rest {
    uv_write_t request;
    char bytes[];
} rest;

static uv_loop_t loop;
static uv_pipe_t writers, readers;
static reader *first;
static char block[64 << 10];

static void offer(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer) {
    (void)handle;
    (void)wanted;
    *buffer = uv_buf_init(block, sizeof block);
}

static void free_handle(uv_handle_t *handle) { free(handle); }

static void free_rest(uv_write_t *request, int status) {
    (void)status;
    free(request);
}

static void pass_on(reader *reader, const char *bytes, size_t length) {
    uv_stream_t *stream = (uv_stream_t *)&reader->pipe;
    uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned)length);
    int written = uv_try_write(stream, &buffer, 1);
    if (written == (int)length) return;
    if (written < 0 && written != UV_EAGAIN) return;
    size_t done = written > 0 ? (size_t)written : 0;
    rest *left = malloc(sizeof *left + length - done);
    if (!left) abort();
    memcpy(left->bytes, bytes + done, length - done);
    buffer = uv_buf_init(left->bytes, (unsigned)(length - done));
    if (uv_write(&left->request, stream, &buffer, 1, free_rest) < 0) free(left);
}

static void did_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    if (count > 0)
        for (reader *reader = first; reader; reader = reader->next) pass_on(reader, buffer->base, (size_t)count);
    else if (count < 0) uv_close((uv_handle_t *)stream, free_handle);
}

static void reader_did_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    (void)buffer;
    if (count >= 0) return;
    for (reader **link = &first; *link; link = &(*link)->next) {
        if ((uv_stream_t *)&(*link)->pipe != stream) continue;
        *link = (*link)->next;
        break;
    }
    uv_close((uv_handle_t *)stream, free_handle);
}

static void writer_came(uv_stream_t *server, int status) {
    uv_pipe_t *pipe = malloc(sizeof *pipe);
    if (!pipe || status < 0) abort();
    uv_pipe_init(&loop, pipe, 0);
    uv_accept(server, (uv_stream_t *)pipe);
    uv_read_start((uv_stream_t *)pipe, offer, did_read);
}

static void reader_came(uv_stream_t *server, int status) {
    reader *new = malloc(sizeof *new);
    if (!new || status < 0) abort();
    uv_pipe_init(&loop, &new->pipe, 0);
    uv_accept(server, (uv_stream_t *)&new->pipe);
    new->next = first;
    first = new;
    uv_read_start((uv_stream_t *)&new->pipe, offer, reader_did_read);
}

int bench_relay(const char *in, const char *out) {
    int status = uv_loop_init(&loop);
    if (status < 0) return status;
    uv_pipe_init(&loop, &writers, 0);
    uv_pipe_init(&loop, &readers, 0);
    if ((status = uv_pipe_bind(&readers, out)) < 0) return status;
    if ((status = uv_listen((uv_stream_t *)&readers, 1024, reader_came)) < 0) return status;
    if ((status = uv_pipe_bind(&writers, in)) < 0) return status;
    if ((status = uv_listen((uv_stream_t *)&writers, 128, writer_came)) < 0) return status;
    return uv_run(&loop, UV_RUN_DEFAULT);
}
