// JSON lines into flat nodes: the C border over simdjson's DOM.
//
// One parser serves one thread. It reads a line where it lies and answers with an array of plain nodes in
// document order, so that the Swift side walks memory and never calls back for a member. Every scalar keeps its
// bytes as they came (`raw`), because a DOM would turn 1.50 into 1.5 and an id has to go back unchanged.
//
// Refused, beyond what simdjson refuses itself: nothing. Nesting beyond the limit, repeated keys and numbers out of
// range are told apart, since each of them has its own answer on the wire.
#ifndef SEAM_JSON_H
#define SEAM_JSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that must be readable behind the last byte of a line. What they hold does not matter.
#define SEAM_JSON_PADDING 64

enum {
    SEAM_JSON_NULL = 0,
    SEAM_JSON_FALSE,
    SEAM_JSON_TRUE,
    SEAM_JSON_NUMBER,
    SEAM_JSON_STRING,
    SEAM_JSON_KEY,
    SEAM_JSON_ARRAY,
    SEAM_JSON_OBJECT,
};

enum {
    SEAM_JSON_OK = 0,
    SEAM_JSON_MALFORMED,     ///< not JSON; `offset` is the first byte that cannot be there
    SEAM_JSON_TOO_DEEP,      ///< JSON, but nested beyond `max_depth`; `offset` is the bracket that goes too far
    SEAM_JSON_NUMBER_RANGE,  ///< JSON, but a number needs more than 64 bits; `offset` is where it starts
    SEAM_JSON_TOO_LONG,      ///< longer than the parser's capacity
};

/// One value, or one key of an object. A container is followed by what it holds: an array by its elements, an
/// object by key, value, key, value.
typedef struct seam_json_node {
    /// The text: unescaped for a string or a key, the bytes as they came for a number, true, false and null; for a
    /// container, its source. Lives until the next parse, or as long as the line.
    const uint8_t *text;
    uint32_t text_length;
    /// Where the value lies in the line, quotes and brackets included.
    uint32_t raw_offset;
    uint32_t raw_length;
    /// The position after this node and everything it holds.
    uint32_t end;
    /// Elements of an array, members of an object, else 0.
    uint32_t count;
    uint8_t kind;
    /// A key: an earlier member of the same object has the same key.
    uint8_t is_repeated;
} seam_json_node;

typedef struct seam_json_document {
    const seam_json_node *nodes;
    uint32_t node_count;
    /// How many keys are repeated, at any level.
    uint32_t repeated_keys;
} seam_json_document;

typedef struct seam_json_fault {
    uint32_t offset;
    /// What could have stood there, in a few words. Never NULL, static.
    const char *expected;
} seam_json_fault;

typedef struct seam_json_parser seam_json_parser;

/// A parser for lines of up to `capacity` bytes nested up to `max_depth`, or NULL when there is no memory. Reserves
/// address space for the whole capacity; pages become resident as lines need them.
seam_json_parser *seam_json_parser_create(size_t capacity, uint32_t max_depth);

void seam_json_parser_destroy(seam_json_parser *parser);

/// Parses one line in place. `SEAM_JSON_PADDING` bytes behind `line + length` must be readable. On `SEAM_JSON_OK`
/// `document` is filled and lives until the next call with this parser, else `fault` says where and why.
int seam_json_parse(
    seam_json_parser *parser, const uint8_t *line, size_t length, seam_json_document *document,
    seam_json_fault *fault);

/// Gives back the memory a long line left resident. The last document is gone after it. Costs nothing after a short
/// line.
void seam_json_parser_trim(seam_json_parser *parser);

/// Whether 16 bytes, given as two words, are printable ASCII other than `"` and `\\`, and so stand for themselves in a
/// string. Here and not in Swift, whose comparison of vectors becomes a loop over their elements.
static inline int seam_json_is_clean(uint64_t head, uint64_t tail) {
    typedef uint8_t seam_bytes __attribute__((vector_size(16)));
    typedef uint64_t seam_words __attribute__((vector_size(16)));
    const seam_bytes text = (seam_bytes)((seam_words){head, tail});
    const seam_words strange =
        (seam_words)((seam_bytes)(text - 0x20 >= 0x5F) | (seam_bytes)(text == '"') | (seam_bytes)(text == '\\'));
    return (strange[0] | strange[1]) == 0;
}

#ifdef __cplusplus
}
#endif

#endif
