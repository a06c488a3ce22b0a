// The built extension, started with a stand-in for VS Code's own module, opens a module with a mistake.

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { StreamMessageReader, StreamMessageWriter, createMessageConnection } = require("vscode-jsonrpc/node");
const { spawn } = require("node:child_process");

const about = JSON.parse(fs.readFileSync(path.join(__dirname, "..", "package.json")));
const command = (process.env.LEADLINE || "leadline lsp --stdio").split(" ");

test("each setting that the extension reads is declared", () => {
  const code = fs.readFileSync(path.join(__dirname, "..", "extension.js"), "utf8");
  const declared = Object.keys(about.contributes.configuration.properties).map((name) => name.split(".")[1]);
  for (const name of declared) assert.ok(code.includes(`"${name}"`), name);
});

test("the bundle is an extension", () => {
  const own = { get: (target, name) => (name === "prototype" ? target.prototype : stand), apply: () => stand };
  const stand = new Proxy(class {}, own);
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? stand : load(name, ...rest));
  try {
    const extension = require("../dist/extension.js");
    assert.deepStrictEqual(Object.keys(extension).sort(), ["activate", "deactivate"]);
  } finally {
    Module._load = load;
  }
});

test("the server that it starts tells a mistake", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "leadline-"));
  const uri = `file://${folder}/Half.tla`;
  const server = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const told = new Promise((take) => connection.onNotification("textDocument/publishDiagnostics", take));
  connection.listen();
  const settings = { timeout: 60, memory: 4096, loading: 20, path: [], types: true };
  const ready = { processId: process.pid, rootUri: null, capabilities: {}, initializationOptions: settings };
  await connection.sendRequest("initialize", ready);
  await connection.sendNotification("initialized", {});
  const text = "---- MODULE Half ----\nVARIABLE x\nInit == x =\nNext == x' = x\n====\n";
  const textDocument = { uri, languageId: "tlaplus", version: 1, text };
  await connection.sendNotification("textDocument/didOpen", { textDocument });
  const { diagnostics } = await told;
  assert.strictEqual(diagnostics.length, 1);
  assert.match(diagnostics[0].message, /unfinished/);
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  const code = await new Promise((take) => server.on("exit", take));
  assert.strictEqual(code, 0);
  fs.rmSync(folder, { recursive: true });
});
