/** The first descriptor that systemd passes (sd_listen_fds(3)). */
const FIRST_DESCRIPTOR = 3;

/**
 * The listening socket that systemd keeps for this process; undefined if there is none. Connections wait in it while the process is
 * replaced. @throws if there are several, because it is not known which one is the public port.
 */
export const passedSocket = (
  environment: Readonly<Record<string, string | undefined>>,
  processId: number,
): { readonly fd: number } | undefined => {
  const { LISTEN_FDS: count, LISTEN_PID: owner } = environment;
  if (count === undefined || owner !== String(processId)) return undefined;
  if (count !== '1') throw new Error(`systemd passed ${count} sockets; the socket unit must have one ListenStream`);
  return { fd: FIRST_DESCRIPTOR };
};
