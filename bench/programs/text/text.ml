(* Lines of text are built from names and numbers. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let run size =
  let sum = ref 0 in
  for round = 1 to size do
    let fields = List.init 5 (fun i -> Printf.sprintf "key%d=%d" i (round * (i + 1) mod 1000)) in
    let line = String.concat ";" fields ^ "\n" in
    String.iter (fun byte -> sum := ((!sum * 31) lxor Char.code byte) land 0xFFFFFF) line
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
