/* client_driver.c - does with seam_client what it is told, for the tests: one command a line on standard input, a JSON
 * array of texts; one line of answer on standard output.
 *
 * A program of its own, since the tests kill and stop the daemon under it, and since it is built with sanitizers.
 * Linked with --wrap for malloc, calloc and realloc it also runs out of memory when told to.
 */
#define _POSIX_C_SOURCE 200809L
#include "seam_client.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Memory that ends ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long allocations_left = -1; /* -1: as many as there are */
static int is_in_client;           /* the driver's own needs are met */

static int is_out_of_memory(void)
{
    if (allocations_left < 0 || !is_in_client)
        return 0;
    if (allocations_left == 0)
        return 1;
    allocations_left--;
    return 0;
}

void *__wrap_malloc(size_t size) { return is_out_of_memory() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return is_out_of_memory() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return is_out_of_memory() ? NULL : __real_realloc(old, size); }

/* ---- Commands ---- */

enum { WORDS = 8 };

static char *words[WORDS];
static struct seam_live *live;
static struct seam_client *client;
static double slowest_ms; /* of the calls that promise not to wait */

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* "null" in a command is NULL, an absent word too. */
static const char *word(int index) { return words[index]; }
static long number(int index) { return words[index] == NULL ? 0 : strtol(words[index], NULL, 10); }

static int read_command(const char *line)
{
    struct seam_json command = seam_json_of(line);
    int i;
    for (i = 0; i < WORDS; i++) {
        struct seam_json text = seam_json_element(command, (size_t)i);
        long length = seam_json_text(text, NULL, 0);
        free(words[i]);
        words[i] = NULL;
        if (length < 0)
            continue;
        words[i] = (char *)malloc((size_t)length + 1);
        seam_json_text(text, words[i], (size_t)length + 1);
    }
    return words[0] != NULL;
}

static void say(int status, const struct seam_client_error *error)
{
    char text[4096] = "null";
    if (error != NULL && error->status != SEAM_CLIENT_OK)
        seam_json_quote(error->text, text, sizeof text);
    printf("{\"status\":%d,\"code\":%d,\"text\":%s}\n", status, error == NULL ? 0 : error->code, text);
}

struct reporter {
    pthread_t thread;
    long number, count;
};

static void *report(void *argument)
{
    struct reporter *reporter = (struct reporter *)argument;
    char key[32], value[32];
    long i;
    snprintf(key, sizeof key, "field%ld", reporter->number);
    for (i = 1; i <= reporter->count; i++) {
        snprintf(value, sizeof value, "%ld", i);
        seam_live_model(live, key, value);
        seam_live_set(live, "Threads", key, value);
    }
    return NULL;
}

static void in_threads(long threads, long count)
{
    struct reporter reporters[16];
    long i;
    for (i = 0; i < threads && i < 16; i++) {
        reporters[i].number = i;
        reporters[i].count = count;
        pthread_create(&reporters[i].thread, NULL, report, &reporters[i]);
    }
    for (i = 0; i < threads && i < 16; i++)
        pthread_join(reporters[i].thread, NULL);
}

/* A field that changes `count` times, each time to a value of `size` bytes. */
static void often(const char *screen, const char *field, long count, long size)
{
    char *value = (char *)malloc((size_t)size + 32);
    long i;
    for (i = 1; i <= count; i++) {
        double before = now_ms();
        memset(value, 'x', (size_t)size);
        snprintf(value + size, 32, "%ld", i);
        seam_live_set(live, screen, field, value);
        if (now_ms() - before > slowest_ms)
            slowest_ms = now_ms() - before;
    }
    free(value);
}

/* A value in hexadecimal: what no JSON can hold. */
static int set_bytes(const char *screen, const char *field, const char *digits)
{
    char value[64];
    size_t length = strlen(digits) / 2, i;
    for (i = 0; i < length && i < sizeof value - 1; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
        value[i] = (char)strtol(pair, NULL, 16);
    }
    value[i] = 0;
    return seam_live_set(live, screen, field, value);
}

/* Takes apart every beginning of a text, each in memory of its own length, where a sanitizer sees each byte too far. */
static void take_apart(const char *text)
{
    static const char *const names[] = {"id", "error", "code", "message", "data", "result", ""};
    size_t length = strlen(text), count, i, j;
    char into[8];
    for (count = 0; count <= length; count++) {
        struct seam_json whole, inner;
        char *bytes = (char *)malloc(count + 1); /* malloc(0) may be NULL */
        memcpy(bytes, text, count);
        whole.bytes = (char *)realloc(bytes, count > 0 ? count : 1);
        whole.length = count;
        seam_json_text(whole, into, sizeof into);
        for (i = 0; i < sizeof names / sizeof *names; i++) {
            inner = seam_json_member(whole, names[i]);
            seam_json_text(inner, into, sizeof into);
            for (j = 0; j < sizeof names / sizeof *names; j++)
                seam_json_text(seam_json_member(inner, names[j]), into, sizeof into);
        }
        for (i = 0; i < 4; i++) {
            inner = seam_json_element(whole, i);
            seam_json_text(inner, into, sizeof into);
            seam_json_text(seam_json_element(inner, 0), NULL, 0);
        }
        free((void *)whole.bytes);
    }
}

