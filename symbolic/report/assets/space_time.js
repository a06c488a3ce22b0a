"use strict";
// The lanes beside the steps: dots where a step acts, rings where it only picks or changes, arrows for messages.

const svg = (tag, attributes = {}, ...inside) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
};

// The lanes to draw, from left to right: [place among all, name]; the last has the steps of no member.
function shownLanes() {
  if (!view.lanes || !run.lanes) return [];
  const found = [];
  let place = 0;
  run.lanes.groups.forEach((group, number) => {
    for (const name of group.lanes) {
      if (view.groups.has(number)) found.push([place, name]);
      place += 1;
    }
  });
  const known = new Set(found.map(([lane]) => lane));
  const alone = run.lanes.steps.some((step, k) => k && !(step.acts && known.has(step.lanes[0])));
  return found.length && alone ? [...found, [-1, "\u2013"]] : found;
}

function drawLanes() {
  const lanes = shownLanes();
  const room = run.lanes?.messages.length && lanes.length < 7 ? 56 : 30;
  const wide = Math.max(room, ...lanes.map(([, name]) => 14 + 7 * Math.min(name.length, 12)));
  const edge = run.loop === null ? 0 : 22;
  const gutter = edge + lanes.length * wide;
  $("column").style.setProperty("--gutter", `${gutter}px`);
  const rows = [...$("steps").children].map((row) => row.offsetTop + row.offsetHeight / 2);
  const height = $("steps").offsetHeight;
  const x = new Map(lanes.map(([lane], k) => [lane, edge + wide * (k + 0.5)]));
  $("lanes").setAttribute("width", gutter);
  $("lanes").setAttribute("height", height);
  $("heads").setAttribute("width", gutter);
  $("heads").setAttribute("height", lanes.length ? 22 : 0);
  $("heads").replaceChildren(...lanes.map(([lane, name]) => svg("text", {x: x.get(lane), y: 15},
    name.length > 12 ? `${name.slice(0, 11)}\u2026` : name, svg("title", {}, lane < 0 ? "no member" : name))));
  const drawn = [heads("arrow"), heads("loop-arrow")];
  drawn.push(...lanes.map(([lane]) => svg("line", {class: "lane", x1: x.get(lane), x2: x.get(lane), y1: 0, y2: height})));
  if (lanes.length) drawn.push(...run.lanes.messages.map((one) => message(one, rows, x)).filter(Boolean));
  if (lanes.length) drawn.push(...kinds(rows, x, gutter));
  if (lanes.length) drawn.push(...steps.slice(1).map((_, k) => marks(k + 1, rows[k + 1], x)));
  if (run.loop !== null) {
    const stops = run.loop === last ? 6 : 0;
    const [from, to] = [rows[last] + stops, rows[run.loop] - stops];
    drawn.push(svg("path", {class: "loop", d: `M${edge} ${from} H10 V${to} H${edge}`, "marker-end": "url(#loop-arrow)"},
      svg("title", {}, again())));
  }
  $("lanes").replaceChildren(...drawn);
}

