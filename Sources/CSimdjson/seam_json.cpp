// The shim over Debian's libsimdjson 3.0 (its DOM interface). `seam_json.h` says what is promised.
//
// Four ways lead through here. A plain line, as programs write nearly all: one pass writes the nodes, and leaves
// whatever it meets beyond ASCII, integers and strings without escapes to the next way. Any other good line: simdjson
// parses it, then one walk over its structural index and its tape, side by side, writes the nodes: the index knows
// where each value lies in the line, the tape has the unescaped strings. A bad line: simdjson says only that it is bad,
// so a slow, exact scan finds the place and the reason; nobody but the sender of a bad line pays for it. A long line:
// its pages are given back afterwards.
//
// The first way is there for its price: a request of 100 bytes takes 1,200 instructions on it and 2,950 on the second.
//
// simdjson's On-Demand interface was not taken: it checks only what is visited, and every line must be checked whole.

#include "include/seam_json.h"

#include <simdjson.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dom = simdjson::dom;

namespace {

/// A line longer than this leaves pages behind that are worth giving back (12 MB after a line of 1 MiB).
constexpr size_t long_line = 256 * 1024;

/// Objects of up to this many members are checked for repeated keys pair by pair, larger ones by sorting.
constexpr uint32_t pairwise_members = 12;

/// What sorting compares first: most keys differ within eight bytes.
struct sort_key {
    uint64_t head;
    uint32_t length;
    uint32_t node;
};

struct open_container {
    uint32_t node;
    uint32_t commas;
    bool is_object;
    /// Two keys may be the same. Kept by the way for plain lines alone.
    bool may_repeat;
    /// One bit for each key there was, by its length and ends.
    uint64_t keys;
};

/// Address space that becomes memory page by page when it is touched.
struct pages {
    uint8_t *base = nullptr;
    size_t size = 0;

    bool reserve(size_t wanted) noexcept {
        void *mapped = mmap(
            nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) return false;
        base = static_cast<uint8_t *>(mapped);
        size = wanted;
        return true;
    }

