(* Counters in ref cells, and variables that a closure changes by reference. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let counter step =
  let count = ref 0 in
  fun amount ->
    count := (!count + (step * amount)) land 0xFFFFF;
    !count

let each count action =
  for i = 1 to count do
    action i
  done

let run size =
  let one = counter 3 and other = counter 11 in
  let state = ref 1 and even = ref 0 and odd = ref 0 in
  each size (fun i ->
      state := ((!state * 25173) + 13849) land 0xFFFF;
      if !state land 4 = 0 then even := !even lxor one (!state land 15) else odd := !odd lxor (other 1 + i));
  !even + !odd

let () = ignore (bench_result (run (bench_size ())))
