/** A shell script that changes to the folder in its first argument and executes the other arguments. */
export const IN_FOLDER = 'cd "$0" && unset OLDPWD && exec "$@"';
