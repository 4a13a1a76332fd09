#include "CGatePage.h"

/* #embed came with C23; the toolchain's clang has it for every standard, and notes each file as something that this one
 * is made from. (SwiftPM's own .embedInCode writes Swift array literals: half a minute for 128 KB.) The file names below
 * and what is listed at the end are held to the folder by a test. */
#pragma clang diagnostic ignored "-Wc23-extensions"

/* The zero behind each is not counted; it lets a file be empty. */
static const unsigned char app_js[] = {
#embed "../seam-gate/page/app.js" suffix(, )
    0};
static const unsigned char compare_js[] = {
#embed "../seam-gate/page/compare.js" suffix(, )
    0};
static const unsigned char controls_js[] = {
#embed "../seam-gate/page/controls.js" suffix(, )
    0};
static const unsigned char details_js[] = {
#embed "../seam-gate/page/details.js" suffix(, )
    0};
static const unsigned char feed_js[] = {
#embed "../seam-gate/page/feed.js" suffix(, )
    0};
static const unsigned char gallery_js[] = {
#embed "../seam-gate/page/gallery.js" suffix(, )
    0};
static const unsigned char icon_svg[] = {
#embed "../seam-gate/page/icon.svg" suffix(, )
    0};
static const unsigned char index_html[] = {
#embed "../seam-gate/page/index.html" suffix(, )
    0};
static const unsigned char link_js[] = {
#embed "../seam-gate/page/link.js" suffix(, )
    0};
static const unsigned char list_js[] = {
#embed "../seam-gate/page/list.js" suffix(, )
    0};
static const unsigned char pattern_js[] = {
#embed "../seam-gate/page/pattern.js" suffix(, )
    0};
static const unsigned char picture_js[] = {
#embed "../seam-gate/page/picture.js" suffix(, )
    0};
static const unsigned char reader_js[] = {
#embed "../seam-gate/page/reader.js" suffix(, )
    0};
static const unsigned char save_js[] = {
#embed "../seam-gate/page/save.js" suffix(, )
    0};
static const unsigned char store_js[] = {
#embed "../seam-gate/page/store.js" suffix(, )
    0};
static const unsigned char stream_js[] = {
#embed "../seam-gate/page/stream.js" suffix(, )
    0};
static const unsigned char style_css[] = {
#embed "../seam-gate/page/style.css" suffix(, )
    0};
static const unsigned char table_js[] = {
#embed "../seam-gate/page/table.js" suffix(, )
    0};
static const unsigned char text_js[] = {
#embed "../seam-gate/page/text.js" suffix(, )
    0};
static const unsigned char timeline_js[] = {
#embed "../seam-gate/page/timeline.js" suffix(, )
    0};

#define FILE_AT(path, bytes) {path, bytes, sizeof bytes - 1}

static const struct seam_page_file files[] = {
    FILE_AT("/app.js", app_js),
    FILE_AT("/compare.js", compare_js),
    FILE_AT("/controls.js", controls_js),
    FILE_AT("/details.js", details_js),
    FILE_AT("/feed.js", feed_js),
    FILE_AT("/gallery.js", gallery_js),
    FILE_AT("/icon.svg", icon_svg),
    FILE_AT("/index.html", index_html),
    FILE_AT("/link.js", link_js),
    FILE_AT("/list.js", list_js),
    FILE_AT("/pattern.js", pattern_js),
    FILE_AT("/picture.js", picture_js),
    FILE_AT("/reader.js", reader_js),
    FILE_AT("/save.js", save_js),
    FILE_AT("/store.js", store_js),
    FILE_AT("/stream.js", stream_js),
    FILE_AT("/style.css", style_css),
    FILE_AT("/table.js", table_js),
    FILE_AT("/text.js", text_js),
    FILE_AT("/timeline.js", timeline_js),
};

const size_t seam_page_file_count = sizeof files / sizeof files[0];

const struct seam_page_file *seam_page_file_at(size_t index) { return &files[index]; }
