---------------------------- MODULE SVG ----------------------------
(* Names of the community module. Nothing is written to files, and graphs are laid out on an ellipse. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE TLC

SVGElem(_name, _attrs, _children, _innerText) ==
    [name |-> _name, attrs |-> _attrs, children |-> _children, innerText |-> _innerText]

Line(x1, y1, x2, y2, attrs) ==
    LET own == [x1 |-> ToString(x1), y1 |-> ToString(y1), x2 |-> ToString(x2), y2 |-> ToString(y2)]
    IN SVGElem("line", own @@ attrs, <<>>, "")
Circle(cx, cy, r, attrs) ==
    SVGElem("circle", [cx |-> ToString(cx), cy |-> ToString(cy), r |-> ToString(r)] @@ attrs, <<>>, "")
Rect(x, y, w, h, attrs) ==
    LET own == [x |-> ToString(x), y |-> ToString(y), width |-> ToString(w), height |-> ToString(h)]
    IN SVGElem("rect", own @@ attrs, <<>>, "")
Text(x, y, text, attrs) == SVGElem("text", [x |-> ToString(x), y |-> ToString(y)] @@ attrs, <<>>, text)
Group(children, attrs) == SVGElem("g", attrs, children, "")
Svg(children, attrs) == SVGElem("svg", attrs, children, "")
SVGDoc(children, vbX, vbY, vbW, vbH, attrs) ==
    LET box == FoldLeft(LAMBDA text, n : text \o " " \o ToString(n), ToString(vbX), <<vbY, vbW, vbH>>)
        own == "xmlns:xlink" :> "http://www.w3.org/1999/xlink" @@ "xmlns" :> "http://www.w3.org/2000/svg"
    IN Svg(<<children>>, own @@ "viewBox" :> box @@ attrs)

LOCAL Joined(texts) == FoldLeft(LAMBDA all, text : all \o text, "", texts)
RECURSIVE Replaced(_, _, _)
LOCAL Replaced(text, old, new) ==
    CASE Len(text) < Len(old) -> text
      [] SubSeq(text, 1, Len(old)) = old -> new \o Replaced(SubSeq(text, Len(old) + 1, Len(text)), old, new)
      [] OTHER -> SubSeq(text, 1, 1) \o Replaced(SubSeq(text, 2, Len(text)), old, new)

RECURSIVE SVGElemToString(_)
SVGElemToString(elem) ==
    LET Attribute(name) == " " \o Replaced(name, "_", "-") \o "='" \o elem.attrs[name] \o "'"
        names == SetToSeq(DOMAIN elem.attrs)
        attributes == Joined([i \in DOMAIN names |-> Attribute(names[i])])
        children == Joined([i \in 1..Len(elem.children) |-> SVGElemToString(elem.children[i])])
        text == Replaced(Replaced(elem.innerText, "<<", "&lt;&lt;"), ">>", "&gt;&gt;")
    IN "<" \o elem.name \o attributes \o ">" \o text \o children \o "</" \o elem.name \o ">"

\* The cosine of tenths of a degree, times r: Bhaskara's fraction, which is off by a six-hundredth of r at most.
LOCAL Across(r, tenths) ==
    LET Near(x) == (r * (3240000 - 4 * x * x)) \div (3240000 + x * x)
        t == tenths % 3600
    IN CASE t <= 900 -> Near(t) [] t < 2700 -> -Near(t - 1800) [] OTHER -> Near(t - 3600)
LOCAL OnEllipse(cx, cy, rx, ry, n, m) ==
    LET tenths == (3600 * n) \div m IN [x |-> cx + Across(rx, tenths), y |-> cy + Across(ry, tenths - 900)]

NodeOfRingNetwork(cx, cy, r, n, m) == OnEllipse(cx, cy, r, r, n, m)
NodesOfDirectedMultiGraph(nodes, edges, options) ==
    LET order == SetToSeq(nodes)
        x == options.view_width \div 2
        y == options.view_height \div 2
        Place(i) == OnEllipse(x, y, x - options.node_width, y - options.node_height, i, Len(order))
    IN [node \in nodes |-> Place(CHOOSE i \in DOMAIN order : order[i] = node)]
PointOnLine(from, to, segment) ==
    [x |-> from.x + ((to.x - from.x) \div segment), y |-> from.y + ((to.y - from.y) \div segment)]

SVGSerialize(svg, frameNamePrefix, frameNumber) == "no file is written here"
===================================================================
