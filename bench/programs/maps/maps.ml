(* How often numbers occur is counted in a map; those that occur again are put into a set. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

module Counts = Map.Make (Int)
module Numbers = Set.Make (Int)

let run size =
  let random = ref 1 and sum = ref 0 in
  for _ = 1 to size do
    let counts = ref Counts.empty in
    for _ = 1 to 80 do
      random := ((!random * 25173) + 13849) land 0xFFFF;
      let key = !random asr 9 in
      let before = Option.value (Counts.find_opt key !counts) ~default:0 in
      counts := Counts.add key (before + 1) !counts
    done;
    let again =
      Counts.fold (fun key count set -> if count > 1 then Numbers.add (key mod 32) set else set) !counts Numbers.empty
    in
    sum := Counts.fold (fun key count sum -> ((sum * 31) lxor ((key * 4) + count)) land 0xFFFFFF) !counts !sum;
    sum := !sum lxor Numbers.cardinal again
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
