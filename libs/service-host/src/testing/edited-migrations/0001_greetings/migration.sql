CREATE TABLE "greetings" (
    "name" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 2,

    CONSTRAINT "greetings_pkey" PRIMARY KEY ("name")
);
