/* A heater that a library in Clef controls: a simulated room. */

#include "libcontroller.h"
#include <stdio.h>
#include <stdlib.h>

/* The library reports a trap, in pieces, and then stops. */
void clef_host_error(const uint8_t *bytes, size_t count) { fwrite(bytes, 1, count, stderr); }

void clef_host_stop(int32_t status) { exit(status); }

int main(void) {
    controller_init();
    controller_set_target(21.5f);
    float temperature = 15.0f;
    for (int minute = 0; minute <= 60; minute++) {
        controller_Sample sample = {temperature, 60.0f};
        controller_Command command = controller_step(sample);
        if (minute % 10 == 0)
            printf("%2d min: %.2f degrees, power %.2f%s\n", minute, temperature, command.Power,
                   command.State == controller_State_Heating ? ", heating" : "");
        temperature += command.Power * 1.5f - (temperature - 10.0f) * 0.05f;
    }
    printf("mean %.2f\n", controller_mean());
    return 0;
}
