(* A FIR filter over blocks of samples, of which each is the filtered one before; what is done with a tap is a function. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let taps = [| 3; -7; 12; 25; -41; 60; 83; 97; 97; 83; 60; -41; 25; 12; -7; 3 |]

let[@inline] filter (samples : int array) (output : int array) weigh =
  for i = 0 to Array.length output - 1 do
    let sum = ref 0 in
    for j = 0 to Array.length taps - 1 do
      sum := !sum + weigh taps.(j) samples.(i + j)
    done;
    output.(i) <- !sum
  done

let run size =
  let samples = Array.init 79 (fun i -> (i * i mod 251) - 125) in
  let output = Array.make 64 0 in
  let checksum = ref 0 in
  for round = 1 to size do
    let gain = (round land 7) + 1 in
    filter samples output (fun tap sample -> (tap * sample * gain) asr 3);
    for i = 0 to 63 do
      samples.(i + 15) <- (output.(i) lxor i) land 0xFFF
    done;
    checksum := ((!checksum lsl 1) lxor output.(round land 63)) land 0xFFFFFFFF
  done;
  !checksum

let () = ignore (bench_result (run (bench_size ())))
