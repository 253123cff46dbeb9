/* SPDX-License-Identifier: GPL-2.0-only */
/* Text from tasks, which may be any bytes, made fit for outputs */
#ifndef TASKACCT_COMMON_TEXT_H
#define TASKACCT_COMMON_TEXT_H

#include <stddef.h>
#include <stdio.h>

/**
 * text_clean() - copy a text, for a terminal
 * @s: bytes
 * @length: how many
 *
 * Control characters become '?', what is no UTF-8 becomes U+FFFD.
 *
 * Return: the copy, to be freed.
 */
char *text_clean(const char *s, size_t length);

/**
 * text_valid() - copy a text, for programs
 * @s: bytes
 * @length: how many
 *
 * What is no UTF-8 becomes U+FFFD.
 *
 * Return: the copy, to be freed.
 */
char *text_valid(const char *s, size_t length);

/**
 * text_columns() - columns that a text takes on a terminal
 * @s: clean text
 *
 * Return: how many.
 */
int text_columns(const char *s);

/**
 * text_clip() - cut a text to a width
 * @s: clean text
 * @columns: columns that it may take
 *
 * Return: columns that it takes then.
 */
int text_clip(char *s, int columns);

/**
 * text_json() - write a JSON string with its quotes
 * @file: where to
 * @s: bytes; what is no UTF-8 becomes U+FFFD
 * @length: how many
 */
void text_json(FILE *file, const char *s, size_t length);

/**
 * text_csv() - write a field of CSV, quoted where RFC 4180 wants it
 * @file: where to
 * @s: bytes; what is no UTF-8 becomes U+FFFD
 * @length: how many
 */
void text_csv(FILE *file, const char *s, size_t length);

/**
 * text_html() - write a text for HTML or SVG
 * @file: where to
 * @s: bytes
 * @length: how many
 */
void text_html(FILE *file, const char *s, size_t length);

#endif /* TASKACCT_COMMON_TEXT_H */