    ~pages() {
        if (base != nullptr) munmap(base, size);
    }
};

/// Drops the whole pages inside [start, start + size): private anonymous memory reads as zero afterwards. Recreating
/// the parser instead would leave it to malloc, which after the first large free serves large blocks from its heap and
/// keeps them resident.
void drop_pages(void *start, size_t size) noexcept {
    const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t first = (reinterpret_cast<uintptr_t>(start) + page - 1) / page * page;
    const uintptr_t last = (reinterpret_cast<uintptr_t>(start) + size) / page * page;
    if (last > first) madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

bool is_space(uint8_t byte) noexcept {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

}  // namespace

struct seam_json_parser {
    dom::parser simd;
    size_t capacity = 0;
    uint32_t max_depth = 0;
    size_t last_length = 0;
    pages node_pages;
    pages sort_pages;
    open_container *open = nullptr;

    explicit seam_json_parser(size_t bytes) noexcept : simd(bytes) {}
    ~seam_json_parser() { delete[] open; }

    seam_json_node *nodes() noexcept { return reinterpret_cast<seam_json_node *>(node_pages.base); }
};

namespace {

// MARK: a good line

uint64_t head_of(const seam_json_node &key) noexcept {
    uint8_t bytes[8] = {0};
    std::memcpy(bytes, key.text, std::min<uint32_t>(key.text_length, 8));
    uint64_t head;
    std::memcpy(&head, bytes, 8);
    return head;
}

bool same_text(const seam_json_node &one, const seam_json_node &other) noexcept {
    // simdjson ends every text with a NUL, so an empty one has a first byte too.
    return one.text_length == other.text_length && one.text[0] == other.text[0]
           && std::memcmp(one.text, other.text, one.text_length) == 0;
}

/// Flags every key of `object` that an earlier member has already, and says how many. Never quadratic in the number
/// of members; sorting and not hashing, so that no choice of keys can make it slow.
[[gnu::noinline]] uint32_t flag_repeated_keys(seam_json_parser &parser, uint32_t object) noexcept {
    seam_json_node *nodes = parser.nodes();
    const uint32_t members = nodes[object].count;
    uint32_t repeated = 0;
    if (members <= pairwise_members) {
        uint32_t keys[pairwise_members];
        uint32_t position = object + 1;
        for (uint32_t member = 0; member < members; member++) {
            seam_json_node &key = nodes[position];
            for (uint32_t earlier = 0; earlier < member; earlier++) {
                if (same_text(nodes[keys[earlier]], key)) {
                    key.is_repeated = 1;
                    repeated++;
                    break;
                }
            }
            keys[member] = position;
            position = nodes[position + 1].end;
        }
        return repeated;
    }
    sort_key *keys = reinterpret_cast<sort_key *>(parser.sort_pages.base);
    uint32_t position = object + 1;
    for (uint32_t member = 0; member < members; member++) {
        keys[member] = {head_of(nodes[position]), nodes[position].text_length, position};
        position = nodes[position + 1].end;
    }
    std::sort(keys, keys + members, [nodes](const sort_key &one, const sort_key &other) {
        if (one.head != other.head) return one.head < other.head;
        if (one.length != other.length) return one.length < other.length;
        const int order = std::memcmp(nodes[one.node].text, nodes[other.node].text, one.length);
        if (order != 0) return order < 0;
        return one.node < other.node;
    });
    for (uint32_t member = 1; member < members; member++) {
        seam_json_node &key = nodes[keys[member].node];
        if (same_text(nodes[keys[member - 1].node], key)) {
            key.is_repeated = 1;
            repeated++;
        }
    }
    return repeated;
}

/// Writes the nodes of the document simdjson has just accepted. False when it is nested beyond the limit, which
/// simdjson itself lets through when the innermost container is empty.
bool flatten(seam_json_parser &parser, const uint8_t *line, seam_json_document &document) noexcept {
    const uint32_t *structural = parser.simd.implementation->structural_indexes.get();
    const uint32_t *const last = structural + parser.simd.implementation->n_structural_indexes;
    const uint64_t *tape = parser.simd.doc.tape.get() + 1;  // the first word is the root
    const uint8_t *const strings = parser.simd.doc.string_buf.get();
    seam_json_node *const nodes = parser.nodes();
    seam_json_node *node = nodes;
    open_container *const open = parser.open;
    uint32_t depth = 0;
    uint32_t repeated = 0;
    // The innermost container: which node it is, how many commas it had so far, and whether a key comes next.
    open_container inner = {};
    bool expects_key = false;

    for (; structural < last; structural++) {
        const uint32_t offset = *structural;
        const uint8_t byte = line[offset];
        if (byte == ',') {
            inner.commas++;
            expects_key = inner.is_object;
            continue;
        }
        if (byte == '{' || byte == '[') {
            if (depth == parser.max_depth) return false;
            open[depth++] = inner;
            const bool is_object = byte == '{';
            inner = {static_cast<uint32_t>(node - nodes), 0, is_object, false, 0};
            expects_key = is_object;
            node->text = line + offset;
            node->raw_offset = offset;
            node->kind = is_object ? SEAM_JSON_OBJECT : SEAM_JSON_ARRAY;
            node->is_repeated = 0;
            node++;
            tape++;
            continue;
        }
        if (byte == '}' || byte == ']') {
            const uint32_t end = static_cast<uint32_t>(node - nodes);
            seam_json_node &closed = nodes[inner.node];
            closed.raw_length = offset + 1 - closed.raw_offset;
            closed.text_length = closed.raw_length;
            closed.end = end;
            closed.count = end == inner.node + 1 ? 0 : inner.commas + 1;
            if (byte == '}' && inner.commas > 0) repeated += flag_repeated_keys(parser, inner.node);
            inner = open[--depth];
            tape++;
            continue;
        }
        // The value ends where the next structural byte stands, less the white space between; behind the last one
        // simdjson writes the length of the line.
        uint32_t end = structural[1];
        while (line[end - 1] <= ' ') end--;
        node->raw_offset = offset;
        node->raw_length = end - offset;
        node->end = static_cast<uint32_t>(node - nodes) + 1;
        node->count = 0;
        node->is_repeated = 0;
        if (byte == '"') {
            const uint8_t *text = strings + (*tape & 0x00FFFFFFFFFFFFFFull);
            std::memcpy(&node->text_length, text, sizeof(uint32_t));
            node->text = text + sizeof(uint32_t);
            node->kind = expects_key ? SEAM_JSON_KEY : SEAM_JSON_STRING;
            structural += expects_key;  // over the colon
            expects_key = false;
            tape++;
        } else {
            node->text = line + offset;
            node->text_length = node->raw_length;
            if (byte == 't') {
                node->kind = SEAM_JSON_TRUE;
            } else if (byte == 'f') {
                node->kind = SEAM_JSON_FALSE;
            } else if (byte == 'n') {
                node->kind = SEAM_JSON_NULL;
            } else {
                node->kind = SEAM_JSON_NUMBER;
                tape++;  // the number itself takes a second word
            }
            tape++;
        }
        node++;
    }
    document.nodes = nodes;
    document.node_count = static_cast<uint32_t>(node - nodes);
    document.repeated_keys = repeated;
    return true;
}

// MARK: a plain line

/// Reads a line in one pass as long as it is plain. Its answers are those of simdjson and `flatten`, or none.
class plain_line {
public:
    plain_line(seam_json_parser &parser, const uint8_t *line, size_t length) noexcept
        : parser_(parser), line_(line), at_(line), end_(line + length), nodes_(parser.nodes()), node_(nodes_) {}

    /// False when the line is not plain, whether it is good or bad.
    bool read(seam_json_document &document) noexcept {
        // Stands on the innermost open container, or on the first place, which is none.
        open_container *inner = parser_.open;
        *inner = {};
        uint32_t repeated = 0;
        for (;;) {
            // Here a value is due, in an object behind its key.
            skip_space();
            if (inner->is_object) {
                if (!string(SEAM_JSON_KEY)) return false;
                note_key(*inner, node_[-1]);
                skip_space();
                if (peek() != ':') return false;
                at_++;
                skip_space();
            }
            const uint8_t byte = peek();
            if (byte == '"') {
                if (!string(SEAM_JSON_STRING)) return false;
            } else if (byte == '{' || byte == '[') {
                if (static_cast<uint32_t>(inner - parser_.open) == parser_.max_depth) return false;
                *++inner = {static_cast<uint32_t>(node_ - nodes_), 0, byte == '{', false, 0};
                begin(byte == '{' ? SEAM_JSON_OBJECT : SEAM_JSON_ARRAY);
                at_++;
                skip_space();
                // An empty one ends at once, and nothing is due in it.
                if (peek() != closing(*inner)) continue;
                inner->commas--;
            } else if (!word_or_number(byte)) {
                return false;
            }
            // Here a value has ended, or an empty container is about to.
            for (;;) {
                skip_space();
                if (inner == parser_.open) {
                    document = {nodes_, static_cast<uint32_t>(node_ - nodes_), repeated};
                    return at_ == end_;
                }
                const uint8_t next = peek();
                if (next == ',') {
                    inner->commas++;
                    at_++;
                    break;
                }
                if (next != closing(*inner)) return false;
                at_++;
                seam_json_node &closed = nodes_[inner->node];
                closed.raw_length = static_cast<uint32_t>(at_ - line_) - closed.raw_offset;
                closed.text_length = closed.raw_length;
                closed.end = static_cast<uint32_t>(node_ - nodes_);
                closed.count = inner->commas + 1;
                if (inner->may_repeat) repeated += flag_repeated_keys(parser_, inner->node);
                inner--;
            }
        }
    }

private:
    // All that is called from `read` more than once is inlined by force: only then do these stay in registers.
    seam_json_parser &parser_;
    const uint8_t *const line_;
    const uint8_t *at_;
    const uint8_t *const end_;
    seam_json_node *const nodes_;
    seam_json_node *node_;

    /// The next byte, 0 behind the last one: what lies there is not the line's.
    uint8_t peek() const noexcept { return at_ < end_ ? *at_ : 0; }

    [[gnu::always_inline]] void skip_space() noexcept {
        // What lies behind the line can be looked at, and nearly always the next byte is no space.
        if (__builtin_expect(*at_ > ' ', 1)) return;
        while (at_ < end_ && is_space(*at_)) at_++;
    }

    static uint8_t closing(const open_container &container) noexcept { return container.is_object ? '}' : ']'; }

    /// A node whose value begins here.
    [[gnu::always_inline]] void begin(uint8_t kind) noexcept {
        node_->text = at_;
        node_->raw_offset = static_cast<uint32_t>(at_ - line_);
        node_->kind = kind;
        node_->is_repeated = 0;
        node_++;
    }

    /// The scalar of the last node ends before `end`.
    [[gnu::always_inline]] void finish(const uint8_t *end) noexcept {
        seam_json_node &node = node_[-1];
        node.raw_length = static_cast<uint32_t>(end - at_);
        node.text_length = node.raw_length;
        node.end = static_cast<uint32_t>(node_ - nodes_);
        node.count = 0;
        at_ = end;
    }

    [[gnu::always_inline]] bool string(uint8_t kind) noexcept {
        if (peek() != '"') return false;
        const uint8_t *quote = at_ + 1;
        // Behind the line are enough bytes to be read, and what is found in them is no end of the string.
        for (; quote < end_; quote += step) {
            const uint64_t hits = no_clean_bytes(quote);
            if (hits == 0) continue;
            quote += lowest_byte(hits);
            break;
        }
        if (quote >= end_ || *quote != '"') return false;
        begin(kind);
        finish(quote + 1);
        node_[-1].text++;
        node_[-1].text_length -= 2;
        return true;
    }

    // Which of the next `step` bytes are not printable ASCII, or a quote or a backslash. The lowest alone counts.
#if defined(__SSE2__)
    static constexpr uint32_t step = 16;

    static uint64_t no_clean_bytes(const uint8_t *bytes) noexcept {
        const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes));
        // As signed numbers all bytes beyond ASCII are less than a space.
        const __m128i hits = _mm_or_si128(
            _mm_cmplt_epi8(word, _mm_set1_epi8(' ')),
            _mm_or_si128(_mm_cmpeq_epi8(word, _mm_set1_epi8('"')), _mm_cmpeq_epi8(word, _mm_set1_epi8('\\'))));
        return static_cast<uint32_t>(_mm_movemask_epi8(hits));
    }

    static uint32_t lowest_byte(uint64_t hits) noexcept { return static_cast<uint32_t>(__builtin_ctzll(hits)); }
#else
    static constexpr uint32_t step = 8;

    static uint64_t no_clean_bytes(const uint8_t *bytes) noexcept {
        constexpr uint64_t ones = 0x0101010101010101;
        uint64_t word;
        std::memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        const uint64_t quote = word ^ (ones * '"');
        const uint64_t backslash = word ^ (ones * '\\');
        // "Has a zero byte" and "has a byte below 32": a borrow can make a byte above the first hit look like one.
        return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | ((word - ones * 0x20) & ~word) | word)
               & (ones * 0x80);
    }

