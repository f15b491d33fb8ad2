-- The licence.
CREATE TABLE IF NOT EXISTS app.users (
  id SERIAL PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  created_at TIMESTAMP DEFAULT now()
);

-- Who is active.
CREATE OR REPLACE VIEW active_users AS
SELECT id, email FROM users WHERE active;

CREATE INDEX users_email ON users (email);

CREATE FUNCTION add(a integer, b integer) RETURNS integer
LANGUAGE sql AS $$ SELECT a + b $$;

CREATE TYPE mood AS ENUM ('sad', 'happy');

CREATE TRIGGER touch BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION touch_row();

CREATE SCHEMA app;

ALTER TABLE users ADD COLUMN age INT;

SELECT * FROM users;
