"use strict";

// Takes the pictures of the page on documentation: pages of the site, in a browser without a window.
//
// Arguments: the site, Chromium, the directory of the pictures.

const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const [, , site, browser, pictures] = process.argv;

/** Opens a page of the site. */
const open = (page, name, part = "") => page.goto(pathToFileURL(path.join(site, name)).href + part);

/** Takes the picture of what is in view. */
const picture = (page, name) => page.screenshot({ path: path.join(pictures, name) });

async function take() {
    const window = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
    try {
        const page = await window.newPage({ viewport: { width: 1180, height: 760 } });
        await open(page, "library/List.html", "#collect");
        await picture(page, "site-module.png");
        await page.locator("input[type=search]").fill("int -> 'a list");
        await page.locator(".results a.result").first().waitFor();
        await picture(page, "site-search.png");
        await open(page, "storage.html");
        await page.locator("img").first().scrollIntoViewIfNeeded();
        await picture(page, "site-guide.png");
    } finally {
        await window.close();
    }
}

take().catch((error) => {
    console.error(error);
    process.exit(1);
});
