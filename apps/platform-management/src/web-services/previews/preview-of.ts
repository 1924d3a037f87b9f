import type { CreatedData } from '../services/aggregate/events.js';
import type { WebService } from '../services/aggregate/state.js';
import type { PullRequestEvent } from './pull-request-event.js';

/** Copies how the web service is built and started, but not its variables, databases, disk, other processes and domains. */
export function previewOf(
  { id, userId, projectId, settings }: WebService,
  previewId: string,
  event: Pick<PullRequestEvent, 'number' | 'headBranch' | 'url'>,
  at: string,
): CreatedData {
  const { name, git_repository_url, build_command, start_command, health_check_path, port } = settings!;
  const { release_command, instance, drain_seconds, root_directory, health_check } = settings!;
  const { first_byte_timeout_seconds, autoscaling, dockerfile_path, docker_target, build_args } = settings!;
  return {
    ...{ git_repository_url, build_command, start_command, health_check_path, port },
    ...(release_command && { release_command }),
    ...(instance && { instance }),
    ...(drain_seconds && { drain_seconds }),
    ...(root_directory && { root_directory }),
    ...(dockerfile_path && { dockerfile_path }),
    ...(docker_target && { docker_target }),
    ...(build_args && { build_args }),
    ...(health_check && { health_check }),
    ...(first_byte_timeout_seconds && { first_byte_timeout_seconds }),
    ...(autoscaling && { autoscaling }),
    web_service_id: previewId,
    user_id: userId!,
    project_id: projectId!,
    name: previewName(name, event.number),
    branch: event.headBranch,
    min_instances: 1,
    max_instances: 1,
    environment: 'staging',
    preview: { web_service_id: id!, pull_request: event.number, url: event.url ?? null },
    at,
  };
}

/** Names have at most 100 characters, so a long one is shortened. */
const previewName = (name: string, pullRequest: number): string => {
  const suffix = `-pr-${pullRequest}`;
  return `${name.slice(0, 100 - suffix.length)}${suffix}`;
};
