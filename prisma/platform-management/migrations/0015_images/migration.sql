-- Web services that run an image of a registry instead of building a repository.
ALTER TABLE "web_services" ALTER COLUMN "git_repository_url" DROP NOT NULL,
ALTER COLUMN "port" DROP NOT NULL,
ADD COLUMN     "image" TEXT;

ALTER TABLE "deployments" ADD COLUMN     "image" TEXT;
