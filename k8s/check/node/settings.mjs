/** Shared settings of the check on a real node. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Programs, Debian packages and layers of images, kept between runs and outside the checkout. */
export const NODE_CACHE = process.env.POSTERN_NODE_CACHE ?? join(homedir(), '.cache/postern/kubernetes-node');

/** Prefix of the folders and control groups of a run. */
export const RUN_PREFIX = 'postern-node-';

/** The option that leaves the cluster running after the stages, until the check is stopped. */
export const KEEP = '--keep';

export const NODE_NAME = 'node1';
/** Networks that exist only inside the network namespace of a run. */
export const NODE_ADDRESS = '10.200.0.1';
/** A public address, for receivers of webhooks. */
export const PUBLIC_ADDRESS = '203.0.113.10';
/** Address of cloud metadata services. */
export const METADATA_ADDRESS = '169.254.169.254';
/** Address of the Git server, which is not in a private range. */
export const GIT_ADDRESS = '93.184.215.14';
export const GIT_HOST = 'git.example.com';
/** Stands for Docker Hub. */
export const HUB_ADDRESS = '10.200.0.2';
export const HUB_HOST = 'registry-1.docker.io';
/** The registry in the examples of values. */
export const REGISTRY_HOST = 'registry.example.com';
/** Names that the DNS of the cluster and the node know. */
export const HOSTS = { [REGISTRY_HOST]: NODE_ADDRESS, [HUB_HOST]: HUB_ADDRESS, [GIT_HOST]: GIT_ADDRESS };
/** Customer domains that the DNS of the cluster resolves. */
export const CUSTOMERS_ZONE = 'example.net';
export const CUSTOM_DOMAIN = `shop.${CUSTOMERS_ZONE}`;
/** Of the gateway, and of web services. */
export const BEHIND_INGRESS = ['mail.example.com', '*.apps.example.com', CUSTOM_DOMAIN];
export const POD_NETWORK = '10.244.0.0/16';
export const SERVICE_NETWORK = '10.99.0.0/16';
export const API_SERVICE_ADDRESS = '10.99.0.1';
export const DNS_ADDRESS = '10.99.0.10';
export const API_SERVER = `https://${NODE_ADDRESS}:6443`;

export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10';
export const REGISTRY_IMAGE = 'docker.io/library/registry:2.8.2';
export const TRAEFIK_IMAGE = 'docker.io/library/traefik:v3.6.12';
export const METRICS_IMAGE = 'registry.k8s.io/metrics-server/metrics-server:v0.9.0';
export const DNS_IMAGE = 'registry.k8s.io/coredns/coredns:v1.13.1';
