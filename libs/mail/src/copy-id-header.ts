/** The header with the signed id of the copy; callers cannot set it. */
export const COPY_ID_HEADER = 'X-Postern-Id';
