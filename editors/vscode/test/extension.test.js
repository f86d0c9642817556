// The extension against a substitute for VS Code, and a substitute for clefc.

"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { beforeEach, test } = require("node:test");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "clef-"));
const project = path.join(folder, "blinky");
const source = path.join(project, "main.clef");
const compiler = path.join(folder, "clefc");

const BOARDS = [
  { name: "microbit", target: "thumbv6m", description: "BBC micro:bit", run: { kind: "qemu" }, chip: "nRF51822_xxAA" },
  { name: "host-linux", target: "x86_64-linux", description: "This machine", run: { kind: "native" }, chip: null },
  { name: "linux-aarch64", target: "aarch64-linux", description: "Linux", run: { kind: "qemu-user" }, chip: null },
];

fs.mkdirSync(project);
fs.writeFileSync(source, "");
fs.writeFileSync(path.join(project, "clef.toml"), 'name = "blinky"\nboard = "microbit"\n\n[profile]\nboard = "other"\n');
fs.writeFileSync(compiler, `#!/bin/sh\n[ "$1" = boards ] && cat <<'END'\n${JSON.stringify(BOARDS)}\nEND\nexit 0\n`, {
  mode: 0o755,
});
process.on("exit", () => fs.rmSync(folder, { recursive: true }));

const settings = {};
const commands = {};
const providers = {};
const shown = { errors: [], tasks: [], pick: undefined };
const listeners = [];
const nothing = { dispose() {} };
const uri = (file) => ({ fsPath: file });

class Uri {
  static file = uri;
}

class Task {
  constructor(definition, scope, name, owner, execution, matchers) {
    Object.assign(this, { definition, scope, name, owner, execution, matchers });
  }
}

class ProcessExecution {
  constructor(program, words, options) {
    Object.assign(this, { program, words, options });
  }
}

class LanguageClient {
  constructor(_id, _name, options, clientOptions) {
    Object.assign(shown, { server: options, options: clientOptions.initializationOptions });
  }
  async start() {
    shown.starts += 1;
  }
  async stop() {}
}

const root = { uri: uri(folder) };
const vscode = {
  Uri,
  Task,
  ProcessExecution,
  TaskGroup: { Build: "build", Test: "test" },
  TaskScope: { Workspace: 2 },
  ConfigurationTarget: { Workspace: 2, Global: 1 },
  StatusBarAlignment: { Right: 2 },
  commands: { registerCommand: (name, action) => ((commands[name] = action), nothing), executeCommand() {} },
  debug: { registerDebugConfigurationProvider: (_type, provider) => ((providers.debug = provider), nothing) },
  extensions: { getExtension: () => ({}) },
  tasks: {
    registerTaskProvider: (_type, provider) => ((providers.tasks = provider), nothing),
    executeTask: async (task) => shown.tasks.push(task),
  },
  window: {
    activeTextEditor: undefined,
    createStatusBarItem: () => (shown.status = { show() {}, hide() {} }),
    onDidChangeActiveTextEditor: () => nothing,
    showErrorMessage: (text) => shown.errors.push(text),
    showQuickPick: async (items) => items.find((item) => item.label === shown.pick),
  },
  workspace: {
    isTrusted: true,
    workspaceFolders: [root],
    createFileSystemWatcher: () => nothing,
    findFiles: async () => [uri(path.join(project, "clef.toml"))],
    getConfiguration: () => ({ get: (name) => settings[name], update: (name, value) => (settings[name] = value) }),
    getWorkspaceFolder: () => root,
    onDidChangeConfiguration: (listener) => (listeners.push(listener), nothing),
    onDidGrantWorkspaceTrust: () => nothing,
    saveAll: async () => true,
  },
};

const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  return name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
};
const extension = require("../src/extension");

beforeEach(async () => {
  Object.assign(settings, { compiler, board: "" });
  Object.assign(shown, { errors: [], tasks: [], pick: undefined, starts: 0 });
  listeners.length = 0;
  vscode.window.activeTextEditor = { document: { languageId: "clef", fileName: source } };
  const storageUri = uri(path.join(folder, "it's storage"));
  await extension.activate({ subscriptions: [], storageUri });
});

test("the server has no options", () => {
  assert.deepStrictEqual(shown.server, { command: compiler, args: ["lsp"] });
});

