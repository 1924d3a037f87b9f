/** The commands of a document that a reader runs against a cluster, and which of them were run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../tools.mjs';

/** An inline command without a target is only a mention. */
const SENTENCE = /`((?:helm|kubectl) [^`]+ [^`]+)`/g;
const BLOCK = /^ *```(?:sh|bash)\n([\s\S]*?)^ *```$/gm;

/** @returns {string[]} blocks of commands, and commands within sentences, in the order of the text. */
export const blocksOf = text => {
  const blocks = [...text.matchAll(BLOCK)].map(({ 1: block, index }) => ({ index, text: block.trimEnd() }));
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, block => block.replaceAll(/[^\n]/g, ' '));
  const sentences = [...prose.matchAll(SENTENCE)].map(({ 1: command, index }) => ({ index, text: command }));
  return [...blocks, ...sentences].sort((one, other) => one.index - other.index).map(({ text: each }) => each);
};

/** @returns {string[]} the commands of a block, each as it is written. */
export const commandsOf = block => block.match(/(?:.*[\\|]\n)*.+/g) ?? [];

/** A part of a document, from one heading to another. @param {string} text @param {{ from?: string, to?: string }} part */
const partOf = (text, { from = '', to }) => {
  const start = text.indexOf(from);
  const end = to === undefined ? text.length : text.indexOf(`\n${to}\n`, start);
  if (start < 0 || end < 0) throw new Error(`the document has no part from "${from}" to "${to}"`);
  return text.slice(start, end);
};

export class DocumentBlocks {
  #left;

  /**
   * @param {string} path of the document.
   * @param {{ from?: string, to?: string }} part headings between which it is read.
   */
  constructor(path, part = {}) {
    this.path = path;
    this.blocks = blocksOf(partOf(readFileSync(join(ROOT, path), 'utf8'), part));
    this.#left = new Set(this.blocks);
  }

  /** Returns the only block that contains these words, and marks it as run. @throws unless there is exactly one. */
  take(text) {
    const found = this.blocks.filter(block => block.includes(text));
    if (found.length !== 1) throw new Error(`${this.path} has ${found.length} blocks with "${text}"`);
    const [block = ''] = found;
    this.#left.delete(block);
    return block;
  }

  /** @returns {string[]} blocks that were not run. */
  get left() {
    return [...this.#left];
  }
}

/** Replaces the placeholders that a reader has to replace. @param table of `[text, replacement]`. */
export const substituted = (text, table) => table.reduce((done, [from, to]) => done.replaceAll(from, to), text);
