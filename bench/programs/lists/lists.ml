(* Lists of numbers are made, mapped, filtered and folded. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let run size =
  let total = ref 1 in
  for round = 1 to size do
    total :=
      List.init 200 (fun i -> (i * round) land 0xFFFF)
      |> List.map (fun x -> x lxor (x asr 3))
      |> List.filter (fun x -> x mod 3 <> 0)
      |> List.fold_left (fun sum x -> ((sum * 31) lxor x) land 0xFFFFFF) !total
  done;
  !total

let () = ignore (bench_result (run (bench_size ())))
