/** Sessions, turns, their journal and event log, approvals, processes, audit. */
export default `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, channel TEXT NOT NULL, title TEXT, model TEXT,
  turns INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT
) STRICT;
CREATE INDEX sessions_by_update ON sessions (updated_at, id) WHERE deleted_at IS NULL;

CREATE TABLE turns (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions (id), number INTEGER NOT NULL,
  agent_id TEXT NOT NULL, channel TEXT NOT NULL, status TEXT NOT NULL, model TEXT NOT NULL, message_id INTEGER NOT NULL,
  owner TEXT, takeovers INTEGER NOT NULL DEFAULT 0, cancel_by TEXT,
  created_at TEXT NOT NULL, started_at TEXT, finished_at TEXT, reply TEXT, error TEXT,
  input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0, cached_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL DEFAULT 0,
  UNIQUE (session_id, number)
) STRICT;
CREATE INDEX turns_unfinished ON turns (session_id, number) WHERE finished_at IS NULL;
CREATE INDEX turns_by_status ON turns (status);
CREATE INDEX turns_by_end ON turns (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, turn_number INTEGER NOT NULL,
  role TEXT NOT NULL, content TEXT NOT NULL, text TEXT NOT NULL, partial INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL
) STRICT;
CREATE INDEX messages_by_session ON messages (session_id, turn_number, id);
CREATE VIRTUAL TABLE message_search USING fts5 (
  text, content = 'messages', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 2"
);
CREATE TRIGGER message_added AFTER INSERT ON messages WHEN new.text <> '' BEGIN
  INSERT INTO message_search (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages WHEN old.text <> '' BEGIN
  INSERT INTO message_search (message_search, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TABLE session_summaries (
  session_id TEXT NOT NULL, up_to INTEGER NOT NULL, text TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (session_id, up_to)
) STRICT;

CREATE TABLE tool_calls (
  id TEXT PRIMARY KEY, turn_id TEXT NOT NULL, step INTEGER NOT NULL, provider_call_id TEXT NOT NULL, name TEXT NOT NULL,
  input TEXT NOT NULL, status TEXT NOT NULL, approval_id TEXT, output TEXT, started_at TEXT, finished_at TEXT
) STRICT;
CREATE INDEX tool_calls_by_turn ON tool_calls (turn_id);

CREATE TABLE approvals (
  id TEXT PRIMARY KEY, turn_id TEXT NOT NULL, session_id TEXT NOT NULL, call_id TEXT NOT NULL, name TEXT NOT NULL,
  input TEXT NOT NULL, reason TEXT NOT NULL, status TEXT NOT NULL, asked_at TEXT NOT NULL, expires_at TEXT NOT NULL,
  decided_at TEXT, decided_by TEXT
) STRICT;
CREATE INDEX approvals_by_turn ON approvals (turn_id);
CREATE INDEX approvals_pending ON approvals (expires_at) WHERE status = 'pending';

CREATE TABLE steps (
  id INTEGER PRIMARY KEY, turn_id TEXT NOT NULL, session_id TEXT NOT NULL, agent_id TEXT NOT NULL, channel TEXT NOT NULL,
  step INTEGER NOT NULL, model TEXT NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL, cost_usd REAL, duration_ms INTEGER NOT NULL, first_token_ms INTEGER, at TEXT NOT NULL
) STRICT;
CREATE INDEX steps_by_time ON steps (at);
CREATE INDEX steps_by_turn ON steps (turn_id);

CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, turn_id TEXT NOT NULL, seq INTEGER NOT NULL, session_id TEXT NOT NULL,
  body TEXT NOT NULL, at TEXT NOT NULL, UNIQUE (turn_id, seq)
) STRICT;

CREATE TABLE idempotency (
  scope TEXT NOT NULL, key TEXT NOT NULL, body_hash TEXT NOT NULL, turn_id TEXT NOT NULL, created_at TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT;
CREATE INDEX idempotency_by_turn ON idempotency (turn_id);
CREATE INDEX idempotency_by_time ON idempotency (created_at);

CREATE TABLE processes (
  id TEXT PRIMARY KEY, pid INTEGER NOT NULL, start_time TEXT NOT NULL, host TEXT NOT NULL, kind TEXT NOT NULL, lease_until TEXT NOT NULL
) STRICT;
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL,
  detail TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;
CREATE TABLE login_failures (address TEXT NOT NULL, at TEXT NOT NULL) STRICT;
CREATE INDEX login_failures_by_address ON login_failures (address, at);
CREATE TABLE login_locks (address TEXT PRIMARY KEY, until TEXT NOT NULL) STRICT;
`
