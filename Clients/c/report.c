/* report.c - a program with a toolbar tells Seam what its model says and what the toolbar shows; once it forgets to,
 * reads that this is stale, and repairs it.
 *
 *     cc -o report report.c seam_client.c && ./report
 */
#include "seam_client.h"

#include <stdio.h>
#include <string.h>

enum { PATIENCE_MS = 5000 };

static int stop(const char *why)
{
    fprintf(stderr, "report: %s\n", why);
    return 1;
}

static void print_text(const char *label, struct seam_json value)
{
    char text[256];
    if (seam_json_text(value, text, sizeof text) < 0)
        strcpy(text, "(none)");
    printf("%s%s", label, text);
}

/* Asks for the verdict, as whoever watches the program would; a program that only reports does not need this. */
static int show_verdict(struct seam_live *live, struct seam_client *client)
{
    struct seam_client_error error;
    struct seam_live_state state;
    struct seam_json field;
    const char *result;
    /* Reports are on their way and answered by themselves; only who asks on another connection has to wait. */
    if (seam_live_flush(live, PATIENCE_MS) != SEAM_CLIENT_OK && seam_live_state(live, &state) == SEAM_CLIENT_OK)
        return stop(state.last.text);
    if (seam_call(
            client, "sim.check", "{\"sim\":\"report\",\"fields\":[\"Toolbar.openCount\"]}", PATIENCE_MS, &result,
            &error)
        != SEAM_CLIENT_OK)
        return stop(error.text);
    field = seam_json_element(seam_json_member(seam_json_of(result), "fields"), 0);
    print_text("Toolbar.openCount: model=", seam_json_member(field, "model"));
    print_text(" screen=", seam_json_member(field, "shown"));
    print_text(" -> ", seam_json_member(field, "verdict"));
    putchar('\n');
    return 0;
}

int main(void)
{
    struct seam_client_error error;
    struct seam_live_options options;
    struct seam_client *client;
    struct seam_live *live;
    int code;
    memset(&options, 0, sizeof options);
    options.sim = "report";
    client = seam_connect(NULL, PATIENCE_MS, &error);
    if (client == NULL)
        return stop(error.text);
    live = seam_live_open(&options, &error);
    if (live == NULL) {
        seam_disconnect(client);
        return stop(error.text);
    }

    seam_live_model(live, "openCount", "3");
    seam_live_set(live, "Toolbar", "openCount", "3");
    code = show_verdict(live, client);

    seam_live_model(live, "openCount", "5"); /* and nobody tells the toolbar */
    if (code == 0)
        code = show_verdict(live, client);

    seam_live_set(live, "Toolbar", "openCount", "5"); /* the call that was forgotten */
    if (code == 0)
        code = show_verdict(live, client);

    seam_live_close(live);
    seam_disconnect(client);
    return code;
}
