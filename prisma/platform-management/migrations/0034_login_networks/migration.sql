-- The first attempts of each network on an account do not wait for the guesses of others.
ALTER TABLE login_failures
  ADD COLUMN wide_network text NOT NULL DEFAULT '',
  ADD COLUMN is_first boolean NOT NULL DEFAULT false;
