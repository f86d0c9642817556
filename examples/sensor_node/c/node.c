#include "node.h"

#define HYSTERESIS 50

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static void filter_start(Filter *filter, int32_t sample) {
    filter->last = filter->before_last = sample;
    filter->average = sample * 64;
}

/* The exponential average of the median of three samples. */
static void filter_step(Filter *filter, int32_t sample, int32_t smoothing) {
    int32_t a = filter->before_last, b = filter->last;
    int32_t median = larger(smaller(a, b), smaller(larger(a, b), sample));
    filter->average += (median * 64 - filter->average) >> smoothing;
    filter->before_last = b;
    filter->last = sample;
}

int32_t filter_value(const Filter *filter) { return (filter->average + 32) >> 6; }

static Alarm alarm_after(const Config *config, Alarm alarm, int32_t celsius) {
    int32_t low = config->values[LOW] + (alarm == TOO_COLD ? HYSTERESIS : 0);
    int32_t high = config->values[HIGH] - (alarm == TOO_HOT ? HYSTERESIS : 0);
    return celsius < low ? TOO_COLD : celsius > high ? TOO_HOT : NORMAL;
}

News node_measured(Node *node, const Config *config, int32_t celsius, int32_t pascals) {
    Alarm before = node->alarm;
    News news = SAME;
    if (node->phase == MEASURING) {
        filter_step(&node->temperature, celsius, config->values[SMOOTHING]);
        filter_step(&node->pressure, pascals, config->values[SMOOTHING]);
    } else {
        filter_start(&node->temperature, celsius);
        filter_start(&node->pressure, pascals);
        before = NORMAL;
        node->phase = MEASURING;
        news = FOUND;
    }
    node->alarm = alarm_after(config, before, filter_value(&node->temperature));
    return news == SAME && node->alarm != before ? CHANGED : news;
}

News node_failed(Node *node) {
    if (node->phase == FAILED) {
        node->times = smaller(node->times + 1, 99);
        return SAME;
    }
    node->phase = FAILED;
    node->times = 1;
    return LOST;
}

static void condition(const Node *node, Line *line) {
    static const char *const alarms[] = {"ok", "too cold", "too hot"};
    switch (node->phase) {
    case STARTING: line_add(line, "starting"); break;
    case MEASURING: line_add(line, alarms[node->alarm]); break;
    case FAILED:
        line_add(line, "no sensor: ");
        line_int(line, node->times);
    }
}

static void measurement(const Node *node, const Filter *filter, const char *unit, Line *line) {
    if (node->phase != MEASURING) {
        line_add(line, "--");
        return;
    }
    line_hundredths(line, filter_value(filter));
    line_add(line, unit);
}

void node_line(const Node *node, const Config *config, unsigned number, Line *line) {
    switch (number) {
    case 0: measurement(node, &node->temperature, " C", line); break;
    case 1: measurement(node, &node->pressure, " hPa", line); break;
    case 2: condition(node, line); break;
    default:
        line_int(line, config->values[INTERVAL]);
        line_add(line, " ms, ");
        line_hundredths(line, config->values[LOW]);
        line_add(line, " to ");
        line_hundredths(line, config->values[HIGH]);
        line_add(line, ", /");
        line_int(line, 1 << config->values[SMOOTHING]);
    }
}
