/* compare.c - sends the requests of comparison.jsonl in order and prints each line of its subscription as it came, to
 * the `end` of it: what every client has to print, byte for byte.
 *
 *     cc -o compare compare.c seam_client.c
 *     ./compare SOCKET [FILE]          FILE is Clients/comparison.jsonl unless it is named
 */
#include "seam_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 20000 };

static int stop(const char *what, const char *why)
{
    fprintf(stderr, "compare: %s: %s\n", what, why);
    return 1;
}

/* The part of a line as a text of its own; NULL without one. */
static char *text_of(struct seam_json part)
{
    char *text = part.bytes == NULL ? NULL : (char *)malloc(part.length + 1);
    if (text == NULL)
        return NULL;
    memcpy(text, part.bytes, part.length);
    text[part.length] = 0;
    return text;
}

/* Prints event lines up to `end`. */
static int print_stream(struct seam_client *client)
{
    struct seam_client_error error;
    const char *line;
    char kind[16] = "";
    while (strcmp(kind, "end") != 0) {
        if (seam_next_line(client, PATIENCE_MS, &line, NULL, &error) != SEAM_CLIENT_OK)
            return stop("the stream did not come to its end", error.text);
        puts(line);
        seam_json_text(
            seam_json_member(seam_json_member(seam_json_of(line), "params"), "kind"), kind, sizeof kind);
    }
    return 0;
}

int main(int count, char **arguments)
{
    const char *path = count > 2 ? arguments[2] : "Clients/comparison.jsonl";
    struct seam_client_error error;
    struct seam_client *client;
    char line[4096], method[64];
    FILE *file;
    int code = 0;
    if (count < 2 || count > 3) {
        fprintf(stderr, "usage: compare SOCKET [FILE]\n");
        return 2;
    }
    file = fopen(path, "r");
    if (file == NULL)
        return stop(path, "there is no such file; name it behind the socket");
    client = seam_connect(arguments[1], PATIENCE_MS, &error);
    if (client == NULL) {
        fclose(file);
        return stop(arguments[1], error.text);
    }
    while (code == 0 && fgets(line, sizeof line, file) != NULL) {
        struct seam_json request = seam_json_of(line);
        char *params = text_of(seam_json_member(request, "params"));
        if (seam_json_text(seam_json_member(request, "method"), method, sizeof method) < 0)
            code = stop(path, "a line has no method");
        else if (seam_call(client, method, params, PATIENCE_MS, NULL, &error) != SEAM_CLIENT_OK)
            code = stop(method, error.text);
        free(params);
    }
    fclose(file);
    if (code == 0)
        code = print_stream(client);
    seam_disconnect(client);
    return code;
}
