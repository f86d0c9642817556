(* Sequences are made, filtered, mapped and cut, and summed up. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let rec collatz value () =
  if value = 1 then Seq.Nil
  else Seq.Cons (value, collatz (if value mod 2 = 0 then value / 2 else (3 * value) + 1))

let rec take count sequence () =
  if count = 0 then Seq.Nil
  else match sequence () with Seq.Nil -> Seq.Nil | Seq.Cons (value, rest) -> Seq.Cons (value, take (count - 1) rest)

let run size =
  let sum = ref 0 in
  for round = 1 to size do
    sum :=
      collatz ((round mod 1000) + 2)
      |> Seq.filter (fun value -> value mod 3 <> 0)
      |> Seq.map (fun value -> (value * 7) land 0xFFFF)
      |> take 20
      |> Seq.fold_left (fun sum value -> ((sum * 31) lxor value) land 0xFFFFFF) !sum
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
