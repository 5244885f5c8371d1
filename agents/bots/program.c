/* An external bot in C, without any library: cc -O2 -o program program.c, then "cmd:./program" (docs/bots.md).
 *
 * It plays the action with the longest name, which in Konchinka captures the most; where several are as long, one of
 * them at random. Of JSON it reads what it needs: members of objects, elements of arrays.
 */

#define _POSIX_C_SOURCE 200809L /* getline */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* All that follows takes a place in a line and gives one, or NULL where the line does not go on as JSON does. */

static const char *blanks(const char *at)
{
    return at == NULL ? NULL : at + strspn(at, " \t\r\n");
}

/* Behind a string. */
static const char *behind_string(const char *at)
{
    for (at++; *at != '"'; at++) {
        if (*at == '\\')
            at++;
        if (*at == '\0')
            return NULL;
    }
    return at + 1;
}

/* Behind any value. */
static const char *behind(const char *at)
{
    size_t depth = 0;
    at = blanks(at);
    while (at != NULL && *at != '\0') {
        if (*at == '"') {
            at = behind_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0)
                return NULL;
            depth--;
            at++;
        } else if (depth > 0) {
            at++;
            continue;
        } else {
            size_t length = strcspn(at, ",:]} \t\r\n");
            return length == 0 ? NULL : at + length;
        }
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* The first element of an array, or the next one behind a value in it. */
static const char *first_element(const char *array)
{
    array = blanks(array);
    if (array == NULL || *array != '[')
        return NULL;
    array = blanks(array + 1);
    return *array == ']' ? NULL : array;
}

static const char *next_element(const char *element)
{
    element = blanks(behind(element));
    return element != NULL && *element == ',' ? blanks(element + 1) : NULL;
}

/* The value of a member of an object; keys are written without escapes. */
static const char *member(const char *object, const char *key)
{
    const char *at = blanks(object);
    size_t length = strlen(key);
    if (at == NULL || *at != '{')
        return NULL;
    do {
        const char *name = blanks(at + 1), *value;
        if (*name != '"')
            return NULL;
        at = blanks(behind_string(name));
        if (at == NULL || *at != ':')
            return NULL;
        value = blanks(at + 1);
        if (strncmp(name + 1, key, length) == 0 && name[length + 1] == '"')
            return value;
        at = blanks(behind(value));
    } while (at != NULL && *at == ',');
    return NULL;
}

static int is_string(const char *at, const char *text)
{
    size_t length = strlen(text);
    return at != NULL && *at == '"' && strncmp(at + 1, text, length) == 0 && at[length + 1] == '"';
}

/* One of the longest elements of an array; NULL if it has none. */
static const char *choose(const char *array, unsigned long long number)
{
    ptrdiff_t most = 0;
    unsigned long long level = 0;
    const char *at;
    for (at = first_element(array); at != NULL && behind(at) != NULL; at = next_element(at)) {
        if (behind(at) - at > most) {
            most = behind(at) - at;
            level = 0;
        }
        level += behind(at) - at == most;
    }
    if (level == 0)
        return NULL;
    number %= level;
    for (at = first_element(array); behind(at) - at < most || number-- > 0; at = next_element(at))
        ;
    return at;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) >= 0) {
        const char *type = member(line, "type");
        if (is_string(type, "hello")) {
            puts("{\"ready\":true,\"protocol\":2}");
        } else if (is_string(type, "move")) {
            const char *random = member(line, "random");
            const char *legal = member(member(line, "position"), "legal");
            const char *action = choose(legal, random == NULL ? 0 : strtoull(random, NULL, 10));
            if (action == NULL) {
                fputs("This move has no legal actions that I can read.\n", stderr);
                return EXIT_FAILURE;
            }
            printf("{\"action\":%.*s}\n", (int)(behind(action) - action), action); /* still in its quotes */
        }
        fflush(stdout);
    }
    free(line);
    return EXIT_SUCCESS;
}
