-- Which Dockerfile of a repository is built, and how.
ALTER TABLE "web_services" ADD COLUMN     "dockerfile_path" TEXT,
ADD COLUMN     "docker_target" TEXT,
ADD COLUMN     "build_args" JSONB NOT NULL DEFAULT '{}';
