/* What the node decides: filters, alarm and state. */
#pragma once
#include "config.h"
#include "line.h"

typedef struct {
    int32_t last, before_last, average;
} Filter;

typedef enum { NORMAL, TOO_COLD, TOO_HOT } Alarm;
typedef enum { STARTING, MEASURING, FAILED } Phase;
typedef enum { SAME, FOUND, LOST, CHANGED } News;

typedef struct {
    Phase phase;
    Alarm alarm;
    Filter temperature, pressure;
    int32_t times;
} Node;

#define SCREEN_LINES 4

int32_t filter_value(const Filter *filter);
News node_measured(Node *node, const Config *config, int32_t celsius, int32_t pascals);
News node_failed(Node *node);
void node_line(const Node *node, const Config *config, unsigned number, Line *line);
