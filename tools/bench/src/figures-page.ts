/** The pages of figures that a run writes: each part has a block with its date, commit and machine. */
const BEGIN = (part: string) => `<!-- bench ${part}: begin -->`;
const END = (part: string) => `<!-- bench ${part}: end -->`;

/** What a published block says about its run. */
export interface PublishedRun {
  readonly at: string;
  readonly commit: string;
  readonly machine: string;
}

/** The page with the text of a part, in its block or in a new one at the end. */
export const withFigures = (
  page: string,
  part: string,
  text: string,
  { at, commit, machine }: PublishedRun,
): string => {
  const block = `${BEGIN(part)}

Measured on ${at.slice(0, 10)} at commit ${commit} on ${machine}, with \`npm run bench -- ${part} --publish\`.

\`\`\`text
${text.replace(/^\n+|\s+$/g, '')}
\`\`\`

${END(part)}`;
  const begin = page.indexOf(BEGIN(part));
  const end = page.indexOf(END(part));
  if (begin >= 0 && end > begin) return page.slice(0, begin) + block + page.slice(end + END(part).length);
  return `${page.trimEnd()}\n\n### Latest run: ${part}\n\n${block}\n`;
};
