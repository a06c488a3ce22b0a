// Starts `leadline lsp` and hands it to VS Code.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** The options of the server and of the client, as the user's settings say. */
function options() {
  const settings = vscode.workspace.getConfiguration("leadline");
  const [command, ...args] = settings.get("command");
  const languages = ["tlaplus", "tlaplus_cfg", ...(settings.get("python") ? ["python"] : [])];
  const given = ["timeout", "memory", "loading", "path", "types"].map((name) => [name, settings.get(name)]);
  return {
    server: { command, args },
    client: {
      documentSelector: languages.map((language) => ({ scheme: "file", language })),
      initializationOptions: Object.fromEntries(given),
    },
  };
}

async function start() {
  const { server, client: about } = options();
  client = new LanguageClient("leadline", "Leadline", server, about);
  try {
    await client.start();
  } catch (error) {
    const repair = "install it by `pip install 'leadline[lsp]'`, or set leadline.command to where it is";
    vscode.window.showErrorMessage(`${server.command} does not start: ${repair} (${error.message})`);
  }
}

async function deactivate() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function activate(context) {
  const restart = async () => {
    await deactivate();
    await start();
  };
  context.subscriptions.push(vscode.commands.registerCommand("leadline.restart", restart));
  await start();
}

module.exports = { activate, deactivate };