static int in_child(void)
{
    int status = -1;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        int answer = seam_live_model(live, "child", "1");
        seam_live_close(live);
        _exit(answer);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static void obey(const char *command)
{
    struct seam_client_error error;
    struct seam_live_state state;
    const char *text = NULL;
    double before = now_ms();
    int status = 0, is_prompt = 0;
    memset(&error, 0, sizeof error);
    memset(&state, 0, sizeof state);
    if (strcmp(command, "open") == 0) {
        struct seam_live_options options;
        memset(&options, 0, sizeof options);
        options.sim = word(1);
        options.socket = word(2);
        options.keeps = (int)number(3);
        options.retry_ms = (unsigned)number(4);
        options.max_fields = (size_t)number(5);
        options.max_value_bytes = (size_t)number(6);
        live = seam_live_open(&options, &error);
        status = error.status;
        is_prompt = 1;
    } else if (strcmp(command, "model") == 0) {
        status = seam_live_model(live, word(1), word(2));
        is_prompt = 1;
    } else if (strcmp(command, "set") == 0) {
        status = seam_live_set(live, word(1), word(2), word(3));
        is_prompt = 1;
    } else if (strcmp(command, "bytes") == 0) {
        status = set_bytes(word(1), word(2), word(3));
        is_prompt = 1;
    } else if (strcmp(command, "clear") == 0) {
        status = seam_live_clear(live, word(1));
        is_prompt = 1;
    } else if (strcmp(command, "poll") == 0) {
        status = seam_live_poll(live);
        is_prompt = 1;
    } else if (strcmp(command, "often") == 0) {
        often(word(1), word(2), number(3), number(4));
    } else if (strcmp(command, "threads") == 0) {
        in_threads(number(1), number(2));
    } else if (strcmp(command, "apart") == 0) {
        take_apart(word(1));
    } else if (strcmp(command, "child") == 0) {
        status = in_child();
    } else if (strcmp(command, "flush") == 0) {
        status = seam_live_flush(live, (int)number(1));
    } else if (strcmp(command, "close") == 0) {
        seam_live_close(live);
        live = NULL;
    } else if (strcmp(command, "memory") == 0) {
        allocations_left = number(1);
    } else if (strcmp(command, "state") == 0) {
        char last[4096];
        status = seam_live_state(live, &state);
        seam_json_quote(state.last.text, last, sizeof last);
        printf(
            "{\"status\":%d,\"connected\":%s,\"sent\":%llu,\"answered\":%llu,\"merged\":%llu,\"refused\":%llu,"
            "\"connections\":%llu,\"waiting\":%lu,\"code\":%d,\"last\":%s,\"slowest\":%ld}\n",
            status, state.connected ? "true" : "false", state.sent, state.answered, state.merged, state.refused,
            state.connections, (unsigned long)state.waiting, state.last.code, last, (long)slowest_ms);
        return;
    } else if (strcmp(command, "connect") == 0) {
        client = seam_connect(word(1), (int)number(2), &error);
        status = error.status;
    } else if (strcmp(command, "call") == 0) {
        status = seam_call(client, word(1), word(2), (int)number(3), &text, &error);
    } else if (strcmp(command, "line") == 0) {
        status = seam_send_line(client, word(1), (int)number(2), &error);
    } else if (strcmp(command, "next") == 0) {
        size_t length = 0;
        status = seam_next_line(client, (int)number(1), &text, &length, &error);
        if (status == SEAM_CLIENT_OK && strlen(text) != length)
            status = 99;
    } else if (strcmp(command, "disconnect") == 0) {
        seam_disconnect(client);
        client = NULL;
    } else {
        status = 98;
    }
    if (is_prompt && now_ms() - before > slowest_ms)
        slowest_ms = now_ms() - before;
    if (text != NULL && status == SEAM_CLIENT_OK)
        printf("%s\n", text);
    else
        say(status, &error);
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        if (read_command(line)) {
            is_in_client = 1;
            obey(words[0]);
            is_in_client = 0;
        }
        fflush(stdout);
    }
    read_command("[]");
    free(line);
    seam_live_close(live);
    seam_disconnect(client);
    return 0;
}
