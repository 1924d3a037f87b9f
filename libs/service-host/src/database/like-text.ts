/** Text for `contains` of Prisma, which does not escape the wildcards of LIKE. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
