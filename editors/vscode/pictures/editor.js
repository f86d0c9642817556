"use strict";

// Takes the pictures of the page on editors: a project in VS Code with the extension, in a browser without a window.
//
// Arguments: the extension as a package, the compiler, Chromium, the directory of the pictures. The directory of this file is
// where its packages are installed; the editor's files and the project are in a temporary directory.

const { spawn, execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { chromium } = require("playwright-core");

const [, , extension, compiler, browser, pictures] = process.argv;
const PORT = 18730;

/** Settings under which nothing but the project is shown. */
const SETTINGS = {
    "clef.compiler": compiler,
    "editor.minimap.enabled": false,
    "extensions.ignoreRecommendations": true,
    "security.workspace.trust.enabled": false,
    "telemetry.telemetryLevel": "off",
    "workbench.colorTheme": "Default Dark Modern",
    "workbench.startupEditor": "none",
};

/** A directory with the project, the settings and the extension; returns the arguments of the server. */
function prepare(directory) {
    const data = path.join(directory, "data");
    fs.mkdirSync(path.join(data, "User"), { recursive: true });
    fs.writeFileSync(path.join(data, "User", "settings.json"), JSON.stringify(SETTINGS));
    fs.writeFileSync(path.join(directory, "config.yaml"), "");
    fs.cpSync(path.join(__dirname, "project"), path.join(directory, "blinky"), { recursive: true });
    const program = path.join(__dirname, "node_modules/code-server/out/node/entry.js");
    const places = ["--user-data-dir", data, "--extensions-dir", path.join(directory, "extensions")];
    const server = [program, "--config", path.join(directory, "config.yaml"), ...places];
    execFileSync(process.execPath, [...server, "--install-extension", extension], { stdio: "inherit" });
    return server;
}

/** Waits until the server answers. */
async function answers() {
    for (let attempt = 0; attempt < 60; attempt++) {
        const response = await fetch(`http://127.0.0.1:${PORT}/healthz`).catch(() => undefined);
        if (response?.ok) return;
        await new Promise((resolve) => setTimeout(resolve, 500));
    }
    throw new Error("code-server does not answer");
}

/** Opens the program, and waits for diagnostics, types and storage. */
async function open(page, directory) {
    await page.goto(`http://127.0.0.1:${PORT}/?folder=${path.join(directory, "blinky")}`);
    await page.getByText("main.clef").first().dblclick();
    await page.waitForSelector(".squiggly-warning");
    await page.getByText("⟨region⟩").first().waitFor();
}

/** The pointer on a closure: its type, how it is stored, and what it captures. */
async function hover(page) {
    const word = await page.locator(".view-line").getByText("fun", { exact: true }).first().boundingBox();
    await page.mouse.move(word.x + 10, word.y + 10);
    await page.mouse.move(word.x + 12, word.y + 10);
    await page.locator(".monaco-hover").getByText("stored by value").first().waitFor();
    await page.waitForTimeout(500);
    await page.screenshot({ path: path.join(pictures, "vscode-hover.png") });
    await page.mouse.click(word.x + 12, word.y + 10);
}

/** The functions of a module while its name is typed. */
async function completion(page) {
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nList.ma", { delay: 100 });
    await page.locator(".suggest-widget .monaco-list-row", { hasText: "mapFoldBack" }).first().waitFor();
    await page.screenshot({ path: path.join(pictures, "vscode-completion.png") });
}

async function take() {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "clef-pictures-"));
    const server = prepare(directory);
    const listen = ["--auth", "none", "--bind-addr", `127.0.0.1:${PORT}`];
    // A group of its own, because the server leaves processes that end later.
    const running = spawn(process.execPath, [...server, ...listen], { stdio: "ignore", detached: true });
    const window = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
    try {
        await answers();
        const page = await window.newPage({ viewport: { width: 1180, height: 760 } });
        await open(page, directory);
        await hover(page);
        await completion(page);
    } finally {
        await window.close();
        process.kill(-running.pid, "SIGKILL");
        fs.rmSync(directory, { recursive: true, force: true });
    }
}

take().catch((error) => {
    console.error(error);
    process.exit(1);
});
