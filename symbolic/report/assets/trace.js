"use strict";
// The data of the page: see leadline.symbolic.trace.page. Texts go in as texts, never as markup.
const run = JSON.parse(document.getElementById("data").textContent);
const {nodes, variables, steps} = run;
const last = steps.length - 1;
const repeats = run.loop !== null && run.loop < last;
const view = {
  at: last, other: null, two: false, changed: false, tab: "state", lanes: run.lanes !== null,
  filter: "", parts: "", pins: new Map(), open: new Map(), groups: new Set(),
};

const $ = (id) => document.getElementById(id);

function el(tag, options = {}, ...inside) {
  const made = document.createElement(tag);
  const {data, on, ...rest} = options;
  for (const [name, value] of Object.entries(rest)) {
    if (name in made && name !== "list") made[name] = value; else made.setAttribute(name, value);
  }
  Object.assign(made.dataset, data);
  for (const [event, act] of Object.entries(on ?? {})) made.addEventListener(event, act);
  made.append(...inside);
  return made;
}

// -- values: a node is a text, or [kind, keys or null, children] --------------------------------------

const texts = new Map();
const OPENING = {r: "[", m: "(", s: "{", q: "<<"};
const CLOSING = {r: "]", m: ")", s: "}", q: ">>"};
const JOINT = {r: " |-> ", m: " :> "};
const isWhole = (i) => typeof nodes[i] !== "string";

function label(node, place) {
  return node[0] in JOINT ? node[1][place] + JOINT[node[0]] : "";
}

function text(i) {
  if (!isWhole(i)) return nodes[i];
  if (!texts.has(i)) {
    const node = nodes[i];
    const inside = node[2].map((child, place) => label(node, place) + text(child));
    texts.set(i, OPENING[node[0]] + inside.join(node[0] === "m" ? " @@ " : ", ") + CLOSING[node[0]]);
  }
  return texts.get(i);
}

// The domains of two maps may differ, the fields of records of one shape do not.
const sameShape = (a, b) => a !== undefined && isWhole(a) && isWhole(b) && nodes[a][0] === nodes[b][0] &&
  (nodes[a][0] !== "r" || String(nodes[a][1]) === String(nodes[b][1]));

const IN = "\u220b";

// The children of two values side by side: [suffix of the path, label, child of the first, child of the second].
function children(a, b) {
  if (b === undefined || !isWhole(b)) return a === undefined || !isWhole(a) ? [] : children(undefined, a)
    .map(([suffix, name, , child]) => [suffix, name, child, undefined]);
  const [kind, keys, inside] = nodes[b];
  const old = sameShape(a, b) ? nodes[a][2] : [];
  if (kind === "s") {
    const gone = old.filter((x) => !inside.includes(x)).map((x) => [`${IN}${x}`, IN, x, undefined]);
    return [...inside.map((x) => [`${IN}${x}`, IN, old.includes(x) ? x : undefined, x]), ...gone];
  }
  if (kind === "q") {
    return Array.from({length: Math.max(inside.length, old.length)}, (_, k) =>
      [`[${k + 1}]`, `[${k + 1}]`, old[k], inside[k]]);
  }
  const name = (key) => kind === "r" ? `.${key}` : `[${key}]`;
  const known = old.length ? nodes[a][1] : [];
  const every = [...keys, ...known.filter((key) => !keys.includes(key))];
  return every.map((key, k) => [name(key), name(key), old[known.indexOf(key)], inside[k]]);
}

// A value as inline text; what differs from the value `a` is marked. With `both`, what was there is struck out.
function inline(a, b, both) {
  const made = document.createDocumentFragment();
  if (b === undefined) {
    made.append(both && a !== undefined ? el("del", {}, text(a)) : el("span", {className: "none"}, "\u2013"));
  } else if (a === b || a === undefined && !both) {
    made.append(text(b));
  } else if (sameShape(a, b) && nodes[b][0] !== "q") {
    const node = nodes[b];
    made.append(OPENING[node[0]]);
    const shown = children(a, b).filter(([, , , child]) => both || child !== undefined);
    shown.forEach(([, name, old, child], place) => {
      const key = node[0] === "r" ? name.slice(1) : name.slice(1, -1);
      made.append(place ? (node[0] === "m" ? " @@ " : ", ") : "", node[0] === "s" ? "" : key + JOINT[node[0]]);
      made.append(node[0] === "s" && old === undefined ? el("ins", {}, text(child)) : inline(old, child, both));
    });
    made.append(CLOSING[node[0]]);
  } else {
    if (both && a !== undefined) made.append(el("del", {}, text(a)), " ");
    made.append(el("ins", {}, text(b)));
  }
  return made;
}

