(* An array of functions, and an array of compositions of them, called in an order that depends on the values. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let adder n = fun x -> ((x + n) lxor (x asr 3)) land 0xFFFFF
let compose f g = fun x -> g (f x)

let run size =
  let adders = Array.init 16 (fun i -> adder ((i * 77) + 1)) in
  let composed = Array.map (fun f -> compose (compose f (adder 5)) f) adders in
  let value = ref 1 in
  for _ = 1 to size do
    value := adders.(!value land 15) !value;
    value := composed.(!value land 15) !value
  done;
  !value

let () = ignore (bench_result (run (bench_size ())))
