/* A PID controller of floats of 32 bits drives a plant. */

#include "bench.h"

struct controller {
    float kp, ki, kd, integral, previous;
};

static float clamp(float low, float high, float value) {
    return value < low ? low : value > high ? high : value;
}

static float update(struct controller *controller, float target, float measured) {
    float error = target - measured;
    controller->integral = clamp(-50.0f, 50.0f, controller->integral + error * 0.01f);
    float derivative = (error - controller->previous) * 100.0f;
    controller->previous = error;
    float output = controller->kp * error + controller->ki * controller->integral + controller->kd * derivative;
    return clamp(-100.0f, 100.0f, output);
}

static int32_t run(int32_t size) {
    struct controller controller = {2.0f, 0.5f, 0.01f, 0.0f, 0.0f};
    float level = 0.0f;
    int32_t sum = 0;
    for (int32_t i = 1; i <= size; i++) {
        float target = (i >> 8 & 1) == 0 ? 20.0f : 35.0f;
        float output = update(&controller, target, level);
        level += (output - level * 0.2f) * 0.01f;
        sum ^= (int32_t)(level * 100.0f) + i;
    }
    return sum;
}

int main(void) {
    bench_result(run(bench_size()));
    return 0;
}