test("the board and the hints are options of the server, which restarts when they change", async () => {
  const changed = (name) => {
    const event = { affectsConfiguration: (asked) => asked === name };
    listeners.forEach((listener) => listener(event));
    return new Promise((resolve) => setImmediate(resolve));
  };
  assert.strictEqual(shown.options.board, "");
  Object.assign(settings, { board: "microbit", "hints.storage": false });
  await changed("clef.board");
  assert.deepStrictEqual([shown.starts, shown.options.board, shown.options.storageHints], [2, "microbit", false]);
  await changed("editor.fontSize");
  assert.strictEqual(shown.starts, 2);
  delete settings["hints.storage"];
});

test("every option of the server is a setting", () => {
  const { properties } = require("../package.json").contributes.configuration;
  for (const name of ["board", "hints.types", "hints.parameters", "hints.storage"]) {
    assert.ok(properties[`clef.${name}`], name);
  }
});

test("the lens of a test runs that test", async () => {
  await commands["clef.test"](source, "::Main\\.it works$");
  assert.deepStrictEqual(shown.tasks[0].execution.words, ["test", "--filter", "::Main\\.it works$", source]);
});

test("every command of the manifest is registered", () => {
  const { contributes } = require("../package.json");
  const declared = contributes.commands.map(({ command }) => command);
  assert.deepStrictEqual(Object.keys(commands).sort(), declared.sort());
});

test("a code lens runs what it names, on the selected board", async () => {
  settings.board = "microbit";
  await commands["clef.flash"](source);
  const [{ execution, matchers }] = shown.tasks;
  assert.deepStrictEqual(execution.words, ["flash", "--board", "microbit", source]);
  assert.strictEqual(execution.program, compiler);
  assert.strictEqual(matchers, "$clefc");
});

test("a command runs the project of the active file", async () => {
  await commands["clef.run"]();
  await commands["clef.build"]();
  assert.deepStrictEqual(
    shown.tasks.map(({ execution }) => execution.words),
    [["run", project], [project]],
  );
});

test("projects have tasks, and tasks are completed", async () => {
  const tasks = await providers.tasks.provideTasks();
  assert.deepStrictEqual(
    tasks.map(({ name, group }) => [name, group]),
    [["build blinky", "build"], ["run blinky", undefined], ["test blinky", "test"], ["flash blinky", undefined]],
  );
  const definition = { type: "clefc", command: "run", path: "blinky", board: "microbit", arguments: ["-O", "z"] };
  const { execution } = providers.tasks.resolveTask({ definition, scope: root });
  assert.deepStrictEqual(execution.words, ["run", "--board", "microbit", "-O", "z", project]);
});

test("a board is selected, and unselected", async () => {
  shown.pick = "microbit";
  await commands["clef.selectBoard"]();
  assert.strictEqual(settings.board, "microbit");
  shown.pick = "The project's board";
  await commands["clef.selectBoard"]();
  assert.strictEqual(settings.board, undefined);
  settings.compiler = path.join(folder, "missing");
  await commands["clef.selectBoard"]();
  assert.match(shown.errors[0], /set clef.compiler to its path/);
});

test("the debugger starts clefc gdb on the board of the project", async () => {
  const made = await providers.debug.resolveDebugConfiguration(root, {});
  assert.deepStrictEqual(shown.errors, []);
  assert.strictEqual(made.type, "cppdbg");
  assert.strictEqual(made.targetArchitecture, "arm");
  assert.strictEqual(made.launchCompleteCommand, "exec-continue");
  const script = fs.readFileSync(made.miDebuggerPath, "utf8");
  assert.strictEqual(script, `#!/bin/sh\nexec '${compiler}' 'gdb' '--board' 'microbit' '${project}' -- "$@"\n`);
});

test("the debugger starts a process on this machine", async () => {
  const configuration = { name: "n", path: "${workspaceFolder}/blinky", board: "host-linux", arguments: ["-O", "1"] };
  const made = await providers.debug.resolveDebugConfiguration(root, configuration);
  assert.strictEqual(made.launchCompleteCommand, "exec-run");
  assert.match(fs.readFileSync(made.miDebuggerPath, "utf8"), /'gdb' '--board' 'host-linux' '-O' '1'/);
});

test("what cannot be debugged is said", async () => {
  for (const board of ["linux-aarch64", "unheard-of"]) {
    const made = await providers.debug.resolveDebugConfiguration(root, { path: project, board });
    assert.strictEqual(made, undefined);
    assert.match(shown.errors.at(-1), new RegExp(board));
  }
});
