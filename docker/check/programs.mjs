import { join } from 'node:path';
import { built } from '../../k8s/check/tools.mjs';

const VERSION = 'v2.40.3';

/** @returns the path of the Caddy that compose.yaml names; before 2.11.2, it did not repeat a request with a body whose connection failed. */
export const caddyProgram = () =>
  join(built('caddy', join(import.meta.dirname, 'caddy'), ['github.com/caddyserver/caddy/v2/cmd/caddy'], ''), 'caddy');

/** @returns the path of Docker Compose, built from its Go module, which go.mod and go.sum pin. */
export const composeProgram = () =>
  join(
    built(
      'docker-compose',
      import.meta.dirname,
      ['github.com/docker/compose/v2/cmd'],
      `-X github.com/docker/compose/v2/internal.Version=${VERSION}`,
    ),
    'cmd',
  );
