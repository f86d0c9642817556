// The debugger: the C/C++ extension with `clefc gdb` in place of GDB, as in the launch.json that `clefc new` writes.

"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { boardOf, commandLine, output, program, projectOf } = require("./compiler");
const { shipped } = require("./boards");

const CPP_TOOLS = "ms-vscode.cpptools";

/** A word for the shell. */
function quoted(word) {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A script that the C/C++ extension starts as GDB. */
function script(words) {
  return `#!/bin/sh\nexec ${[program(), ...words].map(quoted).join(" ")} -- "$@"\n`;
}

/** The processor, in the words of the C/C++ extension. */
function architecture(target) {
  if (target.startsWith("thumb")) return "arm";
  return target.startsWith("aarch64") ? "arm64" : "x64";
}

/** The configuration of the C/C++ extension. */
function cppdbg(configuration, folder, files, board) {
  // GDB starts a process; on a board or in an emulator the program waits at its first instruction.
  const isProcess = !board || board.run.kind === "native";
  const host = process.arch === "arm64" ? "aarch64" : "x86_64";
  return {
    name: configuration.name,
    type: "cppdbg",
    request: "launch",
    program: files.image,
    cwd: folder,
    MIMode: "gdb",
    miDebuggerPath: files.script,
    targetArchitecture: architecture(isProcess ? host : board.target),
    customLaunchSetupCommands: [],
    launchCompleteCommand: isProcess ? "exec-run" : "exec-continue",
  };
}

/** Builds the program, and writes the script. */
async function prepare(context, file, folder, name, further) {
  const storage = path.join((context.storageUri ?? context.globalStorageUri).fsPath, "debug");
  await fs.promises.mkdir(storage, { recursive: true });
  const key = crypto.createHash("sha256").update(file).digest("hex").slice(0, 16);
  const files = { image: path.join(storage, `${key}.elf`), script: path.join(storage, `${key}.sh`) };
  await output(commandLine("build", file, name, ["-g", "-O", "0", "-o", files.image]), folder);
  await fs.promises.writeFile(files.script, script(commandLine("gdb", file, name, further)), { mode: 0o755 });
  return files;
}

/** What is debugged: the path of the configuration, or without one the project of the active editor. */
function pathOf(configuration, folder) {
  const active = vscode.window.activeTextEditor?.document;
  const file = active?.languageId === "clef" ? active.fileName : undefined;
  if (!configuration.path) return file ? projectOf(file) : folder?.uri.fsPath;
  const known = { workspaceFolder: folder?.uri.fsPath, file };
  const named = configuration.path.replace(/\$\{(\w+)\}/g, (text, name) => known[name] ?? text);
  return path.resolve(folder?.uri.fsPath ?? "", named);
}

/** The configuration for the C/C++ extension. VS Code then lets that extension complete it. */
async function resolve(context, folder, configuration) {
  const file = pathOf(configuration, folder);
  if (!file) throw new Error("there is nothing to debug: open a file of Clef");
  if (!vscode.extensions.getExtension(CPP_TOOLS)) throw new Error(`debugging needs the extension ${CPP_TOOLS}`);
  const place = folder?.uri.fsPath ?? path.dirname(file);
  const name = configuration.board || boardOf(file);
  const board = name ? (await shipped()).find((one) => one.name === name) : undefined;
  if (name && !board) {
    throw new Error(`clefc ships no board ${name}: debug it with a launch.json as \`clefc new\` writes it`);
  }
  if (board?.run.kind === "qemu-user") throw new Error(`programs for ${name} cannot be debugged: select another board`);
  const files = await prepare(context, file, place, name, configuration.arguments);
  return cppdbg({ name: "Debug", ...configuration }, place, files, board);
}

function activate(context) {
  const provider = {
    async resolveDebugConfiguration(folder, configuration) {
      try {
        await vscode.workspace.saveAll(false);
        return await resolve(context, folder, configuration);
      } catch (error) {
        vscode.window.showErrorMessage(`Clef: ${error.message}`, { modal: true });
        return undefined;
      }
    },
  };
  context.subscriptions.push(vscode.debug.registerDebugConfigurationProvider("clef", provider));
}

module.exports = { activate };