// -- the state at a step ------------------------------------------------------------------------------

const other = () => view.two && view.other !== null ? view.other : view.at - 1;
const valueAt = (step, place) => steps[step]?.state?.[place];
// Nothing has changed in the first state, which is beside none.
const before = (place) => valueAt(!view.two && view.at === 0 ? 0 : other(), place);
const wanted = () => view.filter.toLowerCase().split(/\s+/).filter(Boolean);
const fits = (path) => wanted().some((word) => path.split(IN)[0].toLowerCase().includes(word));
const reaches = (path, a, b) => fits(path) || children(a, b).some(([suffix, , x, y]) => reaches(path + suffix, x, y));

function row(path, name, a, b, depth, mark) {
  const whole = children(a, b).length > 0;
  const long = Math.max(b === undefined ? 0 : text(b).length, a === undefined ? 0 : text(a).length) > 96;
  const forced = mark !== "pinned" && wanted().length && !fits(path) && reaches(path, a, b);
  const opened = whole && (forced || (view.open.get(path) ?? long));
  const differs = a !== b && (a !== undefined || view.two);
  const act = (what, key, face, more) => el("button", {
    className: what, data: {key: `${what} ${path}`}, title: more, "aria-label": `${more} ${path}`, on: {click: key},
  }, face);
  const toggle = whole ? act("toggle", () => { view.open.set(path, !opened); showState(); },
    opened ? "\u25be" : "\u25b8", opened ? "Close" : "Open") : el("span", {className: "toggle"}, " ");
  toggle.ariaExpanded = whole ? String(Boolean(opened)) : null;
  const pinned = view.pins.has(path);
  const pin = act("pin", () => {
    if (pinned) view.pins.delete(path); else view.pins.set(path, null);
    showState();
  }, "\u2605", pinned ? "Unpin" : "Pin");
  pin.ariaPressed = String(pinned);
  const head = el("th", {scope: "row"}, toggle, name, " ", path.includes(IN) ? "" : pin);
  const cells = opened ? [""] : [inline(a, b, !view.two)];
  if (view.two) cells.unshift(opened ? "" : inline(b, a, false));
  const made = el("tr", {className: [differs && "changed", depth || "top", mark].filter(Boolean).join(" ")},
    head, ...cells.map((cell) => el("td", {}, cell)));
  made.style.setProperty("--depth", depth);
  if (!opened) return [made];
  return [made, ...children(a, b)
    .filter(([suffix, , x, y]) => (!view.changed || mark === "pinned" || x !== y || other() < 0) && (!forced || reaches(path + suffix, x, y)))
    .flatMap(([suffix, part, x, y]) => row(path + suffix, part, x, y, depth + 1, mark))];
}

// The part of the state at a path: found by the paths of the children.
function part(path) {
  let place = variables.findIndex((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));
  let [at, a, b] = [variables[place], before(place), valueAt(view.at, place)];
  while (at !== path) {
    const next = children(a, b).find(([suffix]) => path === at + suffix ||
      path.startsWith(at + suffix) && ".[".includes(path[(at + suffix).length]));
    if (!next) return [undefined, undefined];
    at += next[0];
    [, , a, b] = next;
  }
  return [a, b];
}

