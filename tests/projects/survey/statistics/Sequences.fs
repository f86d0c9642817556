module Statistics.Sequences

/// The running totals of a sequence.
let totals (add: 'a -> 'a -> 'a) (zero: 'a) (values: seq<'a>) : seq<'a> =
    seq {
        let mutable total = zero
        for value in values do
            total <- add total value
            yield total
    }

/// The results of a function for each of the first numbers.
let first (count: int) (f: int -> 'a) : seq<'a> = Seq.initInfinite f |> Seq.take count
