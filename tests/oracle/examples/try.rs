use clef_oracle::*;
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let (seed, first, count) = (a[0], a[1], a[2]);
    let programs = (first..first + count).map(|i| generate::program(seed, i, false)).collect();
    let batch = batch::Batch::new(programs);
    println!("{}", batch.source);
    let t = std::time::Instant::now();
    for bits in [64, 32] {
        match reference::interpret("x.clef", &batch.source, bits, 10_000_000) {
            Ok(ran) => eprintln!("{:?} {} bytes {:?}", ran.end, ran.output.len(), t.elapsed()),
            Err(r) => {
                eprintln!("{:?} {} {:?}", r.line.and_then(|l| batch.program_at(l)), r.rendered, t.elapsed());
                break;
            }
        }
        if count == 1 {
            eprintln!("{}", reference::interpret("x.clef", &batch.source, bits, 10_000_000).unwrap().output);
        }
    }
}
