/** Where Node.js keeps compiled code, for a process with an environment of its own: it starts in two thirds of the time. */
export const compileCache = (): Record<string, string> => {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
};
