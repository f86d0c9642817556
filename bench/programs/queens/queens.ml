(* The number of ways to place queens on a board. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let rec safe column distance queens =
  match queens with
  | [] -> true
  | queen :: rest -> queen <> column && abs (queen - column) <> distance && safe column (distance + 1) rest

let rec place count row queens =
  if row = count then 1
  else begin
    let ways = ref 0 in
    for column = 1 to count do
      if safe column 1 queens then ways := !ways + place count (row + 1) (column :: queens)
    done;
    !ways
  end

let run size =
  let sum = ref 0 in
  for round = 1 to size do
    sum := ((!sum * 3) + place (5 + (round mod 3)) 0 []) land 0xFFFFF
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
