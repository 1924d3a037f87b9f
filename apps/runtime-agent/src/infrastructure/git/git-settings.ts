/**
 * Everything that git reads beside its command line: nothing of this machine's or the repository's own choosing runs
 * any program, leads to another address or protocol, or asks a question. The file is named in the environment because git clears
 * settings of the command line from the environment of the half that reads a local repository.
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
