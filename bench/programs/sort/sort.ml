(* Arrays of numbers are sorted by a function that compares them. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let run size =
  let values = Array.make 256 0 in
  let random = ref 1 and sum = ref 0 in
  for _ = 1 to size do
    for i = 0 to 255 do
      random := ((!random * 25173) + 13849) land 0xFFFF;
      values.(i) <- !random
    done;
    Array.sort (fun one other -> Int.compare (one lxor 0x55) (other lxor 0x55)) values;
    Array.iter (fun value -> sum := ((!sum * 31) lxor value) land 0xFFFFFF) values
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