    static uint32_t lowest_byte(uint64_t hits) noexcept { return static_cast<uint32_t>(__builtin_ctzll(hits)) / 8; }
#endif

    /// The exact search for repeated keys is made only when two of one object look alike.
    static void note_key(open_container &container, const seam_json_node &key) noexcept {
        const uint32_t look = key.text_length * 7u + key.text[0] + *(key.text + key.text_length - 1) * 3u;
        const uint64_t bit = 1ull << (look & 63);
        container.may_repeat |= (container.keys & bit) != 0;
        container.keys |= bit;
    }

    [[gnu::always_inline]] bool word_or_number(uint8_t byte) noexcept {
        switch (byte) {
        case 't':
            return word(SEAM_JSON_TRUE, "true", 4);
        case 'f':
            return word(SEAM_JSON_FALSE, "false", 5);
        case 'n':
            return word(SEAM_JSON_NULL, "null", 4);
        default:
            return integer();
        }
    }

    [[gnu::always_inline]] bool word(uint8_t kind, const char *letters, size_t size) noexcept {
        if (static_cast<size_t>(end_ - at_) < size || std::memcmp(at_, letters, size) != 0) return false;
        begin(kind);
        finish(at_ + size);
        return true;
    }

    /// An integer that 64 bits hold whatever its digits are.
    [[gnu::always_inline]] bool integer() noexcept {
        const uint8_t *digit = at_ + (peek() == '-');
        const uint8_t *const first = digit;
        while (digit < end_ && *digit >= '0' && *digit <= '9') digit++;
        const size_t digits = static_cast<size_t>(digit - first);
        if (digits == 0 || digits > 18 || (digits > 1 && *first == '0')) return false;
        begin(SEAM_JSON_NUMBER);
        finish(digit);
        return true;
    }
};

