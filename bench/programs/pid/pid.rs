//! A PID controller of floats of 32 bits drives a plant.

#![no_std]
#![no_main]

struct Controller {
    kp: f32,
    ki: f32,
    kd: f32,
    integral: f32,
    previous: f32,
}

impl Controller {
    fn update(&mut self, target: f32, measured: f32) -> f32 {
        let error = target - measured;
        self.integral = (self.integral + error * 0.01).clamp(-50.0, 50.0);
        let derivative = (error - self.previous) * 100.0;
        self.previous = error;
        (self.kp * error + self.ki * self.integral + self.kd * derivative).clamp(-100.0, 100.0)
    }
}

fn run(size: i32) -> i32 {
    let mut controller = Controller { kp: 2.0, ki: 0.5, kd: 0.01, integral: 0.0, previous: 0.0 };
    let (mut level, mut sum) = (0.0, 0);
    for i in 1..=size {
        let target = if (i >> 8) & 1 == 0 { 20.0 } else { 35.0 };
        let output = controller.update(target, level);
        level += (output - level * 0.2) * 0.01;
        sum ^= (level * 100.0) as i32 + i;
    }
    sum
}

bench::main!(run);
