(* Church numerals are added, multiplied and applied. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let zero _ x = x
let next n f x = f (n f x)
let plus m n f x = m f (n f x)
let times m n f = m (n f)
let rec church count = if count = 0 then zero else next (church (count - 1))

let run size =
  let sum = ref 0 in
  for round = 1 to size do
    let m = church ((round mod 5) + 2) and n = church ((round mod 7) + 1) in
    sum := !sum lxor times (plus m n) n (fun x -> ((x * 5) + round) land 0xFFFF) !sum
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