// MARK: a bad line

/// A scan that accepts exactly RFC 8259 and remembers where it first could not go on. It holds no recursion: one bit
/// for each open container says whether that is an object.
class scan {
public:
    scan(const uint8_t *line, size_t length, uint32_t max_depth) noexcept
        : line_(line), length_(length), max_depth_(max_depth) {}

    int run(seam_json_fault &fault) noexcept {
        uint8_t *kinds = new (std::nothrow) uint8_t[length_ / 8 + 1];
        if (kinds == nullptr) {
            fault = {0, "a line the daemon has memory for"};
            return SEAM_JSON_MALFORMED;
        }
        const bool is_json = document(kinds);
        delete[] kinds;
        if (!is_json) {
            fault = {static_cast<uint32_t>(at_), expected_};
            return SEAM_JSON_MALFORMED;
        }
        if (too_deep_ < length_) {
            fault = {static_cast<uint32_t>(too_deep_), "less nesting"};
            return SEAM_JSON_TOO_DEEP;
        }
        // Both scans refuse the same lines but for numbers: what is left is one that does not fit.
        fault = {static_cast<uint32_t>(out_of_range_ < length_ ? out_of_range_ : 0), "a number of 64 bits"};
        return SEAM_JSON_NUMBER_RANGE;
    }

private:
    const uint8_t *line_;
    size_t length_;
    uint32_t max_depth_;
    size_t at_ = 0;
    size_t too_deep_ = SIZE_MAX;
    size_t out_of_range_ = SIZE_MAX;
    const char *expected_ = "a value";