function showState() {
  const focused = document.activeElement?.dataset?.key;
  const pinned = [...view.pins.keys()].flatMap((path) => row(path, path, ...part(path), 0, "pinned"));
  pinned.at(-1)?.classList.add("pinned-last");
  const rest = variables.flatMap((name, place) => {
    const [a, b] = [before(place), valueAt(view.at, place)];
    if (view.pins.has(name) || wanted().length && !reaches(name, a, b)) return [];
    const alias = place >= variables.length - run.aliases;
    return view.changed && a === b && other() >= 0 ? [] : row(name, alias ? `${name} ==` : name, a, b, 0, alias ? "alias" : "");
  });
  $("values").className = view.two ? "two" : "";
  const heads = view.two ? ["", nameOf(other()), nameOf(view.at)] : [];
  const head = el("thead", {}, el("tr", {}, ...heads.map((name) => el("th", {scope: "col"}, name))));
  const found = [...pinned, ...rest];
  if (!found.length) {
    found.push(el("tr", {}, el("td", {className: "none"}, steps[view.at].state === null ?
      "This step goes out of bounds: there is no state after it." :
      wanted().length ? "No variable has such a name." : "Nothing changes.")));
  }
  $("values").replaceChildren(head, el("tbody", {}, ...found));
  [...$("values").querySelectorAll("button")].find((x) => x.dataset.key === focused)?.focus();
}

const nameOf = (step) => step < 0 ? "nothing before" : step ? `step ${step}` : "initial state";

// -- why the property fails ---------------------------------------------------------------------------

const badge = (value) => el("span", {className: `truth ${value}`}, value);

function reasonOf(i) {
  const [formula, value, instance, chosen, inside, leftOut] = run.reasons[i];
  const line = [chosen && el("span", {className: "chosen mono"}, run.texts[chosen]), badge(run.texts[value]),
    el("code", {}, run.texts[formula]), instance && el("code", {className: "instance"}, `  ${run.texts[instance]}`)]
    .filter(Boolean).flatMap((one) => [one, " "]);
  if (!inside.length) return el("li", {}, el("div", {}, ...line));
  line.at(-2).title = run.texts[formula];
  const more = leftOut ? [el("li", {className: "note"}, `and so on, for ${leftOut} more`)] : [];
  return el("li", {}, el("details", {open: true}, el("summary", {}, ...line), el("ul", {}, ...inside.map(reasonOf), ...more)));
}

function showWhy() {
  const found = steps[view.at].reason;
  $("reason").replaceChildren(found === null ? el("p", {className: "note"}, "There is no reason to show at this step.") :
    el("ul", {}, reasonOf(found)));
  showParts();
}

// A row's values are stored as changes: [from step, text] one after the other.
function valuesOf(changes) {
  const found = [];
  for (let k = 0; k < changes.length; k += 2) {
    const until = changes[k + 2] ?? steps.length;
    for (let step = changes[k]; step < until; step++) found.push(changes[k + 1]);
  }
  return found;
}

const MOST_PARTS = 60;

function showParts() {
  const words = view.parts.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = run.parts.filter(([name]) => words.every((word) => run.texts[name].toLowerCase().includes(word)));
  $("parts-count").textContent = `${Math.min(fitting.length, MOST_PARTS)} of ${run.parts.length}` +
    (fitting.length > MOST_PARTS ? ": type to see others" : "");
  const mark = (step) => step === view.at ? "now" : "";
  const head = el("tr", {}, el("th", {}), ...steps.map((_, step) => el("th", {scope: "col", className: mark(step)}, String(step))));
  const rows = fitting.slice(0, MOST_PARTS).map(([name, changes]) => {
    const found = valuesOf(changes);
    const cells = steps.map((_, step) => {
      const value = found[step] === undefined || found[step] < 0 ? "\u2013" : run.texts[found[step]];
      const truth = value === "TRUE" || value === "FALSE";
      const same = !truth && step && found[step] === found[step - 1] ? "same" : "";
      return el("td", {className: `${truth ? value : "mono"} ${same} ${mark(step)}`, data: {step}, title: value},
        truth ? value[0] : same && step !== view.at ? "\u00b7" : value);
    });
    return el("tr", {}, el("th", {scope: "row", title: run.texts[name]}, run.texts[name]), ...cells);
  });
  $("parts").replaceChildren(el("thead", {}, head), el("tbody", {}, ...rows));
}

// Scroll to the step at hand. Last, since what is shown before decides how wide and high the rest is.
function scrollThere() {
  $("steps").children[view.at].scrollIntoView({block: "nearest"});
  const [now, frame] = [$("parts").querySelector("thead .now"), $("parts").parentElement];
  if (now && now.offsetLeft + now.offsetWidth > frame.clientWidth) frame.scrollLeft = now.offsetLeft;
}

