export {
  type BasicAccess,
  type GitHttpServer,
  type GitHttpServerOptions,
  startGitHttpServer,
} from './git-http-server.js';
export {
  type GitSshServer,
  type GitSshServerOptions,
  type KeyPair,
  newKeyPair,
  startGitSshServer,
} from './git-ssh-server.js';