const heads = (id) => svg("defs", {}, svg("marker", {id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
  markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto"}, svg("path", {d: "M0 0L8 4L0 8z"})));

// The lane of a step's actor, if it is shown.
const actor = (step, x) => {
  const {acts, lanes} = run.lanes.steps[step];
  return acts && x.has(lanes[0]) ? lanes[0] : -1;
};

function marks(step, y, x) {
  const main = actor(step, x);
  const others = run.lanes.steps[step].lanes.filter((lane) => lane !== main && x.has(lane));
  const all = [main, ...others].map((lane) => x.get(lane));
  return svg("g", {class: step === view.at ? "here" : ""},
    svg("line", {class: "tie", x1: Math.min(...all), x2: Math.max(...all), y1: y, y2: y}),
    ...others.map((lane) => svg("circle", {class: "ring", cx: x.get(lane), cy: y, r: 4})),
    svg("circle", {class: "dot", cx: x.get(main), cy: y, r: 5.5}));
}

// The kinds of messages on their arrows, those of the step at hand first: a place on the arrow where no other is,
// and no dot or ring of a step.
function kinds(rows, x, gutter) {
  const near = (one) => one[0] === view.at || one[1] === view.at;
  const taken = run.lanes.steps.flatMap(({lanes}, step) => step ? lanes.filter((lane) => x.has(lane))
    .map((lane) => [x.get(lane), rows[step], 5.5]) : []);
  const drawn = [];
  for (const one of [...run.lanes.messages].sort((a, b) => near(b) - near(a))) {
    const kind = one[3];
    const name = kind.length > 18 ? `${kind.slice(0, 17)}\u2026` : kind;
    const half = name.length * 3.1 + 2;
    const [across, down] = curve(one, rows, x);
    for (const part of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) {
      const at = [Math.max(half, Math.min(gutter - half, along(across, part))), along(down, part)];
      if (taken.some(([x0, y0, w]) => Math.abs(at[0] - x0) < half + w && Math.abs(at[1] - y0) < 12)) continue;
      taken.push([...at, half]);
      drawn.push(svg("text", {class: near(one) ? "kind near" : "kind", x: at[0], y: at[1] + 4}, name));
      break;
    }
  }
  return drawn;
}

// The four points of a message's arrow, a Bezier curve: how far right each is, and how far down.
function curve([from, to], rows, x) {
  const [x1, x2, y1, y2] = [x.get(actor(from, x)), x.get(actor(to, x)), rows[from], rows[to]];
  const bend = x1 === x2 ? 16 : 0;
  return [[x1, x1 + bend, x2 + bend, x2 + (bend && 4)], [y1, y1 + 14, y2 - 16, y2 - 6]];
}

const along = ([a, b, c, d], part) =>
  a * (1 - part) ** 3 + 3 * b * part * (1 - part) ** 2 + 3 * c * part ** 2 * (1 - part) + d * part ** 3;

function message(one, rows, x) {
  const [from, to, told] = one;
  const [across, down] = curve(one, rows, x);
  const [begin, ...rest] = across.map((right, k) => `${right} ${down[k]}`);
  const d = `M${begin} C${rest.join(" ")}`;
  const near = from === view.at || to === view.at;
  return svg("path", {class: near ? "message near" : "message", d, "marker-end": "url(#arrow)", "data-from": from,
    "data-to": to}, svg("title", {}, `step ${from} to step ${to}: ${told}`));
}

// -- keyboard and mouse -------------------------------------------------------------------------------

const flip = (name) => { view[name] = !view[name]; show(); };
const turn = (tab) => $(`tab-${tab}`).hidden || choose(view.tab === tab ? "state" : tab);
const choose = (tab) => { view.tab = tab; show(); };
const asked = () => location.hash.length > 1 && Number.isInteger(Number(location.hash.slice(1))) ? Number(location.hash.slice(1)) : view.at;
const KEYS = {
  ArrowDown: goOn, j: goOn, ArrowRight: goOn,
  ArrowUp: () => go(view.at - 1), k: () => go(view.at - 1), ArrowLeft: () => go(view.at - 1),
  Home: () => go(0), End: () => go(last), s: () => flip("two"), c: () => flip("changed"), t: () => flip("lanes"),
  w: () => turn("why"), f: () => turn("fair"), "?": () => $("keys").showModal(),
  "/": () => $(view.tab === "why" ? "parts-filter" : "filter").focus(),
};

function listen() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input[type=search], select");
    if (typing && event.key === "Escape") event.target.blur();
    if (typing || event.ctrlKey || event.altKey || event.metaKey || $("keys").open || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  const search = (id, name, then) => $(id).addEventListener("input", (event) => { view[name] = event.target.value; then(); });
  search("filter", "filter", showState);
  search("parts-filter", "parts", showParts);
  const click = (id, act) => $(id).addEventListener("click", act);
  click("back", () => go(view.at - 1));
  click("on", goOn);
  click("two", () => flip("two"));
  click("changed", () => flip("changed"));
  click("diagram", () => flip("lanes"));
  click("because", () => { view.tab = "why"; go(last); });
  click("copy", copy);
  window.addEventListener("hashchange", () => asked() !== view.at && go(asked()));
  click("help", () => $("keys").showModal());
  for (const tab of TABS) click(`tab-${tab}`, () => choose(tab));
  click("parts", (event) => event.target.dataset.step && go(Number(event.target.dataset.step)));
  $("other").addEventListener("change", (event) => beside(Number(event.target.value)));
  wide.addEventListener("change", show);
  new ResizeObserver(drawLanes).observe($("steps"));
}

function begin() {
  view.at = Math.max(0, Math.min(last, asked()));
  $("sentence").append(...marked(run.sentence));
  $("copy").hidden = !run.text.length;
  $("other").append(...steps.map((_, step) => el("option", {value: String(step)}, String(step))));
  $("because").hidden = $("tab-why").hidden = run.property === null;
  $("end").hidden = !run.end && run.loop === null;
  $("bar").hidden = run.lanes === null;
  run.lanes?.groups.forEach((group, number) => {
    if (group.on) view.groups.add(number);
    const change = () => {
      if (!view.groups.delete(number)) view.groups.add(number);
      view.lanes = true;
      show();
    };
    $("groups").append(el("label", {}, el("input", {type: "checkbox", checked: group.on, on: {change}}), ` ${group.name}`));
  });
  $("tab-fair").hidden = !run.fairness.length;
  makeFairness();
  makeSteps();
  listen();
  show();
}

begin();
