/** Another process can delete a segment at any time, so a missing file is not an error. */
export const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};
