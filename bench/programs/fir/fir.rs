//! A FIR filter over blocks of samples, of which each is the filtered one before; what is done with a tap is a closure.

#![no_std]
#![no_main]

const TAPS: [i32; 16] = [3, -7, 12, 25, -41, 60, 83, 97, 97, 83, 60, -41, 25, 12, -7, 3];

fn filter(samples: &[i32], output: &mut [i32], weigh: impl Fn(i32, i32) -> i32) {
    for (output, window) in output.iter_mut().zip(samples.windows(TAPS.len())) {
        *output = TAPS.iter().zip(window).map(|(&tap, &sample)| weigh(tap, sample)).sum();
    }
}

fn run(size: i32) -> i32 {
    let mut samples: [i32; 79] = core::array::from_fn(|i| (i * i % 251) as i32 - 125);
    let mut output = [0; 64];
    let mut checksum = 0;
    for round in 1..=size {
        let gain = (round & 7) + 1;
        filter(&samples, &mut output, |tap, sample| (tap * sample * gain) >> 3);
        for (i, (sample, output)) in samples[15..].iter_mut().zip(&output).enumerate() {
            *sample = (output ^ i as i32) & 0xFFF;
        }
        checksum = (checksum << 1) ^ output[(round & 63) as usize];
    }
    checksum
}

bench::main!(run);
