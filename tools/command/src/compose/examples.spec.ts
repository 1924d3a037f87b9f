import { describe, expect, it } from '@jest/globals';
import { writeBlueprint } from '../blueprint/blueprint.js';
import { planOf } from '../blueprint/plan.js';
import { textOf } from '../blueprint/plan-output.js';
import { convertCompose } from './conversion.js';

const NOTHING = { project: undefined, services: new Map(), databases: new Map(), emailServices: new Map() };

const conversionOf = (text: string) =>
  convertCompose({
    ...{ file: 'compose.yaml', text, project: 'shop', repository: 'https://git.example.com/shop.git', folder: '' },
    lookup: () => undefined,
    envFile: () => undefined,
  });

/** The blueprint without its first line, which names the schema. */
const converted = (text: string): string =>
  writeBlueprint(conversionOf(text).blueprint, 'x').split('\n').slice(1).join('\n');

const planned = (text: string): string => {
  const { blueprint, notes, secrets } = conversionOf(text);
  return textOf(planOf(blueprint, NOTHING, { prune: false, notes, secrets }));
};

describe('Usual Compose files', () => {
  it('of a site with an API and a database', () => {
    const text = `
services:
  frontend:
    build: { context: frontend, target: development }
    ports: ["3000:3000"]
    environment: { BACKEND_URL: "http://backend:8000" }
    volumes: ["./frontend/src:/code/src", /code/node_modules]
    networks: [public]
    depends_on: [backend]
  backend:
    build: backend
    restart: always
    environment: ["DATABASE_URL=postgresql://shop:example@db:5432/shop", NODE_ENV=production]
    healthcheck: { test: [CMD, curl, --fail, "http://localhost:8000/health"], interval: 10s }
    networks: [public, private]
    depends_on: { db: { condition: service_healthy } }
  db:
    image: postgres:17-alpine
    environment: { POSTGRES_USER: shop, POSTGRES_PASSWORD: example }
    volumes: ["db-data:/var/lib/postgresql/data"]
    healthcheck: { test: [CMD-SHELL, pg_isready -U shop] }
    networks: [private]
volumes: { db-data: }
networks: { public: , private: { driver: bridge } }
`;
    expect(converted(text)).toBe(`project: shop
services:
  frontend:
    repository: https://git.example.com/shop.git
    port: 3000
    root_directory: frontend
    docker_target: development
    env:
      BACKEND_URL: http://backend.internal:8000
  backend:
    repository: https://git.example.com/shop.git
    port: 8000
    root_directory: backend
    health_check_path: /health
    env:
      NODE_ENV: production
    databases:
      shop-db: DATABASE_URL
databases:
  shop-db:
    kind: relational
    version: "17"
`);
  });

  it('of a counter with a key-value store', () => {
    const text = `
version: "3"
services:
  web:
    build: .
    command: [flask, run, --host=0.0.0.0]
    ports: ["8000:5000"]
    links: [redis]
  redis:
    image: redis:7-alpine
    command: redis-server --appendonly yes
`;
    expect(converted(text)).toBe(`project: shop
services:
  web:
    repository: https://git.example.com/shop.git
    port: 5000
    start_command: flask run --host=0.0.0.0
    databases:
      shop-redis: REDIS_URL
databases:
  shop-redis:
    kind: key_value
`);
    expect(planned(text)).toBe(`+ create  project shop
+ create  database shop-redis  (key_value)
+ create  service web  (https://git.example.com/shop.git)
+ create  attachment of shop-redis to web  (REDIS_URL)
redis becomes the key-value store shop-redis, with a user, a password and settings of Postern: its command is not used.
The command of web becomes its start_command, which replaces the ENTRYPOINT of the image as well. If it has one, set entrypoint.
REDIS_URL of web gets the URL of shop-redis.`);
  });

  it('of a published image with a volume', () => {
    const text = `
name: Dashboards
services:
  grafana:
    image: grafana/grafana:11.2.0
    container_name: grafana
    restart: unless-stopped
    environment: ["GF_PATHS_DATA=/data"]
    ports: ["3000:3000"]
    volumes: ["grafana:/data"]
volumes: { grafana: {} }
`;
    expect(converted(text)).toBe(`project: Dashboards
services:
  grafana:
    image: grafana/grafana:11.2.0
    port: 3000
    env:
      GF_PATHS_DATA: /data
disks:
  grafana:
    size_mib: 1024
`);
  });
});
