/**
 * The only configuration that git reads: it runs no other program, follows no redirect and does not prompt. It is a
 * file, because git clears command-line settings from the environment of the process that reads a local repository.
 */
export const GIT_SETTINGS = `[safe]
\tdirectory = *
[core]
\thooksPath = /dev/null
\tfsmonitor = false
\taskPass = /bin/false
[credential]
\thelper =
[protocol "ext"]
\tallow = never
[http]
\tfollowRedirects = false
\tlowSpeedLimit = 1000
\tlowSpeedTime = 30
[uploadpack]
\tallowAnySHA1InWant = true
[submodule]
\trecurse = false
[fetch]
\trecurseSubmodules = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[advice]
\tdetachedHead = false
`;
