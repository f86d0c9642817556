/* The commands of the shell. */
#pragma once
#include "config.h"
#include "line.h"

typedef enum {
    NOTHING_TO_DO,
    SHOW,
    SET,
    SAVE,
    RESET,
    HANG,
    HELP,
    UNKNOWN_COMMAND,
    UNKNOWN_SETTING,
    NO_NUMBER,
    TOO_MANY,
} Kind;

typedef struct {
    Kind kind;
    Setting setting;
    int32_t value;
} Command;

Command command_parse(const Line *line);
