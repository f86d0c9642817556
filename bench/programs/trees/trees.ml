(* Binary search trees are built, walked and dropped. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

type tree = Leaf | Node of tree * int * tree

let rec insert value tree =
  match tree with
  | Leaf -> Node (Leaf, value, Leaf)
  | Node (left, own, right) when value < own -> Node (insert value left, own, right)
  | Node (left, own, right) when value > own -> Node (left, own, insert value right)
  | Node _ -> tree

let rec fold folder state tree =
  match tree with
  | Leaf -> state
  | Node (left, value, right) -> fold folder (folder (fold folder state left) value) right

let run size =
  let random = ref 1 and sum = ref 0 in
  for _ = 1 to size do
    let tree = ref Leaf in
    for _ = 1 to 100 do
      random := ((!random * 25173) + 13849) land 0xFFFF;
      tree := insert (!random asr 4) !tree
    done;
    sum := fold (fun sum value -> ((sum * 31) lxor value) land 0xFFFFFF) !sum !tree
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