// -- the run ------------------------------------------------------------------------------------------

const picksOf = (step) => step.picks.map(([name, value]) => `${name} = ${text(value)}`).join(", ");

// What comes after the last step.
function again() {
  if (run.loop === null) return "";
  return repeats ? `Steps ${run.loop + 1} to ${last} repeat for ever.` : "Nothing happens any more.";
}

// A text with formulas between backquotes.
const marked = (told) => told.split("`").map((part, k) => k % 2 ? el("code", {}, part) : part);

function makeFairness() {
  $("conditions").replaceChildren(...run.fairness.map(([name, why, place]) => el("li", {}, el("code", {}, name), ": ",
    place === null ? why : el("button", {on: {click: () => go(place)}}, why))));
}

// Browsers give a page that was opened from disk no clipboard; the older way works there.
async function copy() {
  const all = run.text.map(([, line]) => line).join("\n") + "\n";
  try {
    await navigator.clipboard.writeText(all);
  } catch {
    const area = el("textarea", {value: all, className: "aside"});
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  $("copy").textContent = "Copied";
}

// The name of an action, which a narrow window breaks between its words.
const humps = (name) => name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=_)/).flatMap((word, k) => k ? [el("wbr"), word] : [word]);

function makeSteps() {
  $("steps").replaceChildren(...steps.map((step, k) => el("li", {}, el("button", {
    className: [step.bad ? "bad" : "", repeats && k > run.loop ? "again" : ""].join(" ").trim(), data: {step: k}, title: step.bad ? `${run.property} is false` : "",
    on: {click: (event) => event.shiftKey ? beside(k) : go(k)},
  }, el("span", {className: "number"}, String(k)), el("span", {className: "name"}, ...humps(step.name)),
  el("span", {className: "picks", title: picksOf(step)}, picksOf(step))))));
  $("end").prepend(`${run.end || again()} `);
  $("end").classList.toggle("violates", run.ends === "violates");
}

function showRun() {
  for (const button of $("steps").querySelectorAll("button")) {
    const step = Number(button.dataset.step);
    if (step === view.at) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
    button.classList.toggle("beside", view.two && step === other());
  }
  const step = steps[view.at];
  $("call").replaceChildren(el("span", {className: "count"}, `${view.at} of ${last}  `), ...humps(step.name),
    el("span", {className: "picks"}, step.picks.length ? `(${picksOf(step)})` : ""));
  $("link").textContent = $("link").href = `#${view.at}`;
  $("back").disabled = view.at === 0;
  $("on").disabled = view.at === last && !repeats;
  const post = (run.lanes?.messages ?? []).flatMap(([from, to, message, kind]) => {
    const jump = (k, word) => el("button", {on: {click: () => go(k)}}, `${word} step ${k}`);
    return from === view.at ? [el("li", {}, "sends ", el("b", {}, kind), " to ", jump(to, ""), ": ", el("code", {}, message))] :
      to === view.at ? [el("li", {}, "receives ", el("b", {}, kind), " from ", jump(from, ""), ": ", el("code", {}, message))] : [];
  });
  $("post").replaceChildren(...post);
}

const TABS = ["state", "why", "fair"];
const wide = matchMedia("(min-width: 1700px)");

function show() {
  const both = wide.matches && run.property !== null;
  for (const tab of TABS) {
    const there = !$(`tab-${tab}`).hidden;
    $(`tab-${tab}`).ariaSelected = String(tab === view.tab);
    $(tab).hidden = !there || tab !== view.tab && !both;
  }
  $("at").classList.toggle("both", both);
  $("two").checked = view.two;
  $("changed").checked = view.changed;
  $("diagram").checked = view.lanes;
  $("other-label").hidden = !view.two;
  $("other").value = String(other());
  showRun();
  if (!$("why").hidden) showWhy();
  if (!$("state").hidden) showState();
  drawLanes();
  scrollThere();
  history.replaceState(null, "", `#${view.at}`);
}

function go(step) {
  view.at = Math.max(0, Math.min(last, step));
  show();
}

// To the step after; after the last one that is the first of the loop again.
function goOn() {
  go(repeats && view.at === last ? run.loop + 1 : view.at + 1);
}

function beside(step) {
  view.two = true;
  view.other = step;
  show();
}
