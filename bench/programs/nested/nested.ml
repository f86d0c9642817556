(* Nested loops as functions that are given their bodies, whose bounds are captured. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let up_to count body =
  for i = 1 to count do
    body i
  done

let run size =
  let sum = ref 1 in
  up_to size (fun i ->
      let width = (i land 15) + 8 in
      up_to width (fun j ->
          let height = ((i + j) mod 7) + 1 in
          up_to height (fun k -> sum := ((!sum * 31) lxor (i + (j * width) + (k * height))) land 0xFFFFF)));
  !sum

let () = ignore (bench_result (run (bench_size ())))
