-- When a request was admitted, by the clock of the database: its id has the time of another machine.
ALTER TABLE open_requests ADD COLUMN admitted_at timestamptz NOT NULL DEFAULT now();
