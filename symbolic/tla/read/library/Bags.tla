-------------------------------- MODULE Bags ---------------------------------
(* Bags as functions from their elements to how often each occurs: Lamport, Specifying Systems, section 18.4. *)
EXTENDS TLC
LOCAL INSTANCE Naturals
LOCAL Own == INSTANCE LeadlineBuiltIn

IsABag(B) == \A e \in DOMAIN B : B[e] \in Nat /\ B[e] > 0

BagToSet(B) == DOMAIN B

SetToBag(S) == [e \in S |-> 1]

BagIn(e, B) == e \in DOMAIN B

EmptyBag == SetToBag({})

CopiesIn(e, B) == IF e \in DOMAIN B THEN B[e] ELSE 0

B1 (+) B2 == [e \in DOMAIN B2 |-> CopiesIn(e, B1) + B2[e]] @@ B1

B1 (-) B2 ==
  LET Left == [e \in {d \in DOMAIN B1 : B1[d] > 0} |-> B1[e]]
  IN  [e \in {d \in DOMAIN B2 : d \in DOMAIN B1 /\ B1[d] > B2[d]} |-> B1[e] - B2[e]]
      @@ [e \in DOMAIN Left \ DOMAIN B2 |-> Left[e]]

BagUnion(S) ==
  [e \in Own!FoldInOrder(LAMBDA B, all : DOMAIN B \cup all, {}, S) |->
    Own!FoldInOrder(LAMBDA B, sum : CopiesIn(e, B) + sum, 0, S)]

B1 \sqsubseteq B2 == \A e \in DOMAIN B1 : B1[e] <= CopiesIn(e, B2)

SubBag(B) ==
  LET Most(D) == [D -> 0..Own!FoldInOrder(LAMBDA e, most : IF B[e] > most THEN B[e] ELSE most, 0, D)]
  IN  UNION {{b \in Most(D) : \A e \in D : b[e] > 0 /\ b[e] <= B[e]} : D \in SUBSET DOMAIN B}

BagCardinality(B) == Own!FoldInOrder(LAMBDA e, sum : B[e] + sum, 0, DOMAIN B)

BagOfAll(F(_), B) ==
  [v \in {F(e) : e \in DOMAIN B} |-> BagCardinality([e \in {d \in DOMAIN B : F(d) = v} |-> B[e]])]
=============================================================================
