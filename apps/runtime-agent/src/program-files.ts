/**
 * A bundled program that runs in images and instances; `nx bundle runtime-agent` builds it. Its path is resolved from this folder,
 * because it contains both `main.js` and its bundle; bundling moves code of deeper folders.
 */
export const bundledProgram = (name: string): URL => new URL(`../dist/program-${name}.js`, import.meta.url);