    bool fail(const char *expected) noexcept {
        expected_ = expected;
        return false;
    }

    bool done() const noexcept { return at_ >= length_; }
    uint8_t peek() const noexcept { return at_ < length_ ? line_[at_] : 0; }
    void skip_space() noexcept {
        while (at_ < length_ && is_space(line_[at_])) at_++;
    }

    bool document(uint8_t *kinds) noexcept {
        size_t depth = 0;
        for (;;) {
            // Here a value is due.
            skip_space();
            if (done()) return fail(depth == 0 ? "a value" : "a value, or the end of what was opened");
            const uint8_t byte = peek();
            if (byte == '{' || byte == '[') {
                const bool is_object = byte == '{';
                if (depth == max_depth_ && too_deep_ == SIZE_MAX) too_deep_ = at_;
                const uint8_t bit = static_cast<uint8_t>(1u << (depth % 8));
                if (is_object) {
                    kinds[depth / 8] |= bit;
                } else {
                    kinds[depth / 8] &= static_cast<uint8_t>(~bit);
                }
                depth++;
                at_++;
                skip_space();
                if (peek() == (is_object ? '}' : ']') && !done()) {
                    at_++;
                    depth--;
                } else if (is_object) {
                    if (!key()) return false;
                    continue;
                } else {
                    continue;
                }
            } else if (!scalar()) {
                return false;
            }
            // Here a value has ended: a comma, the end of its container, or the end of the line.
            for (;;) {
                skip_space();
                if (depth == 0) return done() ? true : fail("the end of the line");
                const size_t top = depth - 1;
                const bool in_object = (kinds[top / 8] >> (top % 8) & 1) != 0;
                if (done()) return fail(in_object ? "',' or '}'" : "',' or ']'");
                const uint8_t next = peek();
                if (next == ',') {
                    at_++;
                    skip_space();
                    if (in_object && !key()) return false;
                    break;
                }
                if (next != (in_object ? '}' : ']')) return fail(in_object ? "',' or '}'" : "',' or ']'");
                at_++;
                depth--;
            }
        }
    }

    bool key() noexcept {
        skip_space();
        if (done() || peek() != '"') return fail("a key in double quotes");
        if (!string()) return false;
        skip_space();
        if (done() || peek() != ':') return fail("':'");
        at_++;
        return true;
    }

