import { marked } from 'marked';
import { h } from 'vue';

/** Descriptions are Markdown of this installation's own contracts. */
export const inline = (text: string | undefined) =>
  h('span', { innerHTML: marked.parseInline(text ?? '', { async: false }) });

/** Paragraphs and lists of a description. */
export const paragraphs = (text: string | undefined) =>
  h('div', { innerHTML: marked.parse(text ?? '', { async: false }) });
