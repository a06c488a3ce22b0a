------------------------------- MODULE Bitwise -------------------------------
(* Operators on the binary digits of natural numbers, by the names of the community modules. *)
LOCAL INSTANCE Integers

LOCAL Digit(x, place) == (x \div 2^place) % 2

RECURSIVE Combined(_, _, _, _)
LOCAL Combined(Op(_, _), x, y, place) ==
  IF x < 2^place /\ y < 2^place THEN 0
  ELSE 2^place * Op(Digit(x, place), Digit(y, place)) + Combined(Op, x, y, place + 1)

x & y == Combined(LAMBDA a, b : a * b, x, y, 0)

x | y == Combined(LAMBDA a, b : a + b - a * b, x, y, 0)

x ^^ y == Combined(LAMBDA a, b : (a + b) % 2, x, y, 0)

Not(x) == Combined(LAMBDA a, b : 1 - a, x, 0, 0)

shiftR(n, places) == n \div 2^places
==============================================================================