    bool scalar() noexcept {
        switch (peek()) {
        case '"':
            return string();
        case 't':
            return word("true");
        case 'f':
            return word("false");
        case 'n':
            return word("null");
        default:
            return number();
        }
    }

    bool word(const char *letters) noexcept {
        const size_t start = at_;
        const size_t size = std::strlen(letters);
        if (length_ - start < size || std::memcmp(line_ + start, letters, size) != 0) return fail("a value");
        at_ = start + size;
        return ends_here();
    }

    /// A word or a number must be followed by something that can follow a value.
    bool ends_here() noexcept {
        if (done()) return true;
        const uint8_t byte = peek();
        if (is_space(byte) || byte == ',' || byte == ']' || byte == '}' || byte == ':') return true;
        return fail("the end of the value");
    }

    bool digits() noexcept {
        if (done() || peek() < '0' || peek() > '9') return fail("a digit");
        while (!done() && peek() >= '0' && peek() <= '9') at_++;
        return true;
    }

    bool number() noexcept {
        const size_t start = at_;
        bool is_integer = true;
        if (peek() == '-') {
            at_++;
            if (done() || peek() < '0' || peek() > '9') return fail("a digit");
        } else if (peek() < '0' || peek() > '9') {
            return fail("a value");
        }
        if (peek() == '0') {
            at_++;
            if (!done() && peek() >= '0' && peek() <= '9') return fail("a number without a leading zero");
        } else if (!digits()) {
            return false;
        }
        if (!done() && peek() == '.') {
            is_integer = false;
            at_++;
            if (!digits()) return false;
        }
        if (!done() && (peek() == 'e' || peek() == 'E')) {
            is_integer = false;
            at_++;
            if (!done() && (peek() == '+' || peek() == '-')) at_++;
            if (!digits()) return false;
        }
        if (out_of_range_ == SIZE_MAX && !fits(start, at_, is_integer)) out_of_range_ = start;
        return ends_here();
    }

    bool fits(size_t start, size_t end, bool is_integer) const noexcept {
        const char *first = reinterpret_cast<const char *>(line_) + start;
        const char *last = reinterpret_cast<const char *>(line_) + end;
        if (is_integer) {
            if (*first == '-') {
                int64_t value;
                return std::from_chars(first, last, value).ec == std::errc();
            }
            uint64_t value;
            return std::from_chars(first, last, value).ec == std::errc();
        }
        // A number too close to zero is taken as zero, by simdjson and here.
        double value;
        return std::from_chars(first, last, value).ec == std::errc()
               || std::any_of(first + 1, last, [](char letter) { return letter == '-'; });
    }

    bool string() noexcept {
        at_++;
        for (;;) {
            if (done()) return fail("the closing quote of a string");
            const uint8_t byte = peek();
            if (byte == '"') {
                at_++;
                return true;
            }
            if (byte < 0x20) return fail("no raw control character in a string (write \\n, \\t, \\u00XX)");
            if (byte == '\\') {
                if (!escape()) return false;
            } else if (byte < 0x80) {
                at_++;
            } else if (!sequence()) {
                return fail("UTF-8");
            }
        }
    }

