/** A script that changes into the folder in its first argument, and becomes the command in the others. */
export const IN_FOLDER = 'cd "$0" && unset OLDPWD && exec "$@"';
