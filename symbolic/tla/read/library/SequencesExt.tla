---------------------------- MODULE SequencesExt -----------------------------
(* Operators on sequences, by the names of the community modules. *)
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC

ToSet(s) == {s[i] : i \in DOMAIN s}

ToBag(s) == [x \in ToSet(s) |-> Cardinality({i \in DOMAIN s : s[i] = x})]

SetToSeqs(S) == {f \in [1..Cardinality(S) -> S] : IsInjective(f)}

SetToSeq(S) == FoldSet(LAMBDA x, s : Append(s, x), <<>>, S)

SetToSortSeq(S, Less(_, _)) == SortSeq(SetToSeq(S), Less)

SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}

IsSorted(s, Less(_, _)) == \A i, j \in DOMAIN s : i < j => Less(s[i], s[j])

TupleOf(S, n) == [1..n -> S]

SeqOf(S, n) == UNION {[1..m -> S] : m \in 0..n}

BoundedSeq(S, n) == SeqOf(S, n)

Contains(s, e) == \E i \in DOMAIN s : s[i] = e

Reverse(s) == [i \in DOMAIN s |-> s[Len(s) - i + 1]]

Remove(s, e) == SelectSeq(s, LAMBDA x : x # e)

ReplaceAll(s, old, new) == [i \in DOMAIN s |-> IF s[i] = old THEN new ELSE s[i]]

SelectInSeq(s, Test(_)) ==
  LET I == {i \in DOMAIN s : Test(s[i])} IN IF I = {} THEN 0 ELSE Min(I)

SelectLastInSeq(s, Test(_)) ==
  LET I == {i \in DOMAIN s : Test(s[i])} IN IF I = {} THEN 0 ELSE Max(I)

\* TLC has the place in the whole sequence, unlike the module's own text.
SelectInSubSeq(s, from, to, Test(_)) ==
  LET I == {i \in from..to : Test(s[i])} IN IF I = {} THEN 0 ELSE Min(I)

SelectLastInSubSeq(s, from, to, Test(_)) ==
  LET I == {i \in from..to : Test(s[i])} IN IF I = {} THEN 0 ELSE Max(I)

InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))

ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]

RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))

RemoveFirst(s, e) == IF Contains(s, e) THEN RemoveAt(s, SelectInSeq(s, LAMBDA x : x = e)) ELSE s

RemoveFirstMatch(s, Test(_)) ==
  LET i == SelectInSeq(s, Test) IN IF i = 0 THEN s ELSE RemoveAt(s, i)

Cons(e, s) == <<e>> \o s

Snoc(e, s) == Append(s, e)

Front(s) == SubSeq(s, 1, Len(s) - 1)

Last(s) == s[Len(s)]

IsPrefix(s, t) == Len(s) <= Len(t) /\ s = SubSeq(t, 1, Len(s))

IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t

IsSuffix(s, t) == Len(s) <= Len(t) /\ s = SubSeq(t, Len(t) - Len(s) + 1, Len(t))

IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t

Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}

Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1..(Len(s) + 1)}

SubSeqs(s) == {SubSeq(s, m + 1, n) : m, n \in 0..Len(s)}

CommonPrefixes(S) == {p \in UNION {Prefixes(s) : s \in S} : \A s \in S : IsPrefix(p, s)}

LongestCommonPrefix(S) ==
  CHOOSE p \in CommonPrefixes(S) : \A q \in CommonPrefixes(S) : Len(q) <= Len(p)

SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b

FoldSeq(Op(_, _), base, s) == FoldFunction(Op, base, s)

FoldLeft(Op(_, _), base, s) ==
  LET fold[n \in 0..Len(s)] == IF n = 0 THEN base ELSE Op(fold[n - 1], s[n])
  IN  fold[Len(s)]

FoldRight(Op(_, _), s, base) ==
  LET fold[n \in 1..(Len(s) + 1)] == IF n > Len(s) THEN base ELSE Op(s[n], fold[n + 1])
  IN  fold[1]

FoldLeftDomain(Op(_, _), base, s) ==
  LET fold[n \in 0..Len(s)] == IF n = 0 THEN base ELSE Op(fold[n - 1], n)
  IN  fold[Len(s)]

FoldRightDomain(Op(_, _), s, base) ==
  LET fold[n \in 1..(Len(s) + 1)] == IF n > Len(s) THEN base ELSE Op(n, fold[n + 1])
  IN  fold[1]

FlattenSeq(s) == FoldLeft(LAMBDA x, y : x \o y, <<>>, s)

Zip(s, t) == [i \in 1..Min({Len(s), Len(t)}) |-> <<s[i], t[i]>>]

Interleave(s, t) ==
  CASE Len(s) # Len(t) -> Assert(FALSE, "Interleave: the sequences have different lengths")
    [] Len(s) = 0 -> <<<<>>, <<>>>>
    [] OTHER -> FlattenSeq([i \in DOMAIN s |-> <<<<s[i]>>, <<t[i]>>>>])

AllSubSeqs(s) ==
  LET keep[D \in SUBSET DOMAIN s] ==
        IF D = {} THEN <<>> ELSE LET last == Max(D) IN Append(keep[D \ {last}], s[last])
  IN  {keep[D] : D \in SUBSET DOMAIN s}

IndexFirstSubSeq(s, t) ==
  Min({i \in 1..(Len(t) + 1) : i + Len(s) - 1 <= Len(t) /\ SubSeq(t, i, i + Len(s) - 1) = s})

ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))

ReplaceFirstSubSeq(r, s, t) ==
  IF s \in SubSeqs(t) THEN ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t) ELSE t

RECURSIVE ReplaceAllSubSeqs(_, _, _)
ReplaceAllSubSeqs(r, s, t) ==
  CASE s = t -> r
    [] s # t /\ s = <<>> -> FlattenSeq([i \in 1..Len(t) |-> r \o <<t[i]>>])
    [] s # t /\ s # <<>> /\ s \notin SubSeqs(t) -> t
    [] OTHER -> LET i == IndexFirstSubSeq(s, t)
                IN  SubSeq(t, 1, i - 1) \o r
                    \o (IF i + Len(s) > Len(t) THEN <<>> ELSE ReplaceAllSubSeqs(r, s, SubSeq(t, i + Len(s), Len(t))))
=============================================================================