    bool hex(uint32_t &value) noexcept {
        value = 0;
        if (length_ - at_ < 6) return false;
        for (size_t index = at_ + 2; index < at_ + 6; index++) {
            const uint8_t byte = line_[index];
            value <<= 4;
            if (byte >= '0' && byte <= '9') {
                value |= static_cast<uint32_t>(byte - '0');
            } else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f') {
                value |= static_cast<uint32_t>((byte | 0x20) - 'a' + 10);
            } else {
                return false;
            }
        }
        return true;
    }

    bool escape() noexcept {
        if (length_ - at_ < 2) return fail("an escape such as \\n or \\u00e9");
        const uint8_t letter = line_[at_ + 1];
        if (letter != 'u') {
            if (letter == 0 || std::strchr("\"\\/bfnrt", letter) == nullptr)
                return fail("an escape such as \\n or \\u00e9");
            at_ += 2;
            return true;
        }
        uint32_t value;
        if (!hex(value)) return fail("four hexadecimal digits after \\u");
        if (value >= 0xDC00 && value <= 0xDFFF) return fail("a surrogate pair, not its second half alone");
        if (value < 0xD800 || value > 0xDBFF) {
            at_ += 6;
            return true;
        }
        const size_t start = at_;
        at_ += 6;
        uint32_t low = 0;
        if (length_ - at_ >= 6 && line_[at_] == '\\' && line_[at_ + 1] == 'u' && hex(low) && low >= 0xDC00
            && low <= 0xDFFF) {
            at_ += 6;
            return true;
        }
        at_ = start;
        return fail("a surrogate pair, not its first half alone");
    }

    /// One character of two to four bytes, by the table of RFC 3629.
    bool sequence() noexcept {
        const uint8_t lead = line_[at_];
        size_t more;
        uint8_t low = 0x80;
        uint8_t high = 0xBF;
        if (lead >= 0xC2 && lead <= 0xDF) {
            more = 1;
        } else if (lead >= 0xE0 && lead <= 0xEF) {
            more = 2;
            if (lead == 0xE0) low = 0xA0;
            if (lead == 0xED) high = 0x9F;
        } else if (lead >= 0xF0 && lead <= 0xF4) {
            more = 3;
            if (lead == 0xF0) low = 0x90;
            if (lead == 0xF4) high = 0x8F;
        } else {
            return false;
        }
        if (length_ - at_ <= more) return false;
        for (size_t index = 1; index <= more; index++) {
            const uint8_t byte = line_[at_ + index];
            if (byte < low || byte > high) return false;
            low = 0x80;
            high = 0xBF;
        }
        at_ += more + 1;
        return true;
    }
};

}  // namespace

// MARK: the border

seam_json_parser *seam_json_parser_create(size_t capacity, uint32_t max_depth) {
    seam_json_parser *parser = new (std::nothrow) seam_json_parser(capacity);
    if (parser == nullptr) return nullptr;
    parser->capacity = capacity;
    parser->max_depth = max_depth;
    parser->open = new (std::nothrow) open_container[max_depth + 1];
    // One more level than is allowed: with `max_depth` alone simdjson refuses the last level once it holds something.
    // A node needs at least two bytes of line (`[1,1`, `""`), a member five (`"":1,`).
    if (parser->open == nullptr || parser->simd.allocate(capacity, max_depth + 1) != simdjson::SUCCESS
        || parser->simd.doc.allocate(capacity) != simdjson::SUCCESS
        || !parser->node_pages.reserve((capacity / 2 + 2) * sizeof(seam_json_node))
        || !parser->sort_pages.reserve((capacity / 4 + 2) * sizeof(sort_key))) {
        delete parser;
        return nullptr;
    }
    return parser;
}

void seam_json_parser_destroy(seam_json_parser *parser) { delete parser; }

int seam_json_parse(
    seam_json_parser *parser, const uint8_t *line, size_t length, seam_json_document *document,
    seam_json_fault *fault) {
    if (length > parser->capacity) {
        *fault = {static_cast<uint32_t>(parser->capacity), "a shorter line"};
        return SEAM_JSON_TOO_LONG;
    }
    parser->last_length = std::max(parser->last_length, length);
    if (plain_line(*parser, line, length).read(*document)) return SEAM_JSON_OK;
    const simdjson::error_code error = parser->simd.parse(line, length, false).error();
    if (error == simdjson::SUCCESS && flatten(*parser, line, *document)) return SEAM_JSON_OK;
    return scan(line, length, parser->max_depth).run(*fault);
}

void seam_json_parser_trim(seam_json_parser *parser) {
    if (parser->last_length <= long_line) return;
    parser->last_length = 0;
    // The sizes are the least that simdjson allocates for this capacity.
    drop_pages(parser->simd.implementation->structural_indexes.get(), parser->capacity * sizeof(uint32_t));
    drop_pages(parser->simd.doc.tape.get(), parser->capacity * sizeof(uint64_t));
    drop_pages(parser->simd.doc.string_buf.get(), parser->capacity);
    drop_pages(parser->node_pages.base, parser->node_pages.size);
    drop_pages(parser->sort_pages.base, parser->sort_pages.size);
}
